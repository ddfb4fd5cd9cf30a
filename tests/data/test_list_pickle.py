import io
import pickle

import numpy as np
import pytest

from comitia._errors import InputError
from comitia.data.list_pickle import read_lists


def test_lists_come_back() -> None:
    array = np.empty(2, dtype=object)
    array[:] = [[1, 300, 70_000], [2]]
    assert read_lists(io.BytesIO(pickle.dumps(array)), "x") == [[1, 300, 70_000], [2]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pickle.dumps([[1, 2]]), "must hold an array of lists of integers"),
        (pickle.dumps(np.arange(3)), "must hold an array of lists of integers"),
        (pickle.dumps(print), "asks for builtins.print"),
        (pickle.dumps(np.float64(3)), "asks for numpy.*scalar"),
        (b"cnumpy\nndarray\n(I1000000000000\ntR.", r"broken \(UnpicklingError: an array is made directly\)"),
        (b"cnumpy\nload\n(S'x'\ntR.", "asks for numpy.load"),
        (b"cnumpy\ndtype.__class__\n.", "asks for numpy.dtype.__class__"),
        (b"Pabc\n.", "refers to objects outside"),
        (b"", "broken"),
        (b"\x80\x04\x95", "broken"),
    ],
)
def test_everything_else_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_lists(io.BytesIO(content), "x")
