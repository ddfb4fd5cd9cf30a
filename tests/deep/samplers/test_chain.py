"""Resuming: the state is tensors and plain numbers, and a chain goes on byte-identically from it."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.optim import Optimizer

from comitia._errors import InputError
from comitia.deep.samplers import SGHMC, SGLD, Preconditioner

KINDS = [SGLD, SGHMC]
RULES = [None, Preconditioner(by="layer"), Preconditioner(by="element")]


def network_and_sampler(
    kind: type[Any], rule: Preconditioner | None, seed: int
) -> tuple[nn.Module, Optimizer]:
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))
    groups = [
        {"params": [p for p in network.parameters() if p.ndim > 1], "prior_scale": 0.5},
        {"params": [p for p in network.parameters() if p.ndim == 1]},
    ]
    generator = torch.Generator().manual_seed(seed)
    return network, kind(
        groups, 0.05, data_size=60, temperature=0.4, preconditioner=rule, generator=generator
    )


def train(network: nn.Module, sampler: Any, steps: range) -> None:
    for step in steps:
        source = torch.Generator().manual_seed(step)
        inputs = torch.randn(8, 4, generator=source)
        labels = torch.randint(3, (8,), generator=source)
        sampler.zero_grad()
        cross_entropy(network(inputs), labels).backward()
        sampler.step()
        if step % 4 == 3:
            sampler.refresh_mass()


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for part in value.values():
            yield from leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part)
    else:
        yield value


@pytest.mark.parametrize("rule", RULES, ids=["none", "layer", "element"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_chain_goes_on_byte_identically(kind: type[Any], rule: Preconditioner | None) -> None:
    network, sampler = network_and_sampler(kind, rule, seed=1)
    train(network, sampler, range(6))
    weights, state = copy.deepcopy(network.state_dict()), copy.deepcopy(sampler.state_dict())
    train(network, sampler, range(6, 12))
    other, resumed = network_and_sampler(kind, rule, seed=2)
    other.load_state_dict(weights)
    resumed.load_state_dict(state)
    train(other, resumed, range(6, 12))
    for left, right in zip(network.parameters(), other.parameters()):
        assert left.detach().numpy().tobytes() == right.detach().numpy().tobytes()
    for left, right in zip(leaves(sampler.state_dict()), leaves(resumed.state_dict())):
        assert torch.equal(left, right) if isinstance(left, torch.Tensor) else left == right


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_may_be_loaded_twice(kind: type[Any]) -> None:
    network, sampler = network_and_sampler(kind, RULES[1], seed=1)
    train(network, sampler, range(5))
    state = copy.deepcopy(sampler.state_dict())
    kept = copy.deepcopy(state)
    sampler.load_state_dict(state)
    train(network, sampler, range(5, 9))
    for left, right in zip(leaves(state), leaves(kept)):
        assert torch.equal(left, right) if isinstance(left, torch.Tensor) else left == right


@pytest.mark.parametrize("kind", KINDS)
def test_the_state_is_tensors_and_plain_numbers(kind: type[Any]) -> None:
    network, sampler = network_and_sampler(kind, RULES[1], seed=1)
    train(network, sampler, range(5))
    assert {type(leaf) for leaf in leaves(sampler.state_dict())} <= {torch.Tensor, int, float}


@pytest.mark.parametrize("kind", KINDS)
def test_the_global_generator_is_not_touched(kind: type[Any]) -> None:
    network, sampler = network_and_sampler(kind, None, seed=1)
    before = torch.get_rng_state()
    train(network, sampler, range(3))
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize("kind", KINDS)
def test_another_seed_is_another_chain(kind: type[Any]) -> None:
    chains = []
    for seed in (1, 2):
        network, sampler = network_and_sampler(kind, None, seed=seed)
        train(network, sampler, range(3))
        chains.append(nn.utils.parameters_to_vector(network.parameters()))
    assert not torch.equal(*chains)


def test_the_state_of_another_optimiser_is_refused() -> None:
    network, sampler = network_and_sampler(SGLD, None, seed=1)
    plain = torch.optim.SGD(network.parameters(), 0.1).state_dict()
    with pytest.raises(InputError, match="state_dict: lacks 'generator'"):
        sampler.load_state_dict(plain)
