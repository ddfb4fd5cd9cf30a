"""State dicts in `.pt`, `.pth` and `.ckpt`: read by torch's weights-only loader, so that no file runs code."""

import pickle
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from comitia._errors import InputError

Tensors = dict[str, torch.Tensor]
#: How deep in a file a state is looked for: `{"state": {"model": {...}}}`.
DEPTH = 3


def read_torch(path: Path) -> Any:
    """Return what a file of `torch.save` holds, as far as that can be had without running code of it.

    The tensors lie in the file (memory-mapped), where its format allows that.
    """
    _check_archive(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except pickle.UnpicklingError as error:
        raise InputError(f"{path}: {_refusal(str(error))}") from None
    except Exception as error:  # a damaged file may raise anything
        raise InputError(
            f"{path}: not readable as a file of torch.save ({_first_line(error)}); it may be cut short: copy or "
            "save it again"
        ) from None


def _check_archive(path: Path) -> None:
    """Raise for archives that are no plain file of `torch.save`: programs, and entries larger than the file."""
    if path.stat().st_size == 0:
        raise InputError(f"{path}: is empty (0 bytes); save it again")
    if not zipfile.is_zipfile(path):
        return
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError(f"{path}: is a damaged archive ({error}); copy or save it again") from None
    if any(item.filename.endswith("/constants.pkl") for item in entries):
        raise InputError(
            f"{path}: is a TorchScript program, which holds code and is refused; save the network's state_dict(), "
            "or export it as .onnx"
        )
    packed = any(item.compress_type != zipfile.ZIP_STORED for item in entries)
    if packed or sum(item.file_size for item in entries) > path.stat().st_size:
        raise InputError(
            f"{path}: its entries unpack to more than the file holds, which torch.save never writes; save it again"
        )


def _refusal(text: str) -> str:
    """What is wrong with a pickle that torch refuses, from what torch says."""
    found = re.search(r"GLOBAL\s+([\w.]+)", text)
    if found is None:
        found = re.search(r"(?:class|function|type) ([\w.]+\.[\w.]+)", text)
    if found is not None:
        return (
            f"refused, because reading it would run code ({found[1]}); save the state alone: "
            "torch.save(network.state_dict(), path)"
        )
    last = " ".join(text.split("WeightsUnpickler error:")[-1].split())[:200]
    return f"refused by torch's weights-only loader ({last}); save the state alone, or as .safetensors"


def _first_line(error: Exception) -> str:
    """The first sentence of what an error says."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].split(". ")[0][:200]


def states_in(held: Any) -> dict[str, Tensors]:
    """Return the states in what a file holds, by where they lie: "" for the file itself, "state_dict", "a.b".

    >>> weights = {"weight": torch.zeros(2, 3)}
    >>> sorted(states_in({"epoch": 3, "state_dict": weights, "ema": weights}))
    ['ema', 'state_dict']
    >>> sorted(states_in(weights))
    ['']
    """
    return dict(_states(held, (), DEPTH))


def _states(held: Any, where: tuple[str, ...], depth: int) -> Iterator[tuple[str, Tensors]]:
    if not isinstance(held, Mapping) or not held:
        return
    texts = all(isinstance(key, str) for key in held)
    if texts and all(isinstance(value, torch.Tensor) for value in held.values()):
        if any(value.dim() for value in held.values()):  # numbers alone are scores, not parameters
            yield ".".join(where), dict(held)
        return
    if depth:
        for key, value in held.items():
            if isinstance(key, str) and not key.startswith("optimizer"):
                yield from _states(value, (*where, key), depth - 1)


def require_states(path: Path, held: Any) -> dict[str, Tensors]:
    """Return the states in what a file holds; raise where there is none."""
    if found := states_in(held):
        return found
    raise InputError(f"{path}: holds no state dict (names with tensors), but {_described(held)}")


def _described(held: Any) -> str:
    if isinstance(held, Mapping):
        keys = [str(key) for key in held][:6]
        return f"a mapping of {', '.join(keys) or 'nothing'}"
    return f"a {type(held).__name__}"
