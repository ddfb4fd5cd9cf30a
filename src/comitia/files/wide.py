"""Wide tables: a column per member (classes, probabilities, lists of them) or per member and class."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._classes import merged
from comitia._errors import InputError
from comitia.files.agreement import agreement, require_clear_side, require_same_numbering
from comitia.files.gathered import Gathered, at_least_two, positive_last, sorted_classes
from comitia.files.patterns import Groups, default_groups, grouped
from comitia.files.recognise import (
    known_classes,
    listed,
    notes_on_weak,
    require_finite_columns,
    require_predictions,
)
from comitia.files.repeats import notes_on_groups
from comitia.files.roles import TableOptions, joined_doubts
from comitia.files.scan import Opened
from comitia.files.sheets import Labels, Sheet, read_sheet
from comitia.files.spelling import Spelling


def read_wide(
    tables: Sequence[Opened], options: TableOptions, labels: Labels | None = None
) -> list[Gathered]:
    """Return what was gathered from each table; all have the same classes, and are shards of the samples."""
    sheets = [read_sheet(table, options, labels) for table in tables]
    spoken = Spelling(sheets, options.known)
    known = spoken.all(known_classes(sheets, options))
    groups = [_groups(sheet, options, known) for sheet in sheets]
    if any(groups):
        return [_by_class(sheet, spoken, own, known, options) for sheet, own in zip(sheets, groups)]
    found = []
    for sheet in sheets:
        in_order = positive_last(options.classes or sorted_classes(known), options.positive)
        said = agreement(spoken.judged(sheet), in_order, _truth(sheet, spoken))
        trusted = bool(options.members or options.known)
        require_predictions(sheet, known, bool(options.members), () if trusted else said)
        found.append(said)
        if not trusted:
            sheet.notes.extend(notes_on_weak(sheet, said))
    if any("lists" in sheet.store.kinds for sheet in sheets):
        return [_lists(sheet, spoken, known, options) for sheet in sheets]
    if any("numbers" in sheet.store.kinds for sheet in sheets):
        classes = _two_classes(sheets[0], known, options)
        if not (options.classes or options.positive or options.known):
            for sheet, said in zip(sheets, found):
                require_clear_side(sheet, classes, said)
        return [_probabilities(sheet, spoken, classes) for sheet in sheets]
    if not (options.members or options.known):
        for sheet, said in zip(sheets, found):
            require_same_numbering(sheet, said)
    return _votes(sheets, spoken, known, options)


def _truth(sheet: Sheet, spoken: Spelling) -> list[str]:
    """The words of the sheet's labels as they are spelled."""
    return [] if sheet.labels is None else spoken.all(sheet.labels.words)


def _groups(sheet: Sheet, options: TableOptions, known: Sequence[str]) -> Groups | None:
    columns, source = sheet.store.names, sheet.table.source
    if options.pattern is not None:
        return grouped(source, columns, options.pattern, known if sheet.labels is not None else ())
    return default_groups(source, columns, known if sheet.labels is not None else ())


def _votes(
    sheets: Sequence[Sheet], spoken: Spelling, known: Sequence[str], options: TableOptions
) -> list[Gathered]:
    said = [w for sheet in sheets for k in range(len(sheet.store.names)) for w in sheet.store.words(k)]
    truth = known if sheets[0].labels is not None else []
    found = sorted_classes([*truth, *said])
    classes = options.classes or (
        merged(options.known, found) if options.known else at_least_two(sheets[0].table.source, found)
    )
    classes = positive_last(classes, options.positive)
    strange = next((word for word in [*said, *truth] if word not in set(classes)), None)
    if strange is not None:
        raise InputError(f"classes: '{strange}' of {sheets[0].table.source} is not one of {listed(classes)}")
    gathered = []
    for sheet in sheets:
        codes = sheet.store.codes
        if len(classes) > 256 and codes.dtype == np.uint8:
            codes = codes.astype(np.uint16)
        for place in range(len(codes)):
            _translate(codes[place], sheet.store.words(place), classes)
        gathered.append(_gathered(sheet, spoken, classes, sheet.store.names, votes=codes))
    return gathered


def _translate(codes: NDArray[Any], words: Sequence[str], classes: Sequence[str]) -> None:
    """Turn codes into a column's own words into codes into the classes, in place."""
    places = {name: place for place, name in enumerate(classes)}
    table = np.zeros(max(len(words), 1), codes.dtype)
    table[: len(words)] = [places[word] for word in words]
    if codes.dtype == np.uint8:  # one pass over the bytes is quicker than indexing
        whole = np.zeros(256, np.uint8)
        whole[: len(table)] = table
        codes[:] = np.frombuffer(codes.tobytes().translate(whole.tobytes()), np.uint8)
    else:
        codes[:] = table[codes] if len(words) else 0


def _two_classes(sheet: Sheet, known: Sequence[str], options: TableOptions) -> tuple[str, ...]:
    """The two classes of tables with one probability per member; the second is the one it is of."""
    classes = options.classes or (tuple(known) if options.known else ())
    if not classes:
        labelled = sheet.labels is not None
        classes = at_least_two(sheet.table.source, sorted_classes(known)) if labelled else ("0", "1")
    classes = positive_last(classes, options.positive)
    if len(classes) != 2:
        place = sheet.store.kinds.index("numbers") if "numbers" in sheet.store.kinds else 0
        raise InputError(
            f"{sheet.table.source}: column '{sheet.store.names[place]}' holds one probability per sample, and there "
            f"are {len(classes)} classes ({listed(classes)}); give a column per member and class, 'member:class', or "
            "pattern= says how they are named"
        )
    return classes


def _probabilities(sheet: Sheet, spoken: Spelling, classes: tuple[str, ...]) -> Gathered:
    store = sheet.store
    for place, name in enumerate(store.names):
        if store.kinds[place] == "classes" and not set(store.words(place)) <= {"0", "1"}:
            raise InputError(
                f"{sheet.table.source}: column '{name}' holds classes ({listed(store.words(place))}), others hold "
                f"probabilities; give one kind, or ignore='{name}' leaves it out"
            )
    whole = all(kind == "numbers" for kind in store.kinds)
    probs = store.reals if whole else np.stack([store.as_numbers(k) for k in range(len(store.names))])
    found = _gathered(sheet, spoken, classes, store.names, probs=probs)
    return replace(found, taken=replace(found.taken, positive=classes[1]))


def _lists(sheet: Sheet, spoken: Spelling, known: Sequence[str], options: TableOptions) -> Gathered:
    store, source = sheet.store, sheet.table.source
    other = next((n for n, kind in zip(store.names, store.kinds) if kind != "lists"), None)
    if other is not None:
        raise InputError(
            f"{source}: column '{other}' holds no lists, others do; ignore='{other}' leaves it out"
        )
    widths = {held.shape[1] for held in store.lists.values()}
    if len(widths) > 1:
        raise InputError(f"{source}: members have lists of {min(widths)} and of {max(widths)} probabilities")
    width = widths.pop()
    if options.positive is not None:
        raise InputError(
            f"positive: {source} has lists of probabilities; classes= names the classes in their order"
        )
    classes = options.classes or (tuple(known) if options.known else _classes_of_lists(sheet, known, width))
    if len(classes) != width:
        raise InputError(
            f"{source}: lists of {width} probabilities for {len(classes)} classes ({listed(classes)}); classes= names "
            f"all {width} in their order"
        )
    probs = np.stack([store.lists[place] for place in range(len(store.names))])  # (M, n, C)
    return _gathered(sheet, spoken, classes, store.names, probs=probs)


def _classes_of_lists(sheet: Sheet, known: Sequence[str], width: int) -> tuple[str, ...]:
    """The classes in the order of lists: 0, 1, … where the labels are such numbers, else the sorted labels."""
    numbered = tuple(str(place) for place in range(width))
    if sheet.labels is None or set(known) <= set(numbered):
        return numbered
    return sorted_classes(known)


def _by_class(
    sheet: Sheet, spoken: Spelling, groups: Groups | None, known: Sequence[str], options: TableOptions
) -> Gathered:
    source, store = sheet.table.source, sheet.store
    if groups is None:
        raise InputError(f"{source}: no column is named 'member:class', those of the other file are")
    require_finite_columns(sheet)
    own = next(iter(groups.values()))
    if sheet.roles.doubts:
        raise InputError(f"{source}: {joined_doubts(sheet.roles.doubts)}")
    classes = positive_last(options.classes or sorted_classes(own), options.positive)
    lacking = next((word for word in [*known, *classes] if word not in own), None)
    strange = next((word for word in own if word not in classes), None)
    if lacking is not None and (sheet.labels is not None or options.classes):
        raise InputError(
            f"{source}: class '{lacking}' has no column; member '{next(iter(groups))}' has {listed(list(own))}"
        )
    if strange is not None:
        raise InputError(f"classes: '{strange}' of {source} is not one of {listed(classes)}")
    dtype = np.float64 if store.reals is None else store.reals.dtype
    probs = np.empty((len(groups), store.rows, len(classes)), dtype)
    gaps = None if store.missing is None else np.zeros(probs.shape[:2], bool)
    for index, columns in enumerate(groups.values()):
        for place, name in enumerate(classes):
            probs[index, :, place] = store.as_numbers(columns[name])
            if gaps is not None and store.missing is not None:
                gaps[index] |= store.missing[columns[name]]
    found = _gathered(sheet, spoken, classes, tuple(groups), probs=probs)
    return replace(found, missing=gaps, abstained=None)


def _gathered(
    sheet: Sheet,
    spoken: Spelling,
    classes: tuple[str, ...],
    names: tuple[str, ...],
    votes: NDArray[Any] | None = None,
    probs: NDArray[Any] | None = None,
) -> Gathered:
    texts = sheet.texts
    return Gathered(
        votes=votes,
        probs=probs,
        labels=_label_codes(sheet, spoken, classes),
        classes=classes,
        names=names,
        missing=_unexplained(sheet),
        abstained=sheet.declined,
        groups=texts.get("group"),
        folds=texts.get("fold"),
        ids=texts.get("id"),
        taken=replace(sheet.roles, members=names, notes=_notes(sheet)),
        source=sheet.table.source,
        first_row=sheet.table.first_row,
        strata=sheet.strata,
    )


def _unexplained(sheet: Sheet) -> NDArray[np.bool_] | None:
    """The empty cells of which the table does not say that the member declined."""
    missing = sheet.store.missing
    return missing if missing is None or sheet.declined is None else missing & ~sheet.declined


def _notes(sheet: Sheet) -> tuple[str, ...]:
    """How the table was read, and groups that nobody named."""
    if sheet.roles.group is not None:
        return (*sheet.table.notes, *sheet.notes)
    return (*sheet.table.notes, *sheet.notes, *notes_on_groups(sheet.table, sheet.roles.ignored))


def _label_codes(sheet: Sheet, spoken: Spelling, classes: tuple[str, ...]) -> NDArray[np.int64] | None:
    if sheet.labels is None:
        return None
    places = {name: place for place, name in enumerate(classes)}
    words = spoken.all(sheet.labels.words)
    strange = next((word for word in words if word not in places), None)
    if strange is not None:
        raise InputError(
            f"{sheet.table.source}: label '{strange}' is not one of the classes {listed(classes)}; classes= names all"
        )
    table = np.array([places[word] for word in words], np.int64)
    return np.asarray(table[sheet.labels.codes])
