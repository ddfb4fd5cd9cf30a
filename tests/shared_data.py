"""Where the real data lies that some tests use: beside the project, or where COMITIA_SHARED_DATA says."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(os.environ.get("COMITIA_SHARED_DATA", ROOT.parent / "shared" / "data"))


def shared(name: str) -> Path:
    """The path of that file or folder; the test skips with a message where it is absent."""
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"needs {name} in {FOLDER} (COMITIA_SHARED_DATA moves it)")
    return path
