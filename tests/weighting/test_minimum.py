"""The tandem minimum against solvers written differently, and its edge cases."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from comitia._errors import InputError
from comitia.bounds import tandem_lambda
from comitia.weighting import minimise_tandem
from weighting_cases import tandem_matrix


def bound(rho, T, n, delta, prior):
    """4F written out, sample by sample of the sums."""
    a = sum(rho[i] * T[i, j] * rho[j] for i in range(len(rho)) for j in range(len(rho)))
    kl = sum(r * math.log(r / p) for r, p in zip(rho, prior, strict=True) if r > 0)
    b = (2 * kl + math.log(2 * math.sqrt(n) / delta)) / n
    return 4 * (a + b + math.sqrt(b * b + 2 * a * b))


def mirror_descent(T, n, delta, prior, steps=3000):
    """Exponentiated gradient on F with a step that shrinks when F grows."""
    u, rate, value = np.log(prior), float(n), np.inf
    c = math.log(2 * math.sqrt(n) / delta)

    def evaluate(u):
        rho = np.exp(u)
        a, b = rho @ T @ rho, (2 * rho @ (u - np.log(prior)) + c) / n
        root = math.sqrt(b * b + 2 * a * b)
        slope = (1 + b / root) * 2 * T @ rho + (1 + (a + b) / root) * 2 / n * (u - np.log(prior))
        return a + b + root, slope

    value, slope = evaluate(u)
    for _ in range(steps):
        new = u - rate * slope
        new -= np.log(np.exp(new - new.max()).sum()) + new.max()
        height, fresh = evaluate(new)
        if height <= value:
            u, value, slope, rate = new, height, fresh, rate * 1.1
        else:
            rate *= 0.5
            if rate < 1e-12:
                break
    return np.exp(u), 4 * value


@pytest.mark.parametrize(("members", "n", "seed"), [(2, 50, 0), (5, 400, 1), (12, 3000, 2), (40, 20000, 3)])
def test_agrees_with_mirror_descent(members, n, seed):
    T = tandem_matrix(members, n, seed)
    prior = np.random.default_rng(seed).dirichlet(np.full(members, 2.0))
    found = minimise_tandem(T, n, 0.03, prior)
    _, value = mirror_descent(T, n, 0.03, prior)
    assert found.bound == pytest.approx(value, abs=1e-8)
    assert found.bound <= value + 1e-12
    assert 0 <= found.gap <= 1e-8


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_slsqp(seed):
    T, n = tandem_matrix(6, 500, seed), 500
    prior = np.full(6, 1 / 6)
    found = minimise_tandem(T, n)
    solved = minimize(
        lambda r: bound(np.maximum(r, 1e-300), T, n, 0.05, prior),
        prior,
        method="SLSQP",
        bounds=[(1e-12, 1)] * 6,
        constraints={"type": "eq", "fun": lambda r: r.sum() - 1},
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    assert found.bound == pytest.approx(solved.fun, abs=1e-8)
    assert found.bound == pytest.approx(bound(found.weights, T, n, 0.05, prior), abs=1e-12)


def test_the_record_fits_together():
    T, n = tandem_matrix(9, 700, 5), 700
    prior = np.arange(1.0, 10.0) / 45
    found = minimise_tandem(T, n, 0.1, prior)
    tandem = found.weights @ T @ found.weights
    assert found.kl == pytest.approx(sum(found.weights * np.log(found.weights / prior)), abs=1e-12)
    assert found.bound == pytest.approx(tandem_lambda(tandem, found.kl, n, 0.1, found.lam), abs=1e-10)
    assert found.weights.sum() == pytest.approx(1, abs=1e-14)
    assert (found.weights > 0).all()
    assert found.convex


def test_the_gap_is_a_proof_at_that_lambda():
    """No weights tried at the same lambda lie below bound - gap, for a point that is not the minimum too."""
    T, n = tandem_matrix(5, 300, 8), 300
    found = minimise_tandem(T, n, optimiser="irprop")
    rng = np.random.default_rng(0)
    tried = [rng.dirichlet(np.full(5, a)) for a in (0.3, 1, 5) for _ in range(200)]
    values = [
        tandem_lambda(r @ T @ r, float(r @ np.log(np.maximum(r, 1e-300) * 5)), n, 0.05, found.lam)
        for r in tried
    ]
    assert min(values) >= found.bound - found.gap - 1e-12


@settings(max_examples=60, deadline=None)
@given(
    members=st.integers(1, 30),
    n=st.integers(1, 10**6),
    delta=st.floats(1e-6, 0.999),
    seed=st.integers(0, 10**6),
    copies=st.booleans(),
    empty=st.booleans(),
)
def test_the_gap_closes_on_every_gram_matrix(members, n, delta, seed, copies, empty):
    rng = np.random.default_rng(seed)
    wrong = (rng.random((members, 60)) < rng.random((members, 1))).astype(float)
    if copies:
        wrong[members // 2 :] = wrong[0]
    if empty:
        wrong[0] = 0.0
    found = minimise_tandem(wrong @ wrong.T / 60, n, delta)
    assert found.gap <= 1e-8
    assert found.weights.sum() == pytest.approx(1)
    assert found.bound <= 4 * tandem_lambda_of_uniform(wrong @ wrong.T / 60, n, delta) + 1e-12


def tandem_lambda_of_uniform(T, n, delta):
    a, b = T.mean(), math.log(2 * math.sqrt(n) / delta) / n
    return a + b + math.sqrt(b * b + 2 * a * b)


def test_one_member():
    found = minimise_tandem([[0.2]], 100)
    assert found.weights.tolist() == [1.0]
    assert found.kl == 0
    assert found.bound == pytest.approx(tandem_lambda(0.2, 0.0, 100, 0.05), abs=1e-12)


def test_members_of_prior_zero_are_left_out():
    T, n = tandem_matrix(8, 500, 2), 500
    inside = np.array([1, 2, 5, 7])
    prior = np.zeros(8)
    prior[inside] = [0.1, 0.2, 0.3, 0.4]
    found = minimise_tandem(T, n, prior=prior)
    alone = minimise_tandem(T[np.ix_(inside, inside)], n, prior=prior[inside])
    assert (found.weights[[0, 3, 4, 6]] == 0).all()
    np.testing.assert_allclose(found.weights[inside], alone.weights, rtol=1e-10)


def test_a_prior_of_a_single_member():
    assert minimise_tandem(np.eye(3) * 0.1, 50, prior=[0, 1, 0]).weights.tolist() == [0, 1, 0]


def test_a_very_skewed_prior():
    T, n = tandem_matrix(6, 800, 4), 800
    prior = np.array([1 - 5e-200, *[1e-200] * 5])
    found = minimise_tandem(T, n, prior=prior)
    assert found.gap <= 1e-8
    assert found.weights[0] > 0.999


def test_copies_of_a_member_share_its_weight():
    T = tandem_matrix(5, 600, 6)
    index = [0, 1, 1, 1, 2, 3, 4]
    prior = np.array([3, 1, 1, 1, 3, 3, 3]) / 15
    found = minimise_tandem(T[np.ix_(index, index)], 600, prior=prior)
    single = minimise_tandem(T, 600)
    np.testing.assert_allclose(found.weights[1:4], single.weights[1] / 3, rtol=1e-6)
    assert found.bound == pytest.approx(single.bound, abs=1e-10)


def test_a_member_that_never_errs_leaves_a_little_weight_to_the_others():
    """At the corner the bound falls with every other member's weight, by less than can be seen until it has some."""
    rng = np.random.default_rng(137)
    wrong = (rng.random((8, 60)) < rng.random((8, 1))).astype(float)
    wrong[4:] = wrong[0]
    wrong[0] = 0.0
    found = minimise_tandem(wrong @ wrong.T / 60, 37248, 0.5)
    assert found.gap <= 1e-8
    assert 1e-8 < found.weights[1] < 1e-3


def test_no_errors_at_all_keeps_the_prior():
    prior = np.array([0.5, 0.3, 0.2])
    found = minimise_tandem(np.zeros((3, 3)), 100, prior=prior)
    np.testing.assert_allclose(found.weights, prior)
    assert found.bound == pytest.approx(8 * math.log(2 * 10 / 0.05) / 100)


@pytest.mark.parametrize(
    ("members", "n", "spread"), [(350, 4000, 0.3), (600, 3000, 0.02), (600, 150, 0.02), (500, 50000, 0.3)]
)
def test_many_members_whatever_the_path(members, n, spread):
    """Scouting, dense heavy sets and conjugate gradients all end at the same proved minimum."""
    T = tandem_matrix(members, 3000, 1, spread=spread)
    found = minimise_tandem(T, n)
    assert found.gap <= 1e-8
    assert found.bound <= minimise_tandem(T, n, optimiser="irprop").bound + 1e-10


def test_an_indefinite_matrix_still_descends():
    """Pair overlaps of different samples: the result is valid weights, below the prior's bound, and says so."""
    rng = np.random.default_rng(3)
    T = tandem_matrix(30, 200, 3) + rng.uniform(-0.03, 0.03, (30, 30))
    T = np.clip((T + T.T) / 2, 0, 1)
    assert np.linalg.eigvalsh(T).min() < -0.01
    found = minimise_tandem(T, 5000, shared=False)
    assert not found.convex
    assert found.weights.sum() == pytest.approx(1)
    assert found.bound <= 4 * tandem_lambda_of_uniform(T, 5000, 0.05)


def test_permuting_members_permutes_weights():
    T = tandem_matrix(20, 900, 9)
    order = np.random.default_rng(0).permutation(20)
    np.testing.assert_allclose(
        minimise_tandem(T[np.ix_(order, order)], 900).weights,
        minimise_tandem(T, 900).weights[order],
        atol=1e-9,
    )


def test_many_samples_leave_the_quadratic_alone():
    """n → ∞: the bound tends to 4 min rho'T rho."""
    T = np.array([[0.10, 0.02], [0.02, 0.06]])
    found = minimise_tandem(T, 10**12)
    assert found.weights[0] == pytest.approx(1 / 3, abs=1e-3)
    assert found.bound == pytest.approx(4 * (0.10 * 1 / 9 + 2 * 0.02 * 2 / 9 + 0.06 * 4 / 9), abs=1e-4)


def test_the_argument_is_not_touched_and_memory_is_small():
    T = tandem_matrix(700, 500, 2)
    kept = T.copy()
    tracemalloc.start()
    minimise_tandem(T, 500)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(T, kept)
    assert peak < T.nbytes


def test_float32_is_taken():
    T = tandem_matrix(10, 300, 2)
    assert minimise_tandem(T.astype(np.float32), 300).bound == pytest.approx(
        minimise_tandem(T, 300).bound, abs=1e-6
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"T": [[0.1, 0.2]]}, "T: must be a square matrix of tandem losses, got shape \\(1, 2\\)"),
        ({"T": np.zeros((0, 0))}, "T: must be a square matrix"),
        ({"T": [[0.1, np.nan], [np.nan, 0.1]]}, "T: tandem losses must be finite and lie in \\[0, 1\\]"),
        ({"T": [[0.1, np.inf], [np.inf, 0.1]]}, "T: tandem losses must be finite"),
        ({"T": [[50, 10], [10, 60]]}, "divide counts by n"),
        ({"T": [[-0.5, -0.1], [-0.1, -0.5]]}, "T: tandem losses must be finite and lie in"),
        ({"T": [[0.1, 0.2], [0.1, 0.3]]}, "T: must be symmetric"),
        ({"n": 0}, "n: must be"),
        ({"n": 10.5}, "n: must be"),
        ({"delta": 0.0}, "delta: must lie strictly between 0 and 1, got 0"),
        ({"delta": 1.0}, "delta: must lie strictly between 0 and 1, got 1"),
        ({"prior": [0.5, 0.6]}, "prior: must sum to 1, got 1.1"),
        ({"prior": [1.5, -0.5]}, "prior: must be finite and not negative"),
        ({"prior": [1.0]}, "prior: must be 2 numbers, one per member, got shape \\(1,\\)"),
        (
            {"optimiser": "newtn"},
            "optimiser: 'newtn' is not one of newton, irprop \\(did you mean 'newton'\\?\\)",
        ),
    ],
)
def test_wrong_input_is_one_clear_line(change, message):
    given = {"T": [[0.1, 0.05], [0.05, 0.1]], "n": 100} | change
    with pytest.raises(InputError, match=message) as caught:
        minimise_tandem(**given)
    assert "\n" not in str(caught.value)
