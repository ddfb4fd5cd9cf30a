import mpmath
import numpy as np
import pytest

import exact_kl
from comitia._errors import InputError
from comitia.bounds import cantelli

POINTS = {
    "positive mu": {
        "gibbs": 0.2,
        "tandem": 0.07,
        "kl": 1.7,
        "n_first": 60000,
        "n_pair": 50000,
        "delta": 0.03,
    },
    "negative mu": {"gibbs": 0.11, "tandem": 0.08, "kl": 1.7, "n_first": 9000, "n_pair": 7000, "delta": 0.03},
    "at the kink": {"gibbs": 0.2, "tandem": 0.07, "kl": 1.7, "n_first": 900, "n_pair": 700, "delta": 0.03},
}


def parts(gibbs, tandem, kl, n_first, n_pair, delta):
    price = exact_kl.price(kl, n_first, delta, parts=2)
    second = exact_kl.upper(tandem, exact_kl.price(2 * kl, n_pair, delta, parts=2))
    return exact_kl.lower(gibbs, price), exact_kl.upper(gibbs, price), second


def formula(mu, low, high, second):
    first = low if mu >= 0 else high
    return (second - 2 * mu * first + mu**2) / (mpmath.mpf(1) / 2 - mu) ** 2


@pytest.mark.parametrize("point", POINTS.values(), ids=POINTS)
@pytest.mark.parametrize("mu", [0.3, 0.05, 0.0, -0.04, -0.5, -20.0])
def test_at_a_given_mu(point, mu):
    exact_kl.assert_outward(cantelli(**point, mu=mu), formula(mpmath.mpf(mu), *parts(**point)))


@pytest.mark.parametrize("name, point", POINTS.items(), ids=POINTS)
def test_the_best_mu_is_that_of_a_fine_grid(name, point):
    low, high, second = (float(x) for x in parts(**point))
    mu = np.concatenate([-np.geomspace(1e-6, 1e4, 400001), np.linspace(0, 0.499, 400001)])
    grid = (second - 2 * mu * np.where(mu >= 0, low, high) + mu**2) / (0.5 - mu) ** 2
    where = mu[grid.argmin()]
    assert {"positive mu": where > 0.01, "negative mu": where < -0.01, "at the kink": where == 0}[name]
    assert cantelli(**point) == pytest.approx(grid.min(), abs=1e-8)
    assert cantelli(**point) <= grid.min() + 1e-12


def test_the_best_value_is_never_above_one():
    assert cantelli(0.6, 0.5, 1.7, 9000, 7000, 0.03) == 1.0
    assert cantelli(0.6, 0.5, 1.7, 9000, 7000, 0.03, mu=0.0) > 1.0


def test_values_that_contradict_each_other_promise_nothing():
    # A tandem risk is never below the square of the Gibbs risk.
    assert cantelli(0.4, 0.01, 0.1, 90000, 90000, 0.05) == 1.0


@pytest.mark.parametrize("mu", [0.5, 0.7, float("nan"), float("-inf")])
def test_a_wrong_mu_is_refused(mu):
    with pytest.raises(InputError, match="^mu: must be a finite number below 0.5, got"):
        cantelli(**POINTS["positive mu"], mu=mu)
