"""Chebyshev-Cantelli bounds of the literature against brute force, and their inequalities by simulation."""

import json
import math

import mpmath
import numpy as np
import pytest

import exact_kl
from comitia import InputError, Predictions, certify, evaluate, weigh
from comitia.bounds import bennett, cantelli, pair_means, split_kl, tandem_kl, unexpected_bernstein
from comitia.bounds.shifted_tandem import MUS, _halved, _mean, _square, _squared_mean


def drawn(seed, members=5, samples=400):
    """Errors, weights and what the bounds are given of them."""
    rng = np.random.default_rng(seed)
    hard = rng.random(samples) < 0.2
    errors = rng.random((members, samples)) < np.where(hard, 0.5, 0.08)
    rho = rng.dirichlet(np.ones(members))
    first, second = errors.mean(axis=1), errors @ errors.T.astype(float) / samples
    return errors, rho, first, second


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("mu", [-0.4, -0.05, 0.0, 0.2, 0.45])
def test_the_moments_of_the_shifted_loss_against_a_loop(seed, mu):
    errors, rho, first, second = drawn(seed)
    mean = square = squared_mean = 0.0
    for i in range(5):
        for j in range(5):
            losses = [(float(a) - mu) * (float(b) - mu) for a, b in zip(errors[i], errors[j])]
            mean += rho[i] * rho[j] * np.mean(losses)
            square += rho[i] * rho[j] * np.mean(np.square(losses))
            squared_mean += rho[i] * rho[j] * np.mean(losses) ** 2
    gibbs, tandem, means = rho @ first, rho @ second @ rho, pair_means(first, second, rho)
    assert _mean(mu, gibbs, tandem) == pytest.approx(mean, abs=1e-12)
    assert _square(mu, gibbs, tandem) == pytest.approx(square, abs=1e-12)
    assert _squared_mean(mu, gibbs, tandem, means) == pytest.approx(squared_mean, abs=1e-12)


POINTS = [(0.12, 0.05, 1.3, 900, 0.04), (0.3, 0.25, 0.2, 10**5, 0.01), (0.05, 0.012, 3.0, 20000, 0.1)]


@pytest.mark.parametrize("gibbs, tandem, kl, n, delta", POINTS)
def test_split_kl_is_the_least_over_a_fine_grid_of_mu(gibbs, tandem, kl, n, delta):
    price = exact_kl.price(2 * kl, n, delta, parts=3)
    both, either = exact_kl.upper(tandem, price), exact_kl.upper(mpmath.mpf(2) * gibbs - tandem, price)
    alike = exact_kl.upper(1 - 2 * mpmath.mpf(gibbs) + 2 * tandem, price)
    least = mpmath.mpf(1)
    for mu in np.linspace(-20, 0.4999, 30_001):
        m = float(mu)
        top = m * m - m * either + (1 - m) * both if m < 0 else m * m - m + m * alike + (1 - 2 * m) * both
        least = min(least, top / (0.5 - m) ** 2)
    found = split_kl(gibbs, tandem, kl, n, delta)
    assert found <= float(least) * (1 + 1e-9)
    assert found >= float(least) * (1 - 1e-4)


@pytest.mark.parametrize("gibbs, tandem, kl, n, delta", POINTS)
def test_unexpected_bernstein_in_50_digits(gibbs, tandem, kl, n, delta):
    rates = _halved(0.5, n, delta)
    price = 2 * mpmath.mpf(kl) + mpmath.log(mpmath.mpf(len(MUS) * len(rates)) / mpmath.mpf(delta))
    least = mpmath.inf
    for mu in map(mpmath.mpf, MUS):
        b = (1 - mu) ** 2
        mean = tandem - 2 * mu * gibbs + mu**2
        square = (
            b**2 * tandem
            + (mu * (1 - mu)) ** 2 * 2 * (mpmath.mpf(gibbs) - tandem)
            + mu**4 * (1 - 2 * mpmath.mpf(gibbs) + tandem)
        )
        for g in map(mpmath.mpf, rates):
            bound = mean + (-g - mpmath.log(1 - g)) / (g * b) * square + b * price / (g * n)
            least = min(least, bound / (mpmath.mpf(1) / 2 - mu) ** 2)
    found = unexpected_bernstein(gibbs, tandem, kl, n, delta)
    assert least <= found <= least * (1 + mpmath.mpf(10) ** -9)


@pytest.mark.parametrize("seed, n, delta", [(0, 900, 0.04), (1, 50_000, 0.01)])
def test_bennett_in_50_digits(seed, n, delta):
    _, rho, first, second = drawn(seed)
    gibbs, tandem, means, kl = rho @ first, rho @ second @ rho, pair_means(first, second, rho), 0.7
    rates, shares = _halved(2.0, n, delta), _halved(0.5, n, delta)
    least = mpmath.inf
    for mu in map(mpmath.mpf, MUS):
        length = 1 - mu if mu >= 0 else 1 - 2 * mu
        pairs = [
            (float(rho[i] * rho[j]), second[i, j], first[i], first[j]) for i in range(5) for j in range(5)
        ]
        mean = mpmath.fsum(w * (t - mu * (a + b) + mu**2) for w, t, a, b in pairs)
        variance = (
            mpmath.fsum(
                w
                * (
                    (1 - mu) ** 4 * t
                    + (mu * (1 - mu)) ** 2 * (a + b - 2 * t)
                    + mu**4 * (1 - a - b + t)
                    - (t - mu * (a + b) + mu**2) ** 2
                )
                for w, t, a, b in pairs
            )
            * n
            / (n - 1)
        )
        spread = 2 * kl + mpmath.log(2 * len(MUS) * len(shares) / mpmath.mpf(delta))
        upper = min(
            variance / (1 - v) + length**2 * spread / (2 * (n - 1) * v * (1 - v))
            for v in map(mpmath.mpf, shares)
        )
        upper = min(upper, length**2 / 4)
        own = 2 * kl + mpmath.log(2 * len(MUS) * len(rates) / mpmath.mpf(delta))
        for g in map(mpmath.mpf, rates):
            bound = mean + (mpmath.e**g - g - 1) / (g * length) * upper + length * own / (g * n)
            least = min(least, bound / (mpmath.mpf(1) / 2 - mu) ** 2)
    found = bennett(gibbs, tandem, means, kl, n, delta)
    assert least * (1 - mpmath.mpf(10) ** -12) <= found <= least * (1 + mpmath.mpf(10) ** -8)


def test_with_many_samples_all_reach_the_oracle():
    """min over mu of E[(W - mu)^2]/(1/2 - mu)^2, on the grid for two of them."""
    gibbs, tandem, n = 0.2, 0.06, 10**12
    oracle = (tandem - gibbs**2) / (tandem - gibbs + 0.25)
    assert split_kl(gibbs, tandem, 0.0, n, 0.05) == pytest.approx(oracle, rel=1e-3)
    means = pair_means([0.2, 0.2], [[0.2, -0.08 + 0.0], [-0.08, 0.2]], [0.5, 0.5])
    for found in (
        unexpected_bernstein(gibbs, tandem, 0.0, n, 0.05),
        bennett(gibbs, tandem, means, 0.0, n, 0.05),
    ):
        assert oracle * (1 - 1e-9) <= found <= oracle * 1.01
    assert cantelli(gibbs, tandem, 0.0, n, n, 0.05) == pytest.approx(oracle, rel=1e-3)
    assert tandem_kl(tandem, 0.0, n, 0.05) > oracle


@pytest.mark.parametrize("bound", [split_kl, unexpected_bernstein])
def test_they_grow_with_kl_and_fall_with_samples_and_delta(bound):
    at = {"gibbs": 0.1, "tandem": 0.04, "kl": 1.0, "n": 3000, "delta": 0.05}
    here = bound(**at)
    assert bound(**{**at, "kl": 2.0}) > here
    assert bound(**{**at, "n": 10**5}) < here
    assert bound(**{**at, "delta": 0.2}) < here


def test_the_inequalities_hold_as_often_as_they_say():
    """One pair, KL = 0, one mu, one g, one nu: the mean of the shifted loss, broken at most delta of the time."""
    rng, delta, n, trials = np.random.default_rng(0), 0.2, 150, 4000
    for mu, chances in ((-0.3, (0.9, 0.08, 0.02)), (0.2, (0.6, 0.1, 0.3)), (0.4, (0.97, 0.0, 0.03))):
        values = np.array([mu * mu, -mu * (1 - mu), (1 - mu) ** 2])
        truth, largest = values @ chances, (1 - mu) ** 2
        length = values.max() - values.min()
        assert length == pytest.approx(1 - mu if mu >= 0 else 1 - 2 * mu)
        draws = rng.choice(values, (trials, n), p=chances)
        mean, square, variance = draws.mean(axis=1), (draws**2).mean(axis=1), draws.var(axis=1, ddof=1)
        for g in (0.125, 0.5):
            bernstein = (
                mean
                + (-g - math.log1p(-g)) / (g * largest) * square
                + largest * math.log(1 / delta) / (g * n)
            )
            assert (bernstein < truth).mean() <= delta + 0.02
        true_variance = values**2 @ chances - truth**2
        for nu in (0.1, 0.5):
            upper = variance / (1 - nu) + length**2 * math.log(1 / delta) / (2 * (n - 1) * nu * (1 - nu))
            assert (upper < true_variance).mean() <= delta + 0.02
            for g in (0.125, 1.0):
                both = (
                    mean + (math.expm1(g) - g) / (g * length) * upper + length * math.log(1 / delta) / (g * n)
                )
                assert (both < truth).mean() <= 2 * delta + 0.02


def test_rows_for_a_comparison_cost_the_promise_nothing():
    errors, _, _, _ = drawn(3, samples=2000)
    labels = np.random.default_rng(0).integers(0, 3, 2000)
    pack = Predictions.from_arrays(votes=np.where(errors, (labels + 1) % 3, labels), labels=labels)
    rows = ("comitia.bounds.literature:SPLIT_KL", "comitia.bounds.literature:UNEXPECTED_BERNSTEIN")
    plain, found = weigh(pack, method="tandem"), weigh(pack, method="tandem", bounds=rows)
    assert found.best == plain.best
    named = {c.name: c for c in found.certification.certificates}
    for row, bound in zip(rows, (split_kl, unexpected_bernstein)):
        inputs = named[row].inputs
        assert named[row].risk == pytest.approx(bound(**inputs, delta=0.05), rel=1e-7)
    average = Predictions.from_arrays(probs=np.full((2, 50, 3), 1 / 3), labels=[0, 1] * 25)
    missing = {
        row.name: row.why for row in certify(average, [0.5, 0.5], vote="average", bounds=rows).unavailable
    }
    assert missing[rows[0]] == "proved for the majority vote only"


@pytest.mark.parametrize(
    "change, message",
    [
        ({"tandem": 0.2}, "tandem: must lie between gibbs² and gibbs"),
        ({"tandem": 0.001}, "tandem: must lie between"),
        ({"gibbs": 1.2}, "gibbs"),
        ({"n": 0}, "n"),
        ({"delta": 1.0}, "delta"),
        ({"kl": -1.0}, "kl"),
    ],
)
@pytest.mark.parametrize("bound", [split_kl, unexpected_bernstein])
def test_wrong_numbers(bound, change, message):
    with pytest.raises(InputError, match=message):
        bound(**{"gibbs": 0.1, "tandem": 0.04, "kl": 1.0, "n": 3000, "delta": 0.05, **change})


def test_evaluate_shows_the_rows_beside_the_others():
    errors, _, _, _ = drawn(3, samples=300)
    labels = np.random.default_rng(0).integers(0, 3, 300)
    pack = Predictions.from_arrays(
        votes=np.where(errors, (labels + 1) % 3, labels), labels=labels, run=range(5), step=[1] * 5
    )
    rows = ("comitia.bounds.literature:SPLIT_KL", "comitia.bounds.literature:UNEXPECTED_BERNSTEIN")
    found = evaluate(pack, sizes=[5], repeats=1, weightings=["tandem"], bounds=rows)
    text = json.dumps(found.to_json())
    assert all(row in text for row in rows)
