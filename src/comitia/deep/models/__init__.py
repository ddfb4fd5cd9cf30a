"""Networks, one per file; every one maps a batch to (n, classes) logits."""

from importlib import import_module
from inspect import Parameter, signature
from textwrap import shorten
from typing import Any

from torch import nn

from comitia._errors import InputError, nearest, require_choice
from comitia._extensions import is_reference, load
from comitia.recipes import CONVOLUTIONS, KERNELS

NAMES = ("cnn_lstm", "resnet", "wrn", "resnet50", "small_cnn")


def build(name: str, *, classes: int, input_shape: tuple[int, ...], **options: Any) -> nn.Module:
    """Return the network of that name, with fresh initial values from torch's global generator.

    Images come in as float (n, C, H, W), texts as integers (n, length), vectors as float (n, d).
    `input_shape` is the shape of one stored sample: (H, W, C), (length,) or (d,).
    `name` may be `module:function`: a factory of the user's own that takes the same arguments; its module is
    looked for in the working directory too.

    >>> network = build("small_cnn", classes=10, input_shape=(28, 28, 1))
    >>> sum(parameter.numel() for parameter in network.parameters())
    9098
    """
    factory = load("model", name) if is_reference(name) else _known_factory(name)
    _check_options(name, factory, options)
    try:
        network = factory(classes=classes, input_shape=tuple(input_shape), **options)
    except InputError:
        raise
    except (TypeError, ValueError, RuntimeError, ArithmeticError) as error:
        raise InputError(f"model {name}: cannot be built with {options}: {one_line(error)}") from error
    if not isinstance(network, nn.Module):
        raise InputError(f"model {name}: must return a torch.nn.Module, got {type(network).__name__}")
    return network


def one_line(error: Exception) -> str:
    """Return what the error says, in one line of at most 200 characters.

    >>> one_line(RuntimeError("sizes differ:\\n  3 and 4"))
    'RuntimeError: sizes differ: 3 and 4'
    """
    return shorten(f"{type(error).__name__}: {error}", 200, placeholder=" ...")


def decayed_parameters(module: nn.Module, *, on: str = CONVOLUTIONS) -> list[nn.Parameter]:
    """Return the parameters that L2 regularisation acts on: kernels of convolutions; of dense layers too on "kernels".

    Biases, normalisation and embeddings are left alone, as in the Keras examples that the paper builds on.
    """
    kinds = (nn.Conv1d, nn.Conv2d, nn.Conv3d, *((nn.Linear,) if on == KERNELS else ()))
    kernels = (layer.weight for layer in module.modules() if isinstance(layer, kinds))
    return [kernel for kernel in kernels if isinstance(kernel, nn.Parameter)]


def _known_factory(name: str) -> Any:
    require_choice("model", name, NAMES)
    return getattr(import_module(f"comitia.deep.models.{name}"), name)


def _check_options(name: str, factory: Any, options: dict[str, Any]) -> None:
    known = signature(factory).parameters
    if any(entry.kind is Parameter.VAR_KEYWORD for entry in known.values()):
        return
    for option in options:
        if option not in known:
            choices = [key for key in known if key not in ("classes", "input_shape")]
            listed = ", ".join(choices) or "none"
            hint = nearest(option, choices)
            raise InputError(f"model {name}: no option '{option}', it takes {listed}{hint}")
