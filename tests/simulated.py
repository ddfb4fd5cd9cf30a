"""Small problems for tests of the core: correlated members, with probabilities or votes, shared or masked."""

import numpy as np

from comitia import Predictions


def simulated(
    members: int = 6,
    samples: int = 400,
    classes: int = 3,
    *,
    seed: int = 0,
    votes: bool = False,
    masked: bool = False,
    labels: bool = True,
    **options: object,
) -> Predictions:
    """Predictions of members whose errors are correlated and whose skills differ."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, samples)
    logits = rng.normal(size=(members, samples, classes)) + rng.normal(size=(1, samples, classes))
    logits += np.linspace(1.5, 3.5, members)[:, None, None] * np.eye(classes)[truth]
    probs = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    content = {"votes": probs.argmax(axis=2)} if votes else {"probs": probs}
    mask = rng.random((members, samples)) < 0.6 if masked else None
    return Predictions.from_arrays(**content, labels=truth if labels else None, mask=mask, **options)
