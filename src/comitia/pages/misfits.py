"""What cannot be in a record: numbers out of range, risks below what their inputs give."""

import math
from collections.abc import Iterable, Iterator
from typing import Any, TypeGuard

from comitia._certificate import Certificate
from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._records import from_plain, to_plain
from comitia._votes import VOTES
from comitia.bounds import clopper_pearson
from comitia.evaluation.records import Evaluation, Row

LARGEST = 2**63
# certificates that rest on the vote's own errors alone, counted on n samples
COUNTED = ("split", "holdout")
Range = tuple[str, float | None, float, float]


def require_sound(record: Any, source: str) -> None:
    """Raise unless the types and values of a record can be; for readers that do not check this themselves."""
    try:
        from_plain(type(record), to_plain(record), f"{source}: ")
    except ValueError as error:
        raise InputError(f"{source}: {error}") from None
    wrong = None
    if isinstance(record, Ensemble | Evaluation):
        wrong = ensemble_misfit(record) if isinstance(record, Ensemble) else evaluation_misfit(record)
    if wrong is not None:
        raise InputError(f"{source}: {wrong}")


def ensemble_misfit(found: Ensemble) -> str | None:
    """What cannot be in an ensemble whose types are right, in words, or None."""
    if len(found.member_risks) != len(found.names) or not found.names:
        return f"{len(found.member_risks)} risks for {len(found.names)} members"
    best = found.best
    if best.name in COUNTED and not _counted(best):
        return f"{best.name} must have errors and n > 0 among its inputs"
    risks = ((f"the risk of {n}", r, 0.0, 1.0) for n, r in zip(found.names, found.member_risks))
    every = (*found.certification.certificates, best)
    return _first([_outside(risks), *map(certificate_misfit, every)])


def evaluation_misfit(found: Evaluation) -> str | None:
    """What cannot be in an evaluation whose types are right, in words, or None."""
    s, source, tandem, members = found.settings, found.source, found.tandem, len(found.members)
    if not (found.rows and s.weightings and s.votes and s.members and s.sizes):
        return "it has no rows"
    if not (0 < s.delta < 1 and source.samples > 0):
        return f"delta {s.delta:g} on {source.samples} samples"
    if tandem is not None:
        if (tandem.members, len(tandem.upper)) != (members, members * (members + 1) // 2):
            return f"the tandem counts do not fit the {members} members"
        if not all(0 <= count <= tandem.samples for count in tandem.upper) or tandem.samples < 1:
            return f"tandem counts must lie from 0 to their {tandem.samples} samples"
    single = ("single_best", found.single_best.accuracy_mean, 0.0, 1.0)
    ranges = [single, *(r for row in found.rows for r in _of_row(row))]
    return _first([_outside(ranges), *(certificate_misfit(c.certificate) for c in found.certificates)])


def _of_row(row: Row) -> Iterator[Range]:
    named = f"{row.weights}, {row.members}, {row.size} runs"
    yield f"the accuracy of {named}", row.accuracy_mean, 0.0, 1.0
    yield f"the spread of {named}", row.accuracy_sd, 0.0, 1.0
    yield f"the bound of {named}", row.bound_mean, 0.0, math.inf
    yield f"the size of {named}", row.size, 1, math.inf


def _outside(ranges: Iterable[Range]) -> str | None:
    for what, value, low, high in ranges:
        if value is not None and not low <= value <= high:
            return f"{what} is {value:g}, outside of {low:g} to {high:g}"
    return None


def certificate_misfit(certificate: Certificate) -> str | None:
    """What cannot be in a certificate: numbers out of range, or a risk below what its counted errors give."""
    c = certificate
    if not (c.risk >= 0 and 0 < c.delta < 1 and c.samples > 0 and c.vote in VOTES):
        return f"certificate {c.name}: risk {c.risk:g}, delta {c.delta:g}, {c.samples} samples, {c.vote} vote"
    if c.name in COUNTED and _counted(c):
        least = clopper_pearson(c.inputs["errors"], c.inputs["n"], c.delta)
        if c.risk < least * (1 - 1e-9):
            return f"certificate {c.name}: risk {c.risk:g}, but its errors give {least:g}; it was changed by hand"
    return None


def _counted(certificate: Certificate) -> bool:
    """Whether a certificate's inputs hold the errors counted and the samples they were counted on."""
    errors, n = certificate.inputs.get("errors"), certificate.inputs.get("n")
    return _whole(errors) and _whole(n) and 0 <= errors <= n and n > 0


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST


def _first(found: list[str | None]) -> str | None:
    return next((wrong for wrong in found if wrong is not None), None)
