"""A comparison of ensembles as `comitia reproduce --compare` writes it, in typed records."""

import json
import statistics
from dataclasses import dataclass
from typing import Any

from comitia._errors import InputError
from comitia.evaluation.findings import Finding
from comitia.evaluation.plain import build, require_format

FORMAT = "comitia-comparison-2"
SCORES = ("accuracy", "nll", "ece", "certificate", "bound", "effective")


@dataclass(frozen=True)
class Asked:
    """The epochs that each ensemble trains, how often each was trained, and how they were scored."""

    budget: int
    repeats: int
    seed: int
    delta: float


@dataclass(frozen=True)
class Compared:
    """One ensemble: its strategy, its epochs, the temperature of a chain, or whose last states it is."""

    name: str
    strategy: str
    epochs: int
    temperature: float | None
    last_of: str | None


@dataclass(frozen=True)
class Scored:
    """One ensemble with one weighting: one number for each of its `repeats`; `certificate` and `bound` are risks.

    `certificate` is the mean of two, one for the weights that each half chose, from the other half.
    """

    ensemble: str
    weights: str
    repeats: tuple[int, ...]
    members: tuple[int, ...]
    accuracy: tuple[float, ...]
    nll: tuple[float, ...]
    ece: tuple[float, ...]
    certificate: tuple[float, ...]
    bound: tuple[float, ...]
    effective: tuple[float, ...]

    def mean(self, name: str) -> float:
        """The mean over the repeats."""
        return statistics.fmean(getattr(self, name))

    def spread(self, name: str) -> float | None:
        """The standard deviation (n - 1) over the repeats; None of a single one."""
        found = getattr(self, name)
        return statistics.stdev(found) if len(found) > 1 else None


@dataclass(frozen=True)
class ComparisonRecord:
    """Ensembles side by side; `predictions` are the sha256 of the test predictions by training."""

    name: str
    settings: Asked
    predictions: dict[str, str]
    ensembles: tuple[Compared, ...]
    lines: tuple[Scored, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    @classmethod
    def from_json(cls, text: str, source: str = "comparison") -> "ComparisonRecord":
        """The comparison in that text; anything else is one clear error."""
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{source}: not readable as JSON ({error})") from None
        require_format(record, FORMAT, source, "a comparison that comitia reproduce --compare wrote")
        try:
            return _from_record(record)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{source}: damaged comparison: {type(error).__name__} {error}") from None


def _from_record(record: dict[str, Any]) -> ComparisonRecord:
    found = ComparisonRecord(
        name=record["name"],
        settings=build(Asked, record["settings"]),
        predictions=record["predictions"],
        ensembles=tuple(_compared(name, told) for name, told in record["ensembles"].items()),
        lines=tuple(build(Scored, line) for line in record["lines"]),
        findings=tuple(build(Finding, finding) for finding in record["findings"]),
        notes=tuple(record["notes"]),
    )
    known = {ensemble.name for ensemble in found.ensembles}
    for line in found.lines:
        if line.ensemble not in known:
            raise ValueError(f"a line of the ensemble {line.ensemble}, which is not described")
        kept = (line.repeats, *(getattr(line, name) for name in SCORES))
        if {len(values) for values in kept} != {len(line.members)} or not line.members:
            raise ValueError(f"the scores of {line.ensemble}, {line.weights} are not one a repeat")
    if not found.lines:
        raise ValueError("no lines")
    return found


def _compared(name: str, told: dict[str, Any]) -> Compared:
    if not name.replace("-", "").replace(".", "").isalnum():  # it names a folder
        raise ValueError(
            f"the name of an ensemble must be letters, digits, dashes and dots, got {name[:60]!r}"
        )
    recipe = told["recipe"]
    sampler = recipe.get("sampler")
    chain = sampler is not None and sampler["dropout"] == 0
    return Compared(
        name=name,
        strategy=recipe["training"]["strategy"],
        epochs=told["epochs"],
        temperature=float(sampler["temperature"]) if chain else None,
        last_of=told["last_of"],
    )
