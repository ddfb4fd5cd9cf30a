"""Small texts through one opener: whatever is wrong with the path or the content is one line."""

import os
from pathlib import Path

import pytest

from comitia._errors import InputError
from comitia.files.texts import read_numbers, read_text
from comitia.recipes.toml import read_table


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.json", "none.json: no such file"),
        ("x" * 300, "not readable .File name too long"),
        ("a\0b", "no name of a file"),
        ("folder", "is a folder; the name of a file is required"),
        ("bytes.json", "not readable as text"),
        ("bytes.json/inside", "not readable .Not a directory"),
    ],
)
def test_paths_that_cannot_be_read(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=message):
        read_text(os.path.join(tmp_path, name))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "not readable as JSON"),
        ("[" + "9" * 5000 + "]", "not readable as JSON"),
        ("[" + "9" * 400 + "]", "beyond the range of float64"),
        ("[NaN]", "NaN is not a number"),
        ("[true]", "must be a JSON list of numbers"),
        ('{"a": 1}', "must be a JSON list of numbers"),
    ],
)
def test_lists_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "w.json").write_text(text)
    with pytest.raises(InputError, match=message):
        read_numbers(tmp_path / "w.json")


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 5000 + "]" * 5000, "a = " + "[" * 80 + "]" * 80, "a = " + "9" * 5000]
)
def test_deep_toml_and_long_numbers(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.toml").write_text(text)
    with pytest.raises(InputError, match="not a TOML file"):
        read_table(tmp_path / "r.toml")
