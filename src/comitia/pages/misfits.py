"""What cannot be in a record: values of another type, numbers out of range, risks below what their inputs give."""

import math
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, TypeGuard, Union, get_args, get_origin, get_type_hints

import numpy as np

from comitia._certificate import Certificate
from comitia._ensemble import Ensemble
from comitia._votes import VOTES
from comitia.bounds import clopper_pearson

LARGEST = 2**63
# certificates that rest on the vote's own errors alone, counted on n samples
COUNTED = ("split", "holdout")
Range = tuple[str, float | None, float, float]


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


def misfit(value: Any, hint: Any, where: str) -> str | None:
    """What does not fit its declared type, in words, or None; numbers must be finite.

    >>> misfit((0.5, "x"), tuple[float, ...], "risks")
    'risks[1] is not a finite number'
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(hint, type) and is_dataclass(hint):
        return (
            _first(_record_misfits(value, hint, where)) if isinstance(value, hint) else f"{where} is missing"
        )
    if origin in (Union, UnionType):
        found = [misfit(value, choice, where) for choice in arguments]
        return None if None in found else found[0]
    if origin is tuple:
        return _tuple_misfit(value, arguments, where)
    if origin is dict:
        if not isinstance(value, dict):
            return f"{where} is not an object"
        return _first([misfit(inner, arguments[1], f"{where}.{key}") for key, inner in value.items()])
    if hint is float:
        numeric = _whole(value) or (isinstance(value, float) and math.isfinite(value))
        return None if numeric else f"{where} is not a finite number"
    if hint is Any or origin is np.ndarray:
        return None
    exact = _whole(value) if hint is int else isinstance(value, hint)
    return None if exact else f"{where} is not {'a text' if hint is str else f'of type {hint.__name__}'}"


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST


def _record_misfits(value: Any, hint: Any, where: str) -> list[str | None]:
    hints = get_type_hints(hint)
    return [misfit(getattr(value, f.name), hints[f.name], f"{where}.{f.name}") for f in fields(hint)]


def _tuple_misfit(value: Any, arguments: tuple[Any, ...], where: str) -> str | None:
    if not isinstance(value, tuple):
        return f"{where} is not a list"
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return _first([misfit(inner, arguments[0], f"{where}[{i}]") for i, inner in enumerate(value)])
    if len(value) != len(arguments):
        return f"{where} has {len(value)} entries, not {len(arguments)}"
    return _first([misfit(v, hint, f"{where}[{i}]") for i, (v, hint) in enumerate(zip(value, arguments))])


def _first(found: list[str | None]) -> str | None:
    return next((wrong for wrong in found if wrong is not None), None)
