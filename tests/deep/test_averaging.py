"""Moments of weights: against numpy on iterates that are known, and against a chain whose covariance is known."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from comitia.deep.averaging import Moments, set_weights, weights_of

SHAPES = {"first": (2, 3), "second": (4,)}


def iterates(count: int) -> np.ndarray:
    """Weights (count, 10) that drift and spread, correlated, far from zero."""
    random = np.random.default_rng(5)
    mixing = random.normal(size=(10, 10))
    return 3.0 + 0.05 * np.arange(count)[:, None] + random.normal(size=(count, 10)) @ mixing


def tensors(flat: np.ndarray, dtype: torch.dtype = torch.float64) -> dict[str, torch.Tensor]:
    parts, start = {}, 0
    for name, shape in SHAPES.items():
        size = math.prod(shape)
        parts[name] = torch.from_numpy(flat[start : start + size].reshape(shape)).to(dtype)
        start += size
    return parts


def flat(weights: dict[str, torch.Tensor]) -> np.ndarray:
    return np.concatenate([weights[name].numpy().ravel() for name in SHAPES])


def collected(rows: np.ndarray, rank: int) -> Moments:
    moments = Moments(rank=rank)
    for row in rows:
        moments.add(tensors(row))
    return moments


def low_rank(rows: np.ndarray, rank: int) -> np.ndarray:
    """The last deviations (10, rank), each from the mean of the rows up to it."""
    return np.stack(
        [rows[i] - rows[: i + 1].mean(axis=0) for i in range(len(rows) - rank, len(rows))], axis=1
    )


@pytest.mark.parametrize(("count", "rank"), [(9, 4), (9, 8), (3, 2)])
def test_moments_are_those_of_the_iterates(count: int, rank: int) -> None:
    rows = iterates(count)
    moments = collected(rows, rank)
    assert np.allclose(flat(moments.mean), rows.mean(axis=0), rtol=1e-12)
    assert np.allclose(flat(moments.variances()), (rows**2).mean(axis=0) - rows.mean(axis=0) ** 2, rtol=1e-9)
    found = np.stack([flat(one) for one in moments.deviations], axis=1)
    assert found.shape == (10, rank)
    assert np.allclose(found, low_rank(rows, rank), atol=1e-12)


@pytest.mark.parametrize(("rank", "scale"), [(4, 1.0), (4, 0.6), (0, 1.0), (0, 1.7)])
def test_draws_have_the_covariance_of_the_paper(rank: int, scale: float) -> None:
    """Half of the variances and half of DD'/(K-1), times the scale squared; without D the variances alone."""
    rows = iterates(9)
    moments = collected(rows, rank)
    diagonal = np.diag(rows.var(axis=0))
    expected = diagonal
    if rank:
        columns = low_rank(rows, rank)
        expected = (diagonal + columns @ columns.T / (rank - 1)) / 2
    count, random = 20_000, np.random.default_rng(0)
    drawn = np.stack([flat(moments.draw(random, scale=scale)) for _ in range(count)])
    deviation = scale * np.sqrt(np.diag(expected))
    assert np.all(np.abs(drawn.mean(axis=0) - rows.mean(axis=0)) < 5 * deviation / math.sqrt(count))
    error = (np.cov(drawn.T) - scale**2 * expected) / np.outer(deviation, deviation)
    # The variance of an entry of a sample correlation is at most 2/count.
    assert np.abs(error).max() < 5 * math.sqrt(2 / count)


def test_small_variances_survive_in_single_precision() -> None:
    """The mean of squares minus the square of the mean would have no digit left."""
    rows = 100.0 + 1e-3 * np.random.default_rng(1).normal(size=(12, 10))
    moments = Moments(rank=2)
    for row in rows:
        moments.add(tensors(row, torch.float32))
    single = rows.astype(np.float32).astype(np.float64)
    assert np.allclose(flat(moments.variances()), single.var(axis=0), rtol=0.02)
    assert not np.allclose(
        (np.float32(rows) ** 2).mean(axis=0) - np.float32(rows).mean(axis=0) ** 2,
        single.var(axis=0),
        rtol=0.5,
    )


def test_the_mean_and_variance_of_noisy_descent_on_a_quadratic() -> None:
    """SGD of rate η on ½h(θ-c)² with gradient noise of deviation σ: stationary N(c, η²σ²/(1-(1-ηh)²))."""
    h, centre = np.linspace(0.5, 2.0, 10), np.linspace(-1, 1, 10)
    rate, sigma, random = 0.4, 0.7, np.random.default_rng(3)
    theta, moments, count = centre.copy(), Moments(), 4000
    for _ in range(count):
        for _ in range(5):
            theta = theta - rate * (h * (theta - centre) + sigma * random.normal(size=10))
        moments.add(tensors(theta))
    variance = (rate * sigma) ** 2 / (1 - (1 - rate * h) ** 2)
    # Iterates five steps apart are correlated by (1-ηh)^5, at most 1/3: fewer than half of them count.
    assert np.all(np.abs(flat(moments.mean) - centre) < 5 * np.sqrt(2 * variance / count))
    assert np.allclose(flat(moments.variances()), variance, rtol=5 * math.sqrt(2 * 2 / count))


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_moments_go_on_where_they_were_stored(count: int) -> None:
    rows = iterates(8)
    whole, cut, resumed = collected(rows, 3), collected(rows[:count], 3), Moments(rank=3)
    stored = cut.tensors()
    resumed.restore({name: stored[name] for name in reversed(stored)}, cut.count)
    for row in rows[count:]:
        resumed.add(tensors(row))
    one, other = (m.draw(np.random.default_rng(2)) for m in (whole, resumed))
    assert all(torch.equal(one[name], other[name]) for name in SHAPES)


def test_weights_are_parameters_and_set_in_place() -> None:
    network = nn.Sequential(nn.Conv2d(1, 2, 2), nn.BatchNorm2d(2)).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    assert {*weights_of(network)} == {"0.weight", "0.bias", "1.weight", "1.bias"}
    wanted = {name: torch.full_like(value, 2.0) for name, value in weights_of(network).items()}
    before = dict(network.named_parameters())
    set_weights(network, wanted)
    assert all(bool((value == 2.0).all()) for value in before.values())
    assert all(value.requires_grad for value in before.values())
