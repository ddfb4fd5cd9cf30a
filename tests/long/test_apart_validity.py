"""Weights chosen on out-of-fold samples, certified on untouched ones: no certificate fails more often than delta.

The out-of-fold table is what models that saw parts of it say: here it flatters every member, some more than others. The
members that are deployed were refitted, and the risk is theirs. Out-of-fold samples alone promise nothing; a test at
the end shows why.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from comitia import Predictions, weigh
from comitia._samples import Groups
from long.populations import DELTA, PROBLEMS, Population, Tally, allowed, random_population

MOMENTS = ("first-order-kl", "first-order-lambda", "tandem-kl", "tandem-lambda", "moment", "cantelli")
# what is asked of `weigh`, and certificates that must be among those it gives
WAYS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "fixed": ({"method": "uniform"}, ("holdout", "occam", *MOMENTS)),
    "tandem": ({"method": "tandem"}, ("holdout", *MOMENTS)),
    "auto": ({"method": "auto"}, ("holdout", *MOMENTS)),
    "rounded": ({"method": "tandem", "resolution": 4}, ("holdout", "occam", *MOMENTS)),
    "greedy": ({"method": "greedy"}, ("holdout", "occam", *MOMENTS)),
    "best member": ({"method": "best"}, ("holdout", "best-member", *MOMENTS)),
}
FOLDS = 5


def out_of_fold(
    rng: np.random.Generator, whole: Population, count: int, vote: str, *, grouped: bool = False
) -> Predictions:
    """Return a table in which every member knows some labels that its refitted self does not."""
    known = rng.random((len(whole.probs), len(whole.labels), 1)) < rng.random((len(whole.probs), 1, 1))
    better = replace(whole, probs=np.where(known, np.eye(whole.probs.shape[2])[whole.labels], whole.probs))
    table = better.draw(rng, count, vote, grouped=grouped)
    return replace(table, folds=_folds(rng, table), groups=_other_groups(table))


def _other_groups(table: Predictions) -> Groups | None:
    """The groups of the table by other names than those of untouched samples: groups of one name are one group."""
    if table.groups is None:
        return None
    return replace(table.groups, names=tuple(f"table {name}" for name in table.groups.names))


def _folds(rng: np.random.Generator, table: Predictions) -> Any:
    """Folds of whole groups, as `from_arrays` would hold them."""
    codes = np.arange(table.samples) if table.groups is None else table.groups.codes
    parts = rng.permutation(np.arange(codes.max() + 1) % FOLDS)[codes]
    votes = np.zeros((1, table.samples), int)
    return Predictions.from_arrays(votes=votes, folds=parts).folds


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.timeout(3000)
def test_no_certificate_fails_more_often_than_delta(vote: str, way: str) -> None:
    asked, names = WAYS[way]
    tally, problems = Tally(), PROBLEMS // 10 if way == "auto" else PROBLEMS
    for number in range(problems):
        rng = np.random.default_rng([31, number])
        whole = random_population(rng, declining=number % 4 == 0)
        table, untouched = out_of_fold(rng, whole, 100, vote), whole.draw(rng, 120, vote)
        found = weigh(table, certify=untouched, vote=vote, delta=DELTA, seed=number, **asked)
        tally.add(found.certification, whole.risk(found.weights, vote))
    assert tally.given["best"] == problems
    tally.require_valid(*names)


@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.timeout(3000)
def test_untouched_samples_in_groups(vote: str) -> None:
    tally = Tally()
    for number in range(PROBLEMS):
        rng = np.random.default_rng([32, number])
        whole = random_population(rng, largest=10, groups=100)
        table = out_of_fold(rng, whole, 40, vote, grouped=True)
        untouched = whole.draw(rng, 60, vote, grouped=True)
        found = weigh(table, certify=untouched, vote=vote, delta=DELTA, seed=number)
        risk, hit = whole.risk(found.weights, vote), whole.share_of_hit_groups(found.weights, vote)
        tally.add(found.certification, risk, hit)
    tally.require_valid("groups", "groups-any", *MOMENTS)


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.parametrize("method", ["uniform", "tandem", "greedy", "best"])
def test_out_of_fold_samples_alone_promise_nothing(vote: str, method: str) -> None:
    for number in range(50):
        rng = np.random.default_rng([33, number])
        whole = random_population(rng, declining=number % 4 == 0)
        found = weigh(out_of_fold(rng, whole, 100, vote), method=method, vote=vote)
        assert found.best is None
        assert found.certification.certificates == ()
        assert found.estimate is not None
        assert 0 <= found.estimate <= 1


def unstable_members(rng: np.random.Generator) -> tuple[Predictions, Predictions, float]:
    """Return an out-of-fold table, untouched samples and the risk of members that any one sample can turn around.

    Three copies of one learner, whose rule is right (risk .05) or turned around (.95) by the parity of its training
    samples. Each fold's model has another parity, and so has the refitted one.
    """
    values, labels = rng.integers(0, 2, 200), rng.integers(0, 2, 400)
    fold = np.arange(200) % FOLDS
    turned = np.array([values[fold != held].sum() % 2 for held in range(FOLDS)])[fold]
    refitted = int(values.sum() % 2)
    wrong = (rng.random(400) < 0.05) ^ np.concatenate([turned, np.full(200, refitted)]).astype(bool)
    votes = np.stack([labels ^ wrong] * 3)
    table = Predictions.from_arrays(votes=votes[:, :200], labels=labels[:200], classes=2)
    untouched = Predictions.from_arrays(votes=votes[:, 200:], labels=labels[200:], classes=2)
    return table, untouched, 0.95 if refitted else 0.05


@pytest.mark.timeout(3000)
def test_out_of_fold_samples_taken_as_untouched_are_seen_to_fail() -> None:
    wrong = right = 0
    for number in range(500):
        table, untouched, risk = unstable_members(np.random.default_rng([34, number]))
        wrong += weigh(table, method="tandem", delta=DELTA, seed=number).best.risk < risk
        right += weigh(table, method="tandem", certify=untouched, delta=DELTA).best.risk < risk
    assert wrong > 3 * DELTA * 500, wrong
    assert right <= allowed(500), right
