"""Whether plain data agree with what is computed again, key by key."""

from collections.abc import Iterable, Iterator
from typing import Any

from comitia._records import LARGEST

# Bounds may differ by the order of float sums.
RISKS_AGREE = 1e-9
# Floats that no sum enters are the same on every machine.
COPIED = ("delta", "delta_share")


def only(record: dict[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: record[key] for key in keys if key in record}


def with_odd(text: str, odd: list[str]) -> str:
    """The text, followed by what is other than it should be."""
    return "; ".join(part for part in (text, f"other: {', '.join(odd)}" if odd else "") if part)


def differences(
    stated: dict[str, Any],
    found: dict[str, Any],
    agree: float = RISKS_AGREE,
    above: str = "",
    least: float = 1.0,
) -> Iterator[str]:
    """Keys (with those above them) whose values differ, floats by more than `agree`, or that one side lacks.

    Numbers above `least` are compared relatively: 1 suits shares and bounds of them, 0 numbers in units of their own.
    """
    for key in {**found, **stated}:
        name = f"{above}{key}"
        if key not in stated or key not in found:
            yield f"{name} is {'missing' if key in found else 'unknown'}"
        elif isinstance(stated[key], dict) and isinstance(found[key], dict):
            yield from differences(stated[key], found[key], agree, f"{name}.", least)
        elif not _close(stated[key], found[key], 0.0 if key in COPIED else agree, least):
            yield name


def _close(one: Any, other: Any, agree: float, least: float) -> bool:
    """Whether plain data agree: floats within a tolerance, everything else exactly."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_close(a, b, agree, least) for a, b in zip(one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return not [*differences(one, other, agree, least=least)]
    if isinstance(one, float) or isinstance(other, float):
        numbers = all(isinstance(value, int | float) and abs(value) < LARGEST for value in (one, other))
        return numbers and abs(one - other) <= agree * max(least, abs(other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
