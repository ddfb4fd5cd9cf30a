"""The rows of the paper's tables: which recipe trains each, and its numbers."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

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


@dataclass(frozen=True)
class PaperRow:
    """A row of the paper's tables: cells by column, empty ones left out.

    `recipe` trains it; of an epoch budget with `training.budget` set to `budget`.
    """

    recipe: str
    model: str
    dataset: str
    experiment: str
    cells: dict[str, float]

    @property
    def key(self) -> str:
        """Its name: that of the recipe, with the budget of an epoch budget."""
        return self.recipe if self.budget is None else f"{self.recipe}-{self.budget}"

    @property
    def budget(self) -> int | None:
        """The epochs of an epoch budget, None for other rows."""
        return _divided(self.experiment)[1]

    @property
    def title(self) -> str:
        """What people call it.

        >>> paper_row("cifar10-resnet110-epoch-budget", budget=300).title
        'CIFAR-10, ResNet110, epoch budget 300'
        """
        return f"{self.dataset}, {self.model}, {self.experiment.replace('-', ' ')}"


@cache
def paper_rows() -> tuple[PaperRow, ...]:
    """Return the rows of the appendix's table, which has them all, with the accuracies of the first table.

    >>> len(paper_rows())
    31
    """
    accuracies = {(row["model"], row["dataset"], row["experiment"]): row for row in read_table("accuracies")}
    # The authors drew as many runs of all experiments on a network, snapshots of IMDB apart.
    drawn = {(row["model"], row["dataset"]): float(row["members"]) for row in read_table("members")}
    found = []
    for row in read_table("bounds"):
        names = (row["model"], row["dataset"], row["experiment"])
        cells = {**_numbers(row), **_numbers(accuracies.get(names, {}))}
        # A row of the bounds alone (bagging, epoch budgets) has its accuracies there.
        for other, column in (("avg_last", "avg_tandem_last"), ("avg_all", "avg_tandem_all")):
            if other in cells:
                cells.setdefault(column, cells[other])
                if _divided(names[2])[1] is None:
                    cells.setdefault(other.replace("avg", "members"), drawn[names[:2]])
        found.append(PaperRow(_recipe(*names), *names, cells))
    return tuple(found)


def paper_row(name: str, *, budget: int | None = None) -> PaperRow | None:
    """Return the row that a recipe's name (data-model-strategy) stands for; None where the paper has none.

    An epoch budget has one row per budget; without one, the first.

    >>> paper_row("imdb-cnn_lstm-sse").cells["avg_tandem_all"]
    0.874
    """
    rows = [row for row in paper_rows() if row.recipe == name and budget in (None, 0, row.budget)]
    return rows[0] if rows else None


def network_of(name: str) -> tuple[str, str] | None:
    """Return (model, data set) of a recipe's name as the paper calls them; None where it has neither.

    >>> network_of("cifar10-wrn28_10-swag"), network_of("demo")
    (('WRN28-10', 'CIFAR-10'), None)
    """
    data, _, rest = name.partition("-")
    model = rest.partition("-")[0]
    return (MODELS[model], DATA[data]) if model in MODELS and data in DATA else None


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a table that comes with the package."""
    text = files("comitia.paper").joinpath("paper", f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _recipe(model: str, dataset: str, experiment: str) -> str:
    short = {shown: name for name, shown in (*MODELS.items(), *DATA.items())}
    return f"{short[dataset]}-{short[model]}-{_divided(experiment)[0]}"


def _divided(experiment: str) -> tuple[str, int | None]:
    """The strategy of an experiment, and the epochs of an epoch budget, which stand at the end of its name."""
    strategy, _, epochs = experiment.rpartition("-")
    return (strategy, int(epochs)) if epochs.isdigit() else (experiment, None)


def _numbers(row: dict[str, str]) -> dict[str, float]:
    named = ("model", "dataset", "experiment")
    return {column: float(cell) for column, cell in row.items() if cell and column not in named}
