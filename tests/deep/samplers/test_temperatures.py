"""Temperatures against loops; right chains are not complained about, wrong ones are."""

import math

import numpy as np
import pytest
import torch
from scipy.integrate import quad

from comitia.deep.samplers import SGHMC, SGLD
from comitia.deep.samplers.temperatures import (
    LayerTemperature,
    Reading,
    kinetic_interval,
    read,
    summarise,
    warning,
)
from deep.samplers.stationarity import LAYERS, advance, correlated, start

NAMES = ("first", "second")


def chain(
    temperature: float, *, noise: float = 1.0, count: int = 60
) -> tuple[list[tuple[Reading, ...]], SGHMC]:
    """Readings of a chain whose noise has `noise` times the variance that it should have."""
    target = correlated()
    parameters = start(3, 400)
    sampler = SGHMC(
        parameters,
        0.05,
        data_size=target.samples,
        momentum_decay=0.9,
        temperature=temperature * noise,
        prior_scale=target.scale,
        generator=torch.Generator().manual_seed(2),
    )
    gradient, readings = target.gradient(), []
    advance(sampler, gradient, 300)
    for _ in range(count):
        whole = gradient(advance(sampler, gradient, 10))
        for parameter, part in zip(parameters, whole.split(LAYERS, dim=1)):
            parameter.grad = part.contiguous()
        readings.append(read(sampler, zip(NAMES, parameters)))
    return readings, sampler


def test_readings_are_the_formulas() -> None:
    """In loops, with a mass and a prior that matter."""
    parameter = torch.nn.Parameter(torch.tensor([[0.5, -1.5], [2.0, 0.25]], dtype=torch.float64))
    sampler = SGHMC([parameter], 0.1, data_size=20, prior_scale=0.5)
    parameter.grad = torch.tensor([[0.1, -0.2], [0.3, 0.05]], dtype=torch.float64)
    sampler.step()
    sampler.state[parameter]["mass"] = torch.tensor(2.5, dtype=torch.float64)
    (found,) = read(sampler, [("w", parameter)])
    kinetic = configurational = 0.0
    for i in range(2):
        for j in range(2):
            w, g = parameter[i, j].item(), parameter.grad[i, j].item()
            kinetic += sampler.state[parameter]["momentum"][i, j].item() ** 2 / 2.5 / 4
            configurational += w * (20 * g + w / 0.5**2) / 4
    assert (found.name, found.size) == ("w", 4)
    assert found.kinetic == pytest.approx(kinetic)
    assert found.configurational == pytest.approx(configurational)


def test_a_sampler_without_momenta_has_no_kinetic_temperature() -> None:
    used, unused = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2))
    sampler = SGLD([used, unused], 0.1, data_size=20)
    used.grad = torch.ones(2)
    sampler.step()
    (found,) = read(sampler, [("used", used), ("unused", unused)])
    assert found.kinetic is None
    (layer,) = summarise([(found,)] * 5, temperature=found.configurational)
    assert layer.kinetic is None
    assert warning([layer]) is None


@pytest.mark.parametrize("size, temperature", [(3, 1.0), (50, 0.2)])
def test_the_kinetic_interval_holds_its_share(size: int, temperature: float) -> None:
    """By integrating the density of the mean of squares of `size` normal variables."""
    low, high = kinetic_interval(size, temperature, confidence=0.9)

    def density(value: float) -> float:
        half, x = size / 2, value * size / (2 * temperature)
        return size / (2 * temperature) * math.exp((half - 1) * math.log(x) - x - math.lgamma(half))

    assert quad(density, low, high)[0] == pytest.approx(0.9, abs=1e-7)
    assert quad(density, 1e-12, low)[0] == pytest.approx(0.05, abs=1e-7)


@pytest.mark.parametrize("temperature", [1.0, 0.2])
def test_a_right_chain_has_its_temperature(temperature: float) -> None:
    readings, _ = chain(temperature)
    layers = summarise(readings, temperature=temperature)
    assert [(layer.name, layer.size) for layer in layers] == [("first", 400), ("second", 800)]
    for layer in layers:
        assert layer.kinetic == pytest.approx(temperature, rel=0.08)
        assert layer.configurational == pytest.approx(temperature, rel=0.08)
        assert 0 < layer.configurational_error < 0.2 * temperature
    assert warning(layers) is None


def test_a_wrong_chain_is_named_layer_by_layer() -> None:
    readings, _ = chain(0.2, noise=2.0)
    text = warning(summarise(readings, temperature=0.2))
    assert text is not None
    assert text.startswith("temperatures off in 2 of 2 layers: first T_K = 0.4")
    assert "T_C = 0.4" in text
    assert "second" in text
    assert "\n" not in text


def test_batch_means_see_correlation() -> None:
    """The interval of a strongly correlated series is several times that of a shuffled one."""
    source = np.random.default_rng(1)
    series = np.zeros(900)
    for step in range(1, 900):
        series[step] = 0.95 * series[step - 1] + source.normal()
    errors = []
    for values in (series, source.permutation(series)):
        (layer,) = summarise([(Reading("w", 10, None, float(v)),) for v in values], temperature=1.0)
        errors.append(layer.configurational_error)
    assert errors[0] > 3 * errors[1]


def test_few_readings_give_no_verdict_on_the_configuration() -> None:
    (layer,) = summarise([(Reading("w", 10, None, 9.0),)] * 3, temperature=1.0)
    assert layer.configurational_error == math.inf
    assert warning([layer]) is None


def test_nothing_is_off_without_a_temperature() -> None:
    assert warning([LayerTemperature("w", 10, 0.0, 0.5, (0.0, 0.0), 3.0, 0.1)]) is None


def test_not_a_number_is_off() -> None:
    text = warning([LayerTemperature("w", 10, 1.0, math.nan, (0.5, 1.5), math.nan, 0.1)])
    assert text is not None
    assert "T_K = nan" in text
    assert "T_C = nan" in text


@pytest.mark.parametrize(
    ("kinetic", "configurational", "advice"),
    [
        (1.0, 0.2, "a longer chain"),
        (1.0, 3.0, "lower lr"),
        (4.0, 0.2, "lower lr"),
        (None, 0.2, "a longer chain"),
    ],
)
def test_the_advice_depends_on_the_side(kinetic: float | None, configurational: float, advice: str) -> None:
    text = warning([LayerTemperature("w", 10, 1.0, kinetic, (0.5, 1.5), configurational, 0.1)])
    assert text is not None
    assert advice in text


def test_only_three_layers_are_listed() -> None:
    layers = [LayerTemperature(f"w{i}", 10, 1.0, 9.0, (0.5, 1.5), 1.0, 0.1) for i in range(5)]
    text = warning(layers)
    assert text is not None
    assert "5 of 5 layers" in text
    assert "and 2 more" in text
    assert "w3" not in text
