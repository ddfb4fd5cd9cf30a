"""Local searches end at local optima, each of them; tandem weights and their bound against a loop."""

import numpy as np
import pytest

import exact_kl
from comitia.bounds import kl_divergence, tandem_lambda
from comitia.paper.argument.members import basins, search, shares, weigh_tandem
from comitia.paper.argument.problem import make_problem

PROBLEM = make_problem((2.0, 1.9, 1.8))
LIMIT = np.rint(10**9 * PROBLEM.risks).astype(np.int64)


@pytest.mark.parametrize("samples", [10, 1000])
def test_no_exchange_has_fewer_errors_than_a_member(samples: int) -> None:
    rng = np.random.default_rng(samples)
    errors = PROBLEM.errors(*PROBLEM.draw(samples, rng))
    for member in search(PROBLEM, errors, 40, rng):
        assert errors[member] <= errors[PROBLEM.neighbours[member]].min()


def test_every_local_optimum_is_found_and_nothing_else() -> None:
    found = set(search(PROBLEM, LIMIT, 3000, np.random.default_rng(0)).tolist())
    optima = {i for i, near in enumerate(PROBLEM.neighbours) if LIMIT[i] <= LIMIT[near].min()}
    assert len(optima) == 30
    assert found == optima


@pytest.mark.parametrize("samples", [10, 300])
def test_basins_are_the_shares_of_many_searches(samples: int) -> None:
    rng = np.random.default_rng(samples)
    errors = PROBLEM.errors(*PROBLEM.draw(samples, rng))
    found = search(PROBLEM, errors, 20_000, rng)
    assert shares(PROBLEM, found) == pytest.approx(basins(PROBLEM, errors), abs=0.018)  # five deviations


def test_in_the_limit_no_hypothesis_attracts_half_of_the_searches() -> None:
    ends = basins(PROBLEM, LIMIT)
    assert ends.sum() == pytest.approx(1)
    assert ends[PROBLEM.subsets.index((0, 1, 2))] == ends.max() < 0.5


def test_the_gain_of_equal_weights_is_there_at_a_billion_samples() -> None:
    """Counts of a billion samples, drawn input by input: the training errors are the risks to four digits."""
    samples, inputs, found = 10**9, len(PROBLEM.positive), []
    for repeat in range(60):
        rng = np.random.default_rng((7, repeat))
        counts = rng.multinomial(samples, np.full(inputs, 1 / inputs))
        sums = 2 * rng.binomial(counts, PROBLEM.positive) - counts
        errors = np.rint((samples - PROBLEM.votes @ sums) / 2).astype(np.int64)
        found.append(PROBLEM.risk(PROBLEM.votes[search(PROBLEM, errors, 25, rng)].sum(axis=0)))
    error = np.std(found, ddof=1) / np.sqrt(len(found))
    assert np.mean(found) + 5 * error < PROBLEM.best_single


def test_ties_are_broken_at_random() -> None:
    """Where all hypotheses are equally good, a search stays where it starts."""
    found = search(PROBLEM, np.zeros(84, dtype=np.int64), 2000, np.random.default_rng(0))
    assert set(found.tolist()) == set(range(84))


def test_shares_add_the_members_of_one_hypothesis() -> None:
    members = np.array([3, 5, 3])
    assert shares(PROBLEM, members)[[3, 5]] == pytest.approx([2 / 3, 1 / 3])
    assert shares(PROBLEM, members, np.array([0.2, 0.5, 0.3]))[[3, 5]] == pytest.approx([0.5, 0.5])
    assert shares(PROBLEM, members).sum() == pytest.approx(1)


def test_weights_and_bound_against_a_loop() -> None:
    rng = np.random.default_rng(4)
    members, delta = np.array([0, 83, 40, 0]), 0.1
    inputs, labels = PROBLEM.draw(300, rng)
    found = weigh_tandem(PROBLEM, members, inputs, labels, delta)
    wrong = [[PROBLEM.votes[m, x] != y for x, y in zip(inputs, labels)] for m in members]
    tandem = np.array([[sum(a and b for a, b in zip(u, v)) / 300 for v in wrong] for u in wrong])
    prior = np.full(4, 0.25)

    def second(weights: np.ndarray) -> tuple[float, float]:
        return float(weights @ tandem @ weights), kl_divergence(weights, prior)

    risk, kl = second(found.weights)
    assert found.bound == pytest.approx(
        float(4 * exact_kl.upper(risk, exact_kl.price(2 * kl, 300, delta))), rel=1e-9
    )
    least = tandem_lambda(risk, kl, 300, delta)
    for other in np.random.default_rng(5).dirichlet(np.ones(4), size=500):
        assert tandem_lambda(*second(other), 300, delta) >= least - 1e-9
