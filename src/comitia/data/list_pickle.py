"""Arrays of lists of integers out of a pickle, without ever running what the pickle asks for.

A pickle may name any function and have it called. Here the three names that a numpy object array needs are
answered by stand-ins of our own, which only remember what they were given; every other name is refused.
"""

import pickle
from typing import Any, BinaryIO

from comitia._errors import InputError


class _Remembered:
    """Stands for an array or a dtype: keeps the state that the pickle sets."""

    state: Any = None

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _ArrayName:
    """Stands for the class `numpy.ndarray`, which is named and never called."""

    def __new__(cls, *arguments: Any) -> "_ArrayName":
        raise pickle.UnpicklingError("an array is made directly")


def _reconstruct(*arguments: Any) -> _Remembered:
    return _Remembered(*arguments)


def _dtype(*arguments: Any) -> _Remembered:
    return _Remembered(*arguments)


STAND_INS = {
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy._core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy", "ndarray"): _ArrayName,
    ("numpy", "dtype"): _dtype,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in STAND_INS:
            raise InputError(
                f"the pickle inside asks for {module}.{name}, which a list of numbers never needs; "
                "it was not run: do not use this file"
            )
        return STAND_INS[module, name]

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("it refers to objects outside of the file")


def read_lists(stream: BinaryIO, what: str) -> list[list[int]]:
    """Return the lists of integers in the pickled object array that the stream holds next.

    Raises `InputError` for a name other than those of a numpy array, and for any other content.
    """
    try:
        # latin1: Keras's file was written by Python 2, whose texts have no encoding of their own.
        array = _Unpickler(stream, encoding="latin1").load()
    except InputError as error:
        raise InputError(f"{what}: {error}") from error
    except Exception as error:  # a broken pickle raises errors of every kind
        raise InputError(f"{what}: the pickle inside is broken ({type(error).__name__}: {error})") from error
    if not isinstance(array, _Remembered) or not isinstance(array.state, tuple) or len(array.state) != 5:
        raise InputError(f"{what}: must hold an array of lists of integers, got something else")
    rows = array.state[4]
    if not isinstance(rows, list) or not all(type(row) is list for row in rows):
        raise InputError(f"{what}: must hold an array of lists of integers, got something else")
    if not all(type(word) is int for row in rows for word in row):
        raise InputError(f"{what}: must hold lists of integers, got another kind of element")
    return rows
