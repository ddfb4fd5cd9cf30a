"""A network of a recipe on a device, and the settings under which training gives the same bytes twice."""

import os
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from comitia._errors import InputError, require_choice
from comitia._extensions import is_reference
from comitia.data.dataset import Dataset, Samples
from comitia.deep.models import build, decayed_parameters, one_line
from comitia.deep.seeds import number
from comitia.deep.states import MEAN_IMAGE, read_state
from comitia.deep.task import Inputs, stored_batch
from comitia.recipes import CONVOLUTIONS, Recipe

PRECISIONS = {"bfloat16": torch.bfloat16, "float16": torch.float16}


def choose_device(name: str = "auto") -> torch.device:
    """Return the device of that name; "auto" takes cuda, else mps, else the processor.

    >>> choose_device("cpu")
    device(type='cpu')
    """
    check_device(name)
    if name != "auto":
        device = torch.device(name)
        if not _is_there(device):
            raise InputError(f"device: this machine has no {name}; leave it out, or give cpu")
        return device
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def check_device(name: str) -> None:
    """Raise `InputError` unless that is the name of a device, on whatever machine."""
    kind, _, number = name.partition(":")
    require_choice("device", kind, ("auto", "cpu", "cuda", "mps"))
    if ":" in name and not (kind == "cuda" and number.isdecimal()):
        raise InputError(f"device: must be auto, cpu, cuda, cuda:0 (or another number) or mps, got {name!r}")


def _is_there(device: torch.device) -> bool:
    if device.type == "cuda":
        return torch.cuda.is_available() and (device.index or 0) < torch.cuda.device_count()
    return device.type == "cpu" or torch.backends.mps.is_available()


def settle(threads: int) -> None:
    """Make this process compute the same bytes each time: that many threads, deterministic algorithms.

    The number of threads decides the order of sums, so it belongs to the result.
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True, warn_only=True)
    # Filling fresh memory would cost a tenth of the time and is of use only to code that reads it unset.
    setattr(torch.utils.deterministic, "fill_uninitialized_memory", False)  # noqa: B010 (untyped in torch)
    torch.backends.cudnn.benchmark = False
    warnings.filterwarnings("ignore", message=".*does not have a deterministic implementation")


def flush_tiny_numbers() -> None:
    """Make numbers below 1e-38 count as 0 in this process, for good; so only processes that train alone call it.

    A run that breaks down is full of them, and its epochs would take twice the time.
    """
    torch.set_flush_denormal(True)


def fresh_network(recipe: Recipe, data: Dataset, run: int, device: torch.device) -> nn.Module:
    """Return the network of a run at its initial values, which its seed decides; images channels-last."""
    torch.manual_seed(number(recipe.seed, run, 0, "initial"))
    return _build(recipe, data.classes, data.input_shape, data.kind, device)


def check_network(recipe: Recipe, data: Dataset) -> None:
    """Raise `InputError` unless the recipe suits the data and its network takes samples of it."""
    _check_suits(recipe, data)
    processor = torch.device("cpu")
    parts = (data.train_x, data.test_x, data.holdout_x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what torch warns of here ends in an error of ours
        network = _build(recipe, data.classes, data.input_shape, data.kind, processor).eval()
        inputs = Inputs.of(data, np.zeros(1, dtype=np.int64), processor)
        held = [part for part in parts if part is not None and len(part)]
        try_network(recipe.model.name, network, inputs, held, classes=data.classes)
    on = recipe.training.l2_on
    if recipe.training.l2 and not decayed_parameters(network, on=on):
        kinds = "convolutions" if on == CONVOLUTIONS else "convolutions and dense layers"
        raise InputError(
            f"recipe key training.l2: acts on kernels of {kinds}, and model {recipe.model.name} has none; "
            "set training.l2=0 (training.prior_scale acts on all parameters)"
        )


def try_network(
    name: str, network: nn.Module, inputs: Inputs, parts: Sequence[Samples], *, classes: int
) -> None:
    """Raise `InputError` unless the network maps a few samples of each part to (n, classes) logits."""
    samples = np.concatenate([_few(part, inputs.kind) for part in parts])
    try:
        with torch.inference_mode():
            logits = network(inputs.tensor(samples))
    except Exception as error:  # a factory of one's own may raise anything
        held = f"{inputs.kind}: {samples.dtype} {samples.shape[1:]}, {samples.min():g} to {samples.max():g}"
        raise InputError(
            f"model {name}: does not take samples of this data ({held}): {one_line(error)}"
        ) from error
    shape = tuple(getattr(logits, "shape", ()))
    if shape != (len(samples), classes):
        raise InputError(
            f"model {name}: must map {len(samples)} samples to logits of shape {(len(samples), classes)}, "
            f"got {shape or type(logits).__name__}"
        )


def _few(part: Samples, kind: str) -> NDArray[Any]:
    """The first sample; of texts those that hold the smallest and the largest token."""
    if kind != "tokens":
        return part[[0]]
    texts = part[:]
    return texts[[texts.min(axis=1).argmin(), texts.max(axis=1).argmax()]]


def _check_suits(recipe: Recipe, data: Dataset) -> None:
    if is_reference(recipe.training.augment):
        _try_augmentation(recipe, data)
    elif recipe.training.augment != "none" and data.kind != "image":
        raise InputError(
            f"recipe key training.augment: '{recipe.training.augment}' is for images, and data set {data.name} "
            f"holds {data.kind}; set training.augment=none"
        )
    if recipe.data.holdout and data.holdout_x is not None:
        raise InputError(
            f"recipe key data.holdout: data set {data.name} has a hold-out of its own, "
            f"got {recipe.data.holdout}; set data.holdout=0"
        )


def _try_augmentation(recipe: Recipe, data: Dataset) -> None:
    """Raise unless an augmentation from outside keeps the shape and type of a few samples."""
    name, index = recipe.training.augment, np.arange(min(4, len(data.train_y)))
    key = f"recipe key training.augment: '{name}'"
    try:
        changed, _ = stored_batch(data, index, augment=name, random=np.random.default_rng(0))
    except InputError:
        raise
    except Exception as error:  # code from outside may raise anything
        raise InputError(f"{key} failed: {one_line(error)}") from error
    wanted, got = data.train_x[index], np.asarray(changed)
    if (got.shape, got.dtype) != (wanted.shape, wanted.dtype):
        raise InputError(
            f"{key} must return {wanted.dtype} of shape {wanted.shape} as it was given, got {got.dtype} of shape "
            f"{got.shape}"
        )


def load_network(recipe: Recipe, path: Path, device: torch.device) -> tuple[nn.Module, Inputs]:
    """Return the network in the state of a file, ready to predict, and how samples become its inputs."""
    tensors, about = read_state(path)
    mean = tensors.pop(MEAN_IMAGE, None)
    network = _build(recipe, about["classes"], tuple(about["input_shape"]), about["kind"], device)
    network.load_state_dict(tensors)
    mean = None if mean is None else mean.to(device)
    return network.eval(), Inputs(kind=about["kind"], mean=mean, device=device)


def wake_dropout(network: nn.Module) -> None:
    """Let dropout layers drop while everything else (batch norm) predicts."""
    for module in network.modules():
        if isinstance(module, nn.modules.dropout._DropoutNd):
            module.train()


def _build(
    recipe: Recipe, classes: int, shape: tuple[int, ...], kind: str, device: torch.device
) -> nn.Module:
    network = build(recipe.model.name, classes=classes, input_shape=shape, **recipe.model_options())
    if kind == "image":
        network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return network.to(device)


def mixed_precision(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """Return the context in which a network computes: plain for "float32", else autocast to that type."""
    if precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, dtype=PRECISIONS[precision])
