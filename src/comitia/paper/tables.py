"""The paper's tables of results with our numbers in place of theirs, and theirs beside."""

from collections.abc import Iterable, Sequence

from comitia.evaluation.table_formats import Cell, Column, Table
from comitia.paper.results import Status

_ACCURACIES = {
    "avg_uniform_last": "uniform last",
    "avg_tandem_last": "tandem last",
    "avg_uniform_all": "uniform all",
    "avg_tandem_all": "tandem all",
    "sgd": "single",
}
_BOUNDS = {
    "bound_uniform": "bound uniform",
    "bound_tandem": "bound tandem",
    "avg_last": "average last",
    "mv_last": "majority last",
    "avg_all": "average all",
    "mv_all": "majority all",
}
# What the tables of bounds call accuracies of tandem weights. The paper's differ from its first table in one row.
_SAME = {"avg_last": "avg_tandem_last", "avg_all": "avg_tandem_all"}
_NOTE = (
    "Ours, then the paper's. Uniform and tandem are weights, last and all the states of a run, average and majority "
    "votes, single is the best network with hindsight. Bounds are 1 - risk at delta = 0.05, as the paper prints them: "
    "of all states where it has those, else of the last ones. Where ours have no such states, there is no number. "
    "Trained: here; stored: predictions of the authors' networks. Not as the paper: what the scale says differs, so "
    "that levels cannot be compared."
)


def paper_tables(rows: Sequence[Status]) -> dict[str, Table]:
    """Return the three tables by the name of their files.

    The first has the accuracies, the second the bounds of the simple ensembles (for IMDB, where those have no states
    but the last, the checkpoints), the third, the appendix's, the bounds of all experiments.
    """
    first = [one for one in rows if "avg_uniform_last" in one.row.cells]
    second = list(
        {(r.row.model, r.row.dataset): r for r in reversed(rows) if "mv_all" in r.row.cells}.values()
    )[::-1]
    return {
        "table-1": _table("Table 1: accuracies of the average vote", first, _ACCURACIES),
        "table-2": _table("Table 2: bounds and accuracies of the simple ensembles", second, _BOUNDS),
        "table-3": _table("Table 3 (appendix): bounds and accuracies of all experiments", rows, _BOUNDS),
    }


def _table(title: str, rows: Iterable[Status], columns: dict[str, str]) -> Table:
    named = (Column("network"), Column("data"), Column("experiment"))
    pairs = [c for shown in columns.values() for c in (Column(shown, 4), Column(f"{shown}, paper", 3))]
    ends = (Column("source"), Column("as the paper"), Column("scale"))
    cells = tuple(_cells(one, columns) for one in rows)
    return Table(title, (*named, *pairs, *ends), cells, (_NOTE,))


def _cells(one: Status, columns: Iterable[str]) -> tuple[Cell, ...]:
    row, best = one.row, one.results[0] if one.results else None
    ours = {} if best is None else best.cells
    pairs = [cell for c in columns for cell in (ours.get(_SAME.get(c, c)), row.cells.get(c))]
    ends = (None, None, None) if best is None else (best.source, _yes(best.as_paper), best.scale)
    return (row.model, row.dataset, row.experiment, *pairs, *ends)


def status_table(rows: Sequence[Status]) -> Table:
    """Return one line per row of the paper: its accuracy, ours, where ours comes from, what training it would take."""
    columns = (
        Column("row"),
        Column("paper", 3),
        Column("ours", 4),
        Column("source"),
        Column("scale"),
        Column("training it takes"),
    )
    cells = tuple(_status_cells(one) for one in rows)
    note = (
        "Accuracy of the average vote with tandem weights: of all states where both have them, else of the last "
        "ones. Hours: of the authors' GPUs by each row's share of the operations, on two cores by measured rates."
    )
    return Table("The paper's rows", columns, cells, (note,))


def status_summary(rows: Sequence[Status]) -> Table:
    """Return the status with the columns that fit a terminal."""
    whole = status_table(rows)
    columns = (*whole.columns[:4], Column("takes"))
    cells = tuple(
        (*cells[:3], _marked(one), str(cells[-1]).partition(",")[0].replace(" on 2 cores", ", 2 cores"))
        for one, cells in zip(rows, whole.rows)
    )
    return Table(whole.title, columns, cells, (*whole.notes, "* not trained as the paper did."))


def _marked(one: Status) -> str | None:
    best = one.results[0] if one.results else None
    return None if best is None else best.source + ("" if best.as_paper else " *")


def _yes(known: bool | None) -> str | None:
    return None if known is None else "yes" if known else "no"


def _status_cells(one: Status) -> tuple[Cell, ...]:
    plain, best = one.plain(), one.results[0] if one.results else None
    column = headline(one)
    scale = None if best is None else best.scale if best.as_paper else f"not as the paper: {best.scale}"
    ours = None if best is None else best.cells.get(column)
    return (one.row.key, one.row.cells[column], ours, plain["source"], scale, plain["needs"])


def headline(one: Status) -> str:
    """Return the column that stands for a row: tandem weights on all states where both have them, else on last ones."""
    ours = one.results[0].cells if one.results else one.row.cells
    both = "avg_tandem_all" in one.row.cells and "avg_tandem_all" in ours
    return "avg_tandem_all" if both else "avg_tandem_last"
