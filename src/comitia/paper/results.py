"""What was reproduced of each row of the paper: results that come with the package, and those of one's own folders."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from comitia._errors import InputError
from comitia._records import from_plain, parse_json, to_plain
from comitia.evaluation import Evaluation
from comitia.evaluation.references import Reference
from comitia.evaluation.tables import row_beside
from comitia.paper.cost import needs
from comitia.paper.rows import PaperRow, paper_rows

FILE = "results.json"
RECORD = "evaluation.json"
# The curves that the paper has columns for.
_COLUMNS = {
    ("last", "uniform", "average"): "avg_uniform_last",
    ("last", "tandem", "average"): "avg_tandem_last",
    ("all", "uniform", "average"): "avg_uniform_all",
    ("all", "tandem", "average"): "avg_tandem_all",
    ("last", "tandem", "majority"): "mv_last",
    ("all", "tandem", "majority"): "mv_all",
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
    def rank(self) -> tuple[bool, bool]:
        """Sorts the results of a row: trained as the paper did first, then those trained here."""
        return (not self.as_paper, self.source != "trained")


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
    """Return every row of the appendix's table with its results, those that come with the package by default.

    Results of the same rank keep their order.
    """
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
    """Return our numbers by the paper's columns, where it has a number of the same members, weights and vote.

    Bounds are as it prints them, 1 - risk and at least 0. The single network is the best with hindsight, as it takes
    it; earlier records lack that and give their own choice.
    """
    theirs = [reference for reference in evaluation.references if reference.kind == "paper"]
    cells = dict(cell for reference in theirs for cell in _cells(evaluation, reference))
    last = ("last", "tandem", evaluation.settings.votes[0])
    if evaluation.curve(*last) and not evaluation.settings.grouped:
        cells["members_last"] = row_beside(evaluation, last, "accuracy").size
    return {column: round(float(value), 6) for column, value in cells.items()}


def _cells(evaluation: Evaluation, paper: Reference) -> Iterator[tuple[str, float]]:
    """The column of a number of the paper and our number for it, if we have one."""
    key = (str(paper.members), str(paper.weights), str(paper.vote))
    single = evaluation.single_best
    if paper.members == "single":
        yield "sgd", single.accuracy_mean if single.accuracy_max is None else single.accuracy_max
    elif evaluation.curve(*key):
        row = row_beside(evaluation, key, paper.quantity)
        if paper.quantity == "accuracy":
            yield _COLUMNS[key], row.accuracy_mean
        elif row.bound_mean is not None:
            yield f"bound_{paper.weights}", max(0.0, 1.0 - row.bound_mean)


def read_results(root: str | Path) -> tuple[Result, ...]:
    """Return the results of all folders below that one (or of itself) that hold the evaluation of a row."""
    top = Path(root)
    if not top.is_dir():
        raise InputError(f"results: {top} must be a folder with reproduced rows, it is none")
    found = []
    for path in sorted(top.rglob(RECORD)):
        result = result_of(Evaluation.from_json(_text(path), source=str(path)), path.parent.name)
        found += [] if result is None else [result]
    return tuple(found)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"results: {path} cannot be read as text ({error})") from None


def shipped_results() -> tuple[Result, ...]:
    """Return the results that come with the package: those of the project's own page of results."""
    text = files("comitia.paper").joinpath("paper", FILE).read_text(encoding="utf-8")
    return tuple(from_plain(Result, plain, f"{FILE}: ") for plain in parse_json(text, FILE))


def results_json(results: Iterable[Result]) -> list[Any]:
    """Return results as plain data, which `shipped_results` reads back."""
    return [to_plain(result) for result in results]


def every_row(results: str | Path | None = None) -> tuple[Status, ...]:
    """Return the paper's rows with the results below a folder of one's own and those that come with the package.

    Of the same rank one's own come first. Raises `InputError` where the folder holds no row of the paper.
    """
    own = () if results is None else read_results(results)
    if results is not None and not own:
        raise InputError(
            f"results: {results} must hold a folder with {RECORD} for each reproduced row of the paper, got none; "
            "give the folder that comitia reproduce wrote to, or the one above it"
        )
    return status((*own, *shipped_results()))
