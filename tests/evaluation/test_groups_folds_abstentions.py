"""Grouped, abstaining and out-of-fold predictions, against plain loops."""

import json

import numpy as np
import pytest

from comitia import InputError, Predictions, certify, evaluate, weigh
from comitia._samples import Groups
from comitia._split import split_samples
from comitia._votes import deployed_classes
from comitia.evaluation import Evaluation, drop_members
from comitia.evaluation.findings import by_unit, half_width
from comitia.evaluation.scores import diversity, score

M, N, C = 5, 240, 3
GROUPS = np.random.default_rng(7).integers(0, 60, N)


def arrays(seed: int = 0, silent: float = 0.3) -> dict[str, np.ndarray]:
    """Probabilities, labels, and who abstains: everybody on the first samples, whose label is 0."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, C, N)
    labels[:6] = 0
    logits = rng.normal(size=(M, N, C))
    logits[:, np.arange(N), labels] += np.linspace(0.5, 2.0, M)[:, None]
    probs = np.exp(logits)
    abstained = rng.random((M, N)) < silent
    abstained[:, :6] = True
    return {"probs": probs / probs.sum(axis=-1, keepdims=True), "labels": labels, "abstained": abstained}


def by_hand(given: dict[str, np.ndarray], rho: np.ndarray, sample: int) -> tuple[np.ndarray, np.ndarray]:
    """Totals of the votes, and the mean probabilities of those who answer, of one sample."""
    totals, shares, heard = np.zeros(C), np.zeros(C), 0.0
    for member in range(M):
        if not given["abstained"][member, sample]:
            totals[given["probs"][member, sample].argmax()] += rho[member]
            shares += rho[member] * given["probs"][member, sample]
            heard += rho[member]
    return totals, shares / heard if heard > 0 else np.full(C, 1 / C)


@pytest.mark.parametrize("rho", [np.full(M, 1 / M), np.array([0.0, 0.5, 0.3, 0.2, 0.0])])
def test_scores_with_abstentions_are_those_of_a_loop(rho: np.ndarray) -> None:
    given = arrays()
    pack = Predictions.from_arrays(**given)
    found = {vote: score(pack, rho[None], vote) for vote in ("majority", "average")}
    nll = brier = 0.0
    for sample, label in enumerate(given["labels"]):
        totals, shares = by_hand(given, rho, sample)
        answered = not given["abstained"][rho > 0, sample].all()
        voted = answered and np.flatnonzero(totals >= totals.max() - 1e-9)[0] == label
        assert found["majority"].correct[0, sample] == voted
        assert found["average"].correct[0, sample] == (answered and shares.argmax() == label)
        nll -= np.log(shares[label])
        brier += ((shares - np.eye(C)[label]) ** 2).sum()
    assert found["average"].nll[0] == pytest.approx(nll / N)
    assert found["average"].brier[0] == pytest.approx(brier / N)


def test_where_nobody_answers_nothing_is_right_though_class_0_would_win_the_tie() -> None:
    pack = Predictions.from_arrays(**arrays())
    for vote in ("majority", "average"):
        right = score(pack, np.full((1, M), 1 / M), vote).correct[0]
        assert not right[:6].any()
        assert np.array_equal(right, deployed_classes(pack, np.full(M, 1 / M), vote) == pack.labels)


def test_calibration_and_area_are_of_the_members_that_answer() -> None:
    """One member answers on each sample, so that each ensemble of both has its probabilities, whatever the weights."""
    rng = np.random.default_rng(1)
    labels, ones = rng.integers(0, 2, 300), rng.random(300)
    first = rng.random(300) < 0.5
    both = np.stack([np.where(first, ones, 0.5), np.where(first, 0.5, ones)])
    pack = Predictions.from_arrays(probs=both, labels=labels, abstained=np.stack([~first, first]))
    alone = Predictions.from_arrays(probs=ones[None], labels=labels)
    found, wanted = score(pack, np.array([[0.9, 0.1]]), "average"), score(alone, np.ones((1, 1)), "average")
    for name in ("nll", "brier", "ece", "auroc"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name))


@pytest.mark.parametrize("classes", [3, 8, 64, 70])
def test_no_answer_is_no_class_in_diversity(classes: int) -> None:
    votes = np.array([[0, 0], [classes - 1, 0]])
    pack = Predictions.from_arrays(
        votes=votes, labels=[0, 0], classes=classes, abstained=np.array([[False, True], [False, False]])
    )
    assert diversity(pack, np.ones((1, 2), bool))[0] == pytest.approx(1.5 / classes)


def test_members_are_judged_by_what_they_get_right() -> None:
    """The best single member answers always; one that abstains often is better where it answers."""
    given = arrays(silent=0.0)
    given["abstained"][4, :] = np.arange(N) % 2 == 0  # the most skilled member
    given["probs"][4, np.arange(N), given["labels"]] = 9.0  # and never wrong
    given["probs"][4] /= given["probs"][4].sum(axis=-1, keepdims=True)
    pack = Predictions.from_arrays(**given)
    found = evaluate(pack, sizes=[M], repeats=1)
    right = (given["probs"].argmax(axis=-1) == given["labels"]) & ~given["abstained"]
    assert [fact.accuracy for fact in found.members] == pytest.approx(right.mean(axis=1))
    halves = split_samples(N, 0.5, 0)
    best = [int(right[:, half].mean(axis=1).argmax()) for half in halves]
    scored = [right[k, other].mean() for k, other in zip(best, halves[::-1])]
    assert found.single_best.accuracy_mean == pytest.approx(np.mean(scored))
    assert 4 not in best
    wrong = ~right[:, halves[0]]
    counts = np.array(found.tandem.matrix()) * len(halves[0])
    assert counts == pytest.approx((wrong[:, None] & wrong).sum(axis=-1))


@pytest.mark.parametrize("more", [{}, {"groups": GROUPS}])
def test_bounds_rest_on_the_losses_of_weigh(more: dict[str, np.ndarray]) -> None:
    pack = Predictions.from_arrays(**arrays(), **more)
    found = evaluate(pack, sizes=[M], repeats=1, seed=3, delta=0.1, weightings=("uniform", "tandem"))
    halves = split_samples(N, 0.5, 3, pack.groups)
    for method in ("uniform", "tandem"):
        for vote in ("average", "majority"):
            bounds = []
            for half in map(pack.take, halves):
                weights = weigh(half, method=method, delta=0.1, certify_fraction=0, vote="majority").weights
                given = certify(half, weights, vote=vote, delta=0.1).certificates
                bounds += [c.risk for c in given if c.name == "tandem-kl"]
                units = {c.samples for c in given if c.name == "tandem-kl"}
                assert units == {half.samples if not more else len(np.unique(half.groups.codes))}
            (row,) = found.curve("last", method, vote)
            assert row.bound_mean == pytest.approx(np.mean(bounds), rel=1e-7)


def test_groups_stay_whole_and_certify_as_groups() -> None:
    pack = Predictions.from_arrays(**arrays(), groups=GROUPS)
    found = evaluate(pack, sizes=[M], repeats=1)
    assert {c.certificate.name for c in found.certificates if c.designated} == {"groups"}
    sizes = {c.certificate.samples for c in found.certificates if c.designated and c.weights == "tandem"}
    one, other = (set(GROUPS[half]) for half in split_samples(N, 0.5, 0, pack.groups))
    assert not one & other
    assert sizes == {len(other)}
    assert (found.source.groups, found.source.folds) == (len(one | other), None)
    assert any("groups stay whole: intervals count groups" in note for note in found.notes)


def test_intervals_count_groups() -> None:
    """Each sample copied ten times as a group says as much as once; taken as independent it would say more."""
    given = arrays()
    ten = {key: np.repeat(value, 10, axis=1 if value.ndim > 1 else 0) for key, value in given.items()}
    single = Predictions.from_arrays(**given, groups=np.arange(N))
    copied = Predictions.from_arrays(**ten, groups=np.repeat(np.arange(N), 10))
    options = {"sizes": [M], "repeats": 1, "weightings": ("uniform", "tandem")}
    one, other = (evaluate(pack, **options).differences for pack in (single, copied))
    assert [d.difference for d in other] == pytest.approx([d.difference for d in one])
    assert [d.half_width for d in other] == pytest.approx([d.half_width for d in one])


def test_the_interval_of_grouped_samples_covers() -> None:
    rng, hits, careless = np.random.default_rng(0), 0, 0
    for _ in range(300):
        sizes = rng.integers(1, 20, 60)
        common = rng.normal(size=60)
        codes = np.repeat(np.arange(60), sizes)
        values = common[codes] + 0.3 * rng.normal(size=len(codes))
        none = np.zeros(1)
        hits += abs(values.mean()) < half_width(by_unit(values, Groups.of("groups", codes, len(codes))), none)
        careless += abs(values.mean()) < half_width(values, none)
    assert hits > 0.9 * 300
    assert careless < 0.7 * 300


def test_out_of_fold_predictions_are_estimated_and_promised_nothing() -> None:
    given = arrays()
    plain = evaluate(Predictions.from_arrays(**given), sizes=[2, M], repeats=2)
    found = evaluate(Predictions.from_arrays(**given, folds=np.arange(N) % 4), sizes=[2, M], repeats=2)
    assert [row.accuracy_mean for row in found.rows] == [row.accuracy_mean for row in plain.rows]
    assert {(row.bound_mean, row.bounds) for row in found.rows} == {(None, None)}
    assert all(row.bound_mean is not None for row in plain.rows)
    assert found.certificates == ()
    assert found.estimated
    assert not plain.estimated
    assert found.notes[0].startswith("out-of-fold predictions: all numbers are estimates; no bound")
    assert [claim.number for claim in plain.claims] == [2]
    assert found.claims == ()


def test_the_record_with_groups_folds_and_abstentions_is_read_back() -> None:
    pack = Predictions.from_arrays(**arrays(), groups=GROUPS, folds=np.arange(N) % 4)
    found = evaluate(pack, sizes=[M], repeats=1)
    again = Evaluation.from_json(json.dumps(found.to_json()))
    assert again == found
    assert (again.source.folds, again.source.abstained) == (4, int(arrays()["abstained"].sum()))


def test_too_few_groups_are_refused() -> None:
    pack = Predictions.from_arrays(**arrays(), groups=np.arange(N) % 3)
    with pytest.raises(InputError, match="groups: at least 4 are needed to be halved, got 3"):
        evaluate(pack)


def test_dropping_measures_errors_on_the_groups_that_weighed() -> None:
    pack = Predictions.from_arrays(**arrays(), groups=GROUPS)
    asked = {"certify_fraction": 0.5, "vote": "majority", "method": "tandem"}
    found = drop_members(pack, **asked)
    weights = weigh(pack, **asked).weights
    weighing, _ = split_samples(N, 0.5, 0, pack.groups)
    wrong = []
    for sample in weighing:
        totals, _ = by_hand(arrays(), weights, sample)
        label = pack.labels[sample]
        wrong.append(totals[label] - np.delete(totals, label).max() <= 1e-9)
    assert found.whole.error == pytest.approx(np.mean(wrong))


def test_dropping_out_of_fold_has_no_risk() -> None:
    found = drop_members(Predictions.from_arrays(**arrays(), folds=np.arange(N) % 4))
    assert {one.risk for one in (found.whole, *found.alone, *found.stepwise)} == {None}
    assert (
        found.note
        == "members were dropped by errors on out-of-fold samples: estimates, which certify nothing"
    )
