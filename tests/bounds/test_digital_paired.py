import itertools
import math

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.bounds import betting, betting_kernel, digital, digital_paired
from comitia.bounds.digital_paired import LARGEST, _slopes

# imported, so that the compiled loop is used where numba is installed
assert betting_kernel


def problem(seed, n=800, kappa=10):
    """Losses whose chances are the scores, and scores of unlabelled samples."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.2, 1.0, (n, kappa + 1))
    return (rng.random(n) < scores[:, 0]).astype(float), scores[:, 0], scores[:, 1:]


def slope(losses, scores, kappa):
    """The ridge slope of one past, by sums over the samples."""
    n = max(len(losses), 1)
    mean, centre = sum(losses) / n, sum(scores) / n
    covariance = math.fsum((l - mean) * (g - centre) for l, g in zip(losses, scores))
    variance = math.fsum((g - centre) ** 2 for g in scores)
    return min(max((4.5 + covariance) / (6.0 + variance) * kappa / (1 + kappa), 0.0), LARGEST)


@pytest.mark.parametrize("kappa", [1, 10])
def test_slopes_come_from_the_past_alone(kappa):
    losses, scores, _ = problem(0)
    starts = betting.blocks(800)[:-1]
    found = _slopes(losses, scores, kappa, starts)
    expected = [slope(losses[:start], scores[:start], kappa) for start in starts.tolist()]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert found[0] == pytest.approx(0.75 * kappa / (1 + kappa))
    changed = _slopes(np.r_[losses[:500], 1 - losses[500:]], scores, kappa, starts)
    assert np.array_equal(found[starts <= 500], changed[starts <= 500])
    assert not np.array_equal(found, changed)


def test_the_values_that_are_bet_on():
    losses, scores, others = problem(1, n=300, kappa=4)
    starts = betting.blocks(300).tolist()
    values, limits = [], []
    for start, stop in itertools.pairwise(starts):
        c = slope(losses[:start], scores[:start], 4)
        limits.append(1 + c)
        values += [losses[t] - c * (scores[t] - sum(others[t]) / 4) for t in range(start, stop)]
    expected = betting.upper_limit(np.array(values), np.array(limits), 0.05)
    assert digital_paired(losses, scores, others, 0.05) == pytest.approx(expected, abs=1e-12)


def test_unlabelled_samples_make_it_tighter():
    """The share of the width that remains is about sqrt(1 - R^2 kappa/(1 + kappa))."""
    pairs = [problem(seed) for seed in range(40)]
    alone = np.mean([digital(losses) - losses.mean() for losses, _, _ in pairs])
    paired = np.mean([digital_paired(*pair) - 1 / 6 for pair in pairs])  # the mean of Beta(.2, 1)
    correlation = np.mean([np.corrcoef(losses, scores)[0, 1] for losses, scores, _ in pairs])
    assert paired / alone == pytest.approx(math.sqrt(1 - correlation**2 * 10 / 11), abs=0.12)


def test_a_score_that_says_nothing_leaves_the_digital_bound():
    losses, _, _ = problem(2)
    constant = np.full(800, 0.4)
    # The limit 1 + c is all that differs: it binds where bets are as large as they may be.
    assert digital_paired(losses, constant, constant) == pytest.approx(digital(losses), rel=0.03)


def test_the_exact_share_of_misses_over_all_sequences():
    """Loss = score of the sample, or its opposite, and one unlabelled score: all sequences of four."""
    single = list(itertools.product([0, 1], repeat=3))
    sequences = list(itertools.product(single, repeat=4))
    counts = np.array([[sum(l for l, _, _ in s), sum(g + other for _, g, other in s)] for s in sequences])
    agree = np.array([sum(l == g for l, g, _ in s) for s in sequences])
    bounds = {delta: np.array([digital_paired(*zip(*s), delta) for s in sequences]) for delta in (0.3, 0.9)}

    def misses(delta, share, fidelity):
        """P(bound < risk) where g = 1 has that chance, and the loss equals the score with chance `fidelity`."""
        chance = share ** counts[:, 1] * (1 - share) ** (8 - counts[:, 1])
        chance *= fidelity**agree * (1 - fidelity) ** (4 - agree)
        risk = share * fidelity + (1 - share) * (1 - fidelity)
        assert chance.sum() == pytest.approx(1)
        return chance[bounds[delta] < risk].sum()

    points = list(itertools.product(np.linspace(0.02, 0.98, 49), [0.5, 0.7, 0.9, 0.99, 0.2]))
    right, wrong = (max(misses(delta, *point) for point in points) for delta in (0.3, 0.9))
    assert 0 < right <= 0.3 < wrong


def test_one_unlabelled_sample_each_may_be_a_flat_list():
    losses, scores, others = problem(3, kappa=1)
    assert digital_paired(losses, scores, others[:, 0]) == digital_paired(losses, scores, others)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"losses": []}, r"losses: must be a list of one or more numbers, got shape \(0,\)"),
        ({"losses": [0, 1.5]}, "losses: must be at most 1, got 1.5 at index 1"),
        ({"losses": [0, -0.5]}, "losses: must be 0 or more, got -0.5 at index 1"),
        ({"scores": [0.5, math.nan]}, "scores: must be finite, got nan at index 1"),
        ({"scores": [-0.1, 0.5]}, "scores: must be 0 or more, got -0.1 at index 0"),
        ({"scores": [0.5]}, r"scores: must have one entry per loss \(2\), got 1"),
        ({"others": [0.5, 2.0]}, "others: must be at most 1, got 2 at index 1"),
        (
            {"others": [[0.5, 0.1]]},
            r"others: must have one row per loss \(2\), of one or more scores, got shape \(1, 2\)",
        ),
        (
            {"others": [[], []]},
            r"others: must have one row per loss \(2\), of one or more scores, got shape \(2, 0\)",
        ),
        ({"delta": 1.0}, "delta: must lie strictly between 0 and 1, got 1"),
    ],
)
def test_wrong_input_is_refused(change, message):
    point = {"losses": [0, 1], "scores": [0.1, 0.8], "others": [[0.2, 0.3], [0.4, 0.5]], "delta": 0.05}
    with pytest.raises(InputError, match=f"^{message}$"):
        digital_paired(**{**point, **change})
