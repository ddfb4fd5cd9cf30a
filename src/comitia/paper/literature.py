"""Numbers to set beside an evaluation: the cells of the paper's row, and results of the literature it compares with."""

from comitia.evaluation.references import Reference
from comitia.paper.rows import PaperRow, network_of, paper_row, read_table

# Where a table has a column for all states, the bounds are those of all states.
_CELLS = (
    ("avg_uniform_last", "last", "uniform", "average"),
    ("avg_tandem_last", "last", "tandem", "average"),
    ("avg_uniform_all", "all", "uniform", "average"),
    ("avg_tandem_all", "all", "tandem", "average"),
    ("mv_last", "last", "tandem", "majority"),
    ("mv_all", "all", "tandem", "majority"),
)


def references(name: str, *, budget: int | None = None) -> tuple[Reference, ...]:
    """Return all numbers to set beside an evaluation of that recipe: the literature's, then the paper's.

    >>> [(r.kind, r.value) for r in references("cifar10-resnet20-simple")][:3]
    [('bayes', 0.9363), ('literature', 0.917), ('paper', 0.938)]
    """
    row = paper_row(name, budget=budget)
    return (*of_literature(name), *(() if row is None else of_row(row)))


def of_literature(name: str) -> tuple[Reference, ...]:
    """Return what others reported for the recipe's data and network.

    The Bayes ensemble that the paper compares with (kind "bayes") comes first. Of kind "literature" are deep ensembles
    and single networks of the same authors, chains at temperature 1, and ensembles of Bayes ensembles. The number of
    members stands in brackets.
    """
    found = []
    for row in read_table("literature"):
        if (row["model"], row["dataset"]) != network_of(name):
            continue
        members = int(row["members"])
        size = "" if members == 1 else f"[{members}]"
        label = f"{row['temperature'] and row['temperature'] + ' '}{row['method']}{size}"
        named = f"Bayes: {label}" if row["kind"] == "bayes" else label
        found += [
            Reference(named, row["kind"], quantity, float(row[quantity]), members, source=row["source"])
            for quantity in ("accuracy", "auroc")
            if row[quantity]
        ]
    return tuple(found)


def of_row(row: PaperRow) -> tuple[Reference, ...]:
    """Return the cells of a row of the paper."""
    cells = row.cells
    states = {"last": cells.get("members_last"), "all": cells.get("members_all"), "single": 1}

    def reference(
        quantity: str, value: float, members: str, weights: str | None, vote: str | None
    ) -> Reference:
        size = states.get(members)
        label = f"paper: {weights} weights, {members}" if weights else "paper: best single network"
        known = None if size is None else int(size)
        return Reference(label, "paper", quantity, value, known, members, weights, vote)

    found = [reference("accuracy", cells[c], m, w, v) for c, m, w, v in _CELLS if c in cells]
    if "sgd" in cells:
        found.append(reference("accuracy", cells["sgd"], "single", None, None))
    which = "all" if "mv_all" in cells else "last"
    for weights in ("uniform", "tandem"):
        if f"bound_{weights}" in cells:
            risk = round(1 - cells[f"bound_{weights}"], 6)
            found.append(reference("bound", risk, which, weights, "majority"))
    return tuple(found)
