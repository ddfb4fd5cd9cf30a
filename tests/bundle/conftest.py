"""Bundles of networks that a plain loop trained, made once."""

from pathlib import Path

import numpy as np
import pytest

from trained_networks import Trained, make, train


@pytest.fixture(scope="session")
def trained() -> Trained:
    return train()


@pytest.fixture(scope="session")
def bundles(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A bundle with all graphs for each vote, made once."""
    root = tmp_path_factory.mktemp("bundles")
    for vote in ("average", "majority"):
        ensemble = trained.weighed(vote=vote, method="tandem")
        trained.module(ensemble).save_pretrained(
            root / vote,
            ensemble=ensemble,
            model=make,
            example=trained.inputs[:3],
            onnx=True,
            program=True,
            holdout=(trained.inputs, trained.labels),
            predictions=trained.predictions,
        )
    np.savez(root / "holdout.npz", images=trained.inputs.numpy(), labels=trained.labels.numpy())
    np.savez(root / "new.npz", images=trained.inputs.numpy()[:50])
    return {"root": root, "average": root / "average", "majority": root / "majority"}
