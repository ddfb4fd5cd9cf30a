"""The loss against sums written out; the weight decay of optimisers against the gradient of the penalised loss."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from comitia.deep.optimisers import advance, batch_loss, build, class_weights
from comitia.recipes import Plan, Schedule, Training


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv1d(1, 3, 2), nn.LayerNorm(3), nn.Linear(3, 2)).double()


def plan(**training: object) -> Plan:
    return Plan(run=1, training=Training(strategy="simple", epochs=4, **training), saves=(4,))  # type: ignore[arg-type]


def penalty(module: nn.Module, training: Training, samples: int) -> torch.Tensor:
    """λ‖kernel of the convolution, or of the dense layer too‖² + ½‖all‖²/(s²n), by the definition."""
    kernels = (module.get_parameter("0.weight") ** 2).sum()
    if training.l2_on == "kernels":
        kernels = kernels + (module.get_parameter("2.weight") ** 2).sum()
    everything = sum((p**2).sum() for p in module.parameters())
    prior = everything / (2 * training.prior_scale**2 * samples) if training.prior_scale else 0.0
    return training.l2 * kernels + prior


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
@pytest.mark.parametrize("l2_on", ["convolutions", "kernels"])
@pytest.mark.parametrize(("l2", "prior_scale"), [(0.03, 0.0), (0.0, 0.5), (0.02, 2.0)])
def test_three_steps_equal_those_of_the_penalised_loss(
    optimiser: str, l2_on: str, l2: float, prior_scale: float
) -> None:
    momentum = {"momentum": 0.9, "nesterov": True} if optimiser == "sgd" else {}
    planned = plan(optimiser=optimiser, lr=0.05, l2=l2, l2_on=l2_on, prior_scale=prior_scale, **momentum)
    ours, plain = network(), network()
    step = build(ours, planned, samples=20)
    if optimiser == "sgd":
        reference: torch.optim.Optimizer = torch.optim.SGD(
            plain.parameters(), lr=0.05, momentum=0.9, nesterov=True
        )
    else:
        reference = torch.optim.Adam(plain.parameters(), lr=0.05)
    batch = torch.randn(8, 1, 4, dtype=torch.float64)
    for _ in range(3):
        for module, current in ((ours, step), (plain, reference)):
            current.zero_grad()
            loss = module(batch).square().mean()
            if module is plain:
                loss = loss + penalty(plain, planned.training, 20)
            loss.backward()
            current.step()
    for one, other in zip(ours.parameters(), plain.parameters()):
        assert torch.allclose(one, other, rtol=1e-9, atol=1e-12)


def test_the_rate_changes_between_epochs() -> None:
    planned = plan(lr=0.4, schedule=Schedule(shape="step", milestones=(2,), factors=(0.5,)))
    optimiser = build(network(), planned, samples=10)
    rates = []
    for time in (0.0, 1.9, 2.0, 3.5):
        advance(optimiser, planned, time)
        rates.append(optimiser.param_groups[0]["lr"])
    assert rates == [0.4, 0.4, 0.2, 0.2]


def test_frozen_parameters_stay() -> None:
    module = network()
    frozen = module[0].bias  # type: ignore[index]
    frozen.requires_grad_(False)
    optimiser = build(module, plan(prior_scale=1.0), samples=10)
    assert all(frozen is not p for group in optimiser.param_groups for p in group["params"])


def test_balanced_weights_of_two_classes() -> None:
    labels = np.array([1] * 30 + [0] * 70)
    weights = class_weights("balanced", labels, 2)
    assert weights is not None
    assert weights.tolist() == pytest.approx([0.5 / 0.7, 0.5 / 0.3])


def test_an_absent_class_has_weight_zero() -> None:
    weights = class_weights("balanced", np.array([0, 2, 2]), 3)
    assert weights is not None
    assert weights.tolist() == pytest.approx([1.0, 0.0, 0.5])


def test_no_weights() -> None:
    assert class_weights("none", np.array([0, 1]), 2) is None


def test_weighted_loss_and_its_pieces() -> None:
    random = np.random.default_rng(0)
    logits, labels = random.normal(size=(6, 3)), random.integers(3, size=6)
    weights = [0.5, 2.0, 1.5]
    expected = 0.0
    for row, label in zip(logits, labels):
        expected += weights[label] * (math.log(sum(math.exp(z) for z in row)) - row[label]) / 6
    table, right, w = torch.tensor(logits), torch.tensor(labels), torch.tensor(weights).double()
    assert batch_loss(table, right, w).item() == pytest.approx(expected)
    parts = [batch_loss(table[a:b], right[a:b], w) * ((b - a) / 6) for a, b in ((0, 4), (4, 6))]
    assert sum(part.item() for part in parts) == pytest.approx(expected)
