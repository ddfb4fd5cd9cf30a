"""`quorate collect`: again, and for new samples."""

import json
from pathlib import Path

import numpy as np
import pytest

from quorate.cli.main import main
from quorate.engines.work import train_one
from small_training import arrays_file, contents, dataset, small_recipe


def call(*words: str | Path) -> int:
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    assert isinstance(end.value.code, int)
    return end.value.code


def test_collect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    out.mkdir()
    recipe = small_recipe(folder=arrays_file(tmp_path), runs=1, epochs=2)
    (out / "recipe.toml").write_text(recipe.to_toml())
    train_one(str(out), 1, threads=1, device="cpu", report=lambda event: None)
    before = contents(out)

    assert call("collect", out, "--json", "-") == 0
    written = json.loads(capsys.readouterr().out)["predictions"]
    assert sorted(written) == ["holdout", "test"]
    assert before.items() <= contents(out).items()

    np.savez(tmp_path / "new.npz", x=dataset().test_x[:5], y=dataset().test_y[:5])
    words = ("collect", out, "--data", tmp_path / "new.npz", "--out", tmp_path / "p.npz")
    assert call(*words) == 0
    with np.load(tmp_path / "p.npz", allow_pickle=False) as file, np.load(written["test"]) as test:
        assert np.allclose(file["probs"], test["probs"][:, :5], atol=1e-6)
        assert file["labels"].tolist() == dataset().test_y[:5].tolist()
    assert call(*words) == 2
    assert "exists already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("collect", "."), "holds no training"),
        (("collect", ".", "--data", "a.npz"), "go together"),
        (("collect", ".", "--data", "a.npz", "--out", "b.npz"), "holds no training"),
    ],
)
def test_wrong_input(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(*words) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
