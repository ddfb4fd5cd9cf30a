"""Ensembles side by side: the same test samples, the same split, several weightings, and what their differences say.

The rule that decides is that of `evaluation.findings`. Ensembles are compared sample by sample and repeat by repeat, on
the repeats that both have; with fewer than two of those, ensembles that were trained apart are not compared.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._certify import certify_with
from comitia._errors import InputError
from comitia._predictions import Predictions
from comitia._split import split_samples
from comitia._threads import single_blas_threads
from comitia.evaluation.comparison import SCORES, ComparedEnsemble, Comparison, ComparisonSettings, Line
from comitia.evaluation.findings import UNDECIDED, Finding, finding, half_width, rounded
from comitia.evaluation.folds import Asked, Fold, half, run_fold
from comitia.evaluation.protocol import VOTES, check_settings
from comitia.paper.comparison_plan import ComparisonPlan, Entry
from comitia.recipes import Strategy, strategy_of
from comitia.weighting import Method

WEIGHTINGS = ("uniform", "tandem", "likelihood")


@dataclass(frozen=True, eq=False)
class Scored:
    """A line of the comparison, and for each of its repeats whether each test sample was found.

    `right` (R, n) is of the folds in which a sample had no part in the weights.
    """

    entry: Entry
    line: Line
    right: NDArray[np.bool_]


def compare(
    plan: ComparisonPlan,
    packs: Mapping[str, Predictions],
    *,
    weightings: Sequence[Method] = WEIGHTINGS,
    seed: int = 0,
    delta: float = 0.05,
) -> Comparison:
    """Return the comparison of a plan's ensembles from the test predictions of its trainings (by folder).

    Test-time cross-validation, as `evaluate`: one half of the test samples chooses the weights (for the majority vote),
    the other is scored with the average vote; they swap. The split of a repeat is the same for all.
    """
    scored, notes = score_entries(plan, packs, weightings=weightings, seed=seed, delta=delta)
    return Comparison(
        name=plan.name,
        settings=ComparisonSettings(plan.budget, plan.repeats, seed, delta),
        predictions={name: pack.fingerprint() for name, pack in packs.items()},
        ensembles={entry.name: _described(entry) for entry in plan.entries},
        lines=tuple(one.line for one in scored),
        findings=findings(scored),
        notes=notes,
    )


def _described(entry: Entry) -> ComparedEnsemble:
    recipe = entry.recipe.to_dict()
    recipe["data"].pop("folder", None)  # where the data lay is not part of the result
    return ComparedEnsemble(entry.last_of, entry.epochs, recipe)


def score_entries(
    plan: ComparisonPlan,
    packs: Mapping[str, Predictions],
    *,
    weightings: Sequence[Method] = WEIGHTINGS,
    seed: int = 0,
    delta: float = 0.05,
) -> tuple[tuple[Scored, ...], tuple[str, ...]]:
    """Return every ensemble of the plan with every weighting, and notes on what is missing."""
    methods = check_settings(weightings=weightings, repeats=plan.repeats, seed=seed, delta=delta)
    _check_samples(packs)
    scored: list[Scored] = []
    notes: list[str] = []
    for entry in plan.entries:
        pack = packs[entry.folder]
        folds = {}
        for repeat in range(plan.repeats):
            members = _members(pack, entry, repeat)
            if _missing(pack, entry, repeat):
                notes.append(f"{entry.name}, repeat {repeat + 1}: some of its runs are missing")
            if len(members):
                with single_blas_threads():
                    folds[repeat + 1] = _folds(pack.pick(members), methods, seed + repeat, delta)
        if folds:
            scored += [_scored(entry, name, place, folds, delta) for place, name in enumerate(methods)]
    return tuple(scored), tuple(notes)


def _check_samples(packs: Mapping[str, Predictions]) -> None:
    first = next(iter(packs.values()))
    for name, pack in packs.items():
        if pack.labels is None or first.labels is None or not np.array_equal(pack.labels, first.labels):
            raise InputError(f"ensemble {name}: its test samples must be those of the others; labels differ")


def _members(pack: Predictions, entry: Entry, repeat: int) -> NDArray[np.int64]:
    """Return the positions of the members of one repeat, of the last states alone where the entry says so."""
    assert pack.run is not None
    chosen = np.isin(pack.run, list(entry.runs(repeat)))
    if entry.last_of is not None:
        chosen &= np.isin(np.arange(pack.members), pack.last())
    return np.flatnonzero(chosen)


def _missing(pack: Predictions, entry: Entry, repeat: int) -> bool:
    assert pack.run is not None
    return not set(entry.runs(repeat)) <= set(pack.run.tolist())


def _folds(pack: Predictions, methods: Mapping[str, Method], seed: int, delta: float) -> tuple[Fold, Fold]:
    """Return both folds of an ensemble, weighed in each of those ways."""
    asked = [Asked(tuple(range(pack.members)), name) for name in methods]
    one, other = (half(pack, part, VOTES) for part in split_samples(pack.samples, 0.5, seed))
    settings: tuple[Any, ...] = (asked, methods, VOTES, delta, seed)
    return run_fold(one, other, *settings), run_fold(other, one, *settings)


def _scored(
    entry: Entry, weights: str, place: int, folds: Mapping[int, tuple[Fold, Fold]], delta: float
) -> Scored:
    """Return the line of the weighting that lies at that place of the folds of each repeat."""
    numbers = [_scores(pair, place, delta) for pair in folds.values()]
    line = Line(
        ensemble=entry.name,
        weights=weights,
        repeats=tuple(folds),
        members=tuple(pair[0].weights.shape[1] for pair in folds.values()),
        **{name: tuple(found[name] for found in numbers) for name in SCORES},
    )
    return Scored(entry, line, np.stack([_right(pair, place) for pair in folds.values()]))


def _scores(folds: Sequence[Fold], place: int, delta: float) -> dict[str, float]:
    scores = [fold.scores["average"] for fold in folds]
    return {
        "accuracy": _mean(found.correct[place].mean() for found in scores),
        "nll": _mean(found.nll[place] for found in scores if found.nll is not None),
        "ece": _mean(found.ece[place] for found in scores if found.ece is not None),
        "certificate": _mean(_certified(fold, place, delta) for fold in folds),
        "bound": _mean(fold.bounds["majority"][place] for fold in folds),
        "effective": _mean(fold.effective[place] for fold in folds),
    }


def _mean(values: Iterable[float]) -> float:
    return rounded(np.mean(list(values)))


def _right(folds: Sequence[Fold], place: int) -> NDArray[np.bool_]:
    right = np.empty(sum(len(fold.scoring.samples) for fold in folds), dtype=np.bool_)
    for fold in folds:
        right[fold.scoring.samples] = fold.scores["average"].correct[place]
    return right


def _certified(fold: Fold, place: int, delta: float) -> float:
    """Return the risk of the average vote, certified by the half that did not choose the weights."""
    kept, rho = fold.scoring, fold.weights[place]
    measured = kept.statistics["average"]
    return certify_with(
        measured, kept.predictions, rho, vote="average", delta=delta, chosen_on="nothing"
    ).promised.risk


def findings(scored: Sequence[Scored]) -> tuple[Finding, ...]:
    """Return every finding that the paper's claims or the samplers' temperatures ask for.

    The first ensemble and plain deep ensembles, uniformly weighted, against each Bayes ensemble; tandem and
    likelihood weights against uniform ones; every ensemble with tandem weights against the first with uniform ones;
    colder chains against warmer ones.
    """
    table = {(one.line.ensemble, one.line.weights): one for one in scored}
    names = list(dict.fromkeys(one.line.ensemble for one in scored))
    strategies = {name: _strategy(table, name) for name in names}
    bayes = [name for name, strategy in strategies.items() if strategy is not None and strategy.bayesian]
    deep = [name for name, s in strategies.items() if name == names[0] or (s is not None and s.independent)]
    wanted = [((one, "uniform"), (other, "uniform"), "not worse") for one in deep for other in bayes]
    for weights in ("tandem", "likelihood"):
        wanted += [((name, weights), (name, "uniform"), "not worse") for name in names]
    wanted += [((name, "tandem"), (names[0], "uniform"), "better") for name in names[1:]]
    wanted += [((cold, "uniform"), (warm, "uniform"), "better") for cold, warm in _colder(table, names)]
    pairs = [(table[one], table[other], kind) for one, other, kind in wanted if {one, other} <= set(table)]
    return tuple(found for one, other, kind in pairs if (found := _finding(one, other, kind)) is not None)


def _strategy(table: Mapping[tuple[str, str], Scored], name: str) -> Strategy | None:
    one = table.get((name, "uniform"))
    return None if one is None else strategy_of(one.entry.recipe)


def _colder(table: Mapping[tuple[str, str], Scored], names: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of chains of one strategy, the colder first."""
    chains = [
        (one.entry.recipe.training.strategy, sampler.temperature, name)
        for name in names
        if (one := table.get((name, "uniform"))) is not None
        and (sampler := one.entry.recipe.sampler) is not None
        and sampler.dropout == 0
    ]
    return [(b, a) for s, warm, a in chains for t, cold, b in chains if s == t and cold < warm]


def _finding(one: Scored, other: Scored, kind: str) -> Finding | None:
    """Return the finding on the repeats that both have; None without any."""
    theirs = {repeat: place for place, repeat in enumerate(other.line.repeats)}
    pairs = [(place, theirs[r]) for place, r in enumerate(one.line.repeats) if r in theirs]
    if not pairs:
        return None
    mine, others = (list(places) for places in zip(*pairs))
    by_sample = np.subtract(one.right[mine], other.right[others], dtype=np.float64).mean(axis=0)
    ours, against = np.array(one.line.accuracy)[mine], np.array(other.line.accuracy)[others]
    found = finding(
        f"{_name(one.line)} against {_name(other.line)}",
        rounded(ours.mean()),
        rounded(against.mean()),
        half_width(by_sample, ours - against),
        kind=kind,
    )
    apart = one.entry.folder != other.entry.folder
    return replace(found, verdict=UNDECIDED) if apart and len(pairs) < 2 else found


def _name(line: Line) -> str:
    return f"{line.ensemble}, {line.weights} weights"
