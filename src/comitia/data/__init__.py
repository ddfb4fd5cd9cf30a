"""Data sets, one a file, and their fetching.

>>> sorted(NAMES)
['arrays', 'cifar10', 'cifar100', 'eyepacs', 'imdb', 'mnist5k']
"""

from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from comitia._errors import InputError, nearest, require_choice
from comitia.data.dataset import Dataset
from comitia.data.division import Parts, divide, mean_image
from comitia.data.fetching import fetch
from comitia.data.folders import cache_folder

NAMES = ("imdb", "cifar10", "cifar100", "eyepacs", "mnist5k", "arrays")

__all__ = ["NAMES", "Dataset", "Parts", "cache_folder", "divide", "fetch", "load", "mean_image"]


def load(name: str, folder: str | Path | None = None, *, partial: bool = False, **options: Any) -> Dataset:
    """The data set of that name, from the folder or the cache.

    `partial` accepts a copy with some of the training files missing. Further options belong to the data set:
    `length`, `words` of imdb, `blur`, `size` of eyepacs.

    >>> load("mnist5k").train_x.shape
    (4000, 28, 28, 1)
    """
    require_choice("data set", name, NAMES)
    read = import_module(f"comitia.data.{name}").read
    asked = {**options, "partial": True} if partial else options
    known = {key: entry.annotation for key, entry in signature(read).parameters.items() if key != "folder"}
    for option, value in asked.items():
        if option not in known:
            listed = ", ".join(known) or "none"
            hint = nearest(option, known)
            raise InputError(f"data set {name}: no option '{option}', it takes {listed}{hint}")
        _check_type(f"data set {name}: {option}", known[option], value)
    dataset: Dataset = read(folder, **asked)
    return dataset


def _check_type(what: str, kind: type, value: Any) -> None:
    accepted = (int, float) if kind is float else kind
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        raise InputError(f"{what} must be {'an integer' if kind is int else 'a number'}, got {value!r}")
