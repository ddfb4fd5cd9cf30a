"""Which samples choose the weights: groups whole for every method, and the estimate of out-of-fold tables by a loop."""

import sys
from typing import Any

import numpy as np
import pytest

from comitia import METHODS, Predictions, weigh
from comitia._simplex import prune
from comitia.weighting import Evidence, choose
from panels import lost, panel, some_groups

of = Predictions.from_arrays
STATES = {"run": [1, 1, 1, 2, 2], "step": [1, 2, 3, 1, 2]}
VOTES = ("majority", "average")


class Spy:
    """A method that keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[Predictions] = []

    def __call__(self, evidence: Evidence) -> Any:
        self.shown.append(evidence.predictions)
        return np.full(evidence.predictions.members, 1 / evidence.predictions.members)


def test_a_method_is_shown_whole_groups_and_never_those_that_certify() -> None:
    spy, names = Spy(), some_groups()
    pack = of(**panel(), groups=names, ids=np.arange(120))
    found = weigh(pack, method=spy, certify_fraction=0.4, seed=5)
    (part,) = spy.shown
    inside = set(names[part.ids.astype(int)])
    assert part.samples == sum(name in inside for name in names)
    assert len(inside) == 40 - round(0.4 * 40) == 40 - found.best.samples
    assert (found.split.weighing, found.split.certifying) == (part.samples, 120 - part.samples)


@pytest.mark.parametrize("vote", VOTES)
@pytest.mark.parametrize("method", [m for m in METHODS if m != "uniform"])
def test_labels_of_certifying_groups_do_not_move_the_weights(method: str, vote: str) -> None:
    """Those of a group that is torn would: every group has samples that are relabelled, or none has."""
    names, given = some_groups(), panel(votes=False, classes=2)
    spy = Spy()
    weigh(of(**given, groups=names, ids=np.arange(120)), method=spy, certify_fraction=0.5)
    inside = np.isin(np.arange(120), spy.shown[0].ids.astype(int))
    spoilt = {**given, "labels": np.where(inside, given["labels"], 1 - given["labels"])}
    one, other = (
        weigh(of(**arrays, groups=names, **STATES), method=method, vote=vote, certify_fraction=0.5)
        for arrays in (given, spoilt)
    )
    assert np.array_equal(one.weights, other.weights)
    assert other.best.risk > one.best.risk


@pytest.mark.parametrize("vote", VOTES)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_weights_where_members_decline(method: str, vote: str) -> None:
    pack = of(**panel(votes=False, classes=2), groups=some_groups(), **STATES)
    for part in (pack, Predictions.concatenate([pack.take(np.arange(50)), pack.take(np.arange(50, 120))])):
        found = choose(method, Evidence(part, vote=vote))
        assert found.weights.shape == (5,)
        assert (found.weights >= 0).all()
        assert found.weights.sum() == pytest.approx(1, abs=1e-12)


def test_auto_holds_groups_out_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["comitia.weighting.auto"]  # the function has its name in the package
    held: list[np.ndarray] = []
    whole = module.without

    def without(evidence: Evidence, samples: np.ndarray) -> Evidence:
        held.append(samples)
        return whole(evidence, samples)

    monkeypatch.setattr(module, "without", without)
    names = some_groups()
    choose("auto", Evidence(of(**panel(), groups=names)))
    assert sorted(np.concatenate(held).tolist()) == list(range(120))
    inside = [set(names[samples]) for samples in held]
    assert len(inside) == 5
    assert sum(map(len, inside)) == 40


def test_auto_fits_on_the_groups_that_are_left() -> None:
    """Statistics of a fold are subtracted, not measured: they must be those of the other groups."""
    from comitia.statistics import measure
    from comitia.weighting.folds import with_statistics, without

    pack = of(**panel(votes=False), groups=some_groups())
    held = np.flatnonzero(some_groups() < 9)
    kept = pack.take(np.flatnonzero(some_groups() >= 9))
    left = without(with_statistics(Evidence(pack, vote="average")), held)
    for loss in ("hard", "soft"):
        found, wanted = left.measured[loss], measure(kept, loss)
        assert found.first_samples == wanted.first_samples == 31
        assert found.first == pytest.approx(wanted.first, abs=1e-12)
        assert found.second == pytest.approx(wanted.second, abs=1e-12)
    assert left.measured["hard"].disagreement == pytest.approx(measure(kept).disagreement, abs=1e-12)


def test_one_group_cannot_be_divided() -> None:
    from comitia import InputError

    pack = of(**panel(), groups=np.zeros(120, int))
    with pytest.raises(InputError, match="method: 'auto' needs 2 groups or more to compare methods, got 1"):
        choose("auto", Evidence(pack))
    with pytest.raises(InputError, match=r"certify_fraction: 0\.5 of 1 groups leaves nothing on one side"):
        weigh(pack, certify_fraction=0.5)
    assert weigh(pack).chosen_on == "all"


FOLDS = np.random.default_rng(3).integers(0, 4, 120)


@pytest.mark.parametrize("vote", VOTES)
@pytest.mark.parametrize(
    "options",
    [{"method": "tandem"}, {"method": "greedy"}, {"method": "tandem", "resolution": 4}],
)
def test_the_estimate_is_a_loop_over_folds(options: dict[str, Any], vote: str) -> None:
    given, seed = panel(votes=False), 7
    found = weigh(of(**given, folds=FOLDS), vote=vote, seed=seed, **options)
    wrong = 0
    for fold in range(4):
        others = of(**given).take(np.flatnonzero(fold != FOLDS))
        weights = weigh(others, certify_fraction=0, vote=vote, seed=seed, **options).weights
        wrong += sum(np.array(lost(given, weights, vote))[fold == FOLDS])
    assert found.estimate == wrong / 120
    assert found.best is None
    assert found.certification.certificates == ()
    everything = weigh(of(**given), certify_fraction=0, vote=vote, seed=seed, **options)
    assert found.weights == pytest.approx(everything.weights, abs=1e-12)


def test_weights_that_no_fold_chose_are_judged_as_they_are() -> None:
    given, weights = panel(), [0.1, 0.2, 0.3, 0.25, 0.15]
    fixed = weigh(of(**given, folds=FOLDS), method="given", weights=weights)
    assert fixed.estimate == np.mean(lost(given, weights, "majority"))
    assert (fixed.chosen_on, fixed.best) == ("nothing", None)
    uniform = weigh(of(**given, folds=FOLDS), method="uniform")
    assert uniform.estimate == np.mean(lost(given, np.full(5, 0.2), "majority"))


def test_the_estimate_of_disagreement_weights_sees_the_unlabelled_samples_too() -> None:
    given, folds = panel(samples=90, classes=2, seed=8, silent=0.0), np.arange(90) % 3
    extra = of(**panel(samples=900, classes=2, seed=108, silent=0.0))
    wrong = alone = 0
    for fold in range(3):
        others, held = of(**given).take(np.flatnonzero(folds != fold)), folds == fold
        for unlabelled in (extra, None):
            weights = prune(choose("disagreement", Evidence(others, unlabelled=unlabelled)).weights)
            errors = int(np.array(lost(given, weights, "majority"))[held].sum())
            wrong, alone = (wrong + errors, alone) if unlabelled else (wrong, alone + errors)
    assert weigh(of(**given, folds=folds), method="disagreement", unlabelled=extra).estimate == wrong / 90
    assert wrong != alone
