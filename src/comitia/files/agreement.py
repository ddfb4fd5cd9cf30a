"""How well columns agree with the labels: what is no member agrees by chance, or with the other class."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.files.sheets import Sheet

#: Rows that are looked at, from the first.
LOOKED = 2**16
#: With fewer rows nothing is concluded.
TELLING = 100
#: Standard deviations that are no chance.
SIGMAS = 3.0
#: A column is a stranger if it surely agrees less than this share of what others do, and weak below the other share.
STRANGE, WEAK = 0.25, 0.5

#: Pairs of classes of which a single probability is usually that of the second.
PLAIN = (
    ("0", "1"),
    ("-1", "1"),
    ("1", "2"),
    ("false", "true"),
    ("no", "yes"),
    ("n", "y"),
    ("f", "t"),
    ("neg", "pos"),
    ("negative", "positive"),
)

#: Per column, from -1 to 1; None where it cannot be told.
Agreement = Sequence[float | None]


def agreement(sheet: Sheet, classes: Sequence[str], labels: Sequence[str]) -> list[float | None]:
    """Return per column how well it agrees with the labels, 0 being chance and 1 always.

    Of columns of classes, with indicators y of the label and v of the answer: sum_c cov(y_c, v_c) over
    sqrt(sum_c var(y_c) sum_c var(v_c)), which by chance has a standard deviation of at most 1/sqrt(n); of two classes
    it is the correlation. Of probabilities of the second of two classes: the correlation. `labels` are the words of
    the sheet's labels as they are spelled, `classes` all of them in order.
    """
    if sheet.labels is None:
        return [None] * len(sheet.store.names)
    places = {name: code for code, name in enumerate(classes)}
    table = np.array([places.get(word, -1) for word in labels], np.int64)
    truth = table[sheet.labels.codes[:LOOKED]]
    return [_of_column(sheet, k, truth, places) for k in range(len(sheet.store.names))]


def strangers(found: Agreement, rows: int, share: float = STRANGE) -> list[int]:
    """Return which columns surely agree less than that share of what the second best of all does.

    >>> strangers([0.8, 0.7, 0.01], 10_000)
    [2]
    """
    known = [value for value in found if value is not None]
    if rows < TELLING or len(known) < 3:
        return []
    second = sorted(known)[-2]
    margin = SIGMAS / np.sqrt(min(rows, LOOKED))
    far = share * max(second, 0.0) - margin
    return [k for k, value in enumerate(found) if value is not None and value < far and second > margin]


def require_clear_side(sheet: Sheet, classes: Sequence[str], found: Agreement) -> None:
    """Raise unless it is clear that single probabilities are of the second of two classes.

    It is where the labels are 0 and 1 or false and true, or where most columns surely rise with that class; it is not
    where they surely fall with it.
    """
    known = [value for value in found if value is not None]
    if sheet.labels is None or not known:
        return
    sigmas = float(np.median(known)) * np.sqrt(min(sheet.table.rows, LOOKED))
    plain = tuple(name.casefold() for name in classes) in PLAIN
    if sigmas >= SIGMAS or (plain and sigmas > -SIGMAS):
        return
    name, (first, second) = sheet.store.names[0], classes
    why = (
        f"column '{name}' and most others fall where the label is '{second}', so they look like the probability of "
        f"'{first}'"
        if sigmas <= -SIGMAS
        else f"column '{name}' holds one probability per sample, of '{first}' or of '{second}'?"
    )
    raise InputError(
        f"{sheet.table.source}: {why}; positive='{first if sigmas <= -SIGMAS else second}' says whose it is"
    )


def require_same_numbering(sheet: Sheet, found: Agreement) -> None:
    """Raise where most columns of classes surely agree with the labels less than by chance: classes are mixed up."""
    known = [value for value in found if value is not None]
    if sheet.labels is None or sheet.table.rows < TELLING or not known:
        return
    if float(np.median(known)) * np.sqrt(min(sheet.table.rows, LOOKED)) <= -SIGMAS:
        said = ", ".join(f"'{word}'" for word in sorted(sheet.store.words(0))[:4])
        truth = ", ".join(f"'{word}'" for word in sorted(sheet.labels.words)[:4])
        raise InputError(
            f"{sheet.table.source}: most columns agree with '{sheet.labels.name}' less than by chance: are classes "
            f"numbered or named alike? '{sheet.store.names[0]}' holds {said}, the labels {truth}; members= if they are"
        )


def _of_column(sheet: Sheet, place: int, truth: NDArray[np.int64], places: dict[str, int]) -> float | None:
    store = sheet.store
    there = truth >= 0
    if store.missing is not None:
        there &= ~store.missing[place][: len(truth)]
    if store.kinds[place] == "numbers":
        return _correlation(store.as_numbers(place)[: len(truth)][there], truth[there], len(places))
    if store.kinds[place] != "classes":
        return None
    codes = np.array([places.get(word, len(places)) for word in store.words(place)] or [0], np.int64)
    return _of_classes(codes[store.codes[place][: len(truth)][there]], truth[there], len(places))


def _correlation(values: NDArray[np.floating], truth: NDArray[np.int64], classes: int) -> float | None:
    if classes != 2 or len(values) < 2:
        return None
    second = (truth == 1).astype(np.float64)
    spread = float(values.std(dtype=np.float64)) * float(second.std())
    if spread == 0:
        return 0.0
    return float(((values - values.mean(dtype=np.float64)) * second).mean(dtype=np.float64)) / spread


def _of_classes(answers: NDArray[np.int64], truth: NDArray[np.int64], classes: int) -> float | None:
    if not len(answers):
        return None
    size = classes + 1  # the last is for answers that are no class
    of_labels = np.bincount(truth, minlength=size) / len(truth)
    of_answers = np.bincount(answers, minlength=size) / len(truth)
    common = float((answers == truth).mean()) - float(of_labels @ of_answers)
    spread = (1 - float(of_labels @ of_labels)) * (1 - float(of_answers @ of_answers))
    return common / float(np.sqrt(spread)) if spread > 0 else 0.0
