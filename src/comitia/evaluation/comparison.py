"""A comparison of ensembles that trained for the same number of epochs: its record, its table, its files' texts."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from comitia._errors import InputError
from comitia._records import from_plain, parse_json, require_format, to_plain
from comitia.evaluation.findings import MANY, RULE, Finding, findings_markdown, rounded
from comitia.evaluation.table_formats import Cell, Column, Table

FORMAT = "comitia-comparison-2"
SCORES = ("accuracy", "nll", "ece", "certificate", "bound", "effective")


@dataclass(frozen=True)
class ComparisonSettings:
    """The epochs that each ensemble trains, how often each is trained, and how they are scored."""

    budget: int
    repeats: int
    seed: int
    delta: float


@dataclass(frozen=True)
class _Training:
    strategy: str


@dataclass(frozen=True)
class _Sampler:
    temperature: float
    dropout: float
    collect_every: int = 0


@dataclass(frozen=True)
class _Trained:
    """What a comparison needs to know of a recipe."""

    training: _Training
    sampler: _Sampler | None = None


@dataclass(frozen=True)
class ComparedEnsemble:
    """One ensemble: whose last states it is if it was not trained itself, its epochs, and its recipe."""

    last_of: str | None
    epochs: int
    recipe: dict[str, Any]

    def fault(self) -> str | None:
        """Return what is wrong with the description of an ensemble, or None."""
        try:
            self._trained()
        except InputError as error:
            return str(error)
        return None

    def _trained(self) -> _Trained:
        return from_plain(_Trained, self.recipe, "recipe.", strict=False)

    @property
    def strategy(self) -> str:
        """The strategy that trained it."""
        return self._trained().training.strategy

    @property
    def temperature(self) -> float | None:
        """The temperature of a chain; None where there is none: dropout and averaged weights have none."""
        sampler = self._trained().sampler
        chain = sampler is not None and sampler.dropout == 0 and sampler.collect_every == 0
        return sampler.temperature if sampler is not None and chain else None


@dataclass(frozen=True)
class Line:
    """One ensemble with one weighting: one number for each of its `repeats`; `certificate` and `bound` are risks.

    A `certificate` is the mean of two, one for the weights that each half chose, from the other half.
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

    def fault(self) -> str | None:
        """Return what is wrong with a line, or None."""
        lengths = {len(getattr(self, name)) for name in ("repeats", "members", *SCORES)}
        return (
            None if len(lengths) == 1 and self.repeats else "it must have one score of each kind per repeat"
        )

    def mean(self, name: str) -> float:
        """Return the mean over the repeats."""
        return rounded(np.mean(getattr(self, name)))

    def spread(self, name: str) -> float | None:
        """Return the standard deviation (n - 1) over the repeats; None for a single one."""
        found = getattr(self, name)
        return rounded(np.std(found, ddof=1)) if len(found) > 1 else None


@dataclass(frozen=True)
class Comparison:
    """Ensembles side by side, without dates and machines: the same predictions and seed give the same record.

    `predictions` has the sha256 of the test predictions of each training.
    """

    name: str
    settings: ComparisonSettings
    predictions: dict[str, str]
    ensembles: dict[str, ComparedEnsemble]
    lines: tuple[Line, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    def fault(self) -> str | None:
        """Return what is wrong with a comparison, or None."""
        for name in self.ensembles:
            if not names_folder(name):
                return f"ensembles: must be letters, digits, dashes and dots, got {name[:60]!r}"
        for place, line in enumerate(self.lines):
            if line.ensemble not in self.ensembles:
                return f"lines[{place}].ensemble: '{line.ensemble}' is not one of the ensembles"
        return None if self.lines else "it has no lines"

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as plain data, which `from_json` reads back."""
        return {"format": FORMAT, **to_plain(self)}

    @classmethod
    def from_json(cls, text: str, source: str = "comparison") -> "Comparison":
        """Return the comparison that `to_json` gave, from its text; anything else is an `InputError`."""
        what = "a comparison that comitia reproduce wrote"
        plain = require_format(parse_json(text, source), FORMAT, source, what)
        return from_plain(cls, plain, f"{source}: ", strict=False)


def names_folder(name: str) -> bool:
    """Whether the name of an ensemble can name its folder.

    >>> names_folder("csgld-0.1"), names_folder("../up")
    (True, False)
    """
    return name.replace("-", "").replace(".", "").isalnum()


_COLUMNS = (
    Column("ensemble"),
    Column("T"),
    Column("epochs", 0),
    Column("members", 0),
    Column("weights"),
    Column("accuracy", 4),
    Column("sd", 4),
    Column("NLL", 4),
    Column("NLL sd", 4),
    Column("ECE", 4),
    Column("ECE sd", 4),
    Column("mean certificate", 4),
    Column("its sd", 4),
    Column("bound", 3),
    Column("in use", 1),
)


def comparison_table(comparison: Comparison) -> Table:
    """Return one row per line: scores of the average vote, mean and spread over the repeats."""
    asked = comparison.settings
    about = (
        f"Mean and standard deviation over {asked.repeats} repeats with other seeds, at {asked.budget} training epochs "
        "each. Half of the test samples chooses the weights, the other half is scored; they swap. Accuracy, NLL, ECE "
        "and certificate are those of the average vote; mean certificate: the mean of bounds on its risk, each at "
        f"delta = {asked.delta:g}, for the weights that one half chose, by Clopper-Pearson on the other; bound: "
        "tandem-kl on the risk of the majority vote. T: temperature of the sampler. In use: effective number of "
        "members."
    )
    rows = tuple(_cells(line, comparison.ensembles[line.ensemble]) for line in comparison.lines)
    return Table(f"{comparison.name}: ensembles side by side", _COLUMNS, rows, (about, *comparison.notes))


def _cells(line: Line, ensemble: ComparedEnsemble) -> tuple[Cell, ...]:
    heat = None if ensemble.temperature is None else f"{ensemble.temperature:g}"
    scores: list[Cell] = []
    for name in ("accuracy", "nll", "ece", "certificate"):
        scores += [line.mean(name), line.spread(name)]
    named = (line.ensemble, heat, ensemble.epochs, line.mean("members"), line.weights)
    return (*named, *scores, line.mean("bound"), line.mean("effective"))


def with_spreads(table: Table) -> Table:
    """Return the table as text, each standard deviation joined to the mean in the column before it.

    >>> columns = (Column("accuracy", 2), Column("sd", 2))
    >>> with_spreads(Table("", columns, ((0.9, 0.01), (0.8, None)))).rows
    (('0.90 ± 0.01',), ('0.80',))
    """
    titles = [column.title for column in table.columns]
    kept = [place for place, title in enumerate(titles) if not title.endswith("sd")]
    joined = {place - 1 for place in range(len(titles)) if place not in kept}
    rows = tuple(
        tuple(f"{row[p]} ± {row[p + 1]}" if p in joined and row[p + 1] else row[p] for p in kept)
        for row in table.shown("")
    )
    return replace(table, columns=tuple(Column(titles[place]) for place in kept), rows=rows)


def comparison_findings(comparison: Comparison) -> str:
    """Return the findings as Markdown, below the rule that decided them."""
    return f"{RULE} {MANY}\n\n{findings_markdown(comparison.findings)}\n"
