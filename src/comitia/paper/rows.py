"""The paper's numbers for a recipe: which row of its tables a name stands for, as references."""

import csv
from dataclasses import dataclass
from importlib.resources import files

from comitia.evaluation.records import Reference

DATA = {"imdb": "IMDB", "cifar10": "CIFAR-10", "cifar100": "CIFAR-100", "eyepacs": "EyePACS"}
#: Classes, and samples of the official test set, by the name of the data.
EXTENT = {
    "imdb": (2, 25_000),
    "cifar10": (10, 10_000),
    "cifar100": (100, 10_000),
    "eyepacs": (2, 42_670),
    "mnist5k": (10, 1_000),
}
MODELS = {
    "cnn_lstm": "CNN-LSTM",
    "resnet20": "ResNet20",
    "resnet110": "ResNet110",
    "wrn28_10": "WRN28-10",
    "resnet50": "ResNet50",
}
#: The Bayes ensembles that the paper compares with, by network.
SAMPLERS = {
    "CNN-LSTM": "cSGHMC-ap",
    "ResNet20": "cSGHMC-ap",
    "ResNet110": "cSGLD",
    "WRN28-10": "cSGLD",
    "ResNet50": "MC dropout",
}
# Where a table has a column for all states, the bounds are those of all states.
_CELLS = (
    ("avg_uniform_last", "last", "uniform", "average"),
    ("avg_tandem_last", "last", "tandem", "average"),
    ("avg_uniform_all", "all", "uniform", "average"),
    ("avg_tandem_all", "all", "tandem", "average"),
    ("mv_last", "last", "tandem", "majority"),
    ("mv_all", "all", "tandem", "majority"),
)


@dataclass(frozen=True)
class PaperRow:
    """A row of the paper's tables: cells by column, empty ones left out."""

    model: str
    dataset: str
    experiment: str
    cells: dict[str, float]


def paper_row(name: str, *, budget: int | None = None) -> PaperRow | None:
    """Return the row that a recipe's name (data-model-strategy) stands for; None where the paper has none.

    An epoch budget has one row per budget; without one, the first.

    >>> paper_row("imdb-cnn_lstm-sse").cells["avg_tandem_all"]
    0.874
    """
    data, _, rest = name.partition("-")
    model, _, strategy = rest.partition("-")
    if data not in DATA or model not in MODELS:
        return None
    wanted = (strategy, f"{strategy}-{budget}")
    cells: dict[str, float] = {}
    found = ""
    for row in (*_table("bounds"), *_table("accuracies")):
        exact = row["experiment"] in wanted
        of_some_budget = row["experiment"].removeprefix(f"{strategy}-").isdigit()
        first = not budget and not found and of_some_budget
        if (row["model"], row["dataset"]) == (MODELS[model], DATA[data]) and (exact or first):
            found = row["experiment"]
            cells |= _numbers(row)
    # A row of the bounds alone (bagging, epoch budgets) has its accuracies there.
    for other, column in (("avg_last", "avg_tandem_last"), ("avg_all", "avg_tandem_all")):
        if other in cells:
            cells.setdefault(column, cells[other])
    return PaperRow(MODELS[model], DATA[data], found, cells) if cells else None


def bayes_reference(name: str) -> Reference | None:
    """Return the Bayes ensemble that the paper compares the recipe's data and network with."""
    data, _, rest = name.partition("-")
    model = MODELS.get(rest.partition("-")[0])
    for row in _table("accuracies"):
        if (row["model"], row["dataset"]) == (model, DATA.get(data)):
            size = int(row["bayesian_members"])
            label = f"Bayes ensemble ({SAMPLERS[row['model']]}, {size} members, from the literature)"
            return Reference(label, "bayes", "accuracy", float(row["bayesian_reference"]), size)
    return None


def references(name: str, *, budget: int | None = None) -> tuple[Reference, ...]:
    """Return all numbers of the paper to set beside an evaluation of that recipe.

    >>> [(r.kind, r.value) for r in references("cifar10-resnet20-simple")][:2]
    [('bayes', 0.936), ('paper', 0.938)]
    """
    bayes, row = bayes_reference(name), paper_row(name, budget=budget)
    found = [] if bayes is None else [bayes]
    return (*found, *(() if row is None else _of_row(row)))


def _of_row(row: PaperRow) -> list[Reference]:
    cells = row.cells
    states = {"last": cells.get("members_last"), "all": cells.get("members_all")}

    def reference(
        quantity: str, value: float, members: str, weights: str | None, vote: str | None
    ) -> Reference:
        size = states.get(members) or (1 if members == "single" else None)
        label = (
            f"paper: {weights or 'best single'} weights, {members}"
            if weights
            else "paper: best single network"
        )
        return Reference(
            label, "paper", quantity, value, None if size is None else int(size), members, weights, vote
        )

    found = [reference("accuracy", cells[c], m, w, v) for c, m, w, v in _CELLS if c in cells]
    if "sgd" in cells:
        found.append(reference("accuracy", cells["sgd"], "single", None, None))
    which = "all" if "mv_all" in cells else "last"
    for weights in ("uniform", "tandem"):
        if f"bound_{weights}" in cells:
            risk = round(1 - cells[f"bound_{weights}"], 6)
            found.append(reference("bound", risk, which, weights, "majority"))
    return found


def _table(name: str) -> list[dict[str, str]]:
    text = files("comitia.paper").joinpath("paper", f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _numbers(row: dict[str, str]) -> dict[str, float]:
    named = ("model", "dataset", "experiment")
    return {column: float(cell) for column, cell in row.items() if cell and column not in named}
