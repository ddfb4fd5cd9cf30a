"""Torch, ONNX and an exported program give the same votes, at any batch size; what differs is counted."""

from pathlib import Path

import numpy as np
import pytest

from comitia._predict import decide
from comitia.bundle import read_bundle
from comitia.bundle.runtimes import Trust, runtimes, totals_of
from trained_networks import Trained, make

ALLOWED = Trust(make, allow_code=True, device="cpu")


@pytest.mark.parametrize("vote", ["average", "majority"])
@pytest.mark.parametrize("size", [1, 7, 256])
def test_all_files_vote_alike(trained: Trained, bundles: dict[str, Path], vote: str, size: int) -> None:
    bundle = read_bundle(bundles[vote])
    images = trained.inputs.numpy()
    expected = decide(trained.module(bundle.ensemble).predict_proba(images), bundle.ensemble.decision)[0]
    for way in runtimes(bundle, ALLOWED):
        assert way.why_not is None
        run = way.start()
        parts = [images[start : start + size] for start in range(0, len(images), size)]
        totals = np.concatenate([totals_of(run, {"inputs": part}, 3) for part in parts])
        assert totals.dtype == np.float64
        votes = decide(totals, bundle.ensemble.decision)[0]
        assert int((votes != expected).sum()) == 0, way.what
