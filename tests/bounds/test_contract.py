"""Every bound keeps the same contract: names wrong input, moves the right way, tends to its limit."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comitia import bounds
from comitia._errors import InputError

# name, arguments at a point where no term vanishes, names of sample sizes, limit for n -> infinity
PAC_BAYES = {
    "first_order_kl": ({"gibbs": 0.1, "kl": 1.3, "n": 5000, "delta": 0.05}, 0.2),
    "first_order_lambda": ({"gibbs": 0.1, "kl": 1.3, "n": 5000, "delta": 0.05}, 0.2),
    "tandem_lambda": ({"tandem": 0.05, "kl": 1.3, "n": 5000, "delta": 0.05}, 0.2),
    "tandem_kl": ({"tandem": 0.05, "kl": 1.3, "n": 5000, "delta": 0.05}, 0.2),
    "moment": ({"moment": 0.2, "kl": 1.3, "n": 5000, "delta": 0.05}, 0.2),
    "cantelli": (
        {"gibbs": 0.1, "tandem": 0.03, "kl": 1.3, "n_first": 5000, "n_pair": 4000, "delta": 0.05},
        0.02 / 0.18,
    ),
    "ctd": (
        {"gibbs": 0.1, "tandem": 0.03, "kl": 1.3, "n_first": 5000, "n_pair": 4000, "delta": 0.05},
        0.02 / 0.18,
    ),
    "disagreement": (
        {"gibbs": 0.1, "disagreement": 0.12, "kl": 1.3, "n_first": 5000, "n_pair": 9000, "delta": 0.05},
        0.16,
    ),
    "c1": (
        {"gibbs": 0.1, "disagreement": 0.12, "kl": 1.3, "n_first": 5000, "n_pair": 4000, "delta": 0.05},
        1 - 0.64 / 0.76,
    ),
    "c2": ({"tandem": 0.04, "disagreement": 0.12, "kl": 1.3, "n": 4000, "delta": 0.05}, 1 - 0.64 / 0.76),
}
COUNTING = {
    "clopper_pearson": {"errors": 30, "n": 500, "delta": 0.05},
    "best_member": {"errors": 30, "n": 500, "delta": 0.05, "members": 20},
    "occam": {"errors": 30, "n": 500, "delta": 0.05, "counts": [2, 0, 1]},
}
EVERY = {**{name: point for name, (point, _) in PAC_BAYES.items()}, **COUNTING}
SAMPLES = ("n", "n_first", "n_pair")
RISKS = ("gibbs", "tandem", "disagreement", "moment")


def bound(name, **changes):
    return getattr(bounds, name)(**{**EVERY[name], **changes})


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 2.0, math.nan])
def test_delta_outside_the_unit_interval_is_refused(name, delta):
    with pytest.raises(InputError, match="^delta: must lie strictly between 0 and 1, got"):
        bound(name, delta=delta)


@pytest.mark.parametrize(
    "name, argument",
    [(name, argument) for name, point in EVERY.items() for argument in SAMPLES if argument in point],
)
@pytest.mark.parametrize("value", [0, -5, 2.5, math.nan, math.inf])
def test_a_sample_size_that_is_none_is_refused(name, argument, value):
    with pytest.raises(InputError, match=r"^(n|n_pair): must be a whole number, 1 or more, got"):
        bound(name, **{argument: value})


@pytest.mark.parametrize(
    "name, argument",
    [(name, argument) for name, point in EVERY.items() for argument in RISKS if argument in point],
)
@pytest.mark.parametrize("value", [-0.01, 1.6, math.nan])
def test_a_risk_outside_its_range_is_refused(name, argument, value):
    with pytest.raises(InputError, match=rf"^{argument}: must lie between 0 and 1(\.5)?, got"):
        bound(name, **{argument: value})


@pytest.mark.parametrize("name", PAC_BAYES)
@pytest.mark.parametrize(
    "kl, message",
    [(-1, "kl: must be 0 or more"), (math.nan, "kl: must be 0"), (math.inf, "kl: must be finite")],
)
def test_a_wrong_divergence_is_refused(name, kl, message):
    with pytest.raises(InputError, match=f"^{message}"):
        bound(name, kl=kl)


@pytest.mark.parametrize("name", PAC_BAYES)
@settings(max_examples=25, deadline=None)
@given(delta=st.floats(1e-9, 0.4), kl=st.floats(0, 20), factor=st.integers(1, 50))
def test_it_grows_with_kl_and_falls_with_delta_and_samples(name, delta, kl, factor):
    sizes = {argument: EVERY[name][argument] for argument in SAMPLES if argument in EVERY[name]}
    here = bound(name, delta=delta, kl=kl)
    slack = 1e-12
    assert bound(name, delta=2 * delta, kl=kl) <= here + slack
    assert bound(name, delta=delta, kl=kl + 0.5) >= here - slack
    more = {argument: factor * size for argument, size in sizes.items()}
    assert bound(name, delta=delta, kl=kl, **more) <= here + slack


@pytest.mark.parametrize("name", PAC_BAYES)
def test_each_argument_enters(name):
    """A bound that forgot an argument would not move with it."""
    here = bound(name)
    for argument, value in EVERY[name].items():
        changed = value * 2 if argument in SAMPLES else value * 1.1
        assert bound(name, **{argument: changed}) != here, argument


@pytest.mark.parametrize("name", PAC_BAYES)
def test_without_end_of_samples_it_is_the_oracle_bound(name):
    _, limit = PAC_BAYES[name]
    sizes = {argument: 10**14 for argument in SAMPLES if argument in EVERY[name]}
    assert limit < bound(name, **sizes) == pytest.approx(limit, abs=2e-5)


@pytest.mark.parametrize("name", PAC_BAYES)
def test_one_sample_certifies_nothing(name):
    sizes = {argument: 1 for argument in SAMPLES if argument in EVERY[name]}
    value = bound(name, **sizes)
    assert value >= 1
    assert math.isfinite(value)


@pytest.mark.parametrize("name", PAC_BAYES)
def test_without_divergence_it_still_pays_for_delta(name):
    _, limit = PAC_BAYES[name]
    assert limit < bound(name, kl=0.0) < bound(name)


@pytest.mark.parametrize("name", COUNTING)
@pytest.mark.parametrize("errors", [-1, 501, 1.5, math.nan])
def test_an_impossible_number_of_errors_is_refused(name, errors):
    with pytest.raises(InputError, match="^errors: must be a whole number from 0 to n = 500, got"):
        bound(name, errors=errors)


@pytest.mark.parametrize("name", COUNTING)
@settings(max_examples=25, deadline=None)
@given(errors=st.integers(0, 499), delta=st.floats(1e-12, 0.4))
def test_a_count_bound_moves_the_right_way(name, errors, delta):
    here = bound(name, errors=errors, delta=delta)
    assert errors / 500 < here <= bound(name, errors=errors + 1, delta=delta) <= 1.0
    assert bound(name, errors=errors, delta=2 * delta) <= here
    assert bound(name, errors=errors, n=1000, delta=delta) <= here


@pytest.mark.parametrize("name", bounds.__all__)
def test_the_contents_page_is_true(name):
    assert callable(getattr(bounds, name))
