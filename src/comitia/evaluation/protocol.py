"""The paper's protocol: test-time cross-validation of weightings on ensembles of every size."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from comitia._errors import InputError, require_choice, require_open_unit
from comitia._kinds import real_too
from comitia._predictions import Predictions, require_predictions
from comitia._split import split_samples
from comitia._threads import single_blas_threads
from comitia.evaluation.assembly import Draws, assemble
from comitia.evaluation.cost_curve import Costs, cost_curves
from comitia.evaluation.draws import Runs, are_draws, default_sizes, draw_all, runs_of
from comitia.evaluation.folds import Asked, ask, half, named_methods, run_fold
from comitia.evaluation.records import EARLY_STOPPING, Evaluation, Settings
from comitia.promises.asked import require_target
from comitia.weighting import Method
from comitia.weighting.limit import read_columns

VOTES = ("average", "majority")
MEMBERS = ("last", "all")
WEIGHTINGS = ("uniform", "first-order", "tandem")


@real_too
def evaluate(
    predictions: Predictions,
    *,
    sizes: Sequence[int] | None = None,
    repeats: int = 5,
    seed: int = 0,
    delta: float = 0.05,
    weightings: Sequence[Method] | None = None,
    votes: Sequence[str] = VOTES,
    members: Sequence[str] | None = None,
    groups: Mapping[int, Sequence[int]] | None = None,
    bounds: Sequence[Any] = (),
    target_risk: float | None = None,
    cost_curve: bool = True,
    member_costs: Any = None,
) -> Evaluation:
    """Return how well each weighting does on ensembles of each size, and what its bound promises.

    One seeded split into halves serves every method: one half chooses the weights and yields the bound, the
    other is scored; they swap, and the two are averaged. Groups stay whole, and intervals of differences and bounds
    count groups. No answer is not right: neither a member's nor that of an ensemble in which nobody answers; bounds
    count it one half, as `weigh` does. Out-of-fold predictions (with `folds`) get estimates, without bounds and
    certificates.

    Parameters
    ----------
    predictions : test predictions with labels, every sample for every member.
    sizes : numbers of runs an ensemble is drawn from; None is 2 to 10, then every fifth, and all runs.
    repeats : draws (without replacement) for each size.
    seed : of the split and of the draws.
    delta : failure probability of bounds and certificates.
    weightings : names of `comitia.weighting.METHODS`, ``"module:function"``, or callables that take an `Evidence` and
        return a `Weighting`. Their weights are chosen for the majority vote and used for both votes, as in the paper.
        None is uniform, first-order and tandem, and early-stopping where runs have several states (not draws) and all
        are evaluated: it chooses one of them, so it has no rows for ``"last"``.
    votes : ``"average"`` and ``"majority"``; predictions that hold votes have the majority alone.
    members : ``"last"`` state of each drawn run, or ``"all"`` its states; None is both, and the last alone where every
        run has a single state.
    groups : the runs of each size, where each size was trained by itself (an epoch budget); replaces the draws.
    bounds : further bounds from outside for the certificates (see `comitia.bounds.row.as_bound`).
    target_risk : also give errors among answers of the largest ensemble by the share of samples answered, and how many
        can be answered if at most this share of the answers may be wrong. Independent samples only.
    cost_curve : also give the error of fewer and fewer members of all runs, and the fewest that lose nothing; not where
        each size was trained by itself.
    member_costs : what each member costs, for further curves: as in `weigh`, every column is one.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 400)
    >>> found = np.where(rng.random((6, 400)) < 0.2, 1 - labels, labels)
    >>> evaluation = evaluate(Predictions.from_arrays(votes=found, labels=labels), sizes=[3, 5], repeats=2)
    >>> [row.size for row in evaluation.curve("last", "tandem", "majority")]
    [3, 5]
    """
    require_predictions(predictions)
    runs = runs_of(predictions)
    if members is None:
        members = MEMBERS if _several_states(runs) else MEMBERS[:1]
    if weightings is None:
        choice = "all" in members and _several_states(runs) and not are_draws(predictions)
        weightings = (*WEIGHTINGS, EARLY_STOPPING) if choice else WEIGHTINGS
    methods = check_settings(weightings=weightings, repeats=repeats, seed=seed, delta=delta)
    if sizes is None:
        sizes = default_sizes(len(runs.last)) if groups is None else tuple(groups)
    settings = Settings(
        sizes=tuple(sorted({int(size) for size in sizes})),
        repeats=repeats if groups is None else 1,
        seed=seed,
        delta=float(delta),
        weightings=tuple(methods),
        votes=tuple(dict.fromkeys(v for v in votes if v == "majority" or predictions.has_probs)),
        members=tuple(dict.fromkeys(members)),
        grouped=groups is not None,
        target_risk=None if target_risk is None else require_target(target_risk),
    )
    _check(predictions, settings, votes)
    _check_stopping(settings, runs)
    draws = draw_all(runs, settings.sizes, repeats, seed, groups)
    costs = read_columns(member_costs, predictions.names) if cost_curve and groups is None else None
    with single_blas_threads():
        return _evaluate(predictions, settings, methods, runs, draws, bounds, costs)


def _evaluate(
    predictions: Predictions,
    settings: Settings,
    methods: Mapping[str, Method],
    runs: Runs,
    draws: Draws,
    bounds: Sequence[Any],
    costs: Costs | None,
) -> Evaluation:
    parts = split_samples(predictions.samples, 0.5, settings.seed, predictions.groups)
    first, second = (half(predictions, part, settings.votes) for part in parts)
    states = runs.last if settings.widest == "last" else tuple(range(predictions.members))
    singles = [Asked((states[int(h.wrong[list(states)].argmin())],), "uniform") for h in (first, second)]
    asked = list(dict.fromkeys([*_asked(draws, settings), *singles]))
    known = {"uniform": "uniform", **methods}  # the best single member is weighed uniformly
    folds = [
        run_fold(weighing, scoring, asked, known, settings.votes, settings.delta, settings.seed)
        for weighing, scoring in ((first, second), (second, first))
    ]
    found = assemble(predictions, settings, draws, asked, singles, folds, bounds)
    if costs is None:
        return found
    curves = cost_curves(predictions, (first, second), states, settings, methods, costs)
    return replace(found, costs=tuple(curves))


def check_settings(
    *, weightings: Sequence[Method] | None, repeats: int, seed: int, delta: float
) -> dict[str, Method]:
    """Return the weightings by their names; raise for settings that are wrong whatever the predictions are."""
    require_open_unit("delta", delta)
    if repeats < 1:
        raise InputError(f"repeats: must be at least 1, got {repeats}")
    if seed < 0:
        raise InputError(f"seed: must be a whole number from 0, got {seed}")
    return named_methods(WEIGHTINGS if weightings is None else weightings)


def _asked(draws: Draws, settings: Settings) -> list[Asked]:
    return [
        ask(draw, which, method)
        for some in draws.values()
        for draw in some
        for which in settings.members
        for method in settings.weightings_of(which)
    ]


def _several_states(runs: Runs) -> bool:
    return any(len(states) > 1 for states in runs.all)


def _check_stopping(settings: Settings, runs: Runs) -> None:
    """Raise if early stopping was asked for and there is no state that it could choose."""
    if EARLY_STOPPING not in settings.weightings:
        return
    if not _several_states(runs):
        raise InputError(
            f"weightings: '{EARLY_STOPPING}' chooses among the states of a run, but every run has a single one; "
            "leave it out, or give run and step of several states"
        )
    if "all" not in settings.members:
        raise InputError(
            f"weightings: '{EARLY_STOPPING}' chooses among all states, got members {', '.join(settings.members)}; "
            "add all, or leave it out"
        )


def _check(predictions: Predictions, settings: Settings, votes: Sequence[str]) -> None:
    """Raise for input that is wrong, with one line that says what to do."""
    if predictions.labels is None:
        raise InputError("labels: an evaluation needs the true classes; give labels with the predictions")
    if not predictions.shared:
        raise InputError(
            "mask: an evaluation needs every sample for every member (a test set); use weigh for members with "
            "hold-outs of their own"
        )
    if settings.target_risk is not None and (predictions.groups or predictions.folds) is not None:
        raise InputError(
            "target_risk: needs independent samples, not groups or out-of-fold ones; leave it out"
        )
    if predictions.units < 4:
        what = "samples" if predictions.groups is None else "groups"
        raise InputError(f"{what}: at least 4 are needed to be halved, got {predictions.units}")
    if not settings.sizes:
        raise InputError("sizes: at least one number of runs is required, got none")
    run, step = predictions.run, predictions.step
    if run is not None and step is None and len(set(run.tolist())) < predictions.members:
        raise InputError("step: required with run, to know which state of a run is the last; give step too")
    if run is not None and step is not None:
        states = list(zip(run.tolist(), step.tolist()))
        if len(set(states)) < len(states):
            twice = next(state for state in states if states.count(state) > 1)
            raise InputError(
                f"run and step: two members are run {twice[0]}, step {twice[1]}; give each a step of its own"
            )
    if votes and not settings.votes:
        raise InputError("votes: 'average' needs probabilities, these predictions hold votes; use 'majority'")
    for argument, words, choices in (
        ("votes", tuple(votes), VOTES),
        ("members", settings.members, MEMBERS),
    ):
        if not words:
            raise InputError(f"{argument}: at least one of {', '.join(choices)} is required, got none")
        for word in words:
            require_choice(argument, word, choices)
