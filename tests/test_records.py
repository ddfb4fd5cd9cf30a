"""Records to plain data and back, and the path that each error names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._records import from_plain, parse_json, require_format, to_plain


@dataclass(frozen=True)
class Inner:
    name: str
    share: int | float = 0
    lam: float | None = field(default=None, metadata={"key": "lambda"})

    def fault(self) -> str | None:
        return "share must not be negative" if self.share < 0 else None


@dataclass(frozen=True)
class Outer:
    inner: Inner
    many: tuple[Inner, ...] = ()
    pair: tuple[str, int] = ("a", 1)
    table: dict[str, float] = field(default_factory=dict)
    free: Mapping[str, Any] = field(default_factory=dict)
    flag: bool = False
    maybe: Inner | None = None
    either: Inner | float = 0.0


GOOD = {
    "inner": {"name": "x", "share": 1, "lambda": 2},
    "many": [{"name": "y", "share": 0.5}],
    "pair": ["b", 2],
    "table": {"k": 1},
    "free": {"anything": [1, {"a": None}]},
    "flag": True,
    "maybe": {"name": "z"},
    "either": 1,
}


def test_there_and_back():
    made = from_plain(Outer, GOOD)
    assert made.inner == Inner("x", 1, 2.0)
    assert isinstance(made.inner.share, int)
    assert isinstance(made.many[0].share, float)
    assert made.maybe == Inner("z")
    plain = to_plain(made)
    assert plain["inner"] == {"name": "x", "share": 1, "lambda": 2.0}
    assert from_plain(Outer, plain) == made


BAD = [
    ([], "must be a table of keys, got []"),
    ({}, "inner: missing; it has no default"),
    ({"inner": {"name": 1}}, "inner.name: must be a text, got 1"),
    ({"inner": {"name": "x", "share": True}}, "inner.share: must be a number, got True"),
    ({"inner": {"name": "x", "share": -1}}, "inner: share must not be negative"),
    ({"inner": {"name": "x", "lam": 1}}, "inner.lam: unknown key (did you mean 'lambda'?)"),
    ({"inner": {"name": "x", "share": 10**30}}, "inner.share: must be a number, got 1000000"),
    ({"inner": {"name": "x", "lambda": float("nan")}}, "inner.lambda: must be a number, got nan"),
    ({"inner": {"name": "x"}, "many": {}}, "many: must be a list, got {}"),
    ({"inner": {"name": "x"}, "many": [{"name": "y"}, 3]}, "many[1]: must be a table of keys, got 3"),
    ({"inner": {"name": "x"}, "pair": ["a"]}, "pair: must have 2 entries, got 1"),
    ({"inner": {"name": "x"}, "pair": ["a", 1.5]}, "pair[1]: must be a whole number, got 1.5"),
    ({"inner": {"name": "x"}, "table": {"k": "v"}}, "table.k: must be a number, got 'v'"),
    ({"inner": {"name": "x"}, "free": 3}, "free: must be a table of keys, got 3"),
    ({"inner": {"name": "x"}, "free": {"k": [1, 10**400]}}, "free.k[1]: must be a number, got 1000000"),
    ({"inner": {"name": "x"}, "flag": 1}, "flag: must be true or false, got 1"),
    ({"inner": {"name": "x"}, "either": "w"}, "either: must be a number, got 'w'"),
    ({"inner": {"name": "x"}, "wrong": 1}, "wrong: unknown key"),
    ({"inner": {"name": "x"}, "share": 1}, "share: unknown key (did you mean 'inner.share'?)"),
    ({"inner": {"name": "x", "flag": True}}, "inner.flag: unknown key"),
]


@pytest.mark.parametrize("plain, message", BAD, ids=[message for _, message in BAD])
def test_an_error_names_the_path(plain, message):
    with pytest.raises(InputError) as error:
        from_plain(Outer, plain, "file.json: ")
    assert str(error.value).startswith(f"file.json: {message}")


def test_unknown_keys_may_be_let_through():
    assert from_plain(Inner, {"name": "x", "derived": 3}, strict=False) == Inner("x")


def test_arrays_become_lists_and_numbers_must_be_finite():
    @dataclass(frozen=True)
    class Weights:
        values: NDArray[np.float64]

    made = Weights(np.array([0.25, 0.75]))
    assert to_plain(made) == {"values": [0.25, 0.75]}
    with pytest.raises(ValueError, match="cannot be written"):
        to_plain(Weights(np.array([np.nan])))


@pytest.mark.parametrize(
    "text", ["{", "[NaN]", "[" * 200_000, "[-Infinity]", "[" * 60 + "]" * 60, '{"a": 1, "b": 2, "a": 3}']
)
def test_text_that_is_not_json(text):
    with pytest.raises(InputError, match=r"f\.json: not readable as JSON"):
        parse_json(text, "f.json")


def test_formats():
    assert require_format({"format": "x-2", "a": 1}, "x-2", "f", "an x")["a"] == 1
    with pytest.raises(InputError, match=r"another version of comitia \(format x-1, this one reads x-2\)"):
        require_format({"format": "x-1"}, "x-2", "f", "an x")
    for plain in ({"format": "y-2"}, [], {"format": 3}, None):
        with pytest.raises(InputError, match=r"f: not an x \(format x-2\)"):
            require_format(plain, "x-2", "f", "an x")
