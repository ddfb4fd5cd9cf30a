"""What training a row of the paper takes: operations, and hours on two kinds of hardware.

Operations are counted, hours follow from two rates. The first is that of the paper's authors, who report about 320 GPU
days for all experiments: each row is given its share of them by its operations. The second was measured: two cores that
train two ResNet20 or CNN-LSTM networks side by side (see the rows that were trained here).
"""

from functools import cache

from comitia.paper.rows import PaperRow, paper_rows
from comitia.recipes import plans, read_recipe

#: Operations (two for each multiplication with its addition) of one forward pass of one sample.
OPERATIONS = {
    "CNN-LSTM": 9.67e6,
    "ResNet20": 8.16e7,
    "ResNet110": 5.06e8,
    "WRN28-10": 1.049e10,
    "ResNet50": 5.71e10,
}
#: Training samples of one epoch.
SAMPLES = {"IMDB": 20_000, "CIFAR-10": 50_000, "CIFAR-100": 50_000, "EyePACS": 46_032}
#: A backward pass takes about two forward passes.
PASSES = 3
GPU_HOURS = 320 * 24
#: Samples per second of two processes on two cores of a server of 2.8 GHz: 11.3 s for an epoch of 20,000 reviews each.
REVIEWS_PER_SECOND = 2 * 20_000 / 11.3
#: Operations per second there: 60 s for an epoch of 20,000 images with ResNet20, in each of two processes.
OPERATIONS_PER_SECOND = 2 * PASSES * OPERATIONS["ResNet20"] * 20_000 / 60


def epochs_of(row: PaperRow) -> int:
    """Return the epochs of all runs of a row.

    >>> from comitia.paper.rows import paper_row
    >>> epochs_of(paper_row("imdb-cnn_lstm-checkpoints"))
    250
    """
    return _planned_epochs(row.recipe, row.budget)


@cache
def _planned_epochs(recipe: str, budget: int | None) -> int:
    # Each row is asked for its share of all rows: reading the built-in recipes once is enough.
    changes = [] if budget is None else [f"training.budget={budget}"]
    return sum(plan.epochs for plan in plans(read_recipe(recipe, changes)))


def operations(row: PaperRow) -> float:
    """Return the operations of training all runs of a row: 3 · epochs · samples · those of a forward pass."""
    return PASSES * epochs_of(row) * SAMPLES[row.dataset] * OPERATIONS[row.model]


def gpu_hours(row: PaperRow) -> float:
    """Return the row's share of the GPU hours that the authors report, by its operations."""
    return GPU_HOURS * operations(row) / sum(map(operations, paper_rows()))


def core_hours(row: PaperRow) -> float:
    """Return the hours that two cores take for the row."""
    if row.dataset == "IMDB":
        return epochs_of(row) * SAMPLES["IMDB"] / REVIEWS_PER_SECOND / 3600
    return operations(row) / OPERATIONS_PER_SECOND / 3600


def needs(row: PaperRow) -> str:
    """Return what training the row would take, for people.

    >>> from comitia.paper.rows import paper_row
    >>> needs(paper_row("imdb-cnn_lstm-checkpoints"))
    '0.4 h on 2 cores'
    """
    on_cores = f"{_hours(core_hours(row))} h on 2 cores"
    return on_cores if row.dataset == "IMDB" else f"{_hours(gpu_hours(row))} GPU h, or {on_cores}"


def _hours(hours: float) -> str:
    return f"{hours:.1f}" if hours < 10 else f"{float(f'{hours:.2g}'):,.0f}"
