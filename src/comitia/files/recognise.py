"""Whether a column holds predictions: classes of the labels, or probabilities. All else is refused by name."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from comitia._errors import InputError
from comitia.files.agreement import WEAK, Agreement, strangers
from comitia.files.long_roles import hints_at_long
from comitia.files.one_member import refuse_split_members
from comitia.files.roles import FEATURES, TableOptions, joined_doubts
from comitia.files.sheets import Sheet

#: Words of a list that messages show.
SHOWN = 4
#: A column that counts up over this many rows numbers them.
COUNTED = 10
#: Members that a message names in one option.
MOST_NAMED = 12


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


def require_predictions(
    sheet: Sheet, known: Sequence[str], explicit: bool, agreement: Agreement = ()
) -> None:
    """Raise where columns hold no predictions, one line for all of them; `explicit`: the user named the members.

    `agreement` is how well each column agrees with the labels.
    """
    refuse_split_members(sheet, known, explicit)
    counts = Counter(word for k in range(len(sheet.store.names)) for word in set(sheet.store.words(k)))
    places = range(len(sheet.store.names))
    faults = {k: text for k in places if (text := _fault(sheet, k, known, counts, explicit)) is not None}
    if not explicit:
        faults |= _of_two_kinds(sheet, [k for k in places if k not in faults])
        faults |= _far_from_labels(sheet, [k for k in places if k not in faults], agreement)
    texts = [*sheet.roles.doubts, *(faults[k] for k in sorted(faults))]
    if texts:
        rest = [sheet.store.names[k] for k in places if k not in faults]
        hint = None if explicit else hints_at_long(sheet.table.names)
        joined = joined_doubts(texts) if hint is None else f"{hint}; else {joined_doubts(texts, most=2)}"
        raise InputError(f"{sheet.table.source}: {joined}{_advice(sheet, texts, rest, explicit)}")


def _advice(sheet: Sheet, texts: Sequence[str], rest: Sequence[str], explicit: bool) -> str:
    """What would settle several columns at once, and labels that were not found."""
    found = ""
    if (
        not explicit
        and len(texts) > 1
        and 1 < len(rest) <= MOST_NAMED
        and not any("," in name for name in rest)
    ):
        found = f"; members='{','.join(rest)}' takes only what holds predictions"
    if sheet.labels is None and not sheet.known:
        found += "; no column is named as labels are: label= names it"
        if sum(_is_real(sheet, k) for k in range(len(sheet.store.names))) > 1:
            found += ", or target= if members predict real numbers"
    return found


def _is_real(sheet: Sheet, place: int) -> bool:
    """Whether a column holds fractions that are no probabilities, as members that predict real numbers do."""
    store = sheet.store
    return store.kinds[place] == "numbers" and (store.low[place] < 0 or store.high[place] > 1)


def _fault(
    sheet: Sheet, place: int, known: Sequence[str], counts: Counter[str], explicit: bool
) -> str | None:
    """Return what is wrong with a column of a member, and what settles it; None where nothing is."""
    text = _range_fault(sheet, place, known, explicit)
    if text is None and sheet.store.kinds[place] == "classes":
        text = _classes_fault(sheet, place, known, counts, explicit)
    name = sheet.store.names[place]
    if text is None and not explicit and name.lower() in FEATURES:
        text = f"column '{name}' looks like a feature of the samples, not a member; {remedy(name)}"
    return _finite_fault(sheet, place) if text is None else text


def require_finite_columns(sheet: Sheet) -> None:
    """Raise where a column of probabilities holds text, NaN or numbers outside [0, 1]."""
    for place, name in enumerate(sheet.store.names):
        texts = [] if sheet.store.numeric[place] else sheet.store.words(place)
        if texts or sheet.store.kinds[place] in ("many", "lists"):
            shown = listed(texts) if texts else sheet.store.kinds[place]
            raise InputError(
                f"{sheet.table.source}: column '{name}' holds {shown}, not probabilities; ignore='{name}' leaves it out"
            )
        fault = _range_fault(sheet, place, (), True) or _finite_fault(sheet, place)
        if fault is not None:
            raise InputError(f"{sheet.table.source}: {fault}")


def remedy(name: str) -> str:
    """Return what settles a column that may be no member."""
    return f"ignore='{name}' leaves it out, members= names the members"


def _measure(sheet: Sheet, known: Sequence[str]) -> str:
    what = "the others" if sheet.labels is None else f"'{sheet.labels.name}'"
    return f"{what} ({listed(list(known))})" if known else what


def _range_fault(sheet: Sheet, place: int, known: Sequence[str], explicit: bool) -> str | None:
    store, name = sheet.store, sheet.store.names[place]
    if store.kinds[place] == "many":
        return (
            f"column '{name}' looks like an id or a feature (too many different values), not a member; id='{name}' "
            f"takes it as the id, {remedy(name)}"
        )
    if store.kinds[place] != "numbers" or (store.low[place] >= 0 and store.high[place] <= 1):
        return None
    shown = store.high[place] if store.high[place] > 1 else store.low[place]
    scale = "; logits need a sigmoid or softmax first" if explicit else f"; {remedy(name)}"
    classes = f"neither a class of {_measure(sheet, known)} nor " if known else "not "
    return f"column '{name}' holds {shown:g}, {classes}a probability in [0, 1]{scale}"


def _finite_fault(sheet: Sheet, place: int) -> str | None:
    if sheet.store.failed[place] < 0:
        return None
    return (
        f"column '{sheet.store.names[place]}', row {sheet.row(sheet.store.failed[place])} holds NaN or an infinity; "
        "fix or drop that member (a sample left out for it would bias every certificate)"
    )


def _classes_fault(
    sheet: Sheet, place: int, known: Sequence[str], counts: Counter[str], explicit: bool
) -> str | None:
    """What is wrong unless the column's values are classes that are known, or that other members have too."""
    store, name = sheet.store, sheet.store.names[place]
    own, measure = store.words(place), set(known)
    if not explicit and (numbering := _counting_fault(sheet, place, own)) is not None:
        return numbering
    if not own or (measure >= set(own)) or (set(own) <= {"0", "1"} and _has_numbers(sheet)):
        return None
    strange = [word for word in own if word not in measure and not _likely(word, known, counts, store.names)]
    if explicit and len(strange) < len(own):
        return None
    if not strange and not measure.isdisjoint(own):
        return None
    settled = "spell the classes alike, or classes= names all" if explicit else remedy(name)
    if not explicit and not measure.isdisjoint(own):
        word = (strange or own)[0]
        settled = (
            f"classes= names all classes if this is one, abstain='{word}' if it means no answer, {settled}"
        )
    return f"column '{name}' holds {listed(strange or own)}, not the classes of {_measure(sheet, known)}; {settled}"


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


def _of_two_kinds(sheet: Sheet, places: Sequence[int]) -> dict[int, str]:
    """What to say where some columns hold 0 and 1 and others probabilities: one of the two may be features."""
    store = sheet.store
    kinds = {kind: [k for k in places if store.kinds[k] == kind] for kind in ("classes", "numbers")}
    if store.rows < COUNTED or not all(kinds.values()):
        return {}
    fewer = min(kinds, key=lambda kind: len(kinds[kind]))
    what = ("classes", "probabilities")
    own, others = what if fewer == "classes" else what[::-1]
    return {
        k: f"column '{store.names[k]}' holds {own}, the other columns {others}: is it a member, or a feature of the "
        f"samples? {remedy(store.names[k])}"
        for k in kinds[fewer]
    }


def _far_from_labels(sheet: Sheet, places: Sequence[int], agreement: Agreement) -> dict[int, str]:
    """What to say of columns that agree with the labels far less than others: they may be features."""
    if not agreement or sheet.labels is None:
        return {}
    far = strangers([agreement[k] for k in places], sheet.table.rows)
    found = {places[k]: sheet.store.names[places[k]] for k in far}
    return {
        k: f"column '{name}' agrees with '{sheet.labels.name}' hardly more than by chance, others do far more: is it a "
        f"feature of the samples, or a member that failed? {remedy(name)}"
        for k, name in found.items()
    }


def notes_on_weak(sheet: Sheet, agreement: Agreement) -> list[str]:
    """Return a note on columns that agree with the labels less than half as well as others do."""
    if sheet.labels is None:
        return []
    names = [sheet.store.names[k] for k in strangers(agreement, sheet.table.rows, WEAK)]
    if not names:
        return []
    return [
        f"of little use beside the others for '{sheet.labels.name}': {listed(names)} (less than half the correlation); "
        f"ignore='{','.join(names[:MOST_NAMED])}' if features of the samples"
    ]


def _counting_fault(sheet: Sheet, place: int, own: list[str]) -> str | None:
    store, name = sheet.store, sheet.store.names[place]
    if len(own) < COUNTED or len(own) != sheet.table.rows:
        return None
    if store.numeric[place] and not bool((np.diff([float(word) for word in own]) == 1).all()):
        return None
    what = "row number" if store.numeric[place] else "id"
    return (
        f"column '{name}' looks like a row number or an id, not a member (a different {what} in each row); "
        f"id='{name}' takes it as the id, ignore='{name}' leaves it out"
    )
