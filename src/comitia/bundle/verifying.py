"""What a bundle promises, by what its files answer on the hold-out now."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError, require_choice
from comitia._verification import Row
from comitia.bundle.answers import Known
from comitia.bundle.config import ANSWERS
from comitia.bundle.inputs import Digest, codes_of, open_samples, walk_samples
from comitia.bundle.own import Own, own_promise
from comitia.bundle.reading import Bundle, read_bundle
from comitia.bundle.runtimes import RUNTIMES, Run, Runtime, Trust, runtimes, totals_of

SAME_SAMPLES = (
    "the samples are those that were weighed, in the same order (the bundle holds no checksum of them)"
)
SAME_GROUPS = f"samples belong together as {ANSWERS} says"
DRAWN = "the hold-out samples are independent draws that had no part in training"


@dataclass(frozen=True)
class BundleVerification:
    """Statements of a bundle beside what its files answer.

    `files` holds what is promised of each file that was run, `not_run` why others were not, `trusted` what no
    computation can check.
    """

    rows: tuple[Row, ...]
    files: tuple[Own, ...]
    not_run: tuple[str, ...]
    trusted: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every statement holds for every file that was run."""
        return all(row.holds for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "rows": [vars(row) for row in self.rows],
            "files": [
                {
                    "file": one.what,
                    "samples": one.samples,
                    "answered_otherwise": one.differ,
                    "certifying": one.certifying,
                    "errors": one.errors,
                    "certificate": None if one.certificate is None else one.certificate.to_json(),
                    "promises": [found.to_json() for found in one.promises],
                    "sentence": one.sentence(),
                }
                for one in self.files
            ],
            "not_run": list(self.not_run),
            "trusted": list(self.trusted),
            "holds": self.holds,
        }


def verify_bundle(
    bundle: str | Path | Bundle,
    data: Any,
    *,
    runtime: str = "auto",
    model: Any = None,
    allow_code: bool = False,
    trust: Sequence[str] = (),
    device: str = "auto",
    batch: int | None = None,
) -> BundleVerification:
    """Run the files of a bundle on the hold-out again, and certify what each of them answers.

    Every file's checksum is checked. `data` are the hold-out samples that certified, with labels: a file,
    `module:function`, or batches. With `runtime` only files that it runs are looked at. Other arguments are those of
    `predict_bundle`.
    """
    require_choice("runtime", runtime, RUNTIMES)
    found = bundle if isinstance(bundle, Bundle) else read_bundle(bundle)
    allowed = Trust(model, allow_code, device, tuple(trust))
    ways = [one for one in runtimes(found, allowed) if runtime in ("auto", one.name)]
    able = [one for one in ways if one.why_not is None]
    not_run = tuple(f"{one.what}: {one.why_not}" for one in ways if one.why_not is not None)
    if not able:
        raise InputError(
            f"{found.path}: nothing in it can be run here: {'; '.join(not_run) or f'no file for {runtime}'}"
        )
    given = open_samples(data, found.config) if isinstance(data, str | Path) else data
    seen = _run_all(found, able, given, batch)
    checked, same = _data_row(found, seen)
    rows = [Row("files", f"{len(found.files)} by checksum", "the same", True), checked]
    files: tuple[Own, ...] = ()
    if same:
        files = tuple(_compared(found, way, totals, seen) for way, totals in zip(able, seen.totals))
        rows += [row for one in files for row in _rows(found, one)]
    trusted: tuple[str, ...] = (DRAWN,) if found.config.holdout is not None else (DRAWN, SAME_SAMPLES)
    trusted += () if found.ensemble.data.groups is None else (SAME_GROUPS,)
    return BundleVerification(tuple(rows), files, not_run, trusted)


@dataclass(frozen=True, eq=False)
class _Seen:
    """The hold-out as it was given: labels, checksum, what is known of it, and the totals by each way to run."""

    labels: NDArray[np.int64]
    sha256: str
    known: Known
    totals: tuple[NDArray[np.float64], ...]


def _run_all(bundle: Bundle, ways: list[Runtime], given: Any, batch: int | None) -> _Seen:
    """Run all ways over the samples in one pass."""
    runs: list[Run] = [way.start() for way in ways]
    rows: list[list[NDArray[np.float64]]] = [[] for _ in ways]
    labels, digest, ensemble = [], Digest(), bundle.ensemble
    for part in walk_samples(given, bundle.config):
        if part.labels is None:
            raise InputError("data: has no labels; verify counts errors, so give (inputs, labels)")
        codes = codes_of(part.labels, ensemble.class_names, ensemble.declared)
        labels.append(codes)
        digest.add(part.inputs, codes)
        for one in part.batches(batch):
            for place, run in enumerate(runs):
                rows[place].append(totals_of(run, one, ensemble.classes))
    if not labels:
        raise InputError("data: holds no samples")
    known = Known()
    if ANSWERS in bundle.files:
        bundle.content(ANSWERS)  # by its checksum
        known = Known.read(bundle.path / ANSWERS)
    return _Seen(
        np.concatenate(labels), digest.hexdigest(), known, tuple(np.concatenate(one) for one in rows)
    )


def _data_row(bundle: Bundle, seen: _Seen) -> tuple[Row, bool]:
    """Return the row of the data, and whether errors may be counted on them: they must be those that were weighed."""
    data, stated = bundle.ensemble.data, bundle.config.holdout
    wanted = data.samples if data.certify_samples is None else data.certify_samples
    n = len(seen.labels)
    if n != wanted:
        return Row("data", f"{wanted:,} samples", f"{n:,} samples: not the hold-out", False), False
    if stated is None:
        return Row("data", f"{wanted:,} samples", f"{n:,} samples", True), True
    same = seen.sha256 == stated
    found = f"sha256 {seen.sha256[:16]}" + ("" if same else ": not the hold-out")
    return Row("data", f"sha256 {stated[:16]}", found, same), same


def _compared(bundle: Bundle, way: Runtime, totals: NDArray[np.float64], seen: _Seen) -> Own:
    known = seen.known
    if known.answers is not None and len(known.answers) != len(seen.labels):
        known = replace(known, answers=None, groups=None, strata={})
    if bundle.ensemble.data.groups is not None and known.groups is None:
        raise InputError(
            f"{bundle.path}: its samples came in groups, and it has no {ANSWERS} that says which; build it with the "
            "predictions that were weighed"
        )
    _require_groups(bundle, known)
    return own_promise(way.what, bundle.ensemble, totals, seen.labels, known)


def _require_groups(bundle: Bundle, known: Known) -> None:
    """Raise where samples are divided into another number of groups than were weighed."""
    stated = bundle.ensemble.data.groups
    found = None if known.groups is None else known.groups.count
    if found is not None and found != stated:
        raise InputError(
            f"{bundle.path}: {ANSWERS} has {found:,} groups and {stated or 'none'} were weighed; it was edited: get "
            "the bundle again"
        )


def _rows(bundle: Bundle, own: Own) -> Iterator[Row]:
    """Yield what is stated and what the answers of a file give: the certificate, and each further promise."""
    best = bundle.ensemble.best
    otherwise = "" if own.differ is None else f"; {own.differ:,} of {own.samples:,} answered otherwise"
    counted = f"{own.errors:,} errors of {own.certifying:,}{otherwise}"
    if best is None:
        yield Row(own.what, "no promise", counted, True)
        return
    if own.certificate is None:
        yield Row(own.what, f"{best.name} {best.risk:.6f}", f"nothing promised{otherwise}", False)
        return
    found = f"{own.certificate.name} {own.certificate.risk:.6f} ({counted})"
    yield Row(own.what, f"{best.name} {best.risk:.6f}", found, own.certificate_holds(bundle.ensemble))
    again = {one.key: one for one in own.promises}
    for stated in bundle.ensemble.promises:
        name = " ".join(filter(None, (own.what, stated.name, stated.group)))
        mine = again.get(stated.key)
        held = own.promise_holds(stated)
        yield Row(name, f"{stated.risk:.6f}", "not promised" if mine is None else f"{mine.risk:.6f}", held)
