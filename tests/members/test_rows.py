"""What decides a row: code that makes a network counts with all of its own that it uses."""

import functools
import importlib
import sys
import types
from pathlib import Path

import pytest

from comitia.members.rows import code_files, describe_model

LAYERS = "from torch import nn\n\n\ndef layer():\n    return nn.Linear({}, 2)\n"
NETWORKS = "import torch\nfrom {0} import layer\n\n\ndef network():\n    return layer()\n"


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module that makes networks of what another module holds."""
    (tmp_path / "row_layers.py").write_text(LAYERS.format(4))
    (tmp_path / "row_networks.py").write_text(NETWORKS.format("row_layers"))
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("row_layers", "row_networks"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return "row_networks"


def test_code_that_the_module_imports_counts(code: str, tmp_path: Path) -> None:
    model = importlib.import_module(code).network
    before = describe_model(model)
    assert describe_model(model) == before
    assert [path.name for path in code_files(code)] == ["row_layers.py", "row_networks.py"]
    (tmp_path / "row_layers.py").write_text(LAYERS.format(5))
    assert describe_model(model) != before


def test_what_carries_values_along_is_never_taken_for_another(code: str) -> None:
    model = importlib.import_module(code).network
    width = 3

    def closure() -> int:
        return width

    nowhere = types.FunctionType(model.__code__, {}, "network")
    nowhere.__module__ = "__nowhere__"
    for one in (functools.partial(model), closure, nowhere):
        assert describe_model(one) != describe_model(one)
    assert describe_model(lambda width=3: width) != describe_model(lambda width=4: width)
    assert describe_model(None) is None
