"""Further promises of a weighed ensemble: whether they are possible, and what they rest on."""

import numpy as np

from comitia._choosing import Choice, Settings, SplitPlan
from comitia._errors import InputError, nearest
from comitia._plan import Expected, Question, samples_needed
from comitia._predictions import Predictions
from comitia._sources import Sources
from comitia._votes import require_threshold
from comitia.bounds.row import NO_VOTES
from comitia.promises import Asked, Ground, Promise, Unpromised, promise_all
from comitia.promises.answered import answer
from comitia.promises.costs import as_matrix
from comitia.promises.order import key_of
from comitia.promises.rates import samples_without_error
from comitia.promises.threshold import read_threshold
from comitia.statistics.counted import Counted

OWN_SAMPLES = (
    "each member has its own hold-out samples, so the vote's own errors cannot be counted; give predictions of all "
    "members on the same samples"
)
ALL_CHOSE = "all samples choose, so none is left to count errors on; certify_fraction keeps some, certify= takes others"
COUNTED = "is chosen on what members said on each sample that chooses the weights, which counts do not hold"
OUT_OF_FOLD = "out-of-fold samples certify nothing; certify= takes samples that no fold has seen"


def require_possible(sources: Sources, settings: Settings, plan: SplitPlan) -> None:
    """Raise for promises that these samples cannot give, before any work."""
    asked, measured = settings.asked, sources.measured
    if asked.threshold is not None:
        require_threshold(0.5, measured.classes)
    what = _first(asked)
    if what is None:
        return
    if isinstance(sources.weighing, Counted):
        _refuse_chosen(asked)
    if isinstance(measured, Counted):
        raise InputError(f"{what}: {NO_VOTES}")
    if not measured.shared:
        raise InputError(f"{what}: {OWN_SAMPLES}")
    if sources.estimated and asked.promises:
        raise InputError(f"{what if what != 'threshold' else _first(asked, 1)}: {OUT_OF_FOLD}")
    if plan.chosen_on == "all" and not sources.estimated:
        raise InputError(f"{what}: {ALL_CHOSE}")
    if asked.costs is not None and len(asked.costs) != measured.classes:
        raise InputError(
            f"costs: must have a row for each of {measured.classes} classes, got {len(asked.costs)}"
        )
    for name in asked.columns:
        _require_column(measured, name)
    if asked.target_risk is not None:
        _require_reachable(measured, settings, plan)


def _refuse_chosen(asked: Asked) -> None:
    """Raise for what the samples that choose the weights are to choose too, where only counts of them are known."""
    if read_threshold(asked.threshold).chosen:
        raise InputError(f"threshold: '{asked.threshold}' {COUNTED}; give a number")
    if asked.target_risk is not None:
        raise InputError(
            f"target_risk: which samples are declined {COUNTED}; weigh the predictions themselves"
        )


def _first(asked: Asked, skipped: int = 0) -> str | None:
    """The argument that messages are about."""
    given = {
        "threshold": asked.threshold is not None,
        "per": bool(asked.per),
        "target_risk": asked.target_risk is not None,
        "costs": asked.costs is not None,
    }
    return next((name for name in list(given)[skipped:] if given[name]), None)


def _require_column(measured: Predictions, name: str) -> None:
    if name not in measured.strata:
        known = ("class", "predicted", *measured.strata)
        raise InputError(
            f"per: '{name}' is neither class nor predicted nor one of the predictions' strata{nearest(name, known)}; "
            f"there are {', '.join(measured.strata) or 'none'}"
        )


def _require_reachable(measured: Predictions, settings: Settings, plan: SplitPlan) -> None:
    """Raise where a declining vote cannot be certified: dependent samples, or too few to reach the target."""
    target, delta = settings.asked.target_risk, settings.delta
    assert target is not None
    if measured.groups is not None:
        raise InputError(
            "target_risk: is proved for independent samples, and these come in groups; per and costs hold for those"
        )
    kept = measured.samples if plan.certifying is None else len(plan.certifying)
    if kept >= samples_without_error(target, delta):
        return
    fraction = None if plan.chosen_on == "part" else 1.0
    question = Question(Expected(error=0.0), "split" if fraction is None else "holdout", delta)
    needed = samples_needed(target, question)
    reached = -np.expm1(np.log(delta) / kept)
    raise InputError(
        f"target_risk: {target:g} is below what {kept:,} certifying samples can certify even without an error; ask for "
        f"{np.ceil(reached * 1e4) / 1e4:g} or more, or give {needed:,} hold-out samples or more"
    )


def make_promises(
    sources: Sources, settings: Settings, choice: Choice
) -> tuple[tuple[Promise, ...], tuple[Unpromised, ...]]:
    """Return the further promises of the deployed vote, and what was asked for and is not promised."""
    asked, measured, kept = settings.asked, sources.measured, choice.certifying
    if not asked.promises or isinstance(measured, Counted):
        return (), ()
    rho, vote, limit = choice.weighting.weights, settings.vote, choice.threshold
    whole = answer(measured, rho, vote, limit, as_matrix(asked.costs))
    certifying = whole if kept is None else whole.take(kept)
    weighing = None
    if asked.target_risk is not None and isinstance(sources.weighing, Predictions):
        chose = np.setdiff1d(np.arange(measured.samples), np.arange(0) if kept is None else kept)
        weighing = answer(sources.weighing, rho, vote, limit) if kept is None else whole.take(chose)
    some = measured if kept is None else measured.take(kept)
    return promise_all(
        Ground(
            asked,
            vote,
            settings.delta,
            measured.class_names,
            settings.seed,
            key_of(measured.fingerprint()),
            certifying,
            some.groups,
            some.strata,
            weighing,
        )
    )


def require_promised(unpromised: tuple[Unpromised, ...]) -> None:
    """Raise where the vote was to decline, and no rule for it is certified: it would answer everything."""
    for row in unpromised:
        if row.kind == "selective":
            raise InputError(f"target_risk: {row.why}")


def least_share(promises: tuple[Promise, ...]) -> float | None:
    """Return the share from which on the vote answers; None where it always does."""
    return next((one.threshold for one in promises if one.kind == "selective"), None)
