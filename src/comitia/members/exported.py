"""Programs of `torch.export` (.pt2): read only where the user allows code, for reading them can run some."""

from pathlib import Path

import torch
from torch import nn

from comitia._errors import InputError
from comitia.deep.models import one_line


def open_program(place: Path, allow_code: bool) -> nn.Module:
    """Return an exported program as a module.

    `torch.export.load` evaluates expressions of the file (by sympy) and unpickles what it holds, so a hostile file
    can run code. Therefore it takes `allow_code`.
    """
    if not allow_code:
        raise InputError(
            f"{place}: reading an exported program can run code that the file holds; --allow-code if you trust it, "
            "else its state as .safetensors, or .onnx"
        )
    try:
        return torch.export.load(place).module()
    except Exception as error:  # a damaged archive may raise anything
        raise InputError(f"{place}: torch.export cannot read it ({one_line(error)})") from None
