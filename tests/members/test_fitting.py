"""States under the names that wrappers and frameworks give them."""

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

from comitia._errors import InputError
from comitia.members.fitting import fit_state

ONE = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
WANTED = ONE.state_dict()


def prefixed(prefix: str) -> dict[str, torch.Tensor]:
    return {f"{prefix}{key}": value for key, value in WANTED.items()}


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (WANTED, None),
        (nn.DataParallel(ONE).state_dict(), "prefix 'module.' taken off"),
        (prefixed("_orig_mod."), "prefix '_orig_mod.' taken off"),
        (prefixed("module._orig_mod."), "prefix 'module._orig_mod.' taken off"),
        (prefixed("model.net."), "prefix 'model.net.' taken off"),
        (
            {**prefixed("model."), "loss.weight": torch.ones(3)},
            "prefix 'model.' taken off, 1 left aside (loss.weight)",
        ),
        (AveragedModel(ONE).state_dict(), "prefix 'module.' taken off, 1 left aside (n_averaged)"),
        (
            {key.replace("0.", "0._orig_mod."): value for key, value in WANTED.items()},
            "prefix '_orig_mod.' taken off",
        ),
    ],
)
def test_prefixes(state: dict[str, torch.Tensor], said: str | None) -> None:
    fit = fit_state("a.ckpt", state, WANTED)
    assert fit.said() == said
    assert fit.tensors.keys() == WANTED.keys()
    assert all(torch.equal(value, WANTED[key]) for key, value in fit.tensors.items())


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (
            {key: WANTED[key] for key in list(WANTED)[1:]},
            r"lacks 1 of 7 tensors \(0.weight\); --model must make",
        ),
        ({**WANTED, "2.weight": torch.ones(3)}, r"has 1 that the network has not \(2.weight\)"),
        ({"a": torch.ones(1)}, r"lacks 7 of 7 tensors \(0.weight, 0.bias, 1.weight, …\) and has 1"),
        (
            {**WANTED, "0.weight": torch.zeros(5, 4)},
            r"1 tensors have other shapes \(0.weight: \(5, 4\) in the file, \(3, 4\) in the network\)",
        ),
        (
            {**prefixed("net."), **prefixed("ema.")},
            "is found in it 2 times, under net, ema; --entry says which",
        ),
        # a name too much under the prefix may be a layer of another network
        ({**prefixed("net."), "net.2.weight": torch.ones(3)}, "lacks 7 of 7"),
    ],
)
def test_misfits(state: dict[str, torch.Tensor], message: str) -> None:
    with pytest.raises(InputError, match=f"a.ckpt: .*{message}"):
        fit_state("a.ckpt", state, WANTED)
