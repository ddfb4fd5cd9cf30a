"""Whether a recipe's network takes the samples of a data set, found out before anything is written."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from comitia._errors import InputError
from comitia.data import Dataset
from comitia.deep.networks import check_network
from comitia.recipes import Model, Recipe
from small_training import dataset, small_recipe


def recipe(name: str, options: dict[str, Any] | None = None, **training: Any) -> Recipe:
    return replace(small_recipe(**training), model=Model(name=name, options=options or {}))


def texts(*, largest: int = 50, where: str = "test_x") -> Dataset:
    """Texts of tokens up to 29, but for one token of a sample that is not the first of its part."""
    random = np.random.default_rng(0)
    parts = {
        key: random.integers(0, 30, (8, 12), dtype=np.int32) for key in ("train_x", "test_x", "holdout_x")
    }
    parts[where][5, 3] = largest
    labels = np.arange(8) % 2
    return Dataset(
        name="texts", train_y=labels, test_y=labels, holdout_y=labels, classes=2, kind="tokens", **parts
    )


def no_holdout(**training: Any) -> Any:
    return {"data": {"holdout": 0}, **training}


class Flat(nn.Module):
    """One number too few a sample, or a tuple."""

    def __init__(self, classes: int, pair: bool) -> None:
        super().__init__()
        self.classes, self.pair = classes, pair
        self.dense = nn.Linear(1, 1)

    def forward(self, images: torch.Tensor) -> Any:
        logits = torch.zeros(len(images), self.classes - 1)
        return (logits, logits) if self.pair else logits


def flat(*, classes: int, input_shape: tuple[int, ...], pair: bool = False) -> nn.Module:
    return Flat(classes, pair)


def failing(*, classes: int, input_shape: tuple[int, ...]) -> nn.Module:
    class Failing(nn.Module):
        def forward(self, images: torch.Tensor) -> torch.Tensor:
            raise KeyError("first\nsecond " + "long " * 100)

    return Failing()


def dense(*, classes: int, input_shape: tuple[int, ...]) -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(144, classes))


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name under which the factories of this file are found."""
    import sys
    from types import ModuleType

    module = ModuleType("factories_of_a_test")
    vars(module).update(flat=flat, failing=failing, dense=dense)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module.__name__


@pytest.mark.parametrize("where", ["train_x", "test_x", "holdout_x"])
def test_the_largest_token_is_tried(where: str) -> None:
    check_network(recipe("cnn_lstm", {"words": 51}, **no_holdout()), texts(where=where))
    with pytest.raises(
        InputError, match=r"cnn_lstm: does not take .* \(tokens: int32 \(12,\), 0 to 50\): Ind"
    ):
        check_network(recipe("cnn_lstm", {"words": 50}, **no_holdout()), texts(where=where))


def test_negative_tokens_are_tried() -> None:
    with pytest.raises(InputError, match=r"-3 to 29\): IndexError"):
        check_network(recipe("cnn_lstm", **no_holdout()), texts(largest=-3))


def test_vectors_are_no_texts() -> None:
    vectors = np.ones((4, 12), dtype=np.float32)
    data = replace(texts(), kind="vector", train_x=vectors, test_x=vectors, holdout_x=None, holdout_y=None)
    with pytest.raises(InputError, match="does not take samples of this data .*: Runtime") as caught:
        check_network(recipe("cnn_lstm"), data)
    assert "\n" not in str(caught.value)


def test_what_torch_warns_of_is_one_error() -> None:
    with pytest.raises(InputError, match=r"small_cnn: does not take .*\(image: uint8 \(12, 12, 1\), "):
        check_network(recipe("small_cnn", {"filters": 0}), dataset())


@pytest.mark.parametrize("mean", [False, True])
def test_good_networks_pass(mean: bool) -> None:
    check_network(small_recipe(augment="flip-shift", l2=0.1), dataset(mean=mean))


def test_own_networks(own: str) -> None:
    with pytest.raises(InputError, match=r"must map 2 samples to logits of shape \(2, 3\), got \(2, 2\)"):
        check_network(recipe(f"{own}:flat"), dataset())
    with pytest.raises(InputError, match="got tuple"):
        check_network(recipe(f"{own}:flat", {"pair": True}), dataset())
    with pytest.raises(InputError, match="KeyError: 'first") as caught:
        check_network(recipe(f"{own}:failing"), dataset())
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    check_network(recipe(f"{own}:dense"), dataset())
    with pytest.raises(InputError, match="training.l2: acts on kernels of convolutions, .* has none"):
        check_network(recipe(f"{own}:dense", l2=0.1), dataset())
    check_network(recipe(f"{own}:dense", l2=0.1, l2_on="kernels"), dataset())


def test_keys_that_do_not_suit_the_data() -> None:
    with pytest.raises(InputError, match="training.augment: 'flip-shift' is for images, and data set texts"):
        check_network(recipe("cnn_lstm", **no_holdout(augment="flip-shift")), texts())
    with pytest.raises(
        InputError, match="data.holdout: data set texts has a hold-out of its own, got 30; set"
    ):
        check_network(recipe("cnn_lstm"), texts())
