"""A training that takes a second: 12 × 12 images of three kinds of stripes, a small network."""

from pathlib import Path
from typing import Any

import numpy as np

from comitia.data import Dataset
from comitia.recipes import Recipe, recipe_from_dict


def images(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Noise with a bright band whose place is the class."""
    random = np.random.default_rng(seed)
    labels = random.integers(3, size=count)
    pixels = random.integers(0, 120, size=(count, 12, 12, 1))
    for row, label in enumerate(labels):
        pixels[row, 4 * label : 4 * label + 4] += 100
    return pixels.astype(np.uint8), labels.astype(np.int64)


def dataset(*, train: int = 90, test: int = 30, mean: bool = False) -> Dataset:
    """The images as a data set."""
    (train_x, train_y), (test_x, test_y) = images(train, 1), images(test, 2)
    average = (train_x.mean(axis=0) / 255).astype(np.float32) if mean else None
    return Dataset(
        name="stripes",
        train_x=train_x,
        train_y=train_y,
        test_x=test_x,
        test_y=test_y,
        classes=3,
        kind="image",
        mean_image=average,
    )


def arrays_file(folder: Path, *, train: int = 90) -> Path:
    """The images as a file of the data set `arrays`."""
    data = dataset(train=train)
    path = folder / "stripes.npz"
    np.savez(path, train_x=data.train_x, train_y=data.train_y, test_x=data.test_x, test_y=data.test_y)
    return path


def small_recipe(
    *, data: dict[str, Any] | None = None, folder: Path | None = None, **training: Any
) -> Recipe:
    """A recipe on the images; further words are keys of `[training]`."""
    source: dict[str, Any] = {"name": "arrays", "holdout": 30, **(data or {})}
    if folder is not None:
        source["folder"] = str(folder)
    table = {
        "name": "small",
        "data": source,
        "model": {"name": "small_cnn", "options": {"filters": 2, "dropout": 0.25}},
        "training": {
            "strategy": "checkpoints",
            "runs": 2,
            "epochs": 3,
            "save_every": 1,
            "batch": 16,
            "lr": 0.05,
            "momentum": 0.9,
            "nesterov": True,
            **training,
        },
    }
    return recipe_from_dict(table)


CSGLD = {"burn_in": 1, "cycle": 2, "noise_epochs": 1, "temperature": 0.02}
CSGHMC = {"cycle": 2, "samples_per_cycle": 2, "temperature": 0.5, "preconditioner": "layers"}
PASSES = {"dropout": 0.4, "passes": 3}
SWA = {"burn_in": 1, "collect_every": 1}
SWAG = {**SWA, "samples": 3, "rank": 2, "scale": 0.8}
SAMPLERS: dict[str, dict[str, Any]] = {
    "csgld": {"sampler": CSGLD, "epochs": 5, "momentum": 0.0, "prior_scale": 1.0},
    "csghmc-ap": {"sampler": CSGHMC, "epochs": 4, "lr": 0.01, "prior_scale": 0.5},
    "mc-dropout": {"sampler": PASSES, "epochs": 2, "runs": 1},
    "mc-dropout-ensemble": {"sampler": PASSES, "epochs": 2},
    "swa": {"sampler": SWA, "epochs": 4},
    "swag": {"sampler": SWAG, "epochs": 5},
}


def bayes_recipe(strategy: str, *, folder: Path | None = None, **training: Any) -> Recipe:
    """A recipe on the images by a strategy with a table `[sampler]`; further words are keys of `[training]`."""
    chosen = {"strategy": strategy, "save_every": 0, "nesterov": False, **SAMPLERS[strategy], **training}
    sampler = chosen.pop("sampler")
    table = small_recipe(folder=folder).to_dict()
    table["model"]["options"].pop("dropout")
    table["training"] |= chosen
    return recipe_from_dict({**table, "sampler": sampler}, allow_code=True)


def contents(root: Path) -> dict[str, bytes]:
    """Every file of a training that must not depend on how often it was killed, by its path."""
    kinds = (".safetensors", ".npy", ".npz", ".toml")
    files = (path for path in root.rglob("*") if path.suffix in kinds or path.name == "run.json")
    return {str(path.relative_to(root)): path.read_bytes() for path in files}
