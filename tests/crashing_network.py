"""Factories of networks that kill the worker which builds them, for tests of the engines."""

import os
import signal
import sys
from pathlib import Path

import torch
from torch import nn

from comitia.deep.models import build
from comitia.deep.seeds import number


def once(*, classes: int, input_shape: tuple[int, ...], marker: str) -> nn.Module:
    """A small network; the first worker that builds one dies of SIGKILL (the parent builds one too, as a check)."""
    if "comitia.engines.worker" in sys.orig_argv and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return build("small_cnn", classes=classes, input_shape=input_shape, filters=2)


def always(*, classes: int, input_shape: tuple[int, ...], run: int) -> nn.Module:
    """A small network; a process that builds the one of that run dies of SIGKILL each time."""
    if torch.initial_seed() == number(0, run, 0, "initial"):
        os.kill(os.getpid(), signal.SIGKILL)
    return build("small_cnn", classes=classes, input_shape=input_shape, filters=2)


def broken(*, classes: int, input_shape: tuple[int, ...], run: int) -> nn.Module:
    """A small network; building the one of that run raises, as a full disk would."""
    if torch.initial_seed() == number(0, run, 0, "initial"):
        raise OSError(28, "No space left on device")
    return build("small_cnn", classes=classes, input_shape=input_shape, filters=2)


def leaving(*, classes: int, input_shape: tuple[int, ...], run: int) -> nn.Module:
    """A small network; a process that builds the one of that run ends with exit code 0."""
    if torch.initial_seed() == number(0, run, 0, "initial"):
        raise SystemExit(0)
    return build("small_cnn", classes=classes, input_shape=input_shape, filters=2)
