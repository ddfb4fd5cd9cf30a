"""The map of equations is true: each function and test that it names exists, no public bound is missing."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from comitia import bounds

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\|.*\| `(comitia\.[\w.]+)` \| `(tests/[\w/]+\.py)(?:::(\w+))?` \|$", re.M)
PAGE = (ROOT / "docs" / "equations.md").read_text(encoding="utf-8")
ROWS = ROW.findall(PAGE)


def find(dotted):
    """The object of that name: the longest part that can be imported, then its attributes."""
    parts = dotted.split(".")
    found = importlib.import_module(parts[0])
    for depth, part in enumerate(parts[1:], start=2):
        if not hasattr(found, part):
            importlib.import_module(".".join(parts[:depth]))
        found = getattr(found, part)
    return found


def test_every_row_is_read():
    lines = [
        line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| equation")
    ]
    assert len(ROWS) == len(lines) > 25


@pytest.mark.parametrize("dotted", sorted({row[0] for row in ROWS}))
def test_the_function_exists(dotted):
    if dotted.startswith("comitia.deep."):
        pytest.importorskip("torch", reason="samplers need the extra torch")
    assert callable(find(dotted))


@pytest.mark.parametrize("file, name", sorted({row[1:] for row in ROWS}))
def test_the_test_exists(file, name):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert name in defined if name else any(test.startswith("test") for test in defined)


@pytest.mark.parametrize("name", bounds.__all__)
def test_every_public_bound_has_its_row(name):
    assert f"comitia.bounds.{name}" in {row[0] for row in ROWS}
