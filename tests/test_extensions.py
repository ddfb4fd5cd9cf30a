"""Parts from outside: callables, names of ours, and `module:function`."""

import sys

import pytest

from comitia._errors import InputError
from comitia._extensions import load, name_of, resolve


def test_a_callable_is_taken_as_it_is():
    assert resolve("method", len, {}) is len


def test_a_name_is_looked_up_and_suggested():
    assert resolve("method", "one", {"one": len}) is len
    with pytest.raises(InputError, match=r"method: 'on' is not one of one, two \(did you mean 'one'\?\)"):
        resolve("method", "on", {"one": len, "two": len})


def test_a_module_of_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "outside_part.py").write_text("def double(x):\n    return 2 * x\nnumber = 3\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert load("method", "outside_part:double")(4) == 8
    with pytest.raises(InputError, match="method: module 'outside_part' has no function 'triple'"):
        load("method", "outside_part:triple")
    with pytest.raises(InputError, match="has no function 'number'"):
        load("method", "outside_part:number")


@pytest.mark.parametrize("reference", ["no_such_module_here:f", ":f", "..:f"])
def test_a_module_that_cannot_be_imported(reference):
    with pytest.raises(InputError, match="method: cannot import"):
        load("method", reference)


def test_anything_else_is_an_error():
    with pytest.raises(InputError, match=r"method: must be a name, 'module:function' or a callable, got 3"):
        resolve("method", 3, {})


def test_names_for_records():
    assert name_of("tandem") == "tandem"
    assert name_of(load) == "comitia._extensions:load"
