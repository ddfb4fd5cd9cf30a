"""Long tables: one row per item and member, as annotation tools, harnesses of judges and crowd platforms write them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from comitia._classes import MOST_CLASSES, merged
from comitia._errors import InputError, nearest
from comitia.files.columns import Table
from comitia.files.gathered import Gathered, at_least_two, positive_last, sorted_classes
from comitia.files.long_cells import Cells, fill_cells, split_rounds
from comitia.files.long_roles import MEANING, Roles, find_roles, item_and_label, named_roles
from comitia.files.long_rows import Facts, Rows, keep_members, read_labels_of, read_rows
from comitia.files.repeats import notes_on_groups
from comitia.files.roles import NAMED, TableOptions, fits, found_strata, single_globs
from comitia.files.roles import Roles as Taken

__all__ = ["read_long"]


def read_long(tables: Sequence[Table], options: TableOptions, labels: Table | None = None) -> Gathered:
    """Return the answers of tables with one row per item and member; several tables are the rows of one.

    A member that some of the tables lack has no answer on their items, as with any other gap.

    Parameters
    ----------
    tables : the rows, in any order.
    options : `id` is the column of the items, `columns` names those of members, answers, probabilities and rounds;
        those not given are recognised by their names (`comitia.files.long_roles.KNOWN`). `members` and `ignore` are
        globs of members; `ignore` of columns too. `rounds` says what several answers of a member on an item are:
        ``"members"``, each round is a member of its own; ``"agree"``, the answer on which all of them agree, else an
        abstention. `abstain` are answers that mean "no answer", such as ``"tie"``. `empty` says what it means that a
        member has no answer on an item, and is required where there are such gaps.
    labels : a table of items and their labels, in place of a column.

    Probabilities are those of the answer given (two classes), or of one class per row.
    """
    names, left = _kept(tables[0], options.ignore)
    others = 0
    roles = find_roles(names, named_roles(options), tables[0].source)
    roles = replace(roles, strata=found_strata(tables[0].source, tables[0].names, options.strata))
    if labels is not None and roles.label is not None:
        raise InputError(
            f"labels: given, and column '{roles.label}' of {tables[0].source} looks like labels too; "
            f"ignore='{roles.label}' leaves it out"
        )
    rows = read_rows(tables, roles)
    _require_matches(options.ignore, left, rows)
    rows = keep_members(rows, options.members, options.ignore)
    truth = rows.facts.get("label")
    if labels is not None:
        columns = item_and_label(labels.names, options.id, options.label, labels.source)
        truth, others = read_labels_of(labels, *columns, rows.words["item"])
    if options.rounds == "members":
        rows = split_rounds(rows)
    taken = _taken(rows, roles, [name for name in tables[0].names if name not in roles.columns])
    if others:
        taken = replace(taken, notes=(*taken.notes, _without_rows(labels, others)))
    if roles.group is None:
        more = notes_on_groups(tables[0], taken.ignored, roles.item)
        taken = replace(taken, notes=(*taken.notes, *more))
    return _gathered(rows, truth, options, taken)


def _without_rows(labels: Table | None, others: int) -> str:
    assert labels is not None
    return (
        f"{labels.source} has labels of {others:,} more items without a row, and these are no samples: if members were "
        "asked and nobody answered, give each a row with an empty answer, else every certificate is too tight"
    )


def _kept(table: Table, ignore: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns that are looked at, and those that are left out."""
    globs = single_globs(ignore, table.names)
    left = [name for name in table.names if any(fits(name, glob) for glob in globs)]
    return [name for name in table.names if name not in left], left


def _require_matches(ignore: Sequence[str], left: Sequence[str], rows: Rows) -> None:
    """Raise for a glob to ignore that fits neither a column nor a member."""
    found = (*left, *rows.words["member"])
    for glob in single_globs(ignore, found):
        if not any(fits(name, glob) for name in found):
            raise InputError(
                f"{rows.source}: no column or member matches ignore='{glob}'{nearest(glob, found)}"
            )


def _taken(rows: Rows, roles: Roles, ignored: Sequence[str]) -> Taken:
    """What was taken as what, as people are told."""
    found = [(MEANING[role], getattr(roles, role)) for role in NAMED]
    parts = [f"{what} in '{name}'" for what, name in found if name is not None]
    return Taken(
        roles.label,
        roles.item,
        roles.group,
        roles.fold,
        rows.words["member"],
        tuple(ignored),
        notes=(f"a long table: {', '.join(parts)}",),
        strata=roles.strata,
    )


def _gathered(rows: Rows, truth: Facts | None, options: TableOptions, taken: Taken) -> Gathered:
    classes = _classes(rows, truth, options)
    labels = None if truth is None else _labels(truth, classes, rows)
    cells = fill_cells(
        rows, classes, options.abstain, options.rounds, decline_empty=options.empty == "abstain"
    )
    return Gathered(
        votes=cells.votes if cells.probs is None else None,
        probs=cells.probs,
        labels=labels,
        classes=classes,
        names=rows.words["member"],
        missing=_gaps(rows, cells, options.empty),
        groups=_texts(rows, "group"),
        folds=_texts(rows, "fold"),
        ids=np.array(rows.words["item"]),
        taken=taken,
        source=rows.source,
        abstained=cells.declined if cells.declined.any() else None,
        strata={name: _known(rows, name) for name in rows.strata},
    )


def _classes(rows: Rows, truth: Facts | None, options: TableOptions) -> tuple[str, ...]:
    """The answers and labels in order; what makes no classes is an error."""
    said = np.bincount(rows.answer + 1, minlength=len(rows.words["answer"]) + 1)[1:]
    spoken = [word for word, count in zip(rows.words["answer"], said.tolist()) if count]
    answers = [word for word in spoken if word not in options.abstain]
    _refuse_misspelled(options.abstain, answers)
    known = () if truth is None else truth.words
    _refuse_failed(rows.source, answers, known)
    if right := next((word for word in known if word in options.abstain), None):
        raise InputError(
            f"abstain: '{right}' is the label of an item, so it cannot mean that there is no answer"
        )
    if not answers:
        raise InputError(f"{rows.source}: no member has an answer on any item")
    if known and not set(known) & set(answers):
        raise InputError(
            f"{rows.source}: no answer is ever right: the labels are {_listed(known)}, the answers {_listed(answers)}; "
            "spell them alike"
        )
    return _in_order(rows, [*answers, *known], options)


def _in_order(rows: Rows, found: Sequence[str], options: TableOptions) -> tuple[str, ...]:
    """The classes as given, which must be all that occur, or those that are known and those that occur, sorted."""
    different, given = set(found), options.classes
    if len(different) > MOST_CLASSES:
        raise InputError(f"{rows.source}: {len(different):,} different answers are texts, not classes")
    strange = next((word for word in found if word not in given), None) if given else None
    if strange is not None:
        raise InputError(f"classes: '{strange}' of {rows.source} is not one of {_listed(given)}")
    if options.known and not given:
        return positive_last(merged(options.known, sorted_classes(different)), options.positive)
    return positive_last(given or at_least_two(rows.source, sorted_classes(different)), options.positive)


def _refuse_failed(source: str, answers: Sequence[str], labels: Sequence[str]) -> None:
    """Raise for NaN: it is an answer or a label that failed, not a class."""
    for what, words in (("answer", answers), ("label", labels)):
        failed = next((word for word in words if word.strip().casefold() in ("nan", "-nan")), None)
        if failed is not None:
            remedy = (
                f"abstain='{failed}' if it means that there is no answer, else fix or drop that member"
                if what == "answer"
                else "fix that label (an item left out for it would bias every certificate)"
            )
            raise InputError(f"{source}: {'an' if what == 'answer' else 'a'} {what} is '{failed}'; {remedy}")


def _refuse_misspelled(abstain: tuple[str, ...], answers: list[str]) -> None:
    """Raise where an abstention differs from an answer by its case alone: that answer would count as a class."""
    plain = {word.strip().casefold(): word for word in answers}
    for word in abstain:
        if word.strip().casefold() in plain:
            raise InputError(
                f"abstain: no answer is '{word}'; did you mean '{plain[word.strip().casefold()]}'?"
            )


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in sorted(words)[:3]) + (", …" if len(words) > 3 else "")


def _labels(truth: Facts, classes: tuple[str, ...], rows: Rows) -> NDArray[np.int64]:
    unknown = truth.codes < 0
    if unknown.any():
        first = rows.words["item"][int(unknown.argmax())]
        raise InputError(
            f"{rows.source}: {int(unknown.sum()):,} of {len(unknown):,} items have no label, the first is '{first}'; "
            "label them or leave their rows out"
        )
    place = {name: code for code, name in enumerate(classes)}
    return np.array([place[word] for word in truth.words], np.int64)[truth.codes]


def _gaps(rows: Rows, cells: Cells, empty: str | None) -> NDArray[np.bool_] | None:
    """Return, as (M, n), where a member has no answer and did not decline; what that means must be told."""
    gaps = ~(cells.answered | cells.declined)
    if empty is None and (gaps.any() or (rows.answer < 0).any()):
        raise InputError(_unexplained(rows, gaps))
    return gaps if gaps.any() else None


def _unexplained(rows: Rows, gaps: NDArray[np.bool_]) -> str:
    """The message on answers that are missing; an empty one may lie beside another of the same member and item."""
    member, item = divmod(int(gaps.argmax()), gaps.shape[1])
    if not gaps.any():
        row = int((rows.answer < 0).argmax())
        member, item = int(rows.member[row]), int(rows.item[row])
    lacking = max(int(gaps.sum()), int((rows.answer < 0).sum()))
    return (
        f"{rows.source}: {lacking:,} answers are missing (such as '{rows.words['member'][member]}' on item "
        f"'{rows.words['item'][item]}'); empty='abstain' if the member gave no answer there, empty='unseen' if the "
        "item is not hold-out for it"
    )


def _texts(rows: Rows, role: str) -> NDArray[np.str_] | None:
    """The groups or folds of the items; each item needs one."""
    facts = rows.facts.get(role)
    return None if facts is None else _filled(rows, role, facts)


def _known(rows: Rows, name: str) -> NDArray[np.str_]:
    return _filled(rows, name, rows.strata[name])


def _filled(rows: Rows, role: str, facts: Facts) -> NDArray[np.str_]:
    if (facts.codes < 0).any():
        first = rows.words["item"][int((facts.codes < 0).argmax())]
        raise InputError(f"{rows.source}: item '{first}' has no {role}; fill it in or leave the column out")
    return np.array(facts.words)[facts.codes]
