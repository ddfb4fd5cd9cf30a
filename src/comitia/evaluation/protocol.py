"""The paper's protocol: test-time cross-validation of weightings on ensembles of every size."""

from collections.abc import Mapping, Sequence

from comitia._errors import InputError, require_choice, require_open_unit
from comitia._predictions import Predictions
from comitia._weigh import split_samples
from comitia.evaluation.assembly import assemble
from comitia.evaluation.draws import Draw, default_sizes, draw_all, runs_of
from comitia.evaluation.folds import Asked, half, run_fold
from comitia.evaluation.records import Evaluation, Settings
from comitia.weighting import METHODS

VOTES = ("average", "majority")
MEMBERS = ("last", "all")


def evaluate(
    predictions: Predictions,
    *,
    sizes: Sequence[int] | None = None,
    repeats: int = 5,
    seed: int = 0,
    delta: float = 0.05,
    weightings: Sequence[str] = ("uniform", "first-order", "tandem"),
    votes: Sequence[str] = VOTES,
    members: Sequence[str] = MEMBERS,
    groups: Mapping[int, Sequence[int]] | None = None,
) -> Evaluation:
    """How well each weighting does on ensembles of each size, and what its bound promises.

    One seeded split into halves serves every method: one half chooses the weights and yields the bound, the
    other is scored; they swap, and the two are averaged.

    Parameters
    ----------
    predictions : test predictions with labels, every sample for every member.
    sizes : numbers of runs an ensemble is drawn from; None is 2 to 10, then every fifth, and all runs.
    repeats : draws (without replacement) for each size.
    seed : of the split and of the draws.
    delta : failure probability of bounds and certificates.
    weightings : names of `comitia.weighting.METHODS`. Their weights are chosen for the majority vote and used for
        both votes, as in the paper.
    votes : ``"average"`` and ``"majority"``; predictions that hold votes have the majority alone.
    members : ``"last"`` state of each drawn run, or ``"all"`` its states.
    groups : the runs of each size, where each size was trained by itself (an epoch budget); replaces the draws.

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
    runs = runs_of(predictions)
    if sizes is None:
        sizes = default_sizes(len(runs.last)) if groups is None else tuple(groups)
    settings = Settings(
        sizes=tuple(sorted({int(size) for size in sizes})),
        repeats=repeats if groups is None else min(repeats, 1),
        seed=seed,
        delta=require_open_unit("delta", delta),
        weightings=tuple(dict.fromkeys(weightings)),
        votes=tuple(dict.fromkeys(v for v in votes if v == "majority" or predictions.has_probs)),
        members=tuple(dict.fromkeys(members)),
        grouped=groups is not None,
    )
    _check(predictions, settings, votes)
    draws = draw_all(runs, settings.sizes, repeats, seed, groups)
    parts = split_samples(predictions.samples, 0.5, seed)
    first, second = (half(predictions, part, settings.votes) for part in parts)
    states = runs.last if settings.widest == "last" else tuple(range(predictions.members))
    singles = [Asked((states[int(h.hard.first[list(states)].argmin())],), "uniform") for h in (first, second)]
    asked = list(dict.fromkeys([*_asked(draws, settings), *singles]))
    folds = [
        run_fold(weighing, scoring, asked, settings.votes, settings.delta, seed)
        for weighing, scoring in ((first, second), (second, first))
    ]
    return assemble(predictions, settings, draws, asked, singles, folds)


def _asked(draws: Mapping[int, tuple[Draw, ...]], settings: Settings) -> list[Asked]:
    return [
        Asked(draw.members(which), method)
        for some in draws.values()
        for draw in some
        for which in settings.members
        for method in settings.weightings
    ]


def _check(predictions: Predictions, settings: Settings, votes: Sequence[str]) -> None:
    """Raise for input that is wrong, with one line that says what to do."""
    if predictions.labels is None:
        raise InputError("labels: an evaluation needs the true classes; give labels with the predictions")
    if not predictions.shared:
        raise InputError(
            "mask: an evaluation needs every sample for every member (a test set); weigh and certify "
            "predictions with hold-outs of their own by comitia weigh"
        )
    if predictions.samples < 4:
        raise InputError(f"samples: at least 4 are needed to be halved, got {predictions.samples}")
    if not settings.sizes:
        raise InputError("sizes: at least one number of runs is required, got none")
    if settings.repeats < 1:
        raise InputError(f"repeats: must be at least 1, got {settings.repeats}")
    if settings.seed < 0:
        raise InputError(f"seed: must be a whole number from 0, got {settings.seed}")
    run, step = predictions.run, predictions.step
    if run is not None and step is None and len(set(run.tolist())) < predictions.members:
        raise InputError("step: run without step: which state of a run is the last is unknown; give step too")
    if run is not None and step is not None:
        states = list(zip(run.tolist(), step.tolist()))
        if len(set(states)) < len(states):
            twice = next(state for state in states if states.count(state) > 1)
            raise InputError(
                f"run and step: two members are run {twice[0]}, step {twice[1]}; give each its own"
            )
    if votes and not settings.votes:
        raise InputError("votes: 'average' needs probabilities, these predictions hold votes; use 'majority'")
    for argument, words, choices in (
        ("weightings", settings.weightings, METHODS),
        ("votes", tuple(votes), VOTES),
        ("members", settings.members, MEMBERS),
    ):
        if not words:
            raise InputError(f"{argument}: at least one of {', '.join(choices)} is required, got none")
        for word in words:
            require_choice(argument, word, choices)
