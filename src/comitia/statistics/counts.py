"""Exact integer counts of errors, co-errors and disagreements; counts of shards add up."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._shards import Shard, spans
from comitia._sizes import require_room
from comitia._threads import in_threads
from comitia.statistics import bits

#: Bytes of packed bits that are gathered before they are counted.
GATHERED = 2**26

#: Bytes per pair of members that counts and statistics of them take, with what is made of them on the way.
PER_PAIR = 48

#: What `Counts` hold only where hold-outs differ, and only where members may give no answer.
PAIRS = ("pair_samples", "pair_errors", "pair_silences")
SILENCES = ("co_mistakes", "co_silences", "pair_silences")

Matrix = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Counts:
    """Integers that determine all hard statistics, of some samples; `a + b` are those of all their samples.

    No answer is not right, so it counts among the errors. Where members may give none, it counts half in statistics:
    4·Σ e_i·e_j = 2·co_errors + 2·co_mistakes − co_silences.

    Attributes
    ----------
    errors, samples : (M,) errors of each member, and on how many hold-out samples
    co_errors, disagreements : (M, M) samples of D_i ∩ D_j on which both err, on which their answers differ
    pair_samples, pair_errors : (M, M) |D_i ∩ D_j| and the errors of i there; None for a shared hold-out
    co_mistakes, co_silences : (M, M) samples on which both answer wrongly, on which neither answers; None where all
        members always answer
    pair_silences : (M, M) samples of D_i ∩ D_j on which i gives no answer; None unless both of the above are given
    """

    errors: Matrix
    samples: Matrix
    co_errors: Matrix
    disagreements: Matrix
    pair_samples: Matrix | None = None
    pair_errors: Matrix | None = None
    co_mistakes: Matrix | None = None
    co_silences: Matrix | None = None
    pair_silences: Matrix | None = None

    def __add__(self, other: "Counts") -> "Counts":
        masked = self.pair_samples is not None or other.pair_samples is not None
        silent = self.co_silences is not None or other.co_silences is not None
        common, own = (one + two for one, two in zip(self.on_pairs(), other.on_pairs()))
        mistakes, silences, quiet = (one + two for one, two in zip(self.on_silences(), other.on_silences()))
        return Counts(
            self.errors + other.errors,
            self.samples + other.samples,
            self.co_errors + other.co_errors,
            self.disagreements + other.disagreements,
            common if masked else None,
            own if masked else None,
            mistakes if silent else None,
            silences if silent else None,
            quiet if masked and silent else None,
        )

    @property
    def silences(self) -> Matrix:
        """(M,) on how many of its hold-out samples each member gives no answer."""
        return np.zeros_like(self.errors) if self.co_silences is None else self.co_silences.diagonal()

    def pick(self, members: NDArray[np.int64]) -> "Counts":
        """Return the counts of those members, in that order."""
        pairs = np.ix_(members, members)
        found: dict[str, Any] = {}
        for name, known in ((entry.name, getattr(self, entry.name)) for entry in fields(self)):
            found[name] = None if known is None else known[members if known.ndim == 1 else pairs]
        return Counts(**found)

    def on_pairs(self) -> tuple[Matrix, Matrix]:
        """Return, as (M, M), the common samples of each pair and the errors of i there, also of a shared hold-out."""
        if self.pair_samples is not None and self.pair_errors is not None:
            return self.pair_samples, self.pair_errors
        shape = self.co_errors.shape
        return np.broadcast_to(self.samples[:, None], shape), np.broadcast_to(self.errors[:, None], shape)

    def on_silences(self) -> tuple[Matrix, Matrix, Matrix]:
        """Return, as (M, M), co-mistakes, co-silences and silences of i on pairs, also where all members answer."""
        none = np.zeros_like(self.co_errors)
        if self.co_mistakes is None or self.co_silences is None:
            return self.co_errors, none, none
        own = np.broadcast_to(self.silences[:, None], none.shape)
        return self.co_mistakes, self.co_silences, own if self.pair_silences is None else self.pair_silences

    def plain(self, samples: int) -> "Counts":
        """Return the same counts without what says nothing: hold-outs that all share, silences that nobody has."""
        shared = self.pair_samples is None or int(self.pair_samples.min()) == samples
        answered = self.co_silences is None or not self.silences.any()
        absent = {*(PAIRS if shared else ()), *(SILENCES if answered else ())}
        without: dict[str, Any] = dict.fromkeys(absent)
        return replace(self, **without)


def co_errors(errors: NDArray[np.bool_]) -> Matrix:
    """Return, as (M, M), on how many samples both members of each pair err, exactly; errors (M, n) bool.

    >>> co_errors(np.array([[True, True, False], [False, True, True]])).tolist()
    [[2, 1], [1, 2]]
    """
    array = np.asarray(errors)
    if array.dtype != np.bool_ or array.ndim != 2:
        raise InputError(f"errors: must be bool of shape (M, n), got {array.dtype} of shape {array.shape}")
    return bits.co_occurrences(bits.pack(array))


def count(predictions: Predictions) -> Counts:
    """Return the counts of those predictions, read in pieces of bounded memory.

    >>> counts = count(Predictions.from_arrays(votes=[[0, 1, 1], [0, 0, 2]], labels=[0, 1, 2]))
    >>> counts.errors.tolist(), counts.co_errors.tolist(), counts.disagreements.tolist()
    ([1, 1], [[1, 0], [0, 1]], [[0, 2], [2, 0]])
    """
    require_pairs(predictions.members)
    parts = _parts(predictions)
    total = next(parts)
    for part in parts:
        total = total + part
    return total.plain(predictions.samples)


def _parts(predictions: Predictions) -> Iterator[Counts]:
    labels = require_labels(predictions)
    planes = max(1, (predictions.classes - (not predictions.abstains)).bit_length())
    step = max(1, GATHERED // (8 * predictions.members * (planes + 3))) * 64
    offset = 0
    for shard in predictions.shards:
        for start, stop in spans(shard.samples, step):
            truth = labels[offset + start : offset + stop]
            yield _count(_gather(shard, truth, start, stop, planes, predictions.classes))
        offset += shard.samples


def require_pairs(members: int) -> None:
    """Raise where numbers for each pair of that many members do not fit into memory."""
    require_room(f"a number for each pair of {members:,} members", PER_PAIR * members**2)


def require_labels(predictions: Predictions) -> NDArray[np.int64]:
    """Return the labels, or raise an error that says what they are needed for."""
    if predictions.labels is None:
        raise InputError("labels: losses cannot be measured without them; give the hold-out's classes")
    return predictions.labels


@dataclass(frozen=True, eq=False)
class _Packed:
    """Packed bits of some samples: errors, hold-outs and silences (M, W), bit planes of answers (M, B, W)."""

    samples: int
    wrong: bits.Words
    digits: bits.Words
    keep: bits.Words | None
    silent: bits.Words | None


def _gather(
    shard: Shard, labels: NDArray[np.int64], start: int, stop: int, planes: int, classes: int
) -> _Packed:
    """Return the bits of samples start..stop; without hold-outs where all share one, without silences where none is."""
    chosen, mask = shard.votes(start, stop, classes), shard.masked(start, stop)
    dtype = chosen.dtype
    truth, shape = labels.astype(dtype), (len(chosen), -(-(stop - start) // 64))
    wrong = np.zeros(shape, np.uint64)
    keep = None if mask is None else np.zeros(shape, np.uint64)
    silent = None if shard.abstained is None else np.zeros(shape, np.uint64)
    digits = np.zeros((shape[0], planes, shape[1]), np.uint64)

    def pack(index: int) -> None:
        kept = np.True_ if mask is None else mask[index]
        wrong[index] = bits.pack((chosen[index] != truth) & kept)
        if keep is not None:
            keep[index] = bits.pack(np.asarray(kept))
        if silent is not None:
            silent[index] = bits.pack((chosen[index] == classes) & kept)
        # a shard in which all answer may need fewer bits than one with a class for silence
        for plane in range(min(planes, 8 * dtype.itemsize)):
            digits[index, plane] = bits.pack(chosen[index] & dtype.type(1 << plane))

    for _ in in_threads(pack, range(len(chosen)), large=shard.large):
        pass
    return _Packed(stop - start, wrong, digits, keep, silent)


def _count(packed: _Packed) -> Counts:
    wrong, keep, silent = packed.wrong, packed.keep, packed.silent
    members = len(wrong)
    everything = np.broadcast_to(bits.pack(np.ones(packed.samples, bool)), wrong.shape)
    differ = bits.differences(packed.digits, np.ascontiguousarray(everything) if keep is None else keep)
    # One product of all kinds of bits stacked gives the pairs of every two kinds: E∧E, E∧S, S∧S, E∧K, S∧K, K∧K.
    stacked = [row for row in (wrong, silent, keep) if row is not None]
    products = bits.co_occurrences(np.concatenate(stacked) if len(stacked) > 1 else wrong)
    pairs = products.reshape(len(stacked), members, len(stacked), members).swapaxes(1, 2)
    errors, own = pairs[0, 0], np.full(members, packed.samples)
    found: dict[str, Matrix] = {}
    if silent is not None:
        lapses = pairs[0, 1]  # i is not right where j gives no answer
        found |= {"co_mistakes": errors - lapses - lapses.T + pairs[1, 1], "co_silences": pairs[1, 1]}
    if keep is not None:
        own = pairs[-1, -1].diagonal().copy()
        found |= {"pair_samples": pairs[-1, -1], "pair_errors": pairs[0, -1]}
    if silent is not None and keep is not None:
        found["pair_silences"] = pairs[1, -1]
    return Counts(errors.diagonal().copy(), own, errors, differ, **found)
