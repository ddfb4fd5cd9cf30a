"""What was reproduced of each row of the paper: results that come with the package, and those of one's own folders."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from comitia._errors import InputError
from comitia._records import from_plain, parse_json, to_plain
from comitia.evaluation import Evaluation
from comitia.evaluation.tables import row_beside
from comitia.paper.cost import needs
from comitia.paper.rows import PaperRow, paper_rows

FILE = "results.json"
RECORD = "evaluation.json"
# The paper's columns and the curve of ours that belongs to each.
_ACCURACIES = {
    "avg_uniform_last": ("last", "uniform", "average"),
    "avg_tandem_last": ("last", "tandem", "average"),
    "avg_uniform_all": ("all", "uniform", "average"),
    "avg_tandem_all": ("all", "tandem", "average"),
    "mv_last": ("last", "tandem", "majority"),
    "mv_all": ("all", "tandem", "majority"),
}


@dataclass(frozen=True)
class Result:
    """An evaluation of a row of the paper: `cells` by the paper's columns, `folder` where it lies.

    `source`, `scale` and `as_paper` are those of its `Provenance`.
    """

    row: str
    folder: str
    source: str
    scale: str
    as_paper: bool
    cells: dict[str, float]

    @property
    def rank(self) -> tuple[bool, bool, str]:
        """Sorts the results of a row: trained as the paper did first, then those trained here."""
        return (not self.as_paper, self.source != "trained", self.folder)


@dataclass(frozen=True)
class Status:
    """A row of the paper beside what there is of it: the best result first, and what training it would take."""

    row: PaperRow
    results: tuple[Result, ...]

    def plain(self) -> dict[str, Any]:
        """Return the row as plain data: the best result stands for it."""
        best = self.results[0] if self.results else None
        return {
            "recipe": self.row.recipe,
            "budget": self.row.budget,
            "paper": self.row.cells,
            "ours": None if best is None else best.cells,
            "scale": None if best is None else best.scale,
            "as_paper": None if best is None else best.as_paper,
            "source": None if best is None else best.source,
            "needs": needs(self.row),
        }


def status(results: Iterable[Result] | None = None) -> tuple[Status, ...]:
    """Return every row of the appendix's table with its results, those that come with the package by default."""
    found = shipped_results() if results is None else tuple(results)
    return tuple(
        Status(row, tuple(sorted((r for r in found if r.row == row.key), key=lambda r: r.rank)))
        for row in paper_rows()
    )


def result_of(evaluation: Evaluation, folder: str) -> Result | None:
    """Return what an evaluation gives for its row of the paper; None if it is of none."""
    origin = evaluation.provenance
    if origin is None or not origin.row:
        return None
    return Result(origin.row, folder, origin.source, origin.scale, origin.as_paper, cells_of(evaluation))


def cells_of(evaluation: Evaluation) -> dict[str, float]:
    """Return our numbers by the paper's columns; bounds as it prints them, 1 - risk and at least 0."""
    cells = {}
    for column, key in _ACCURACIES.items():
        if key[0] in evaluation.distinct and evaluation.curve(*key):
            cells[column] = row_beside(evaluation, key, "accuracy").accuracy_mean
    for weights in ("uniform", "tandem"):
        key = (evaluation.distinct[-1], weights, "majority")
        if evaluation.curve(*key) and (risk := row_beside(evaluation, key, "bound").bound_mean) is not None:
            cells[f"bound_{weights}"] = max(0.0, 1.0 - risk)
    largest = evaluation.curve("last", "uniform", evaluation.settings.votes[0])
    members = {} if evaluation.settings.grouped or not largest else {"members_last": float(_size(evaluation))}
    rounded = {column: round(value, 6) for column, value in cells.items()}
    return {**rounded, "sgd": round(evaluation.single_best.accuracy_mean, 6), **members}


def _size(evaluation: Evaluation) -> int:
    return row_beside(evaluation, ("last", "uniform", evaluation.settings.votes[0]), "accuracy").size


def read_results(root: str | Path) -> tuple[Result, ...]:
    """Return the results of all folders below that one (or of itself) that hold the evaluation of a row."""
    top = Path(root)
    if not top.is_dir():
        raise InputError(f"results: {top} must be a folder with reproduced rows, it is none")
    found = []
    for path in sorted(top.rglob(RECORD)):
        evaluation = Evaluation.from_json(path.read_text(encoding="utf-8"), source=str(path))
        result = result_of(evaluation, path.parent.name)
        found += [] if result is None else [result]
    return tuple(found)


def shipped_results() -> tuple[Result, ...]:
    """Return the results that come with the package: those of the project's own page of results."""
    text = files("comitia.paper").joinpath("paper", FILE).read_text(encoding="utf-8")
    return tuple(from_plain(Result, plain, f"{FILE}: ") for plain in parse_json(text, FILE))


def results_json(results: Iterable[Result]) -> list[Any]:
    """Return results as plain data, which `shipped_results` reads back."""
    return [to_plain(result) for result in results]


def every_row(results: str | Path | None = None) -> tuple[Status, ...]:
    """Return the paper's rows with the results that come with the package and those below a folder of one's own."""
    own = () if results is None else read_results(results)
    return status((*own, *shipped_results()))
