"""Chains beside the literature, from their records: what their samples predict, and their layers' temperatures."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from comitia.evaluation import Evaluation
from comitia.evaluation.table_formats import Cell, Column, Table
from comitia.pages.chain_temperatures import Chain, EpochReading
from comitia.paper.rows import network_of, read_table
from comitia.recipes import Recipe, plan


@dataclass(frozen=True)
class ChainResult:
    """A reproduced chain: its name, recipe and evaluation, and the temperatures of its layers if they were kept."""

    name: str
    recipe: Recipe
    evaluation: Evaluation
    chain: Chain | None = None

    @property
    def temperature(self) -> float:
        """The temperature that the sampler was given."""
        assert self.recipe.sampler is not None
        return self.recipe.sampler.temperature


def is_chain(recipe: Recipe) -> bool:
    """Whether the recipe samples along a chain.

    >>> from comitia.recipes import read_recipe
    >>> is_chain(read_recipe("imdb-cnn_lstm-csghmc-ap")), is_chain(read_recipe("imdb-cnn_lstm-swag"))
    (True, False)
    """
    return bool(plan(recipe, 1).dynamics)


def chain_table(results: Sequence[ChainResult]) -> Table:
    """Return one line per chain: its samples alone and combined, beside the literature's number for such a chain."""
    columns = (
        Column("chain"),
        Column("T"),
        Column("epochs"),
        Column("samples"),
        Column("best single sample", 4),
        Column("uniform (Bayes)", 4),
        Column("tandem weights", 4),
        Column("literature", 4),
        Column("source"),
    )
    notes = (
        "Accuracies of the average vote on the test samples. One half of them chooses the best sample and the tandem "
        "weights, the other half is scored; they swap. The uniform average of the samples is the Bayes prediction. "
        "The literature's number is that of the same sampler and network, at T = 1 or at a temperature below.",
    )
    return Table("chains", columns, tuple(_line(one) for one in results), notes)


def _line(one: ChainResult) -> tuple[Cell, ...]:
    found, theirs = one.evaluation, literature_of(one.recipe)
    accuracies = [_accuracy(found, weights) for weights in ("uniform", "tandem")]
    scale = (f"{one.temperature:g}", one.recipe.training.epochs, found.source.members)
    beside = (None, None) if theirs is None else theirs
    return (one.name, *scale, found.single_best.accuracy_mean, *accuracies, *beside)


def _accuracy(evaluation: Evaluation, weights: str) -> float | None:
    """The accuracy of the average vote of all samples with those weights."""
    curve = evaluation.curve(evaluation.distinct[-1], weights, "average")
    return curve[-1].accuracy_mean if curve else None


def literature_of(recipe: Recipe) -> tuple[float, str] | None:
    """Return accuracy and source of the literature's chain of that sampler and network; None where it has none.

    A chain below T = 1 stands beside a cold one.

    >>> from comitia.recipes import read_recipe
    >>> literature_of(read_recipe("imdb-cnn_lstm-csghmc-ap", ["sampler.temperature=0.01"]))
    (0.8703, 'cold cSGHMC-ap[7], Wenzel et al. 2020')
    """
    assert recipe.sampler is not None
    heat = "T=1" if recipe.sampler.temperature == 1 else "cold" if recipe.sampler.temperature < 1 else ""
    for row in read_table("literature"):
        same = (row["model"], row["dataset"]) == network_of(recipe.name) and row["temperature"] == heat
        if same and row["method"].lower() == recipe.training.strategy:
            return float(row["accuracy"]), f"{heat} {row['method']}[{row['members']}], {row['source']}"
    return None


def layer_table(results: Sequence[ChainResult]) -> Table | None:
    """Return the temperatures of all layers as multiples of T, in the mean over the epochs that end in a sample.

    None if those of no chain were kept.
    """
    kept = [(one, read) for one in results if (read := _sampled(one))]
    if not kept:
        return None
    sizes = {layer.name: layer.size for _, epochs in kept for layer in epochs[0].layers}
    kinds = (("kinetic", "T_K"), ("configurational", "T_C"))
    titles = [f"{short} / T, T = {one.temperature:g}" for one, _ in kept for _, short in kinds]
    rows = tuple(
        (name, size, *(_ratio(epochs, name, kind) for _, epochs in kept for kind, _ in kinds))
        for name, size in sizes.items()
    )
    columns = (Column("layer"), Column("parameters"), *(Column(title, 3) for title in titles))
    note = "Temperatures of the layers in the first run, as multiples of T: means over the epochs that end in a sample."
    return Table("layers", columns, rows, (note,))


def _sampled(one: ChainResult) -> list[EpochReading]:
    """The readings of the epochs whose last state is a sample."""
    saves = plan(one.recipe, 1).saves
    return [] if one.chain is None else [reading for reading in one.chain.epochs if reading.epoch in saves]


def _ratio(epochs: Sequence[EpochReading], name: str, kind: str) -> float | None:
    """The mean of those that are known."""
    told = [
        (getattr(layer, kind), one.expected) for one in epochs for layer in one.layers if layer.name == name
    ]
    known = [value / expected for value, expected in told if value is not None]
    return fmean(known) if known else None
