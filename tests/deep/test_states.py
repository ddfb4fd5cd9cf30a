"""States: the same bytes for the same tensors, and back."""

from hashlib import sha256
from pathlib import Path

import torch
from torch import nn

from comitia.deep.directory import checksum
from comitia.deep.states import (
    optimiser_tensors,
    read_state,
    restore_optimiser,
    write_state,
)


def test_write_and_read(tmp_path: Path) -> None:
    tensors = {
        "b": torch.arange(6.0).reshape(2, 3),
        "a": torch.tensor(3),
        "c": torch.ones(2, 2, dtype=torch.bfloat16),
    }
    about = {"step": 5, "kind": "image", "input_shape": (4, 4, 1)}
    digest = write_state(tmp_path / "one", tensors, about)
    assert digest == checksum(tmp_path / "one") == sha256((tmp_path / "one").read_bytes()).hexdigest()
    assert (
        write_state(tmp_path / "two", dict(reversed(tensors.items())), dict(reversed(about.items())))
        == digest
    )
    back, read = read_state(tmp_path / "one")
    assert read == {"step": 5, "kind": "image", "input_shape": [4, 4, 1]}
    assert back.keys() == tensors.keys()
    assert all(torch.equal(back[key], tensors[key]) for key in tensors)


def test_no_file_has_no_checksum(tmp_path: Path) -> None:
    assert checksum(tmp_path / "absent") is None


def test_an_optimiser_goes_on_with_channels_last_parameters() -> None:
    def step(module: nn.Module, optimiser: torch.optim.Optimizer) -> None:
        optimiser.zero_grad()
        images = torch.linspace(-1, 1, 2 * 3 * 5 * 5).reshape(2, 3, 5, 5)
        module(images.to(memory_format=torch.channels_last)).square().sum().backward()
        optimiser.step()

    def made() -> tuple[nn.Module, torch.optim.Optimizer]:
        torch.manual_seed(0)
        module = nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
        return module, torch.optim.SGD(module.parameters(), lr=0.01, momentum=0.9, fused=True)

    first, optimiser = made()
    step(first, optimiser)
    second, fresh = made()
    second.load_state_dict({key: value.contiguous() for key, value in first.state_dict().items()})
    tensors, numbers = optimiser_tensors(optimiser)
    restore_optimiser(fresh, {key: value.contiguous() for key, value in tensors.items()}, numbers)
    step(first, optimiser)
    step(second, fresh)
    for one, other in zip(first.parameters(), second.parameters()):
        assert torch.equal(one, other)
