"""Predictions from whatever files the user has: which kind they are, and how several belong together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from comitia._copied_votes import same_samples, vote_mark
from comitia._copies import in_common, marks, repeats, telling_marks
from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._runs import common_run
from comitia.files.counts import is_counts
from comitia.files.frames import is_frame
from comitia.files.gathered import alike
from comitia.files.label_files import open_label_table, read_label_file, read_labels
from comitia.files.long import read_long
from comitia.files.long_roles import looks_long
from comitia.files.npy import read_members
from comitia.files.npz import read_npz
from comitia.files.remote import local_copies, named
from comitia.files.roles import PER_ANSWER, Roles, TableOptions, fits, globs, named_columns, single_globs
from comitia.files.scan import ARROW_ENDINGS, TEXT_ENDINGS, Opened, is_table, open_table
from comitia.files.wide import read_wide
from comitia.statistics.counted import Holdout

Known = Holdout | Ensemble | None
Tell = Callable[[Roles], None] | None

FOLDER = (
    "is a folder; name the files in it (of checkpoints comitia build makes an ensemble; a bundle is for comitia "
    "predict and verify)"
)
KINDS = (".npz", ".npy", *TEXT_ENDINGS, *ARROW_ENDINGS)


def read_predictions(
    paths: Any,
    labels: str | Path | None = None,
    *,
    label: str | None = None,
    id: str | None = None,
    group: str | None = None,
    fold: str | None = None,
    members: str | Iterable[str] | None = None,
    ignore: str | Iterable[str] | None = None,
    empty: str | None = None,
    layout: str | None = None,
    pattern: str | None = None,
    classes: Iterable[str] | None = None,
    rounds: str | None = None,
    abstain: str | Iterable[str] | None = None,
    columns: Mapping[str, str] | str | Iterable[str] | None = None,
    like: Holdout | Ensemble | None = None,
    per: str | Iterable[str] | None = None,
    tell: Callable[[Roles], None] | None = None,
    labelled: bool = True,
    positive: str | None = None,
) -> Predictions:
    """Return the checked predictions of one or more files of one kind, each a path or URL, or of a data frame.

    Several long tables are the rows of one: a member may be in some of them only, and has gaps elsewhere.

    Parameters
    ----------
    paths : `.npz` packs, tables (several: samples of the same members), or one `.npy` per member; `-` for standard
        input; a data frame in place of a table
    labels : a file of the labels (`.npy`, or a text or table with one column), for files that hold none
    label, id, group, fold : the columns of a table that hold the labels, ids, groups and folds
    members, ignore : names or globs of the columns that are members, and of those to leave out; several may be joined
        by commas
    empty : what an empty cell means: "abstain" (no answer) or "unseen" (not hold-out for that member)
    layout : "wide" (a column per member) or "long" (a row per answer); told by the columns if not given
    pattern : how columns of one member and one class are named; `{member}:{class}` if not given
    classes : all classes in order; those of labels and votes, sorted, if not given
    rounds : long tables: what several answers of a member on an item are: "members" (each round is a member of its
        own) or "agree" (the answer on which all rounds agree, else an abstention)
    abstain : answers that mean "no answer", such as "tie"
    columns : long tables: the columns of members, answers, probabilities and rounds, where their names are not known:
        `{"member": "rater"}`, or "member=rater"
    like : an ensemble, or predictions of the same members: columns named as they are are the members of a wide table
        (others are left out), and the order of the classes is theirs
    per : what promises are asked for (see `weigh`): columns of a table, or arrays of a pack, that hold a fact of each
        sample, such as a site; they become `strata`. "class" and "predicted" need none
    tell : called with what was taken as what, for tables
    labelled : False for tables that go with labelled ones: the columns named as `label`, `group` and `fold` are left
        out, and may be absent
    positive : two classes: the one that comes second, which is the one that single probabilities are of

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder) / "holdout.csv"
    ...     _ = table.write_text("one,two,label\\ncat,dog,cat\\ndog,dog,dog\\n")
    ...     read_predictions(table).names
    ('one', 'two')
    """
    known = tuple(str(name) for name in classes or ())
    options = TableOptions(
        label,
        id,
        group,
        fold,
        globs(members),
        globs(ignore),
        empty,
        layout,
        pattern,
        known,
        rounds,
        globs(abstain),
        named_columns(columns),
        strata=tuple(name for name in globs(per) if name not in PER_ANSWER),
        positive=positive,
    )
    with named():
        return _read(*local_copies(_given(paths), labels), options, like, tell, labelled)


def _read(
    given: list[Any], labels: Path | None, options: TableOptions, like: Known, tell: Tell, labelled: bool
) -> Predictions:
    if not isinstance(given[0], Path) or _kind(given) == "table":
        return _read_tables(given, labels, options, like, tell, labelled)
    if replace(options, strata=()) != TableOptions():
        raise InputError(
            f"{given[0]}: options for columns of tables were given, and this is no table; leave them out"
        )
    truth = None if labels is None else read_labels(Path(labels))
    _require_apart(given, labels)
    if _kind(given) == ".npy":
        if options.strata:
            raise InputError(f"per: .npy files hold no '{options.strata[0]}'; give a pack or a table")
        return read_members(given, truth)
    if truth is not None and len(given) > 1:
        raise InputError("labels: one file of labels for several files of samples; put labels into each file")
    return _joined(given, [read_npz(path, truth, options.strata) for path in given])


def _given(paths: Any) -> list[Any]:
    """The files, data frames or streams as a list."""
    single = isinstance(paths, str | Path) or is_frame(paths) or hasattr(paths, "read")
    listed = [paths] if single else list(paths)
    if not listed:
        raise InputError("files: at least one file of predictions is required")
    return listed


def _read_tables(
    given: list[Any],
    labels: str | Path | None,
    options: TableOptions,
    like: Known,
    tell: Tell,
    labelled: bool,
) -> Predictions:
    if any(not isinstance(item, Path) for item in given) and any(isinstance(item, Path) for item in given):
        raise InputError(
            "files: of one kind are required, got paths and data frames; give one kind at a time"
        )
    _require_apart(given, labels)
    tables = [open_table(item) for item in given]
    options = options if labelled else _unlabelled(options, tables[0].names)
    options = options if like is None else _alike(options, like, tables)
    if options.layout == "long" or (options.layout is None and looks_long(tables[0].names, options)):
        return _read_long(tables, labels, options, tell)
    _refuse_long_options(options, tables[0].source)
    if labels is not None and len(given) > 1:
        raise InputError("labels: one file of labels for several files of samples; put labels into each file")
    truth = None if labels is None else read_label_file(Path(labels), options)
    found = alike(read_wide(tables, options, truth), options.empty)
    if tell is not None:
        tell(found[0].taken)
    places = [item if isinstance(item, Path) else Path(table.source) for item, table in zip(given, tables)]
    return _joined(places, [part.predictions(options.empty) for part in found])


def _read_long(
    tables: list[Opened],
    labels: str | Path | None,
    options: TableOptions,
    tell: Tell,
) -> Predictions:
    if options.pattern is not None:
        raise InputError(f"pattern: {tables[0].source} is a long table; layout='wide' if it is not")
    truth = None if labels is None else open_label_table(Path(labels))
    found = read_long(tables, options, truth)
    if tell is not None:
        tell(found.taken)
    return found.predictions(options.empty)


def _alike(options: TableOptions, like: Holdout | Ensemble, tables: list[Opened]) -> TableOptions:
    """Return the options with the classes that are known, and the members where columns have all of their names.

    What to ignore was said of other files: here it holds as far as there are such columns.
    """
    found = replace(options, known=like.class_names)
    needed = [like.names[i] for i in like.active] if isinstance(like, Ensemble) else like.names
    columns = set.intersection(*(set(table.names) for table in tables))
    if options.members or not columns.issuperset(needed):
        return found
    asked = single_globs(options.ignore, columns)
    ignore = tuple(glob for glob in asked if any(fits(name, glob) for name in columns))
    return replace(found, members=tuple(name for name in like.names if name in columns), ignore=ignore)


def _unlabelled(options: TableOptions, names: Sequence[str]) -> TableOptions:
    """Return the options for a table without labels: columns of labels, groups and folds, if there, are ignored."""
    known = (options.label, options.group, options.fold)
    ignored = (*options.ignore, *(name for name in known if name is not None and name in names))
    return replace(options, label=None, group=None, fold=None, ignore=ignored)


def _refuse_long_options(options: TableOptions, source: str) -> None:
    for name in ("rounds", "columns"):
        if getattr(options, name):
            raise InputError(
                f"{name}: is for long tables (a row per answer), and {source} is a wide one; layout='long' if it is not"
            )


def _require_apart(paths: list[Any], labels: str | Path | None) -> None:
    """Raise where the file of labels is one of the members' as well."""
    own = None if labels is None else Path(labels).resolve()
    if any(isinstance(path, Path) and path.resolve() == own for path in paths):
        raise InputError(f"{labels}: is given as labels and among the files; leave it out of the files")


def _kind(paths: list[Path]) -> str:
    """Return "table", ".npz" or ".npy"."""
    for path in paths:
        if not path.is_file() and str(path) != "-":
            raise InputError(f"{path}: {FOLDER if path.is_dir() else 'no such file'}")
        if is_counts(path):
            raise InputError(
                f"{path}: holds counts, and this needs what members said on each sample; only weigh, verify and count "
                "take it"
            )
        if not is_table(path) and path.suffix.lower() not in KINDS:
            raise InputError(f"{path}: the name must end in one of {', '.join(KINDS)} (texts also in .gz)")
    kinds = sorted({"table" if is_table(path) else path.suffix.lower() for path in paths})
    if len(kinds) > 1:
        endings = sorted({path.suffix.lower() for path in paths})
        raise InputError(
            f"files: of one kind are required, got {' and '.join(endings)}; give them one kind at a time"
        )
    return kinds[0]


def _joined(paths: list[Path], parts: list[Predictions]) -> Predictions:
    if len(parts) == 1:
        return parts[0]
    _refuse_copies(paths, parts)
    try:
        return Predictions.concatenate(parts)
    except InputError as error:
        listed = ", ".join(f"{index} = {path.name}" for index, path in enumerate(paths))
        raise InputError(f"{error} ({listed}); several files must hold the same members") from None


def _refuse_copies(paths: list[Path], parts: list[Predictions]) -> None:
    """Raise where two files hold the same samples: counted twice, they would make certificates too tight."""
    sizes = [(part.samples, part.members) for part in parts]
    kept = {index: vote_mark(part) for index, part in enumerate(parts) if sizes.count(sizes[index]) > 1}
    for index, mark in kept.items():
        for earlier in kept:
            alike = earlier < index and kept[earlier] == mark and sizes[earlier] == sizes[index]
            if alike and same_samples(parts[earlier], parts[index]):
                raise InputError(
                    f"{paths[index]}: holds the same samples as {paths[earlier]}; give each once"
                )
    layouts = {(part.shards[0].kind, part.shards[0].width, part.members) for part in parts}
    if parts[0].has_probs and len(layouts) == 1:
        _refuse_overlap(paths, parts)
    if any(part.ids is None for part in parts) and (found := common_run(parts)) is not None:
        earlier, later, count = found
        raise InputError(
            f"{paths[later]}: {count:,} of its samples, in the same order, are in {paths[earlier]} too; give each "
            "sample once (ids tell apart what only looks alike)"
        )


def _refuse_overlap(paths: list[Path], parts: list[Predictions]) -> None:
    """Raise where files of probabilities have samples in common, in whatever order."""
    glances = [np.unique(marks(part.shards, quick=True)) for part in parts]
    if repeats(np.concatenate(glances)) == 0:
        return
    found = [telling_marks(part.shards) for part in parts]
    for index, path in enumerate(paths):
        for earlier in range(index):
            common = in_common(found[earlier], found[index])
            if common:
                raise InputError(
                    f"{path}: {common:,} of its samples are in {paths[earlier]} too; give each sample once"
                )
