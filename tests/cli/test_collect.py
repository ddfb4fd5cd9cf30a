"""`comitia collect`: again, and for new samples."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comitia.cli.main import main
from comitia.engines.worker import train_one
from comitia.recipes import Recipe, recipe_from_dict
from small_training import arrays_file, contents, dataset, small_recipe


def call(*words: str | Path) -> int:
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    assert isinstance(end.value.code, int)
    return end.value.code


def trained(out: Path, recipe: Recipe) -> Path:
    """The directory after the one run of the recipe."""
    out.mkdir()
    (out / "recipe.toml").write_text(recipe.to_toml())
    train_one(str(out), 1, threads=1, device="cpu", report=lambda event: None)
    return out


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training on images, of which tests only read."""
    folder = tmp_path_factory.mktemp("images")
    return trained(folder / "out", small_recipe(folder=arrays_file(folder), runs=1, epochs=1))


def test_collect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = trained(tmp_path / "out", small_recipe(folder=arrays_file(tmp_path), runs=1, epochs=2))
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
    assert "already exists" in capsys.readouterr().err


def test_augmented_copies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = trained(tmp_path / "out", small_recipe(folder=arrays_file(tmp_path), runs=1, epochs=2))
    assert call("collect", out) == 0
    before = contents(out)
    words = ("collect", out, "--augment", "flip-shift", "--copies", "4")
    capsys.readouterr()
    assert call(*words, "--json", "-") == 0
    written = json.loads(capsys.readouterr().out)["predictions"]
    assert written == {part: str(out / f"{part}-augmented.npz") for part in ("holdout", "test")}
    assert before.items() <= contents(out).items()
    assert call("weigh", written["holdout"], "--out", tmp_path / "e.json") == 0
    assert call("predict", tmp_path / "e.json", written["test"]) == 0
    assert call("evaluate", written["test"], "--sizes", "1") == 0

    capsys.readouterr()
    assert call(*words) == 2
    assert "holdout-augmented.npz: already exists; --force overwrites it" in capsys.readouterr().err
    assert call(*words, "--force") == 0

    np.savez(tmp_path / "new.npz", x=dataset().test_x[:5])
    assert call(*words, "--data", tmp_path / "new.npz", "--out", tmp_path / "p.npz") == 0
    with np.load(tmp_path / "p.npz") as new, np.load(written["test"]) as test:
        assert np.allclose(new["probs"], test["probs"][:, :5], atol=1e-6)
        assert new["names"].tolist() == test["names"].tolist()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--copies", "4"), "--copies: requires augment"),
        (("--augment", "flip-shift", "--copies", "1"), "--copies: must be at least 2, got 1"),
        (("--augment", "turn"), "--augment: 'turn' is not one of flip-shift"),
        (("--augment", "no_such_module:f"), "--augment: cannot import 'no_such_module'"),
    ],
)
def test_wrong_augmentation(
    images: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    before = contents(images)
    assert call("collect", images, *words) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert contents(images) == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("collect", "."), "holds no training"),
        (("collect", ".", "--data", "a.npz"), "data: data and out must be given together"),
        (("collect", ".", "--data", "a.npz", "--out", "b.npz"), "holds no training"),
    ],
)
def test_wrong_input(refused: Callable[..., str], words: tuple[str, ...], message: str) -> None:
    assert message in refused(*words)


X, Y = dataset().test_x[:5], dataset().test_y[:5]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": Y}, "must be a .npz with the samples x"),
        ({"x": X[:0]}, "with n at least 1"),
        ({"x": X[:, :8]}, "uint8 or float of shape (n, 12, 12, 1) with n at least 1, as the members were"),
        ({"x": X[0, 0, 0, 0]}, "got uint8 of shape ()"),
        ({"x": X.astype(np.int64)}, "got int64 of shape (5, 12, 12, 1)"),
        ({"x": X.astype(np.uint16)}, "got uint16"),
        ({"x": np.full(X.shape, np.nan)}, "x must be finite"),
        ({"x": X, "y": Y + 1}, "y must be classes 0 to 2, got"),
        ({"x": X, "y": Y - 3}, "y must be classes 0 to 2, got"),
        ({"x": X, "y": Y[:4]}, "one class per row of x, got int64 of shape (4,) for 5 rows"),
        ({"x": X, "y": Y + 0.5}, "y must be integer"),
    ],
)
def test_wrong_samples(
    tmp_path: Path, images: Path, capsys: pytest.CaptureFixture[str], arrays: dict[str, Any], message: str
) -> None:
    np.savez(tmp_path / "new.npz", **arrays)
    assert call("collect", images, "--data", tmp_path / "new.npz", "--out", tmp_path / "p.npz") == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["new.npz"]


def test_files_that_are_no_npz(tmp_path: Path, images: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "plain.npy", X)
    np.savez_compressed(tmp_path / "whole.npz", x=X)
    content = (tmp_path / "whole.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(content[:-40])
    (tmp_path / "bent.npz").write_bytes(content[:60] + b"\xff" * 40 + content[100:])
    (tmp_path / "empty.npz").write_bytes(b"")
    for name in ("plain.npy", "cut.npz", "bent.npz", "empty.npz"):
        assert call("collect", images, "--data", tmp_path / name, "--out", tmp_path / "p.npz") == 2, name
        assert f"{name}: must be a .npz with the samples x" in capsys.readouterr().err
    assert not (tmp_path / "p.npz").exists()


def test_double_precision_is_cast(tmp_path: Path, images: Path) -> None:
    """Of floats the networks see the values themselves: a pixel of 255 is a 1."""
    probs = []
    for x in (X, X / 255, (X / 255).astype(np.float16)):
        np.savez(tmp_path / "new.npz", x=x)
        words = ("collect", images, "--data", tmp_path / "new.npz", "--out", tmp_path / "p.npz", "--force")
        assert call(*words) == 0
        with np.load(tmp_path / "p.npz", allow_pickle=False) as file:
            assert "labels" not in file.files
            probs.append(file["probs"])
    assert np.allclose(probs[0], probs[1], atol=1e-6)
    assert np.allclose(probs[0], probs[2], atol=1e-2)


def test_inputs_are_never_overwritten(
    tmp_path: Path, images: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "new.npz", x=X)
    before = {**contents(tmp_path), **contents(images)}
    state = next(images.glob("runs/*/*.safetensors"))
    for place in (tmp_path / "new.npz", images / "recipe.toml", state):
        assert call("collect", images, "--data", tmp_path / "new.npz", "--out", place, "--force") == 2
        assert "is one of the inputs; refusing to overwrite it" in capsys.readouterr().err
    assert {**contents(tmp_path), **contents(images)} == before


def test_texts_beyond_the_vocabulary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokens = np.random.default_rng(0).integers(0, 30, (40, 8))
    labels = np.arange(40) % 2
    np.savez(tmp_path / "texts.npz", train_x=tokens, train_y=labels, test_x=tokens, test_y=labels)
    table = small_recipe(folder=tmp_path / "texts.npz", runs=1, epochs=1).to_dict()
    table["model"] = {"name": "cnn_lstm", "options": {"words": 30}}
    out = trained(tmp_path / "out", recipe_from_dict(table))
    words = ("collect", out, "--data", tmp_path / "new.npz", "--out", tmp_path / "p.npz")
    np.savez(tmp_path / "new.npz", x=tokens[:3].astype(np.uint8))
    assert call(*words) == 0
    for more in ((), ("--data", tmp_path / "new.npz", "--out", tmp_path / "q.npz")):
        assert call("collect", out, "--augment", "flip-shift", *more) == 2
        assert (
            "--augment: is for images, and the samples of this training are tokens" in capsys.readouterr().err
        )
    assert not (tmp_path / "q.npz").exists()
    tokens[2, 4] = 30
    np.savez(tmp_path / "new.npz", x=tokens[:3])
    assert call(*words, "--force") == 2
    assert "does not take samples of this data (tokens: int64 (8,), 0 to 30)" in capsys.readouterr().err


def test_unknown_device(tmp_path: Path, images: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "new.npz", x=X)
    words = ("collect", images, "--data", tmp_path / "new.npz", "--out", tmp_path / "p.npz")
    assert call(*words, "--device", "foo") == 2
    assert "device: 'foo' is not one of" in capsys.readouterr().err
