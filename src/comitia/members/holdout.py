"""The hold-out: inputs in batches and their labels, from whatever the user has, in one order for every member."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import DataLoader, Dataset, IterableDataset, SequentialSampler

from comitia._errors import InputError
from comitia._extensions import is_reference, load
from comitia.deep.models import one_line
from comitia.deep.prediction import batch_size
from comitia.files.npz import read_named
from comitia.members.limits import array_bytes, require_memory

#: Names of labels among named inputs.
LABELS = ("labels", "label", "y")
#: Samples in a batch of a dataset, whose samples may be anything.
BATCH = 128
Labels = NDArray[np.int64]
Pair = tuple[Any, Labels]


@dataclass(frozen=True)
class Data:
    """Hold-out samples in one order: `batches()` yields (inputs, labels) and checks that they are those of `sha256`.

    `example` is the inputs of the first batch.
    """

    labels: Labels
    sha256: str
    example: Any = field(repr=False)
    _again: Callable[[], Iterator[Pair]] = field(repr=False)

    @property
    def samples(self) -> int:
        """How many samples there are."""
        return len(self.labels)

    def batches(self) -> Iterator[Pair]:
        """Yield (inputs, labels) of each batch; raise at the end if they were not the samples seen before."""
        digest = sha256()
        for inputs, labels in self._again():
            _count(digest, inputs, labels)
            yield inputs, labels
        if digest.hexdigest() != self.sha256:
            raise InputError(
                "data: gave other samples than before: members must see the same samples in the same order; leave "
                "out shuffling and random augmentation"
            )


def open_data(given: Any) -> Data:
    """Return the hold-out, after one pass over it that takes its labels and checksum.

    `given` is a `DataLoader` that does not shuffle; a dataset; arrays (x, y), (x1, x2, y) or by name with "labels";
    the name of a `.npz` with the same; or `module:function`, or a function, that returns one of these.
    """
    again = _source(_resolved(given))
    digest, labels, example = sha256(), [], None
    try:
        for inputs, found in again():
            example = inputs if example is None else example
            _count(digest, inputs, found)
            labels.append(found)
    except InputError:
        raise
    except Exception as error:  # a dataset of the user's may raise anything
        ragged = (
            "; give a DataLoader whose collate_fn pads" if "stack expects each tensor" in str(error) else ""
        )
        raise InputError(f"data: reading it failed: {one_line(error)}{ragged}") from error
    if not labels:
        raise InputError("data: holds no samples")
    joined = np.concatenate(labels)
    if joined.min() < 0:
        raise InputError(f"data: labels must be classes from 0, got {joined.min()}")
    return Data(joined, digest.hexdigest(), example, again)


def _resolved(given: Any) -> Any:
    """What a name or a function stands for."""
    if isinstance(given, str | Path):
        text = str(given)
        if text.lower().endswith(".npz"):
            return read_named(Path(text), _require_fits)
        if not is_reference(text):
            raise InputError(f"data: must be a .npz or module:function, got '{text}'")
        given = load("data", text)
    if isinstance(given, DataLoader | Dataset | Mapping | Sequence) or not callable(given):
        return given
    try:
        return given()
    except InputError:
        raise
    except Exception as error:  # the user's function may raise anything
        raise InputError(f"data: the function failed: {one_line(error)}") from error


def _require_fits(name: str, shape: tuple[int, ...], itemsize: int) -> None:
    require_memory(name, array_bytes(shape, itemsize))


def _source(given: Any) -> Callable[[], Iterator[Pair]]:
    """What yields all batches each time it is called."""
    if isinstance(given, DataLoader):
        _require_order(given)
        return lambda: (_pair(batch) for batch in given)
    if isinstance(given, IterableDataset):
        raise InputError("data: a dataset that can only be run through needs a DataLoader around it")
    if isinstance(given, Dataset) or _indexed(given):
        loader: DataLoader[Any] = DataLoader(given, batch_size=BATCH)
        return lambda: (_pair(batch) for batch in loader)
    inputs, labels = _arrays(given)
    return lambda: _slices(inputs, labels)


def _indexed(given: Any) -> bool:
    """Whether it is a dataset in all but name, as those of `datasets` are."""
    named = isinstance(given, Mapping | tuple | list | np.ndarray | torch.Tensor)
    return not named and hasattr(given, "__getitem__") and hasattr(given, "__len__")


def _require_order(loader: "DataLoader[Any]") -> None:
    """Raise for loaders that shuffle: labels and samples must be the same for every member."""
    sampler = getattr(loader.batch_sampler, "sampler", loader.sampler)
    if not isinstance(loader.dataset, IterableDataset) and not isinstance(sampler, SequentialSampler):
        raise InputError(
            f"data: the DataLoader draws samples in an order of its own ({type(sampler).__name__}), and every member "
            "must see the same order; make it with shuffle=False"
        )


def _pair(batch: Any) -> Pair:
    """Inputs and labels of a batch: the last of several, or the one that is called so."""
    if isinstance(batch, Mapping):
        name = next((name for name in LABELS if name in batch), None)
        if name is None:
            raise InputError(f"data: no labels among {', '.join(map(str, batch))}; name them 'labels'")
        named = {key: one for key, one in batch.items() if key != name}
        return named["x"] if named.keys() == {"x"} else named, _labels(batch[name])
    if isinstance(batch, tuple | list) and len(batch) >= 2:
        inputs = batch[0] if len(batch) == 2 else tuple(batch[:-1])
        if isinstance(inputs, tuple | list) and len(inputs) == 1:
            inputs = inputs[0]
        return tuple(inputs) if isinstance(inputs, list) else inputs, _labels(batch[-1])
    raise InputError(
        f"data: must give (inputs, labels), or inputs by name with 'labels', got {type(batch).__name__}"
    )


def _labels(values: Any) -> Labels:
    array = values.numpy(force=True) if isinstance(values, torch.Tensor) else np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or array.dtype.kind not in "iub":
        raise InputError(
            f"data: labels must be integers (n,), one class per sample, got {array.dtype} of shape {array.shape}"
        )
    return array.astype(np.int64)


def _arrays(given: Any) -> Pair:
    """Inputs and labels as arrays of one length."""
    if not isinstance(given, Mapping | tuple | list):
        raise InputError(
            f"data: must be a DataLoader, a dataset, arrays (x, y) or a .npz, got {type(given).__name__}"
        )
    inputs, labels = _pair(given)
    for name, one in _listed(inputs):
        if not hasattr(one, "shape") or one.shape[:1] != labels.shape:
            raise InputError(f"data: {name} must have a row per label ({len(labels)}), got {_shape(one)}")
        if getattr(one.dtype, "kind", "f") not in "fiub":
            raise InputError(f"data: {name} must hold numbers, got {one.dtype}")
    return inputs, labels


def _shape(values: Any) -> str:
    return str(tuple(values.shape)) if hasattr(values, "shape") else type(values).__name__


def _listed(inputs: Any) -> list[tuple[str, Any]]:
    """Each input with its name."""
    if isinstance(inputs, Mapping):
        return [(str(name), one) for name, one in inputs.items()]
    if isinstance(inputs, tuple | list):
        return [(f"input {place}", one) for place, one in enumerate(inputs)]
    return [("x", inputs)]


def _slices(inputs: Any, labels: Labels) -> Iterator[Pair]:
    numbers = sum(prod(one.shape[1:]) for _, one in _listed(inputs))
    size = batch_size((max(1, numbers),))
    for start in range(0, len(labels), size):
        yield _part(inputs, slice(start, start + size)), labels[start : start + size]


def _part(inputs: Any, rows: slice) -> Any:
    if isinstance(inputs, Mapping):
        return {name: one[rows] for name, one in inputs.items()}
    return tuple(one[rows] for one in inputs) if isinstance(inputs, tuple) else inputs[rows]


def _count(digest: Any, inputs: Any, labels: Labels) -> None:
    """Add a batch to the checksum; how samples are cut into batches belongs to it, for sums depend on it."""
    for name, one in [*_listed(inputs), ("labels", labels)]:
        array = one.numpy(force=True) if isinstance(one, torch.Tensor) else np.asarray(one)
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(
            np.ascontiguousarray(array).view(np.uint8).data if array.size and array.ndim else array.tobytes()
        )
