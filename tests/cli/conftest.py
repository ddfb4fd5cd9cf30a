"""What tests of several commands share."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from comitia.cli.main import main
from evaluation.synthetic import ensemble


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Test predictions of 5 runs with 3 states each."""
    found = ensemble(samples=200, classes=2)
    probs = next(iter(found.blocks(10**6))).probs
    assert probs is not None
    path = tmp_path / "test.npz"
    np.savez(path, probs=probs[..., 1], labels=found.labels, run=found.run, step=found.step)
    return path


@pytest.fixture
def refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Call the command line in an empty folder: it must exit with 2 and write nothing. Returns what it said."""

    def call(*words: str) -> str:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as stopped:
            main(list(words))
        assert stopped.value.code == 2
        assert list(tmp_path.iterdir()) == []
        return capsys.readouterr().err

    return call
