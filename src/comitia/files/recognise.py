"""Whether a column holds predictions: classes of the labels, or probabilities. All else is refused by name."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from comitia._errors import InputError
from comitia.files.one_member import refuse_split_members
from comitia.files.roles import FEATURES, TableOptions
from comitia.files.sheets import Sheet

#: Words of a list that messages show.
SHOWN = 4
#: A column that counts up over this many rows numbers them.
COUNTED = 10


def listed(words: Sequence[str]) -> str:
    """Return some words in quotes.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    return ", ".join(f"'{word}'" for word in words[:SHOWN]) + (", …" if len(words) > SHOWN else "")


def known_classes(sheets: Sequence[Sheet], options: TableOptions) -> list[str]:
    """Return the classes that columns are measured by: those given, known or the labels', or what most members say."""
    if options.classes:
        return list(options.classes)
    if options.known or sheets[0].labels is not None:
        labels = [word for s in sheets if s.labels is not None for word in s.labels.words]
        return list(dict.fromkeys([*options.known, *labels]))
    counts = Counter(
        word for s in sheets for k in range(len(s.store.names)) for word in set(s.store.words(k))
    )
    columns = sum(len(sheet.store.names) for sheet in sheets)
    return [word for word, count in counts.items() if 2 * count >= columns]


def require_predictions(sheet: Sheet, known: Sequence[str], explicit: bool) -> None:
    """Raise for the first column that holds no predictions; `explicit`: the user named the members."""
    refuse_split_members(sheet, known, explicit)
    counts = Counter(word for k in range(len(sheet.store.names)) for word in set(sheet.store.words(k)))
    for place, name in enumerate(sheet.store.names):
        _require_range(sheet, place, known, explicit)
        if sheet.store.kinds[place] == "classes":
            _require_classes(sheet, place, known, counts, explicit)
        if not explicit and name.lower() in FEATURES:
            raise InputError(
                f"{sheet.table.source}: column '{name}' looks like a feature of the samples, not a member; "
                f"{_remedy(name)}"
            )
        _require_finite(sheet, place)
    if not explicit:
        _refuse_two_kinds(sheet)


def require_finite_columns(sheet: Sheet) -> None:
    """Raise where a column of probabilities holds text, NaN or numbers outside [0, 1]."""
    for place, name in enumerate(sheet.store.names):
        texts = [] if sheet.store.numeric[place] else sheet.store.words(place)
        if texts or sheet.store.kinds[place] in ("many", "lists"):
            shown = listed(texts) if texts else sheet.store.kinds[place]
            raise InputError(
                f"{sheet.table.source}: column '{name}' holds {shown}, not probabilities; ignore='{name}' leaves it out"
            )
        _require_range(sheet, place, (), True)
        _require_finite(sheet, place)


def _remedy(name: str) -> str:
    return f"ignore='{name}' leaves it out, members= names the members"


def _measure(sheet: Sheet, known: Sequence[str]) -> str:
    what = "the others" if sheet.labels is None else f"'{sheet.labels.name}'"
    return f"{what} ({listed(list(known))})"


def _require_range(sheet: Sheet, place: int, known: Sequence[str], explicit: bool) -> None:
    store, name = sheet.store, sheet.store.names[place]
    if store.kinds[place] == "many":
        raise InputError(
            f"{store.source}: column '{name}' looks like an id or a feature (too many different values), not a "
            f"member; id='{name}' takes it as the id, {_remedy(name)}"
        )
    if store.kinds[place] != "numbers" or (store.low[place] >= 0 and store.high[place] <= 1):
        return
    shown = store.high[place] if store.high[place] > 1 else store.low[place]
    scale = "; logits need a sigmoid or softmax first" if explicit else f"; {_remedy(name)}"
    classes = f"neither a class of {_measure(sheet, known)} nor " if known else "not "
    raise InputError(
        f"{store.source}: column '{name}' holds {shown:g}, {classes}a probability in [0, 1]{scale}"
    )


def _require_finite(sheet: Sheet, place: int) -> None:
    if sheet.store.failed[place] >= 0:
        raise InputError(
            f"{sheet.table.source}: column '{sheet.store.names[place]}', row {sheet.row(sheet.store.failed[place])} "
            "holds NaN or an infinity; fix or drop that member (a sample left out for it would bias every certificate)"
        )


def _require_classes(
    sheet: Sheet, place: int, known: Sequence[str], counts: Counter[str], explicit: bool
) -> None:
    """Raise unless the column's values are classes that are known, or that other members have too."""
    store, name = sheet.store, sheet.store.names[place]
    own, measure = store.words(place), set(known)
    if not explicit:
        _refuse_counting(sheet, place, own)
    if not own or (measure >= set(own)) or (set(own) <= {"0", "1"} and _has_numbers(sheet)):
        return
    strange = [word for word in own if word not in measure and not _likely(word, known, counts, store.names)]
    if explicit and len(strange) < len(own):
        return
    if strange or measure.isdisjoint(own):
        remedy = "spell the classes alike, or classes= names all" if explicit else _remedy(name)
        if not explicit and not measure.isdisjoint(own):
            remedy = (
                "classes= names all classes if this is one, leave the cell empty (empty='abstain') if it means no "
                f"answer, {remedy}"
            )
        raise InputError(
            f"{store.source}: column '{name}' holds {listed(strange or own)}, not the classes of "
            f"{_measure(sheet, known)}; {remedy}"
        )


def _has_numbers(sheet: Sheet) -> bool:
    return "numbers" in sheet.store.kinds


def _likely(word: str, known: Sequence[str], counts: Counter[str], names: Sequence[str]) -> bool:
    """Whether a value that no label has is a class nonetheless: a number among theirs, or what half the members say."""
    if counts[word] > 1 and 2 * counts[word] >= len(names):
        return True
    try:
        numbers = [float(name) for name in known]
        return bool(numbers) and min(numbers) <= float(word) <= max(numbers)
    except ValueError:
        return False


def _refuse_two_kinds(sheet: Sheet) -> None:
    """Raise where some columns hold 0 and 1 and others probabilities: one of the two may be a feature."""
    store = sheet.store
    kinds = {kind: [k for k, own in enumerate(store.kinds) if own == kind] for kind in ("classes", "numbers")}
    if store.rows < COUNTED or not all(kinds.values()):
        return
    fewer = min(kinds, key=lambda kind: len(kinds[kind]))
    name, what = store.names[kinds[fewer][0]], ("classes", "probabilities")
    own, others = what if fewer == "classes" else what[::-1]
    raise InputError(
        f"{store.source}: column '{name}' holds {own}, the other columns {others}: is it a member, or a feature of "
        f"the samples? {_remedy(name)}"
    )


def _refuse_counting(sheet: Sheet, place: int, own: list[str]) -> None:
    store, name = sheet.store, sheet.store.names[place]
    if len(own) < COUNTED or len(own) != sheet.table.rows:
        return
    if store.numeric[place] and not bool((np.diff([float(word) for word in own]) == 1).all()):
        return
    what = "row number" if store.numeric[place] else "id"
    raise InputError(
        f"{store.source}: column '{name}' looks like a row number or an id, not a member (a different {what} in each "
        f"row); id='{name}' takes it as the id, ignore='{name}' leaves it out"
    )
