"""The problem against sums over all inputs written as loops."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.paper.argument.problem import Problem, make_problem

EVIDENCE = (1.1, 0.6)


def majority(bits: tuple[int, ...], subset: tuple[int, ...]) -> int:
    return 1 if sum(bits[i] for i in subset) > 0 else -1


def chance(bits: tuple[int, ...], evidence: tuple[float, ...] = EVIDENCE) -> float:
    """P(y = 1 | x)."""
    total = sum(a * majority(bits, (3 * g, 3 * g + 1, 3 * g + 2)) for g, a in enumerate(evidence))
    return 1 / (1 + math.exp(-total))


INPUTS = list(product((-1, 1), repeat=6))
SUBSETS = list(combinations(range(6), 3))


@pytest.fixture(scope="module")
def problem() -> Problem:
    return make_problem(EVIDENCE)


def test_truth_votes_and_risks_are_sums_over_all_inputs(problem: Problem) -> None:
    assert list(problem.subsets) == SUBSETS
    assert problem.positive == pytest.approx([chance(x) for x in INPUTS])
    for subset, votes, risk in zip(SUBSETS, problem.votes, problem.risks):
        said = [majority(x, subset) for x in INPUTS]
        assert list(votes) == said
        wrong = [1 - chance(x) if s == 1 else chance(x) for x, s in zip(INPUTS, said)]
        assert risk == pytest.approx(sum(wrong) / len(INPUTS))


def test_the_best_of_all_classifiers_errs_with_the_smaller_probability(problem: Problem) -> None:
    assert problem.best_possible == pytest.approx(sum(min(chance(x), 1 - chance(x)) for x in INPUTS) / 64)
    assert problem.best_single == min(problem.risks)


def test_the_risk_of_scores_counts_half_an_error_for_a_tie(problem: Problem) -> None:
    scores = np.random.default_rng(0).integers(-1, 2, len(INPUTS)).astype(float)
    wrong = {1: lambda p: 1 - p, -1: lambda p: p, 0: lambda p: 0.5}
    expected = sum(wrong[int(s)](chance(x)) for s, x in zip(scores, INPUTS)) / 64
    assert problem.risk(scores) == pytest.approx(expected)


def test_disagreement_is_a_sum_over_pairs(problem: Problem) -> None:
    weights = np.random.default_rng(1).dirichlet(np.ones(len(SUBSETS)))
    expected = 0.0
    for (w, s), (v, t) in product(zip(weights, SUBSETS), repeat=2):
        expected += w * v * sum(majority(x, s) != majority(x, t) for x in INPUTS) / 64
    assert problem.disagreement(weights) == pytest.approx(expected)
    assert problem.disagreement(np.eye(len(SUBSETS))[4]) == 0.0


def test_neighbours_differ_in_one_bit(problem: Problem) -> None:
    for at, near in enumerate(problem.neighbours):
        shared = [len(set(SUBSETS[at]) & set(SUBSETS[j])) for j in range(len(SUBSETS))]
        assert sorted(near) == [j for j, common in enumerate(shared) if common == 2]


def test_errors_are_counted_sample_by_sample(problem: Problem) -> None:
    inputs, labels = problem.draw(200, np.random.default_rng(2))
    for subset, errors in zip(SUBSETS, problem.errors(inputs, labels)):
        assert errors == sum(majority(INPUTS[i], subset) != y for i, y in zip(inputs, labels))


def test_drawn_samples_follow_the_truth(problem: Problem) -> None:
    inputs, labels = problem.draw(400_000, np.random.default_rng(3))
    assert np.bincount(inputs, minlength=64) / len(inputs) == pytest.approx(np.full(64, 1 / 64), abs=0.002)
    errors = problem.errors(inputs, labels) / len(inputs)
    assert errors == pytest.approx(problem.risks, abs=0.004)  # five standard deviations


def test_hypotheses_that_see_one_bit_of_each_source_are_local_optima() -> None:
    """What keeps the members apart at any number of samples."""
    problem = make_problem((2.0, 1.9, 1.8))
    optima = [
        subset
        for subset, risk, near in zip(problem.subsets, problem.risks, problem.neighbours)
        if risk <= problem.risks[near].min() + 1e-12  # swapping bits of one source changes nothing
    ]
    groups = {(0, 1, 2), (3, 4, 5), (6, 7, 8)}
    assert groups <= set(optima)
    assert set(optima) - groups == set(product((0, 1, 2), (3, 4, 5), (6, 7, 8)))


@pytest.mark.parametrize("evidence", [(), (1.0,) * 5])
def test_a_wrong_number_of_sources_is_refused(evidence: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match=f"^evidence: must be of 1 to 4 sources, got {len(evidence)}$"):
        make_problem(evidence)
