"""Data sets and their fetching.

>>> sorted(NAMES)
['arrays', 'cifar10', 'cifar100', 'eyepacs', 'imdb', 'mnist5k']
"""

from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from comitia import _extensions
from comitia._errors import InputError, nearest, require_choice
from comitia.data.dataset import Dataset, Parts, data_folder, divide, mean_image
from comitia.data.fetching import fetch

# The module of each reader `read_<name>`, in the order of the documents.
_HOMES = {
    "imdb": "imdb",
    "cifar10": "cifar",
    "cifar100": "cifar",
    "eyepacs": "eyepacs",
    "mnist5k": "mnist5k",
    "arrays": "arrays",
}
NAMES = tuple(_HOMES)

__all__ = ["NAMES", "Dataset", "Parts", "data_folder", "divide", "fetch", "load", "mean_image"]


def load(name: str, folder: str | Path | None = None, *, partial: bool = False, **options: Any) -> Dataset:
    """Return the data set of that name, from the folder or the cache.

    `partial` accepts a copy with some of the training files missing. Further options belong to the data set:
    `length`, `words` of imdb, `blur`, `size`, `public` of eyepacs. `name` may be `module:function`: your own function
    that takes (folder, and options by name) and returns a `Dataset`.

    >>> load("mnist5k").train_x.shape
    (4000, 28, 28, 1)
    """
    read = _reader(name)
    asked = {**options, "partial": True} if partial else options
    known = {key: entry for key, entry in signature(read).parameters.items() if key != "folder"}
    anything = any(entry.kind is Parameter.VAR_KEYWORD for entry in known.values())
    for option, value in asked.items():
        if option in known:
            _check_type(f"data set {name}: {option}", known[option].annotation, value)
        elif not anything:
            listed, hint = ", ".join(known) or "none", nearest(option, known)
            raise InputError(f"data set {name}: no option '{option}', it takes {listed}{hint}")
    dataset = read(folder, **asked)
    if not isinstance(dataset, Dataset):
        raise InputError(f"data set {name}: must return a Dataset, got {type(dataset).__name__}")
    return dataset


def _reader(name: str) -> Callable[..., Any]:
    if _extensions.is_reference(name):
        return _extensions.load("data set", name)
    home = _HOMES[require_choice("data set", name, NAMES)]
    found: Callable[..., Any] = getattr(import_module(f"comitia.data.{home}"), f"read_{name}")
    return found


def _check_type(what: str, kind: Any, value: Any) -> None:
    if kind not in (int, float, bool):
        return  # only readers from outside have other types, and check them themselves
    accepted = (int, float) if kind is float else kind
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        raise InputError(f"{what} must be {'an integer' if kind is int else 'a number'}, got {value!r}")
