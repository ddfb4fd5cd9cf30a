"""A decision threshold: what may be asked for, and the one that is chosen against trying all."""

from fractions import Fraction

import numpy as np
import pytest

from comitia import InputError, Predictions
from comitia._votes import certified_losses, deployed_classes
from comitia.promises.threshold import choose_threshold, read_threshold, threshold_on


def problem(seed: int, levels: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = (rng.random(200) < 0.3).astype(int)
    shares = np.clip(0.4 + 0.2 * labels + 0.2 * rng.normal(size=200), 0, 1)
    return (shares if levels is None else np.round(shares * levels) / levels), labels


@pytest.mark.parametrize("levels", [None, 5])
@pytest.mark.parametrize("seed", range(5))
def test_no_other_threshold_is_cheaper(seed: int, levels: int | None) -> None:
    shares, labels = problem(seed, levels)
    found = choose_threshold(shares, labels, read_threshold("cost=5:1"))

    def price(threshold: float) -> int:
        said = shares > threshold
        return int(5 * (labels[~said] == 1).sum() + (labels[said] == 0).sum())

    assert price(found) == min(price(t) for t in np.linspace(0.0005, 0.9995, 1000))
    assert not np.any(np.abs(shares - found) < 1e-9)


@pytest.mark.parametrize(("name", "rate"), [("sensitivity", 0.95), ("specificity", 0.9), ("sensitivity", 1)])
def test_a_rate_is_reached_and_just_so(name: str, rate: float) -> None:
    shares, labels = problem(3)
    found = choose_threshold(shares, labels, read_threshold(f"{name}={rate}"))
    own = labels == (1 if name == "sensitivity" else 0)

    def reached(threshold: float) -> Fraction:
        right = (shares > threshold) == (labels == 1)
        return Fraction(int(right[own].sum()), int(own.sum()))

    step = 1 if name == "sensitivity" else -1
    beyond = sorted(shares[own & (step * (shares - found) > 0)] * step)
    assert reached(found) >= Fraction(str(rate))
    assert not beyond or reached(step * beyond[0] + step * 1e-7) < Fraction(str(rate))


def test_the_vote_answers_the_second_class_above_the_threshold() -> None:
    probs = np.array([[0.2, 0.3, 0.30000001, 0.6]])
    pack = Predictions.from_arrays(probs=probs, labels=[0, 1, 1, 1])
    assert deployed_classes(pack, [1.0], "average", 0.3).tolist() == [0, 0, 1, 1]
    # a share on the threshold is a tie: the lowest class wins, and an error is counted whichever is right
    assert certified_losses(pack, [1.0], "average", 0.3).tolist() == [False, True, False, False]
    assert certified_losses(pack.take([1]), [1.0], "average", 0.3).tolist() == [True]


def test_one_half_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    votes, labels = rng.integers(0, 2, (4, 300)), rng.integers(0, 2, 300)
    pack = Predictions.from_arrays(votes=votes, labels=labels)
    for weights in ([0.25] * 4, [0.1, 0.2, 0.3, 0.4]):
        plain = certified_losses(pack, weights)
        assert np.array_equal(plain, certified_losses(pack, weights, "majority", 0.5))


def test_shares_are_of_those_who_answer_and_silence_is_no_answer() -> None:
    votes = [[1, 0, 1, 0], [1, 1, 1, 0], [0, 0, 1, 0]]
    silent = [[False, False, False, True], [True, False, False, True], [True, True, False, True]]
    pack = Predictions.from_arrays(votes=votes, labels=[1, 0, 1, 0], abstained=silent)
    # shares of class 1 among answers: 1, 1/2, 1, none
    found = threshold_on(pack, [1 / 3] * 3, "majority", "cost=1:1")
    assert found is not None
    assert 0.5 < found < 1
    assert deployed_classes(pack, [1 / 3] * 3, "majority", found).tolist() == [1, 0, 1, -1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (1.2, "strictly between 0 and 1"),
        ("0", "strictly between 0 and 1"),
        (float("nan"), "must be a number in (0, 1), cost="),
        ("often", "must be a number in (0, 1), cost="),
        ("cost=5", "must be a number in (0, 1), cost="),
        ("cost=0:1", "costs must be above 0"),
        ("cost=a:1", "must be a number in (0, 1), cost="),
        ("sensitivity=1.5", "sensitivity must be above 0 and at most 1"),
    ],
)
def test_what_cannot_be_a_threshold(given: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_threshold(given)
    assert str(caught.value).startswith("threshold: ")
    assert message in str(caught.value)


def test_a_threshold_is_for_two_classes_and_needs_both() -> None:
    three = Predictions.from_arrays(votes=[[0, 1, 2]], labels=[0, 1, 2])
    with pytest.raises(InputError, match="threshold: is for two classes, these predictions have 3"):
        threshold_on(three, [1.0], "majority", "cost=1:1")
    one = Predictions.from_arrays(votes=[[0, 1, 1]], labels=[1, 1, 1])
    with pytest.raises(InputError, match="samples of both classes must choose it"):
        threshold_on(one, [1.0], "majority", "cost=1:1")


@pytest.mark.parametrize(
    ("wanted", "shares", "most"),
    [("sensitivity=.9", [0, 1, 0, 1], 0.5), ("specificity=.9", [1, 1, 0, 0], 0.5)],
)
def test_a_rate_that_no_threshold_reaches_is_refused(wanted: str, shares: list[float], most: float) -> None:
    """Members that are sure of the wrong class: no threshold lies below 0 or above 1."""
    labels = np.array([1, 1, 0, 0]) if wanted.startswith("sens") else np.array([0, 1, 0, 1])
    with pytest.raises(InputError, match=rf"of 0.9 on the samples that choose it, the most is {most:g}; ask"):
        choose_threshold(np.array(shares, float), labels, read_threshold(wanted))
