import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from comitia._errors import InputError
from comitia.deep.models import NAMES, build, decayed_parameters

SMALL = {
    "cnn_lstm": ((20,), {"words": 50}),
    "resnet": ((16, 16, 3), {"depth": 8}),
    "wrn": ((16, 16, 3), {"depth": 10, "width": 1}),
    "resnet50": ((32, 32, 3), {}),
    "small_cnn": ((28, 28, 1), {}),
}


def batch(shape: tuple[int, ...], n: int = 4) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    if len(shape) == 1:
        return torch.randint(0, 50, (n, *shape), generator=generator)
    return torch.randn(n, shape[2], *shape[:2], generator=generator)


@pytest.mark.parametrize(
    ("name", "classes"),
    [*((name, 7) for name in NAMES if name != "resnet50"), ("cnn_lstm", 2), ("resnet50", 2)],
)
def test_logits_and_gradients_reach_every_parameter(name: str, classes: int) -> None:
    shape, options = SMALL[name]
    torch.manual_seed(1)
    network = build(name, classes=classes, input_shape=shape, **options)
    logits = network(batch(shape))
    assert logits.shape == (4, classes)
    cross_entropy(logits, torch.tensor([0, 1, 0, 1])).backward()
    for key, parameter in network.named_parameters():
        if parameter.requires_grad:
            assert parameter.grad is not None, key
            assert torch.isfinite(parameter.grad).all(), key


@pytest.mark.parametrize("name", ["cnn_lstm", "resnet", "wrn", "small_cnn"])
def test_initial_values_follow_torchs_seed(name: str) -> None:
    shape, options = SMALL[name]
    states = []
    for seed in (3, 3, 4):
        torch.manual_seed(seed)
        states.append(build(name, classes=3, input_shape=shape, **options).state_dict())
    assert all(torch.equal(a, b) for a, b in zip(states[0].values(), states[1].values()))
    assert any(not torch.equal(a, b) for a, b in zip(states[0].values(), states[2].values()))


@pytest.mark.parametrize("name", NAMES)
def test_dropout_makes_passes_differ_and_its_absence_does_not(name: str) -> None:
    shape, options = SMALL[name]
    for rate in (0.0, 0.4):
        torch.manual_seed(1)
        network = build(name, classes=3, input_shape=shape, **options, dropout=rate)
        network.eval()
        for layer in network.modules():
            if isinstance(layer, nn.Dropout):
                layer.train()
        with torch.no_grad():
            first, second = network(batch(shape)), network(batch(shape))
        assert torch.equal(first, second) == (rate == 0.0)


@pytest.mark.parametrize("on", ["convolutions", "kernels"])
@pytest.mark.parametrize("name", NAMES)
def test_decayed_parameters_are_the_kernels_of_convolutions(name: str, on: str) -> None:
    shape, options = SMALL[name]
    network = build(name, classes=3, input_shape=shape, **options)
    decayed = {id(parameter) for parameter in decayed_parameters(network, on=on)}
    for key, parameter in network.named_parameters():
        # A kernel (out, in, 3, 3) of images, (out, in, 5) of texts; dense kernels and embeddings have two axes.
        dense = on == "kernels" and key == "dense.weight"
        assert (id(parameter) in decayed) == (parameter.dim() > 2 or dense), key


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("resnet20", {}, r"model: 'resnet20' is not one of .*\(did you mean 'resnet50'|'resnet'"),
        ("resnet", {"depth": 21}, r"resnet: depth must be 6n\+2 \(8, 14, 20, ...\), got 21"),
        ("wrn", {"depth": 27}, r"wrn: depth must be 6n\+4 .*, got 27"),
        ("wrn", {"keras": 1}, "wrn: keras must be true or false, got 1"),
        ("wrn", {"width": 0}, "wrn: width must be at least 1, got 0"),
        (
            "resnet",
            {"dept": 20},
            r"resnet: no option 'dept', it takes depth, dropout \(did you mean 'depth'\?\)",
        ),
        ("small_cnn", {"dropout": 1.0}, r"small_cnn: dropout must lie in \[0, 1\), got 1"),
        ("cnn_lstm", {}, r"cnn_lstm: needs texts of at least 8 tokens, got samples of shape \(4, 4, 3\)"),
        ("resnet", {}, r"resnet: needs images .* of at least 8 × 8 pixels, got samples of shape \(4, 4, 3\)"),
        ("small_cnn", {"filters": "x"}, "small_cnn: cannot be built with {'filters': 'x'}: TypeError"),
        ("small_cnn", {"filters": -1}, "small_cnn: cannot be built with {'filters': -1}: RuntimeError"),
        ("no_such_module:f", {}, "model: cannot import 'no_such_module' of 'no_such_module:f'"),
        ("json:f", {}, "model: module 'json' has no function 'f'"),
    ],
)
def test_wrong_models(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        build(name, classes=3, input_shape=(4, 4, 3), **options)
    assert "\n" not in str(caught.value)


def test_own_factory_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
from torch import nn

def network(*, classes, input_shape, width=3):
    return nn.Sequential(nn.Linear(input_shape[0], width), nn.Linear(width, classes))

def wrong(**options):
    return 3
"""
    (tmp_path / "own_factory_of_a_test.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    network = build("own_factory_of_a_test:network", classes=4, input_shape=(6,), width=5)
    assert network(torch.ones(2, 6)).shape == (2, 4)
    with pytest.raises(InputError, match="no option 'widht', it takes width"):
        build("own_factory_of_a_test:network", classes=4, input_shape=(6,), widht=5)
    with pytest.raises(InputError, match="must return a torch.nn.Module, got int"):
        build("own_factory_of_a_test:wrong", classes=4, input_shape=(6,))
