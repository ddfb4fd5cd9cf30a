"""Test predictions of a recipe beside the paper: evaluate them, add the paper's numbers, judge its claims."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia.evaluation import Evaluation, evaluate
from comitia.evaluation.claims import judge
from comitia.evaluation.draws import default_sizes, draw_all, runs_of
from comitia.evaluation.findings import half_width, rounded
from comitia.evaluation.records import EARLY_STOPPING
from comitia.evaluation.references import Provenance, Reference
from comitia.evaluation.scores import score
from comitia.paper.literature import references
from comitia.paper.provenance import notes_on, require_classes, trained_here
from comitia.paper.rows import EXTENT, paper_row
from comitia.recipes import Recipe, strategy_of
from comitia.recipes.strategies import plans, size_groups
from comitia.weighting import Method


def evaluate_row(
    recipe: Recipe,
    predictions: Predictions,
    *,
    provenance: Provenance | None = None,
    bayes: Predictions | None = None,
    sizes: Sequence[int] | None = None,
    repeats: int = 5,
    seed: int = 0,
    delta: float = 0.05,
    weightings: Sequence[Method] | None = None,
) -> Evaluation:
    """Return the evaluation of a recipe's test predictions with the paper's numbers and the three claims.

    `provenance` says how the members were trained; None is by the recipe. Only those trained as the paper did are
    judged by numbers from the literature, and the first claim only where they are a plain deep ensemble. `bayes` are
    the members of a Bayes ensemble trained here, on the same test samples: the first claim is then judged against their
    uniform average too.
    """
    require_classes(recipe, predictions)
    runs = len(runs_of(predictions).numbers)
    origin = trained_here(recipe, runs=runs) if provenance is None else provenance
    groups = size_groups(recipe)
    missing: tuple[str, ...] = ()
    if groups is not None:
        require_sizes(recipe, sizes)
        groups, missing = _whole_groups(groups, predictions)
        sizes = None if sizes is None else [size for size in sizes if size in groups]
    elif sizes is None:
        sizes = _default_sizes(recipe, runs)
    found = evaluate(
        predictions,
        sizes=sizes,
        repeats=repeats,
        seed=seed,
        delta=delta,
        weightings=weightings,
        groups=groups,
        cost_curve=False,
    )
    official = EXTENT.get(recipe.data.name, (0, predictions.samples))[1] == predictions.samples
    elsewhere, apart = _references(recipe, found, judged=origin.as_paper and official)
    here = () if bayes is None else (_trained_here(bayes, predictions, found),)
    named = replace(
        found,
        name=recipe.name,
        references=(*here, *elsewhere),
        notes=(*notes_on(recipe, predictions, origin), *apart, *missing, *found.notes),
        unjudged=_unjudged(recipe),
        provenance=origin,
    )
    return replace(named, claims=judge(named))


def _default_sizes(recipe: Recipe, runs: int) -> tuple[int, ...]:
    """Return the numbers of runs that are evaluated, those of the paper's row among them."""
    row = paper_row(recipe.name)
    theirs = {int(row.cells[key]) for key in ("members_last", "members_all") if row and key in row.cells}
    return tuple(sorted({*default_sizes(runs), *(size for size in theirs if size <= runs)}))


def _references(
    recipe: Recipe, found: Evaluation, *, judged: bool
) -> tuple[tuple[Reference, ...], tuple[str, ...]]:
    """Return the numbers to set beside an evaluation, and a note on those that have no counterpart in it."""
    known = references(recipe.name, budget=recipe.training.budget or None)
    kept = [r for r in known if not (found.single_states and r.members == "all")]
    note = "every run has a single state here: the paper's numbers for all states have no counterpart"
    beside = tuple(replace(r, judged=judged and r.kind == "bayes") for r in kept)
    return beside, (note,) if len(kept) < len(known) else ()


def _unjudged(recipe: Recipe) -> str:
    """Return why the first claim is not judged; it is for plain deep ensembles, with or without a budget of epochs."""
    strategy = strategy_of(recipe)
    if strategy.bayesian:
        return "the members are themselves those of a Bayes ensemble"
    if strategy.independent or size_groups(recipe) is not None:
        return ""
    return (
        f"it is about plain deep ensembles, and the members come from the strategy {strategy.name}; the row of the "
        "simple ensemble judges it"
    )


def _whole_groups(
    groups: Mapping[int, Sequence[int]], predictions: Predictions
) -> tuple[dict[int, Sequence[int]], tuple[str, ...]]:
    """Return the sizes of which every run is there, and a note on each of the others."""
    there = set(runs_of(predictions).numbers)
    whole = {size: runs for size, runs in groups.items() if set(runs) <= there}
    if not whole:
        raise InputError(
            "predictions: every size of the epoch budget lacks some of its runs; train them first"
        )
    return whole, tuple(
        f"size {size} is left out: {len(set(runs) - there)} of its runs are missing"
        for size, runs in groups.items()
        if size not in whole
    )


def require_sizes(recipe: Recipe, sizes: Sequence[int] | None) -> None:
    """Raise for ensemble sizes that the runs of the recipe cannot give."""
    groups, runs = size_groups(recipe), recipe.training.runs
    if sizes is not None and not sizes:
        raise InputError("sizes: at least one number of runs is required, got none")
    for size in sizes or ():
        if groups is not None and size not in groups:
            trained = ", ".join(map(str, groups))
            raise InputError(f"sizes: the epoch budget trains ensembles of {trained} runs, got {size}")
        if groups is None and not 1 <= size <= runs:
            raise InputError(f"sizes: must be from 1 to {runs}, the runs of the recipe, got {size}")


def require_states(recipe: Recipe, weightings: Sequence[Method] | None) -> None:
    """Raise if early stopping was asked for and no run of the recipe saves several states."""
    if weightings is not None and EARLY_STOPPING in weightings and all(p.members == 1 for p in plans(recipe)):
        raise InputError(
            f"weightings: '{EARLY_STOPPING}' chooses among the states of a run, but the recipe saves one state per "
            "run; leave it out, or take a recipe that saves more"
        )


def _trained_here(bayes: Predictions, predictions: Predictions, ours: Evaluation) -> Reference:
    """Return the accuracy of a Bayes ensemble's uniform vote, compared with ours sample by sample."""
    known = (bayes.labels, predictions.labels)
    if known[0] is None or known[1] is None or not np.array_equal(known[0], known[1]):
        raise InputError("bayes: its samples must be those of the ensemble, in the same order; labels differ")
    vote = "average" if "average" in ours.settings.votes and bayes.has_probs else "majority"
    right = score(bayes, np.full((1, bayes.members), 1.0 / bayes.members), vote).correct[0]
    label = f"Bayes ensemble ({bayes.members} members, trained here)"
    reference = Reference(
        label, "bayes", "accuracy", rounded(right.mean()), bayes.members, "all", "uniform", vote
    )
    if ours.settings.grouped or vote not in ours.settings.votes:
        return reference
    found = _uniform_right(predictions, ours, vote)  # (draws, n)
    reach = half_width(found.mean(axis=0) - right, found.mean(axis=1))
    return replace(reference, half_width=rounded(reach))


def _uniform_right(predictions: Predictions, ours: Evaluation, vote: str) -> NDArray[np.bool_]:
    """Return (draws, n) whether the uniform vote of the last states is right, for each draw of the largest size."""
    s = ours.settings
    size = s.sizes[-1]
    weights = np.zeros((s.repeats, predictions.members))
    for row, draw in zip(weights, draw_all(runs_of(predictions), [size], s.repeats, s.seed)[size]):
        row[list(draw.last)] = 1.0 / size
    return score(predictions, weights, vote).correct
