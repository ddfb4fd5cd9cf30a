"""What `weigh` promises for real targets: which samples chose, which certify, what the sentences say."""

import numpy as np
import pytest

import comitia
from comitia import InputError, RealPredictions, weigh
from comitia.bounds import digital, error_quantile, squared_error_first_order, squared_error_tandem
from comitia.regression.weighting import products
from real_drawn import drawn

PACK = drawn()


def kept_errors(ensemble, pack):
    """The errors of the deployed mean on the samples that were kept, by the seed of the split."""
    order = np.random.default_rng(ensemble.split.seed).permutation(pack.samples)
    kept = np.sort(order[: ensemble.split.certifying])
    return (ensemble.weights @ pack.values - pack.targets)[kept]


def test_the_split_promises_what_the_kept_samples_say():
    found = weigh(PACK, clip=3.0, quantile=[0.9, 0.5])
    errors = kept_errors(found, PACK)
    assert found.split.weighing == 85
    assert len(errors) == 515
    assert [c.measure for c in found.certificates] == [
        "mean squared error",
        "mean absolute error",
        "quantile",
        "quantile",
    ]
    squared, absolute, ninety, half = found.certificates
    clipped = np.minimum(np.abs(errors), 3.0)
    assert squared.inputs["mean"] == pytest.approx((clipped**2).mean(), rel=1e-12)
    assert absolute.inputs["mean"] == pytest.approx(clipped.mean(), rel=1e-12)
    # of another order of the samples the digital bound varies by about a tenth of its excess
    orders = [np.random.default_rng(seed).permutation(clipped**2) for seed in range(20)]
    bounds = [digital(values, 0.05, upper=9.0) for values in orders]
    assert min(bounds) * 0.98 <= squared.risk <= max(bounds) * 1.02
    assert ninety.risk == pytest.approx(error_quantile(errors, 0.9, 0.05), rel=1e-12)
    assert half.risk == pytest.approx(error_quantile(errors, 0.5, 0.05), rel=1e-12)
    assert found.best == squared
    assert found.compared == 1
    assert found.estimate is None


def test_weights_and_limit_are_chosen_by_the_weighing_part_alone():
    found = weigh(PACK)
    order = np.random.default_rng(0).permutation(PACK.samples)
    chose, kept = order[found.split.certifying :], order[: found.split.certifying]
    values = PACK.values.copy()
    values[:, kept] += 1000.0
    moved = weigh(RealPredictions.from_arrays(values, PACK.targets, PACK.names))
    assert np.array_equal(found.weights, moved.weights)
    assert found.limit == moved.limit
    errors = found.weights @ PACK.values[:, chose] - PACK.targets[chose]
    assert found.limit.how == "chosen"
    assert found.limit.value == pytest.approx(2 * np.abs(errors).max(), rel=1e-12)
    assert moved.best.vacuous
    assert "nothing is promised" in moved.best.promise
    assert any("count as that" in warning for warning in moved.warnings)


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"clip": 3.0}, "errors larger than 3 counted as 3"),
        ({"largest_error": 12.5}, "no error being larger than 12.5"),
        ({}, "counted as"),
    ],
)
def test_every_sentence_of_a_mean_states_the_limit(settings, words):
    found = weigh(PACK, **settings)
    for certificate in found.certificates:
        assert words in certificate.promise
    assumed = found.assumption(found.best)
    assert ("no error of the weighted mean is larger than 12.5" in assumed) == ("largest_error" in settings)


def test_a_limit_that_is_not_true_is_refused():
    with pytest.raises(InputError, match="largest_error: 0.5 is not true, the weighted mean errs by"):
        weigh(PACK, largest_error=0.5)
    with pytest.raises(InputError, match="largest_error: 3 is not true, member 'c' errs by"):
        weigh(PACK, largest_error=3, certify_fraction=0)


def test_weights_that_no_sample_chose_are_certified_on_all():
    found = weigh(PACK, method="uniform", clip=3.0)
    assert (found.chosen_on, found.best.name, found.best.samples) == ("nothing", "holdout", 600)
    given = weigh(PACK, weights=[0.5, 0.5, 0, 0], clip=3.0)
    assert given.weighting.method == "given"
    assert "the weights were fixed without these samples" in given.assumption(given.best)


def test_weights_without_a_limit_leave_its_choice_to_a_part():
    found = weigh(PACK, method="uniform")
    assert (found.chosen_on, found.best.name, found.limit.how) == ("part", "split", "chosen")


def test_all_samples_choose():
    found = weigh(PACK, certify_fraction=0, largest_error=12.0)
    form = found.weights @ products(PACK).matrix @ found.weights
    kl = sum(w * np.log(4 * w) for w in found.weights if w)
    tandem, first = found.certificates
    assert tandem.risk == pytest.approx(squared_error_tandem(form, kl, 600, 12.0, 0.05), rel=1e-9)
    squares = found.weights @ (PACK.errors**2).mean(axis=1)
    assert first.risk == pytest.approx(squared_error_first_order(squares, kl, 600, 12.0, 0.05), rel=1e-9)
    assert found.best.name == "first-order"
    assert found.compared == 2
    assert found.best.risk == pytest.approx(
        squared_error_first_order(squares, kl, 600, 12.0, 0.025), rel=1e-9
    )
    assert "no error of a member is larger than 12" in found.assumption(found.best)


@pytest.mark.parametrize("limit", [{}, {"clip": 3.0}])
def test_all_samples_choose_and_errors_may_be_larger(limit):
    found = weigh(PACK, certify_fraction=0, quantile=0.9, **limit)
    assert found.best is None
    assert not found.certificates
    assert found.estimate == pytest.approx(found.statistics["mse"], rel=0.1)
    assert [row.name for row in found.unavailable] == [
        "mean squared error",
        "mean absolute error",
        "90% of errors",
    ]
    with pytest.raises(InputError, match="nothing is promised"):
        assert found.promised


def test_weight_where_the_prior_has_none_promises_nothing():
    found = weigh(PACK, method="best", certify_fraction=0, largest_error=12.0, prior=[0, 0.5, 0.25, 0.25])
    assert found.best is None
    assert "prior" in found.unavailable[0].why


def test_groups_stay_whole_and_are_what_is_counted():
    codes = np.repeat(np.arange(150), 4)
    pack = drawn(groups=codes)
    found = weigh(pack, clip=3.0, quantile=0.9)
    assert found.best.unit == "groups"
    assert found.best.samples == 150 - round(0.7 * 150**0.75)
    assert "the samples of a new group, on average" in found.best.promise
    assert [row.name for row in found.unavailable] == ["90% of errors"]
    order = np.random.default_rng(0).permutation(150)[: found.best.samples]
    errors = np.minimum(np.abs(found.weights @ pack.values - pack.targets), 3.0) ** 2
    means = [errors[codes == k].mean() for k in order]
    assert found.best.inputs["mean"] == pytest.approx(np.mean(means), rel=1e-12)


def test_samples_apart_certify():
    apart = drawn(800, seed=9).pick([2, 0, 1, 3])
    found = weigh(PACK, certify=apart, quantile=0.9)
    assert (found.chosen_on, found.best.name, found.best.samples) == ("apart", "holdout", 800)
    errors = found.weights @ apart.pick([1, 2, 0, 3]).values - apart.targets
    assert found.certificates[2].risk == pytest.approx(error_quantile(errors, 0.9, 0.05), rel=1e-12)
    assert found.limit.value == pytest.approx(
        2 * np.abs(found.weights @ PACK.values - PACK.targets).max(), rel=1e-12
    )


def test_out_of_fold_samples_choose_and_promise_nothing():
    folds = drawn(out_of_fold=True)
    assert weigh(folds).best is None
    assert weigh(folds, method="uniform", clip=3.0).best is None
    assert weigh(folds, certify=drawn(seed=5)).best.name == "holdout"
    with pytest.raises(InputError, match="certify: out-of-fold samples trained members"):
        weigh(PACK, certify=drawn(seed=5, out_of_fold=True))


def test_few_samples_choose_and_nothing_is_promised():
    found = weigh(drawn(12))
    assert found.chosen_on == "all"
    assert found.best is None
    assert found.estimate > 0


@pytest.mark.parametrize(
    "change, message",
    [
        ({"method": "greedy"}, "method: 'greedy' is not one of tandem, uniform, best, given"),
        ({"method": "given"}, "weights: required"),
        ({"method": "uniform", "weights": [1, 0, 0, 0]}, "weights: take the place"),
        ({"weights": [1, 0, 0]}, "weights: must be 4 numbers"),
        ({"delta": 2}, "delta"),
        ({"certify_fraction": 1}, "certify_fraction: must be at least 0 and below 1"),
        ({"certify_fraction": 0.9999}, "leaves nothing on one side"),
        ({"clip": 1, "largest_error": 2}, "give one"),
        ({"clip": -1}, "clip: must be above 0"),
        ({"clip": "x"}, "clip: must be a number"),
        ({"largest_error": float("inf")}, "largest_error: must be above 0 and finite"),
        ({"quantile": 90}, "quantile: must lie strictly between 0 and 1"),
        ({"certify": PACK}, "certify: 600 samples also choose the weights"),
        ({"per": "class"}, "per: is for members that predict classes"),
        ({"vote": "majority"}, "vote: is for members that predict classes"),
    ],
)
def test_wrong_settings(change, message):
    with pytest.raises(InputError, match=message):
        weigh(PACK, **change)


def test_samples_that_both_choose_and_certify_are_refused():
    with_ids = drawn(ids=[f"s{k}" for k in range(600)])
    with pytest.raises(InputError, match="certify: 100 samples also choose the weights, such as 's0'"):
        weigh(with_ids, certify=with_ids.take(np.arange(100)))
    grouped = drawn(groups=np.arange(600) % 50)
    with pytest.raises(InputError, match="50 groups also choose"):
        weigh(grouped, certify=drawn(seed=4, groups=np.arange(600) % 50))


def test_warnings():
    twice = RealPredictions.concatenate([PACK, PACK])
    assert any("same as another one" in line for line in weigh(twice).warnings)
    known = RealPredictions.from_arrays(np.vstack([PACK.values, PACK.targets]), PACK.targets)
    assert any("makes no error at all" in line for line in weigh(known, clip=1.0).warnings)
    assert weigh(PACK).warnings == ()


def test_the_best_member_and_zero_errors():
    zero = RealPredictions.from_arrays(np.zeros((2, 100)), np.zeros(100))
    nothing = weigh(zero)
    assert nothing.best is None
    assert "every error of the samples that choose is 0" in nothing.unavailable[0].why
    found = weigh(zero, clip=1.0)
    assert found.best.risk < 0.06


def test_the_public_functions_hand_over():
    assert isinstance(comitia.weigh(PACK), comitia.RealEnsemble)
    assert isinstance(comitia.evaluate(PACK, repeats=1), comitia.regression.RealEvaluation)
    with pytest.raises(InputError, match="got RealEnsemble"):
        comitia.compare(weigh(PACK), "uniform", PACK)


def test_samples_apart_that_hold_some_of_those_that_choose_are_refused():
    first, second = PACK.take(np.arange(0, 400)), PACK.take(np.arange(300, 600))
    with pytest.raises(InputError, match="certify: 100 samples also choose the weights"):
        weigh(first, certify=second)


def test_different_samples_that_often_look_alike_may_certify():
    rng = np.random.default_rng(0)
    values, targets = rng.integers(0, 3, (2, 600)).astype(float), rng.integers(0, 3, 600).astype(float)
    pack = RealPredictions.from_arrays(values, targets)
    assert weigh(pack.take(np.arange(300)), certify=pack.take(np.arange(300, 600))).best is not None


@pytest.mark.parametrize("unit", [1e-170, 1e-120, 1e90])
def test_promises_in_tiny_and_huge_units_hold(unit):
    pack = RealPredictions.from_arrays(PACK.values * unit, PACK.targets * unit)
    found = weigh(pack)
    errors = kept_errors(found, pack)
    assert found.certificates[1].risk >= np.abs(errors).mean()
    with pytest.raises(InputError, match="largest_error: must be above 0 and finite"):
        weigh(pack, largest_error=1e-120, certify_fraction=0)
