"""After weighing: gains, alarms and warnings are wrong no more often than allowed, where the truth is known.

What must not be done, such as taking grouped samples as independent, is done too, and must be seen to fail.
"""

from collections.abc import Callable

import numpy as np
import pytest

from comitia import Ensemble, Predictions, compare, drift, weigh
from comitia._drift import level_of
from comitia._gain import measure_gain
from comitia._monitor import stand
from comitia._watch import Watch, batch_of
from comitia.statistics.evidence import follow, threshold
from long.populations import DELTA, PROBLEMS, TIED, Population, allowed, random_population
from long.test_group_validity import err_together

ALPHA = 0.05
LABELS = 10_000


def deployed_errors(whole: Population, weights: np.ndarray, vote: str) -> np.ndarray:
    """(N,) where the answer is wrong: the lowest class among those that tie for the lead; no answer is wrong."""
    totals = (weights @ whole.answers[vote]).reshape(whole.probs.shape[1:])
    leads = totals >= totals.max(axis=1, keepdims=True) - TIED
    return (leads.argmax(axis=1) != whole.labels) | (totals.max(axis=1) <= TIED)


def true_gain(whole: Population, one: np.ndarray, other: np.ndarray, vote: str) -> float:
    errs = [deployed_errors(whole, weights, vote).astype(float) for weights in (one, other)]
    return float(whole.chances @ (errs[1] - errs[0]))


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("where", ["new samples", "own hold-out", "new groups"])
def test_the_gain_is_below_what_is_certified_no_more_often_than_delta(where: str) -> None:
    missed = certified = 0
    for number in range(PROBLEMS):
        rng = np.random.default_rng([31, number])
        vote = ("majority", "average")[number % 2]
        grouped = where == "new groups"
        whole = random_population(rng, largest=6 if grouped else 1, groups=200, declining=number % 5 == 0)
        pack = whole.draw(rng, 80, vote, grouped=grouped)
        a = weigh(pack, vote=vote, delta=DELTA, seed=number, method=("tandem", "best", "greedy")[number % 3])
        judged = pack if where == "own hold-out" else whole.draw(rng, 120, vote, grouped=grouped)
        found = compare(a, "uniform", judged, delta=DELTA, seed=number)
        uniform = np.full(len(a.weights), 1 / len(a.weights))
        missed += true_gain(whole, a.weights, uniform, vote) < found.gain_at_least
        certified += found.certified
    print(f"gain, {where}: {missed} of {PROBLEMS} missed at delta {DELTA}, {certified} certified better")
    assert missed <= allowed(PROBLEMS)
    assert certified > 20


@pytest.mark.timeout(3000)
def test_the_exact_test_rejects_no_more_often_than_it_may() -> None:
    """Two votes of one risk that err on different samples, and agree on most."""
    rejected = 0
    for number in range(PROBLEMS):
        rng = np.random.default_rng([32, number])
        errs = rng.random((2, 400)) < 0.05
        both = rng.random(400) < 0.05
        found = measure_gain(errs[0] | both, errs[1] | both, None, delta=DELTA, seed=0, over="B")
        rejected += found.p_value <= DELTA
    assert rejected <= allowed(PROBLEMS)


@pytest.mark.timeout(3000)
def test_dependent_samples_taken_as_independent_are_seen_to_fail() -> None:
    """Groups of ten on which a member is right on all or wrong on all; told of the groups, the promise holds."""
    missed = {True: 0, False: 0}
    for number in range(400):
        whole = err_together(np.random.default_rng([33, number]))
        a, b = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
        truth = true_gain(whole, a, b, "majority")
        for told in missed:
            pack = whole.draw(np.random.default_rng([34, number]), 200, "majority", grouped=told)
            errs = [pack.votes()[member] != pack.labels for member in (0, 1)]
            found = measure_gain(errs[0], errs[1], pack.groups, delta=DELTA, seed=number, over="B")
            missed[told] += truth < found.gain_at_least
    assert missed[True] <= allowed(400)
    assert missed[False] > 2 * DELTA * 400, missed


@pytest.mark.timeout(3000)
def test_samples_that_chose_are_seen_to_fail() -> None:
    """The luckiest of thirty equal members against the first one, judged on the samples that made it the luckiest."""
    lucky = honest = 0
    for number in range(500):
        errs = np.random.default_rng([35, number]).random((30, 400)) < 0.3
        best = int(errs[1:, :200].mean(axis=1).argmin()) + 1
        for part in (slice(0, 200), slice(200, 400)):
            found = measure_gain(errs[best, part], errs[0, part], None, delta=DELTA, seed=number, over="B")
            lucky += part.start == 0 and found.gain_at_least > 0
            honest += part.start == 200 and found.gain_at_least > 0
    assert lucky > 2 * DELTA * 500
    assert honest <= allowed(500)


def constant(risk: float) -> Callable[[np.random.Generator], np.ndarray]:
    return lambda rng: (rng.random(LABELS) < risk).astype(float)


def wandering(rng: np.random.Generator) -> np.ndarray:
    """A risk that changes with the errors before, and never exceeds .1."""
    losses, risk = np.empty(LABELS), 0.1
    drawn = rng.random(LABELS)
    for start in range(0, LABELS, 50):
        losses[start : start + 50] = drawn[start : start + 50] < risk
        risk = 0.1 if losses[max(0, start - 50) : start + 50].mean() > 0.08 else 0.04
    return losses


STREAMS: dict[str, tuple[float, Callable[[np.random.Generator], np.ndarray]]] = {
    "at .0765": (0.0765, constant(0.0765)),
    "at .01": (0.01, constant(0.01)),
    "at .4": (0.4, constant(0.4)),
    "groups": (0.1, lambda rng: rng.binomial(5, rng.beta(0.5, 4.5, LABELS)) / 5),
    "wandering": (0.1, wandering),
}


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("name", STREAMS)
def test_false_alarms_stay_below_alpha_over_ten_thousand_labels(name: str) -> None:
    risk, draw = STREAMS[name]
    early = alarms = 0
    for number in range(PROBLEMS):
        path, _ = follow(draw(np.random.default_rng([36, number])), risk)
        reached = path >= threshold(ALPHA)
        alarms += bool(reached.any())
        early += bool(reached[:4000].any())
    print(
        f"monitor {name}: alarms in 4,000 labels {early / PROBLEMS:.3f}, in {LABELS:,} {alarms / PROBLEMS:.3f}"
    )
    assert alarms <= allowed(PROBLEMS, ALPHA)
    assert alarms > 0


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("true_risk, most", [(0.10, 1000), (0.15, 130)])
def test_labels_until_the_alarm(true_risk: float, most: int) -> None:
    first = []
    for number in range(PROBLEMS):
        path, _ = follow((np.random.default_rng([37, number]).random(4000) < true_risk).astype(float), 0.0765)
        reached = path >= threshold(ALPHA)
        first.append(int(reached.argmax()) + 1 if reached.any() else 4000)
    print(f"monitor at {true_risk} in place of .0765: median {np.median(first):.0f} labels to the alarm")
    assert np.median(first) < most


def an_ensemble() -> Ensemble:
    votes = np.tile([[0, 1]], (2, 50))
    return weigh(Predictions.from_arrays(votes=votes, labels=votes[0]), method="uniform")


@pytest.mark.timeout(3000)
def test_files_sorted_by_their_errors_raise_no_more_false_alarms() -> None:
    """In the order of the file they must be seen to."""
    ensemble, watch = an_ensemble(), Watch("x", 0.1, ALPHA, "samples")
    shuffled = as_they_lie = 0
    for number in range(PROBLEMS):
        rng = np.random.default_rng([38, number])
        files = [np.sort(rng.random(int(size)) < 0.1)[::-1] for size in rng.integers(50, 300, 4)]
        packs = [
            Predictions.from_arrays(votes=[one, one], labels=np.zeros(len(one), int), classes=2)
            for one in (file.astype(int) for file in files)
        ]
        shuffled += stand(watch, [batch_of(ensemble, pack, "f") for pack in packs]).alarm
        as_they_lie += bool((follow(np.concatenate(files).astype(float), 0.1)[0] >= threshold(ALPHA)).any())
    assert shuffled <= allowed(PROBLEMS, ALPHA)
    assert as_they_lie > 5 * ALPHA * PROBLEMS


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("grouped", [False, True])
def test_looks_raise_no_more_false_alarms_than_alpha(grouped: bool) -> None:
    """Three looks at new samples of the hold-out's distribution, after weights were chosen on another part of it."""
    alpha, alarms, unpaid = 0.2, 0, 0
    for number in range(PROBLEMS):
        rng = np.random.default_rng([39, number])
        vote = ("majority", "average")[number % 2]
        whole = random_population(rng, largest=5 if grouped else 1, groups=300, declining=number % 5 == 0)
        ensemble = weigh(whole.draw(rng, 100, vote, grouped=grouped), vote=vote, seed=number, method="best")
        looks = [
            drift(ensemble, whole.draw(rng, 80, vote, grouped=grouped), alpha=alpha, look=k, permutations=199)
            for k in (1, 2, 3)
        ]
        alarms += any(look.alarm for look in looks)
        unpaid += any(look.p_value <= alpha for look in looks)
    print(
        f"drift: alarms in three looks {alarms / PROBLEMS:.3f} at alpha {alpha}; unpaid {unpaid / PROBLEMS:.3f}"
    )
    assert alarms <= allowed(PROBLEMS, alpha)
    assert alarms > 0


@pytest.mark.timeout(3000)
def test_many_looks_that_are_not_paid_for_are_seen_to_fail() -> None:
    """Ten looks, each held against all of alpha; paid for, they hold."""
    paid = unpaid = 0
    for number in range(500):
        rng = np.random.default_rng([40, number])
        whole = random_population(rng, groups=300)
        ensemble = weigh(whole.draw(rng, 200, "majority"), seed=number, method="uniform")
        packs = [whole.draw(rng, 80, "majority") for _ in range(10)]
        found = [drift(ensemble, pack, alpha=0.2, permutations=4999, look=1) for pack in packs]
        paid += any(look.p_value <= level_of(k, 0.2) for k, look in enumerate(found, 1))
        unpaid += any(look.p_value <= 0.2 for look in found)
    assert paid <= allowed(500, 0.2)
    assert unpaid > 1.5 * 0.2 * 500


@pytest.mark.timeout(3000)
def test_harder_samples_are_noticed() -> None:
    noticed = 0
    for number in range(200):
        rng = np.random.default_rng([41, number])
        labels = rng.integers(0, 3, 3000)
        chance = np.repeat([0.1, 0.2], [2000, 1000])
        votes = np.where(rng.random((7, 3000)) < chance, (labels + 1) % 3, labels)
        pack = Predictions.from_arrays(votes=votes, labels=labels)
        ensemble = weigh(pack.take(np.arange(2000)), method="uniform")
        noticed += drift(ensemble, pack.take(np.arange(2000, 3000)), permutations=999).alarm
    assert noticed > 190
