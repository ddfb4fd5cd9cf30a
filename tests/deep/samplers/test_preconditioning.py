"""Masses against loops over the observed gradients; frozen between refreshes."""

import math

import pytest
import torch

from comitia._errors import InputError
from comitia.deep.samplers import SGHMC, SGLD, Preconditioner

N, SCALE, DECAY, FLOOR = 30, 0.5, 0.8, 1e-3


def layers() -> list[torch.nn.Parameter]:
    return [torch.nn.Parameter(torch.full((2, 3), 0.3)), torch.nn.Parameter(torch.tensor([-0.2, 0.9]))]


def observed(
    kind: type[SGLD] | type[SGHMC], rule: Preconditioner
) -> tuple[SGLD | SGHMC, list[list[list[float]]]]:
    """The sampler after 5 steps, and the gradients ∇Ũ/n that each layer saw, element by element."""
    parameters = layers()
    sampler = kind(parameters, 0.1, data_size=N, prior_scale=SCALE, preconditioner=rule)
    source, seen = torch.Generator().manual_seed(4), [[] for _ in parameters]
    for _ in range(5):
        for parameter, record, size in zip(parameters, seen, (0.1, 2.0)):
            parameter.grad = size * torch.randn(parameter.shape, generator=source)
            pairs = zip(parameter.grad.flatten().tolist(), parameter.flatten().tolist())
            record.append([g + w / (N * SCALE**2) for g, w in pairs])
        sampler.step()
    return sampler, seen


def root(values: list[float]) -> float:
    """√(floor + weighted mean of squares), the weight of a step decay^(age)."""
    weights = [DECAY ** (len(values) - 1 - step) for step in range(len(values))]
    return math.sqrt(FLOOR + sum(w * v for w, v in zip(weights, values)) / sum(weights))


@pytest.mark.parametrize("kind", [SGLD, SGHMC])
def test_layer_masses(kind: type[SGLD] | type[SGHMC]) -> None:
    sampler, seen = observed(kind, Preconditioner(by="layer", decay=DECAY, floor=FLOOR))
    roots = [root([sum(g * g for g in step) / len(step) for step in record]) for record in seen]
    sampler.refresh_mass()
    found = [float(state["mass"]) for state in sampler.state.values()]
    assert found == pytest.approx([value / min(roots) for value in roots], rel=1e-5)
    assert found[0] == 1.0
    assert found[1] > 5


@pytest.mark.parametrize("kind", [SGLD, SGHMC])
def test_element_masses(kind: type[SGLD] | type[SGHMC]) -> None:
    sampler, seen = observed(kind, Preconditioner(by="element", decay=DECAY, floor=FLOOR))
    sampler.refresh_mass()
    for state, record in zip(sampler.state.values(), seen):
        expected = [root([step[i] ** 2 for step in record]) for i in range(len(record[0]))]
        assert state["mass"].flatten().tolist() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", [SGLD, SGHMC])
@pytest.mark.parametrize("by", ["layer", "element"])
def test_masses_change_only_when_refreshed(kind: type[SGLD] | type[SGHMC], by: str) -> None:
    sampler, _ = observed(kind, Preconditioner(by=by))  # type: ignore[arg-type]
    assert all(float(state["mass"]) == 1.0 for state in sampler.state.values())
    sampler.refresh_mass()
    before = [state["mass"].clone() for state in sampler.state.values()]
    sampler.step()
    assert all(torch.equal(state["mass"], mass) for state, mass in zip(sampler.state.values(), before))


@pytest.mark.parametrize("kind", [SGLD, SGHMC])
def test_refreshing_changes_nothing_without_a_preconditioner_or_before_a_step(
    kind: type[SGLD] | type[SGHMC],
) -> None:
    plain = kind(layers(), 0.1, data_size=N)
    plain.param_groups[0]["params"][0].grad = torch.ones(2, 3)
    plain.step()
    plain.refresh_mass()
    assert [float(state["mass"]) for state in plain.state.values()] == [1.0]
    fresh = kind(layers(), 0.1, data_size=N, preconditioner=Preconditioner())
    fresh.refresh_mass()
    assert not fresh.state


@pytest.mark.parametrize(
    "given, message",
    [
        ({"by": "layers"}, "preconditioner.by: 'layers' is not one of layer, element"),
        ({"decay": 1.0}, r"preconditioner.decay: must lie in \[0, 1\), got 1"),
        ({"floor": 0.0}, "preconditioner.floor: must be above 0"),
    ],
)
def test_wrong_settings_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Preconditioner(**given)  # type: ignore[arg-type]
