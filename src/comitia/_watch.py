"""What `monitor` watches, and the losses of one file of labels, as they are kept between calls."""

import base64
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comitia._certificate import UNITS
from comitia._ensemble import Ensemble
from comitia._errors import InputError, require_open_unit, require_type, require_whole_number
from comitia._predict import find_members
from comitia._predictions import Predictions, require_predictions
from comitia._untouched import digest
from comitia._votes import certified_losses

ALPHA = 0.05

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Watch:
    """What is watched, fixed before the first label: which ensemble, which risk, at which alpha, in which unit.

    `ensemble` is its checksum. `seed` is of the order in which the samples (or groups) of one file are counted, so that
    a file sorted by class or by difficulty raises no false alarm.
    """

    ensemble: str
    risk: float
    alpha: float
    unit: str
    seed: int = 0

    def fault(self) -> str | None:
        """Return what is wrong with it, or None."""
        possible = 0 < self.risk < 1 and 0 < self.alpha < 1 and self.unit in UNITS and self.seed >= 0
        return None if possible else "risk and alpha must lie strictly between 0 and 1"


@dataclass(frozen=True)
class Batch:
    """The losses of one file: errors and size of each sample or group, in the order of the file.

    `bits` are the errors of single samples, packed and in base64; `errors` and `sizes` are of groups. `marks` are
    digests of ids or of names of groups, by which nothing is counted twice; None without ids.
    """

    file: str
    sha256: str
    samples: int
    bits: str | None = None
    errors: tuple[int, ...] | None = None
    sizes: tuple[int, ...] | None = None
    marks: str | None = None

    def fault(self) -> str | None:
        """Return what is wrong with it, or None."""
        try:
            losses, marks = self.losses(), self.marked()
        except (ValueError, TypeError):
            return "losses or marks cannot be decoded"
        inside = len(losses) > 0 and bool(((losses >= 0) & (losses <= 1)).all())
        fits = marks is None or len(marks) == len(losses)
        return None if inside and fits else "losses must lie between 0 and 1, with a mark each or none"

    def losses(self) -> Array:
        """Return the loss of each sample, or the error rate within each group."""
        if self.bits is None:
            if self.errors is None or self.sizes is None or min(self.sizes, default=0) < 1:
                raise ValueError("errors and sizes")
            return np.asarray(self.errors, dtype=np.float64) / np.asarray(self.sizes, dtype=np.float64)
        packed = np.frombuffer(base64.b64decode(self.bits, validate=True), np.uint8)
        if len(packed) != (self.samples + 7) // 8:
            raise ValueError("bits")
        return np.unpackbits(packed, count=self.samples).astype(np.float64)

    def marked(self) -> list[bytes] | None:
        """Return the digest of each sample or group, if they have names."""
        if self.marks is None:
            return None
        joined = base64.b64decode(self.marks, validate=True)
        return [joined[start : start + 8] for start in range(0, len(joined), 8)]


def watch_over(ensemble: Ensemble, unit: str, *, risk: float | None, alpha: float, seed: int) -> Watch:
    """Return what to watch: the certified risk of the ensemble, unless another is given."""
    require_type("ensemble", ensemble, Ensemble, "read_ensemble reads one")
    if risk is None:
        if ensemble.best is None:
            raise InputError("risk: required, for the ensemble promises nothing; give the risk to watch")
        if ensemble.best.vacuous:
            raise InputError(
                "risk: required, for the ensemble's certificate is vacuous; give the risk to watch"
            )
    chosen = ensemble.promised.risk if risk is None else require_open_unit("risk", risk)
    seed = require_whole_number("seed", seed, least=0)
    return Watch(checksum(ensemble), chosen, require_open_unit("alpha", alpha), unit, seed)


def checksum(ensemble: Ensemble) -> str:
    """Return the SHA-256 (hex) of all that the ensemble's file says."""
    text = json.dumps(ensemble.record, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def unit_of(batches: Iterable[Batch], ensemble: Ensemble) -> str:
    """Return in which unit all batches are counted; both kinds together are an error."""
    kinds = {"samples" if batch.bits is not None else "groups" for batch in batches}
    if len(kinds) > 1:
        raise InputError("groups: some files have them and some have none; give all or none")
    return kinds.pop() if kinds else "samples" if ensemble.data.groups is None else "groups"


def batch_of(ensemble: Ensemble, predictions: Predictions, file: str) -> Batch:
    """Return the losses of the ensemble's vote on those samples, as they are certified: ties count as errors."""
    require_type("ensemble", ensemble, Ensemble, "read_ensemble reads one")
    require_predictions(predictions)
    if predictions.labels is None:
        raise InputError(
            f"labels: {file} has none, and errors cannot be counted without; drift needs no labels"
        )
    if ensemble.data.groups is not None and predictions.groups is None:
        raise InputError(
            f"groups: the ensemble was weighed in groups, {file} has none; say which samples belong together"
        )
    voters = find_members(ensemble, predictions, ensemble.active)
    weights, threshold = ensemble.weights[ensemble.active], ensemble.decision.threshold
    losses = certified_losses(voters, weights, ensemble.vote, threshold)
    sha256, groups = voters.fingerprint(), voters.groups
    if groups is None:
        bits = base64.b64encode(np.packbits(losses).tobytes()).decode()
        marks = None if voters.ids is None else _marks(voters.ids.tolist())
        return Batch(file, sha256, len(losses), bits, marks=marks)
    codes = groups.canonical()
    names = [groups.names[code] for code in groups.codes[np.unique(codes, return_index=True)[1]]]
    errors, sizes = np.bincount(codes, losses).astype(np.int64), np.bincount(codes)
    return Batch(
        file,
        sha256,
        len(losses),
        None,
        tuple(errors.tolist()),
        tuple(sizes.tolist()),
        _marks(names),
    )


def _marks(names: Iterable[str]) -> str:
    return base64.b64encode(b"".join(bytes.fromhex(digest(name)) for name in names)).decode()
