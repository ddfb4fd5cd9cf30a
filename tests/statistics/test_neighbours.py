"""Evidence that neighbours err together: the martingale by hand, seldom for independent errors, often for groups."""

import numpy as np
import pytest

from comitia.statistics.neighbours import CORRELATIONS, WINDOWS, errors_together


def by_hand(errors: np.ndarray, labels: np.ndarray) -> float:
    """The evidence, sample by sample."""
    rates = {c: errors[labels == c].mean() for c in set(labels.tolist())}
    total = 0.0
    for window in WINDOWS:
        for r in CORRELATIONS:
            product, scores = 1.0, []
            for error, label in zip(errors, labels.tolist()):
                p = rates[label]
                sd = (p * (1 - p)) ** 0.5
                score = 0.0 if sd == 0 else (error - p) / sd
                stake = r / (1 + (window - 1) * r) * sum(scores[-window:])
                if sd:
                    worst = stake * ((1 - p) / sd if stake < 0 else -p / sd)
                    stake *= min(1.0, 0.9 / -worst) if worst < 0 else 1.0
                product *= 1 + stake * score
                scores.append(score)
            total += product
    return total / len(WINDOWS) / len(CORRELATIONS)


def test_the_evidence_is_the_product_of_its_bets() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 150)
    errors = rng.random(150) < np.array([0.02, 0.3, 0.6, 0.0])[labels]
    found = errors_together(errors, labels)
    assert found.log_evidence == pytest.approx(np.log(by_hand(errors, labels)))


def test_the_correlation_is_that_of_neighbours() -> None:
    errors = np.random.default_rng(0).random(500) < 0.3
    wanted = np.corrcoef(errors[:-1], errors[1:])[0, 1]
    assert errors_together(errors, np.zeros(500, int)).correlation == pytest.approx(wanted, abs=0.005)


def independent(kind: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Errors that depend on the class alone, in files of several orders."""
    if kind == "rare errors":
        return rng.random(n) < 0.01, np.zeros(n, int)
    labels = rng.integers(0, 3, n)
    if kind == "sorted by class":
        labels = np.sort(labels)
    elif kind == "runs of a class":
        labels = np.repeat(rng.integers(0, 3, n // 10), 10)
    return rng.random(n) < np.array([0.01, 0.2, 0.6])[labels], labels


@pytest.mark.parametrize("kind", ["rare errors", "shuffled", "sorted by class", "runs of a class"])
def test_independent_errors_raise_no_alarm(kind: str) -> None:
    """By Markov's inequality one of ten has evidence of 10 or more at most; of 1e4 then one of ten thousand."""
    rng = np.random.default_rng(0)
    found = np.array([errors_together(*independent(kind, 300, rng)).log_evidence for _ in range(1500)])
    assert (found > np.log(10)).mean() < 0.1
    assert np.exp(found).mean() < 1.0
    assert found.max() < np.log(1e4)


def test_a_file_sorted_by_class_would_fool_a_test_that_forgets_the_classes() -> None:
    errors, labels = independent("sorted by class", 1000, np.random.default_rng(0))
    assert errors_together(errors, np.zeros(1000, int)).log_evidence > np.log(1e4)
    assert errors_together(errors, labels).log_evidence < 0


def test_groups_are_found_and_gone_when_shuffled() -> None:
    """200 groups of 10 whose error rates differ, mean 0.2, correlation 0.2 within groups."""
    rng, alarms, shuffled = np.random.default_rng(0), 0, 0
    for _ in range(100):
        rates = np.repeat(rng.beta(0.8, 3.2, 200), 10)
        errors, labels = rng.random(2000) < rates, rng.integers(0, 3, 2000)
        alarms += errors_together(errors, labels).log_evidence > np.log(1e4)
        order = rng.permutation(2000)
        shuffled += errors_together(errors[order], labels[order]).log_evidence > np.log(1e4)
    assert alarms > 95
    assert shuffled == 0


@pytest.mark.parametrize("errors", [[], [True], [False, False], [True, True, True]])
def test_errors_that_do_not_vary_say_nothing(errors: list[bool]) -> None:
    found = errors_together(np.array(errors, bool), np.zeros(len(errors), int))
    assert (found.correlation, found.log_evidence) == (0.0, pytest.approx(0.0))
