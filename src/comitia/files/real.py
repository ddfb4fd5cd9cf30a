"""Predictions of real numbers from files: `.npz` packs with `values` and `targets`, and wide tables."""

import zipfile
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError, nearest
from comitia.files.columns import Column
from comitia.files.frames import is_frame
from comitia.files.npz import opened_archive, read_arrays
from comitia.files.recognise import remedy
from comitia.files.remote import local_copies, named
from comitia.files.roles import FEATURES, Roles, TableOptions, globs, joined_doubts, roles_by_name
from comitia.files.scan import Opened, is_table, open_table
from comitia.regression.ensemble import RealEnsemble
from comitia.regression.predictions import RealPredictions

#: Arrays of a pack of classes that one of real numbers cannot have.
OF_CLASSES = ("probs", "votes", "labels", "mask", "abstained", "classes")
KEYS = ("values", "targets", "names", "groups", "ids", "folds")


def holds_real(paths: Sequence[Any]) -> bool:
    """Return whether the first file is a pack of real predictions: an `.npz` with `values`."""
    if not paths or not isinstance(paths[0], str | Path) or not str(paths[0]).lower().endswith(".npz"):
        return False
    with named():
        (place,), _ = local_copies([paths[0]], None)
        if not place.is_file():
            return False
        with opened_archive(place) as archive:
            return "values.npy" in archive.namelist()


def read_real_predictions(
    paths: Any,
    *,
    target: str | None = None,
    id: str | None = None,
    group: str | None = None,
    fold: str | None = None,
    members: str | Iterable[str] | None = None,
    ignore: str | Iterable[str] | None = None,
    like: RealPredictions | RealEnsemble | None = None,
    labelled: bool = True,
) -> RealPredictions:
    """Return the checked predictions of one or more files of one kind, each a path or URL, or of a data frame.

    Parameters
    ----------
    paths : `.npz` packs with `values` (M, n) and `targets` (n,), and `names`, `groups`, `ids` where there are any; or
        wide tables with a column of numbers per member; several are samples of the same members
    target : the column of a table that holds what is true
    id, group : the columns of a table that hold ids and groups of samples
    fold : the column of folds, whose samples then choose weights and certify nothing
    members, ignore : names or globs of the columns that are members, and of those to leave out
    like : an ensemble, or predictions of the same members: columns named as they are are the members
    labelled : False where a table may lack the targets, as for predicting

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder) / "holdout.csv"
    ...     _ = table.write_text("ridge,forest,price\\n1.5,2,1.8\\n3,2.5,2.9\\n")
    ...     read_real_predictions(table, target="price").names
    ('ridge', 'forest')
    """
    single = isinstance(paths, str | Path) or is_frame(paths) or hasattr(paths, "read")
    listed = [paths] if single else list(paths)
    if not listed:
        raise InputError("files: at least one file of predictions is required")
    options = TableOptions(target, id, group, fold, globs(members), globs(ignore))
    with named():
        given, _ = local_copies(listed, None)
        parts = [_read(item, options, like, labelled) for item in given]
    _refuse_copies(given, parts)
    return parts[0] if len(parts) == 1 else RealPredictions.concatenate(parts)


def _read(
    item: Any, options: TableOptions, like: RealPredictions | RealEnsemble | None, labelled: bool
) -> RealPredictions:
    if isinstance(item, Path) and not item.is_file() and str(item) != "-":
        raise InputError(
            f"{item}: {'is a folder; name the files in it' if item.is_dir() else 'no such file'}"
        )
    if isinstance(item, Path) and not is_table(item):
        if item.suffix.lower() != ".npz":
            raise InputError(
                f"{item}: real numbers are read from .npz packs and tables (CSV, JSON lines, Parquet, Arrow)"
            )
        if options != TableOptions():
            raise InputError(
                f"{item}: options for columns of tables were given, and this is no table; leave them out"
            )
        return _read_pack(item)
    table = open_table(item)
    return _read_table(table, _settled(table, options, like, labelled))


def _read_pack(path: Path) -> RealPredictions:
    arrays = read_arrays(path, ("values", "targets"))
    if "values" not in arrays:
        with zipfile.ZipFile(path) as archive:
            found = ", ".join(name.removesuffix(".npy") for name in archive.namelist())
        raise InputError(
            f"{path}: holds no values, only {found or 'nothing'}; save real predictions as values (M, n)"
        )
    strange = next((key for key in OF_CLASSES if key in arrays), None)
    if strange is not None:
        raise InputError(f"{path}: holds values and {strange}; real numbers have targets, and no {strange}")
    kept = {key: arrays[key] for key in KEYS if key in arrays}
    try:
        return RealPredictions.from_arrays(**kept, out_of_fold=kept.pop("folds", None) is not None)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _settled(
    table: Opened, options: TableOptions, like: RealPredictions | RealEnsemble | None, labelled: bool
) -> TableOptions:
    """Return the options with the members that are known, and without columns that may be absent and are."""
    found = {key: getattr(options, key) for key in ("label", "id", "group", "fold", "members", "ignore")}
    if like is not None and not options.members:
        needed = [like.names[i] for i in like.active] if isinstance(like, RealEnsemble) else like.names
        if set(table.names) >= set(needed):
            found["members"] = tuple(name for name in like.names if name in table.names)
            found["ignore"] = tuple(g for g in options.ignore if any(fnmatchcase(n, g) for n in table.names))
    if not labelled:
        # predicting certifies nothing: columns beside the members that are known may be anything
        found["known"] = found["members"]
        for role in ("label", "group", "fold"):
            found[role] = found[role] if found[role] in table.names else None
    return TableOptions(**found)


def _read_table(table: Opened, options: TableOptions) -> RealPredictions:
    if options.label is not None and options.label not in table.names:
        there = ", ".join(table.names[:8]) + (", …" if len(table.names) > 8 else "")
        raise InputError(
            f"{table.source}: no column '{options.label}' for target{nearest(options.label, table.names)}; there are "
            f"{there}"
        )
    roles = roles_by_name(table.source, table.names, options)
    if doubts := _doubts(roles, options):
        raise InputError(f"{table.source}: {joined_doubts(doubts)}")
    target = roles.label
    wanted = [
        *roles.members,
        *(name for name in (target, roles.id, roles.group, roles.fold) if name is not None),
    ]
    cells: dict[str, list[Any]] = {name: [] for name in wanted}
    texts = {roles.id, roles.group, roles.fold}
    first = table.first_row
    for batch in table.batches(wanted):
        for name, column in batch.items():
            cells[name].append(
                column.texts() if name in texts else _numbers(table.source, name, column, first)
            )
        first += len(next(iter(batch.values())).values)
    if not table.rows:
        raise InputError(f"{table.source}: has no rows; a row per sample is required")
    joined = {name: np.concatenate(parts) for name, parts in cells.items()}
    for known in texts - {None}:
        if (joined[str(known)] == "").any():
            row = int((joined[str(known)] == "").argmax()) + table.first_row
            raise InputError(f"{table.source}: column '{known}', row {row} is empty; fill it in")
    return _gathered(table, roles, target, joined)


def _doubts(roles: Roles, options: TableOptions) -> list[str]:
    """What is to be settled of columns that are no members by their names; nothing where the user named the members."""
    features = [] if options.members else [name for name in roles.members if name.lower() in FEATURES]
    said = (
        f"column '{name}' looks like a feature of the samples, not a member; {remedy(name)}"
        for name in features
    )
    return [*roles.doubts, *said]


def _gathered(
    table: Opened, roles: Roles, target: str | None, cells: dict[str, NDArray[Any]]
) -> RealPredictions:
    try:
        return RealPredictions.from_arrays(
            np.array([cells[name] for name in roles.members]),
            None if target is None else cells[target],
            roles.members,
            groups=None if roles.group is None else cells[roles.group],
            ids=None if roles.id is None else cells[roles.id],
            out_of_fold=roles.fold is not None,
        )
    except InputError as error:
        raise InputError(f"{table.source}: {error}") from None


def _numbers(source: str, name: str, column: Column, first_row: int) -> NDArray[np.float64]:
    """The cells as real numbers; text, an empty cell and NaN are errors that name the row."""
    if column.kind != "number":
        shown = column.texts()[0]
        raise InputError(
            f"{source}: column '{name}' holds no real numbers, such as '{shown}'; ignore='{name}' leaves it out"
        )
    values = column.values.astype(np.float64)
    wrong = ~np.isfinite(values) if column.missing is None else column.missing | ~np.isfinite(values)
    if wrong.any():
        row = int(wrong.argmax()) + first_row
        raise InputError(
            f"{source}: column '{name}', row {row} is empty or not a finite number; fix that row"
        )
    return values


def _refuse_copies(given: Sequence[Any], parts: Sequence[RealPredictions]) -> None:
    """Raise where two files hold the same samples: counted twice, they would make certificates too tight."""
    seen: dict[str, Any] = {}
    for item, part in zip(given, parts):
        mark = part.fingerprint()
        if mark in seen:
            raise InputError(f"{item}: holds the same samples as {seen[mark]}; give each once")
        seen[mark] = item
