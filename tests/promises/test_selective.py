"""A vote that declines: the sequence of thresholds against a plain loop, and where it starts."""

import numpy as np
import pytest
from scipy.stats import beta

from comitia import InputError, predict, weigh
from comitia.promises.answered import Answered, answer
from comitia.promises.selective import candidates, first_tried, risk_coverage
from promises.problems import clinic


def made(shares: list[float] | np.ndarray, losses: list[bool] | np.ndarray | None = None) -> Answered:
    shares = np.asarray(shares, dtype=float)
    wrong = np.zeros(len(shares), bool) if losses is None else np.asarray(losses, dtype=bool)
    zeros = np.zeros(len(shares), int)
    return Answered(zeros, zeros, wrong, shares)


def upper(errors: int, n: int, delta: float) -> float:
    return 1.0 if errors == n else float(beta.ppf(1 - delta, errors + 1, n - errors))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("target", [0.02, 0.1])
def test_the_rule_is_that_of_a_plain_loop(seed: int, target: float) -> None:
    rng = np.random.default_rng(seed)
    shares = rng.random(3000)
    losses = rng.random(3000) < 0.3 * (1 - shares) ** 2
    one, other = made(shares[:1000], losses[:1000]), made(shares[1000:], losses[1000:])
    found = risk_coverage(one, other, target, 0.05)
    thresholds = sorted(set(found.thresholds), reverse=True)
    start = min(
        j for j, t in enumerate(thresholds) if 2000 * np.mean(shares[:1000] >= t - 1e-9) >= 8 / target
    )
    passed = None
    for j in range(start, len(thresholds)):
        kept = shares[1000:] >= thresholds[j] - 1e-9
        if not upper(int(losses[1000:][kept].sum()), int(kept.sum()), 0.05) <= target:
            break
        passed = j
    assert (found.start, found.chosen) == (start, passed)
    assert passed is None or found.accepted[passed] == (shares[1000:] >= thresholds[passed] - 1e-9).sum()


def test_candidates_are_of_the_weighing_samples_and_the_last_answers_all() -> None:
    shares = np.random.default_rng(0).random(5000)
    places = candidates(made(shares))
    assert len(places) == 201
    assert places[-1] == 0.0
    answered = [float(np.mean(shares >= place)) for place in places]
    assert np.allclose(answered[:-1], np.arange(1, 201) / 200, atol=1e-3)


def test_equal_shares_are_answered_or_declined_together() -> None:
    """Four fifths written in two ways are one level: a sum of five weights is not .8 to the last bit."""
    level = 0.1 + 0.7
    assert level != 0.8
    places = candidates(made([level] * 50 + [0.6] * 50))
    assert places == (0.8, 0.6, 0.0)
    assert made([level, 0.8, 0.8 - 1e-7]).accepted(0.8).tolist() == [True, True, False]


def test_the_start_needs_no_certifying_sample() -> None:
    weighing = made(np.linspace(0, 1, 1001))
    places = candidates(weighing)
    start = first_tried(weighing, places, 0.01, 4000, 0.05)
    assert weighing.accepted(places[start]).mean() == pytest.approx(800 / 4000, abs=0.01)
    # with too few samples for that: half-way between the fewest that can certify (299) and all
    start = first_tried(weighing, places, 0.01, 500, 0.05)
    assert weighing.accepted(places[start]).mean() == pytest.approx((299 + 500) / 2 / 500, abs=0.01)


def test_a_vote_without_errors_answers_everything() -> None:
    shares = np.random.default_rng(0).random(2000)
    found = risk_coverage(made(shares[:1000]), made(shares[1000:]), 0.02, 0.05)
    assert found.thresholds[found.chosen] == 0.0
    assert found.accepted[found.chosen] == 1000


def test_predict_declines_as_it_was_certified() -> None:
    pack, new = clinic(), clinic(1500, seed=9)
    found = weigh(pack, vote="average", target_risk=0.03, seed=1)
    (promise,) = found.promises
    assert found.decision.least_share == promise.threshold
    predicted = predict(found, new)
    own = answer(new, found.weights, "average")
    declined = own.shares < promise.threshold - 1e-9
    assert np.array_equal(predicted.declined, declined)
    assert (predicted.classes[declined] == -1).all()
    assert (predicted.classes[~declined] == own.answers[~declined]).all()
    assert predicted.error == np.mean(own.answers[~declined] != new.labels[~declined])
    assert predicted.to_json()["declined"] == declined.sum() > 0
    assert 1 - declined.mean() == pytest.approx(promise.coverage, abs=0.05)
    assert promise.coverage_at_least == pytest.approx(
        promise.coverage - np.sqrt(np.log(20) / 2 / promise.samples), abs=1e-9
    )


def test_with_a_threshold_the_share_is_that_behind_the_answer() -> None:
    pack = clinic()
    found = weigh(pack, vote="average", target_risk=0.06, threshold=0.2)
    own = answer(pack, found.weights, "average", 0.2)
    probs = np.tensordot(found.weights, np.stack([b.probs for b in pack.blocks(5000)])[0], 1)[:, 1]
    tilted = np.stack([0.2 * (1 - probs), 0.8 * probs])
    assert np.allclose(own.shares, tilted.max(axis=0) / tilted.sum(axis=0))
    assert np.array_equal(own.answers, (probs > 0.2).astype(int))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"target_risk": 0.001},
            "target_risk: 0.001 is below what 1,791 certifying samples can certify even without an error; ask for "
            "0.0017 or more, or give 3,300 hold-out samples or more",
        ),
        ({"target_risk": 0}, "target_risk: must lie strictly between 0 and 0.5, got 0"),
        ({"target_risk": "x"}, "target_risk: must be a number, got 'x'"),
        ({"target_risk": 0.1, "certify_fraction": 0}, "target_risk: all samples choose, so none is left"),
    ],
)
def test_what_cannot_be_asked_for(options: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        weigh(clinic(), vote="average", **options)
    assert str(caught.value).startswith(message)


def test_a_target_that_is_missed_names_what_the_weighing_samples_reach() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 4000)
    pack = clinic(4000)
    noise = type(pack).from_arrays(votes=np.stack([rng.integers(0, 2, 4000)] * 2), labels=labels)
    with pytest.raises(
        InputError, match=r"target_risk: 0\.05 is not reached: .* by the weighing samples alone"
    ):
        weigh(noise, method="uniform", target_risk=0.05)


def test_dependent_samples_are_refused() -> None:
    with pytest.raises(InputError, match="is proved for independent samples, and these come in groups"):
        weigh(clinic(groups=np.arange(2000) // 4), vote="average", target_risk=0.1)
