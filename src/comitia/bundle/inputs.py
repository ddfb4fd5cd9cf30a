"""Samples for a bundle: inputs by place or by name, in batches, with labels where there are any."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._extensions import has, is_reference, load
from comitia.bundle.config import Config
from comitia.files.npy import read_npy
from comitia.files.npz import read_named

Arrays = dict[str, NDArray[Any]]
#: Names under which files and loaders give labels; ids of samples lie under `ids`.
LABELS = ("labels", "label", "y")
#: Samples at once, unless one of them is large.
BATCH, BATCH_NUMBERS = 256, 2**21


@dataclass(frozen=True, eq=False)
class Samples:
    """Inputs of n samples by name, their labels and ids where they are known."""

    inputs: Arrays
    labels: NDArray[Any] | None = None
    ids: NDArray[np.str_] | None = None

    def __post_init__(self) -> None:
        sizes = {len(array) for array in self.inputs.values()}
        sizes |= set() if self.labels is None else {len(self.labels)}
        if len(sizes) != 1 or not sizes.pop():
            counts = ", ".join(f"{name}: {len(array):,}" for name, array in self.inputs.items())
            counts += "" if self.labels is None else f", labels: {len(self.labels):,}"
            raise InputError(f"inputs: must hold the same samples, one or more, got {counts or 'nothing'}")

    def __len__(self) -> int:
        return len(next(iter(self.inputs.values())))

    def batches(self, size: int | None = None) -> Iterator[Arrays]:
        """Yield the inputs of that many samples at a time."""
        numbers = sum(int(np.prod(array.shape[1:])) for array in self.inputs.values())
        step = max(1, min(BATCH, BATCH_NUMBERS // max(1, numbers))) if size is None else size
        for start in range(0, len(self), step):
            yield {name: np.asarray(array[start : start + step]) for name, array in self.inputs.items()}


@dataclass
class Digest:
    """The sha256 of samples and labels, the same however they came in batches."""

    parts: dict[str, Any] = field(default_factory=dict)

    def add(self, inputs: Mapping[str, NDArray[Any]], labels: NDArray[Any]) -> None:
        """Take further samples into account."""
        for name, array in {**inputs, "labels": np.asarray(labels).astype(np.int64)}.items():
            key = f"{name} {array.dtype.str} {array.shape[1:]}"
            self.parts.setdefault(key, sha256()).update(np.ascontiguousarray(array))

    def hexdigest(self) -> str:
        """Return it as text."""
        listed = [f"{key} {part.hexdigest()}" for key, part in sorted(self.parts.items())]
        return sha256("\n".join(listed).encode()).hexdigest()


def open_samples(spec: str | Path, config: Config) -> Any:
    """Return the samples of a file (`.npz`, `.npy`), or what a `module:function` returns; `walk_samples` takes both."""
    if is_reference(str(spec)) and not Path(spec).exists():
        return _called(str(spec))
    path = Path(spec)
    if not path.is_file():
        raise InputError(f"{spec}: no such file; give .npz, .npy or module:function")
    if path.suffix.lower() == ".npy":
        return read_npy(path)
    if path.suffix.lower() != ".npz":
        raise InputError(f"{spec}: must end in .npz or .npy, or be module:function")
    return _from_arrays(str(path), read_named(path), config)


def walk_samples(given: Any, config: Config) -> Iterator[Samples]:
    """Yield the samples in arrays all at once, in batches such as a loader gives batch by batch.

    They are an array, a mapping of arrays, (inputs, labels), or an iterable of any of these.
    """
    if isinstance(given, Samples):
        yield given
    elif _is_array(given):
        yield Samples(_named((given,), config))
    elif isinstance(given, Mapping):
        yield _from_arrays("inputs", {str(key): as_array(one) for key, one in given.items()}, config)
    elif isinstance(given, tuple) and len(given) == 2 and _is_array(given[1]) and given[1].ndim == 1:
        yield Samples(_one(given[0], config), as_array(given[1]))
    elif hasattr(given, "batches"):  # a hold-out of `comitia.members`
        for batch in given.batches():
            yield from walk_samples(batch, config)
    elif isinstance(given, Iterable):
        for batch in given:
            yield from walk_samples(tuple(batch) if isinstance(batch, list) else batch, config)
    else:
        raise InputError(f"data: must be arrays or batches of (inputs, labels), got {type(given).__name__}")


def _called(reference: str) -> Any:
    """Return what a function gives; with torch it may be a dataset, too."""
    if has("torch"):
        from comitia.members.holdout import open_data

        return open_data(reference)
    return load("data", reference)()


def as_array(values: Any) -> NDArray[Any]:
    """Return a tensor, array or list as an array."""
    if hasattr(values, "detach"):  # a tensor, without importing torch
        return np.asarray(values.detach().cpu().numpy())
    return np.asarray(values)


def codes_of(labels: NDArray[Any], class_names: Sequence[str], declared: bool) -> NDArray[np.int64]:
    """Return labels as numbers of classes; they are numbers, or names of classes that have names.

    >>> codes_of(np.array(["dog", "cat"]), ("cat", "dog"), True)
    array([1, 0])
    """
    place = {name: code for code, name in enumerate(class_names)}
    texts = labels.dtype.kind in "UST" or (declared and {str(x) for x in labels.tolist()} <= place.keys())
    if texts:
        odd = sorted({str(x) for x in labels.tolist()} - place.keys())
        if odd:
            raise InputError(
                f"labels: '{odd[0][:40]}' is no class of the ensemble; it knows {', '.join(class_names[:5])}"
            )
        return np.array([place[str(x)] for x in labels.tolist()], dtype=np.int64)
    if labels.ndim != 1 or labels.dtype.kind not in "iu" or labels.min() < 0 or labels.max() >= len(place):
        raise InputError(f"labels: must be classes 0 to {len(place) - 1}, one per sample")
    return labels.astype(np.int64)


def _is_array(given: Any) -> bool:
    return isinstance(given, np.ndarray) or hasattr(given, "detach")


def _one(given: Any, config: Config) -> Arrays:
    """The inputs of one batch, by name."""
    if isinstance(given, Mapping):
        return _ordered("inputs", {str(key): as_array(one) for key, one in given.items()}, config)
    return _named(tuple(given) if isinstance(given, tuple | list) else (given,), config)


def _named(given: tuple[Any, ...], config: Config) -> Arrays:
    names = [one.name for one in config.inputs] or [
        f"inputs_{i}" if i else "inputs" for i in range(len(given))
    ]
    if len(names) != len(given):
        raise InputError(f"inputs: the ensemble takes {len(names)} ({', '.join(names)}), got {len(given)}")
    return {name: as_array(one) for name, one in zip(names, given)}


def _from_arrays(source: str, arrays: Arrays, config: Config) -> Samples:
    """The samples in arrays by name: labels and ids under their names, all others are inputs."""
    labels = next((arrays.pop(name) for name in LABELS if name in arrays), None)
    ids = arrays.pop("ids", None)
    return Samples(_ordered(source, arrays, config), labels, None if ids is None else ids.astype(str))


def _ordered(source: str, arrays: Arrays, config: Config) -> Arrays:
    names = [one.name for one in config.inputs]
    if len(arrays) == 1 and len(names) <= 1:  # one input may have any name
        return {names[0] if names else "inputs": next(iter(arrays.values()))}
    missing = [name for name in names if name not in arrays]
    if missing:
        raise InputError(
            f"{source}: no array '{missing[0]}'; the ensemble takes {', '.join(names)}, there are "
            f"{', '.join(arrays) or 'none'}"
        )
    return {name: arrays[name] for name in names} if names else arrays
