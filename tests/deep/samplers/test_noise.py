"""Noise from the table has the moments of a normal law, no pattern, and leaves chains as they should be."""

import copy
import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
import torch

from comitia.deep.samplers import SGHMC, SGLD, Preconditioner
from comitia.deep.samplers.noise import LARGE, quantiles, standard_normal
from deep.samplers.stationarity import LIMIT, chain_on, check, correlated

DRAWS = 2**20


def draws(count: int = DRAWS, seed: int = 3, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return standard_normal(torch.empty(count, dtype=dtype), torch.Generator().manual_seed(seed))


def test_the_table_holds_scaled_normal_quantiles() -> None:
    table, size, normal = quantiles(torch.float64).tolist(), 2**16, NormalDist()
    exact = [normal.inv_cdf((k + 0.5) / size) for k in range(0, size, 997)]
    ratios = [value / quantile for value, quantile in zip(table[::997], exact)]
    assert ratios == pytest.approx([ratios[0]] * len(ratios), rel=1e-9)
    assert ratios[0] == pytest.approx(1, abs=2e-5)
    assert math.fsum(table) == 0
    assert math.fsum(value**2 for value in table) / size == pytest.approx(1, rel=1e-12)
    assert math.fsum(value**4 for value in table) / size == pytest.approx(2.9992, abs=5e-5)
    assert max(table) == pytest.approx(4.325, abs=5e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_draws_have_the_moments_of_a_normal_law(dtype: torch.dtype) -> None:
    drawn = draws(dtype=dtype)
    assert drawn.dtype == dtype
    assert torch.isin(drawn, quantiles(dtype)).all()
    for power, expected in ((1, 0.0), (2, 1.0), (3, 0.0), (4, 3.0)):
        values = drawn.double().pow(power)
        assert float(values.mean()) == pytest.approx(expected, abs=LIMIT * float(values.std()) / DRAWS**0.5)


def test_every_value_of_the_table_is_equally_likely() -> None:
    """The counts of 2²² draws have the spread of a multinomial law, and both signs are as frequent."""
    drawn = draws(2**22)
    counts = torch.bincount(torch.searchsorted(quantiles(torch.float32), drawn), minlength=2**16).double()
    statistic = float(((counts - 64).square() / 64).sum())
    assert statistic == pytest.approx(2**16, abs=LIMIT * (2 * 2**16) ** 0.5)
    assert float((drawn > 0).double().mean()) == pytest.approx(0.5, abs=LIMIT * 0.5 / 2**11)


@pytest.mark.parametrize("lag", [1, 2, 3, 4, 7, 64])
def test_draws_do_not_depend_on_those_before(lag: int) -> None:
    """Four draws come from one word: neither they nor their squares are correlated."""
    drawn = draws().double()
    for values in (drawn, drawn.square() - 1):
        products = values[lag:] * values[:-lag]
        assert abs(float(products.mean())) <= LIMIT * float(products.std()) / len(products) ** 0.5


def test_the_place_in_a_word_does_not_matter() -> None:
    columns = draws().double().view(-1, 4)
    for column in columns.T:
        assert float(column.mean()) == pytest.approx(0, abs=LIMIT / len(column) ** 0.5)
        assert float(column.square().mean()) == pytest.approx(1, abs=LIMIT * (2 / len(column)) ** 0.5)


def test_steps_draw_anew() -> None:
    generator, like = torch.Generator().manual_seed(3), torch.empty(DRAWS)
    first, second = (standard_normal(like, generator).double() for _ in range(2))
    assert abs(float((first * second).mean())) <= LIMIT / DRAWS**0.5


@pytest.mark.parametrize("shape", [(LARGE,), (LARGE + 1,), (3, LARGE // 2, 1)])
def test_large_tensors_take_the_table_whatever_their_shape(shape: tuple[int, ...]) -> None:
    drawn = standard_normal(torch.empty(shape), torch.Generator().manual_seed(3))
    assert drawn.shape == shape
    assert torch.isin(drawn, quantiles(torch.float32)).all()


def test_small_tensors_are_drawn_by_torch() -> None:
    expected = torch.randn(LARGE - 1, generator=torch.Generator().manual_seed(3))
    assert torch.equal(draws(LARGE - 1), expected)
    assert not torch.isin(expected, quantiles(torch.float32)).all()


@pytest.mark.parametrize("kind, settle, gap", [(SGLD, 60, 20), (SGHMC, 60, 25)])
def test_large_chains_have_the_exact_law(kind: type[Any], settle: int, gap: int) -> None:
    """Both layers of these chains are large."""
    target, more = correlated(), {"momentum_decay": 0.75} if kind is SGHMC else {}
    sampler = chain_on(kind, target, 2.0, 0.3, chains=LARGE, seed=5, **more)
    ones = np.ones(3)
    law = target.sghmc_law(2.0, 0.75, 0.3, ones) if more else target.sgld_law(2.0, 0.3, ones)
    assert check(sampler, target.gradient(), law, settle=settle, gap=gap, readings=3) < 0.005


def large_chain(kind: type[Any], seed: int) -> tuple[torch.nn.Parameter, Any]:
    parameter = torch.nn.Parameter(torch.zeros(2, LARGE // 2 + 1))
    generator = torch.Generator().manual_seed(seed)
    return parameter, kind(
        [parameter], 0.1, data_size=50, preconditioner=Preconditioner(), generator=generator
    )


def advance(parameter: torch.nn.Parameter, sampler: Any, steps: int) -> None:
    for _ in range(steps):
        parameter.grad = parameter.detach().sin()
        sampler.step()
        sampler.refresh_mass()


@pytest.mark.parametrize("kind", [SGLD, SGHMC])
def test_a_large_chain_goes_on_byte_identically(kind: type[Any]) -> None:
    parameter, sampler = large_chain(kind, seed=1)
    advance(parameter, sampler, 3)
    values, state = parameter.detach().clone(), copy.deepcopy(sampler.state_dict())
    advance(parameter, sampler, 3)
    other, resumed = large_chain(kind, seed=2)
    other.data.copy_(values)
    resumed.load_state_dict(state)
    advance(other, resumed, 3)
    assert not torch.equal(values, parameter)
    assert other.detach().numpy().tobytes() == parameter.detach().numpy().tobytes()
    assert torch.equal(resumed.generator.get_state(), sampler.generator.get_state())
