"""What a bundle answers on new samples."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from comitia._errors import InputError
from comitia._predict import Predicted, decide
from comitia.bundle.inputs import codes_of, open_samples, walk_samples
from comitia.bundle.reading import Bundle, read_bundle
from comitia.bundle.runtimes import Trust, choose_runtime, totals_of


def predict_bundle(
    bundle: str | Path | Bundle,
    inputs: Any,
    *,
    runtime: str = "auto",
    model: Any = None,
    allow_code: bool = False,
    trust: Sequence[str] = (),
    device: str = "auto",
    batch: int | None = None,
) -> Predicted:
    """Return the bundle's answers on samples.

    Parameters
    ----------
    bundle : the folder
    inputs : a file (`.npz`, `.npy`), `module:function`, arrays, or batches such as a loader gives
    runtime : "torch" (the networks), "onnx" (`model.onnx` by onnxruntime, without torch), or the first that is possible
    model : the function that makes the networks, or its `module:function`
    allow_code : whether code that the bundle names may be imported, and `model.pt2` read
    trust : types in `.skops` files that may be made beyond those that skops trusts
    device : where torch computes
    batch : samples at once
    """
    found = bundle if isinstance(bundle, Bundle) else read_bundle(bundle)
    config, ensemble = found.config, found.ensemble
    way = choose_runtime(found, runtime, Trust(model, allow_code, device, tuple(trust)))
    given = open_samples(inputs, config) if isinstance(inputs, str | Path) else inputs
    run = way.start()
    rows, labels, ids = [], [], []
    for part in walk_samples(given, config):
        rows += [totals_of(run, one, ensemble.classes) for one in part.batches(batch)]
        labels += [] if part.labels is None else [part.labels]
        ids += [] if part.ids is None else [part.ids]
    if not rows:
        raise InputError("inputs: hold no samples")
    shares = np.concatenate(rows)
    classes, declined = decide(shares, ensemble.decision)
    error = None
    if labels:
        codes = codes_of(np.concatenate(labels), ensemble.class_names, ensemble.declared)
        judged = np.ones(len(codes), bool) if declined is None else ~declined
        error = float((classes != codes)[judged].mean()) if judged.any() else None
    return Predicted(
        vote=ensemble.vote,
        classes=classes,
        shares=shares,
        members=tuple(one.name for one in config.members),
        dropped=len(ensemble.names) - len(config.members),
        error=error,
        class_names=ensemble.class_names,
        declared=ensemble.declared,
        ids=np.concatenate(ids) if ids else None,
        declined=declined,
    )
