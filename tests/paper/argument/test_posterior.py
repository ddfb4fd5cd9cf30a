"""The posterior against likelihoods multiplied sample by sample in 50 digits, and its limits."""

import math

import mpmath
import numpy as np
import pytest

from comitia.paper.argument.posterior import effective, posterior
from comitia.paper.argument.problem import SLOPES, make_problem

PROBLEM = make_problem((1.1, 0.6))


def by_hand(inputs: np.ndarray, labels: np.ndarray) -> list[list[mpmath.mpf]]:
    """p(S, b | D) from one factor per sample."""
    with mpmath.workdps(50):
        joint = [
            [
                mpmath.fprod(1 / (1 + mpmath.exp(-b * int(y) * int(h[i]))) for i, y in zip(inputs, labels))
                for b in map(mpmath.mpf, SLOPES)
            ]
            for h in PROBLEM.votes
        ]
        total = mpmath.fsum(p for row in joint for p in row)
        return [[p / total for p in row] for row in joint]


@pytest.mark.parametrize("samples", [1, 12, 150])
def test_probabilities_are_products_over_the_samples(samples: int) -> None:
    inputs, labels = PROBLEM.draw(samples, np.random.default_rng(samples))
    found = posterior(PROBLEM.errors(inputs, labels), samples)
    expected = np.array(by_hand(inputs, labels), dtype=float)
    assert found.probabilities == pytest.approx(expected, rel=1e-9)
    assert found.hypotheses == pytest.approx(expected.sum(axis=1), rel=1e-9)


def test_the_predictive_is_a_sum_over_hypotheses_and_slopes() -> None:
    inputs, labels = PROBLEM.draw(20, np.random.default_rng(0))
    found = posterior(PROBLEM.errors(inputs, labels), 20)
    for x in range(0, 64, 7):
        positive = sum(
            p / (1 + math.exp(-b * h[x]))
            for row, h in zip(found.probabilities, PROBLEM.votes)
            for p, b in zip(row, SLOPES)
        )
        assert found.predictive(PROBLEM)[x] == pytest.approx(2 * positive - 1)


def test_draws_follow_the_posterior() -> None:
    inputs, labels = PROBLEM.draw(20, np.random.default_rng(0))
    found = posterior(PROBLEM.errors(inputs, labels), 20)
    many = found.sampled(PROBLEM, 400_000, np.random.default_rng(1))
    assert many == pytest.approx(found.predictive(PROBLEM), abs=0.01)
    one = found.sampled(PROBLEM, 1, np.random.default_rng(2))
    assert any(np.allclose(np.sign(one), votes) for votes in PROBLEM.votes)


def test_the_disagreement_of_two_draws_against_draws() -> None:
    inputs, labels = PROBLEM.draw(20, np.random.default_rng(0))
    weights = posterior(PROBLEM.errors(inputs, labels), 20).hypotheses
    pairs = np.random.default_rng(1).choice(len(weights), size=(2, 50_000), p=weights)
    differ = [(PROBLEM.votes[a] != PROBLEM.votes[b]).mean() for a, b in pairs.T]
    assert PROBLEM.disagreement(weights) == pytest.approx(np.mean(differ), abs=0.005)


def test_without_samples_it_is_the_prior() -> None:
    found = posterior(np.zeros(4, dtype=int), 0)
    assert found.probabilities == pytest.approx(np.full((4, len(SLOPES)), 1 / (4 * len(SLOPES))))
    assert effective(found.hypotheses) == pytest.approx(4)


@pytest.mark.parametrize("evidence", [(1.5, 1.4, 1.3), (1.5, 0.0, 0.0)])
def test_all_mass_ends_on_the_best_hypothesis(evidence: tuple[float, ...]) -> None:
    """In the limit the errors are the risks; the slope is the one of the smallest cross-entropy."""
    problem, samples = make_problem(evidence), 10**7
    found = posterior(np.rint(samples * problem.risks).astype(int), samples)
    best = int(problem.risks.argmin())
    assert problem.subsets[best] == (0, 1, 2)
    assert found.hypotheses[best] == pytest.approx(1, abs=1e-12)
    assert problem.risk(found.predictive(problem)) == problem.best_single
    assert problem.disagreement(found.hypotheses) == pytest.approx(0, abs=1e-12)
    risk = problem.risks[best]
    entropies = [risk * math.log1p(math.exp(b)) + (1 - risk) * math.log1p(math.exp(-b)) for b in SLOPES]
    assert found.probabilities[best].argmax() == int(np.argmin(entropies))
