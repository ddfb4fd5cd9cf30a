"""How many hold-out samples a wanted certificate needs, and what a given number of them can certify."""

import math
from dataclasses import dataclass

from quorate import bounds
from quorate.errors import InputError, require_choice, require_open_unit
from quorate.weighing import SMALLEST_SPLIT, default_fraction

PLANNED = ("split", "holdout", "best-member", "first-order-kl", "tandem-kl")
MOST = 10**9


@dataclass(frozen=True)
class Expected:
    """What is expected of the ensemble: the vote's error, and for PAC-Bayes bounds Gibbs or tandem risk and KL."""

    error: float | None = None
    members: int | None = None
    gibbs: float | None = None
    tandem: float | None = None
    kl: float = 0.0


def certifiable(
    samples: int,
    expected: Expected,
    *,
    certificate: str = "split",
    delta: float = 0.05,
    certify_fraction: float | None = None,
) -> float:
    """The risk that so many hold-out samples will certify if the ensemble is as expected.

    >>> round(certifiable(10_000, Expected(error=0.07)), 4)
    0.0749
    """
    require_choice("certificate", certificate, PLANNED)
    require_open_unit("delta", delta)
    if samples < 1:
        raise InputError(f"samples: must be at least 1, got {samples}")
    if samples > MOST:
        raise InputError(f"samples: must be at most {MOST:,}, got {samples:,}")
    if certificate == "split":
        fraction = default_fraction(samples) if certify_fraction is None else certify_fraction
        if certify_fraction is not None and not 0 < certify_fraction < 1:
            raise InputError(f"certify_fraction: must lie strictly between 0 and 1, got {certify_fraction:g}")
        samples = round(samples * fraction)
        if samples < 1:
            raise InputError("samples: too few to keep any for certifying; 20 are the least")
    return _bound(samples, expected, certificate, delta)


def _bound(n: int, expected: Expected, certificate: str, delta: float) -> float:
    if certificate == "first-order-kl":
        return bounds.first_order_kl(_needed(expected, "gibbs"), expected.kl, n, delta)
    if certificate == "tandem-kl":
        return bounds.tandem_kl(_needed(expected, "tandem"), expected.kl, n, delta)
    # 1e-9 less, so that a whole number of errors is not rounded up for float noise
    errors = math.ceil(_needed(expected, "error") * n - 1e-9)
    if certificate == "best-member":
        return bounds.best_member(errors, n, delta, int(_needed(expected, "members")))
    return bounds.clopper_pearson(errors, n, delta)


def _needed(expected: Expected, what: str) -> float:
    """The expected value of that name; an error says that the certificate needs it."""
    value: float | None = getattr(expected, what)
    if value is None:
        raise InputError(f"{what}: this certificate needs the {what} that you expect; give --{what}")
    if what == "members":
        if value < 1:
            raise InputError(f"members: must be at least 1, got {value:g}")
    elif not 0 <= value < 1:
        raise InputError(f"{what}: must be at least 0 and below 1, got {value:g}")
    return value


def samples_needed(
    risk: float,
    expected: Expected,
    *,
    certificate: str = "split",
    delta: float = 0.05,
    certify_fraction: float | None = None,
) -> int:
    """The number of hold-out samples from which on that risk is certified, if the ensemble is as expected.

    >>> samples_needed(0.08, Expected(error=0.07), certificate="holdout")
    2163
    """
    require_open_unit("risk", risk)

    def enough(samples: int) -> bool:
        value = certifiable(
            samples, expected, certificate=certificate, delta=delta, certify_fraction=certify_fraction
        )
        return value <= risk

    high = SMALLEST_SPLIT
    while not enough(high):
        high *= 2
        if high > MOST:
            raise InputError(
                f"risk: {risk:g} is out of reach of {certificate}; it tends to {_limit(expected, certificate):g}"
            )
    low = high // 2 if high > SMALLEST_SPLIT else SMALLEST_SPLIT - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _limit(expected: Expected, certificate: str) -> float:
    """What the certificate tends to with ever more samples."""
    return round(_bound(MOST, expected, certificate, 0.5), 4)
