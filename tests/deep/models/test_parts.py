"""Dropout by 16-bit draws: its rate, its scale, its gradient."""

import pytest
import torch

from comitia.deep.models.parts import Dropout


@pytest.mark.parametrize("rate", [0.25, 0.1, 0.5])
def test_share_and_scale(rate: float) -> None:
    torch.manual_seed(0)
    values = torch.full((400, 501), 2.0)
    dropped = Dropout(rate)(values)
    share = (dropped == 0).float().mean().item()
    assert share == pytest.approx(rate, abs=5 * (rate * (1 - rate) / values.numel()) ** 0.5)
    assert dropped[dropped != 0].unique().tolist() == pytest.approx([2 / (1 - rate)], rel=1e-4)
    assert dropped.mean().item() == pytest.approx(2.0, abs=0.02)


def test_the_gradient_passes_where_the_value_did() -> None:
    values = torch.ones(1000, requires_grad=True)
    dropped = Dropout(0.25)(values)
    dropped.sum().backward()
    assert values.grad is not None
    assert torch.equal(values.grad, dropped.detach())


def test_neighbours_are_independent() -> None:
    torch.manual_seed(1)
    kept = (Dropout(0.5)(torch.ones(4, 40_000)) != 0).float()
    pairs = torch.corrcoef(kept.flatten().reshape(-1, 4).T)
    assert (pairs - torch.eye(4)).abs().max().item() < 0.03


def test_seeds_decide_and_prediction_drops_nothing() -> None:
    layer, values = Dropout(0.25), torch.ones(7, 3)
    results = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        results.append(layer(values))
    assert torch.equal(results[0], results[1])
    assert not torch.equal(results[0], results[2])
    assert torch.equal(layer.eval()(values), values)
