"""Predictions with known structure for the tests of the evaluation."""

import numpy as np

from comitia._predictions import Predictions


def ensemble(
    *, runs: int = 5, states: int = 3, samples: int = 600, classes: int = 3, seed: int = 0
) -> Predictions:
    """Probabilities of runs whose states get better: later ones are right more often."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, samples)
    difficulty = rng.normal(0.0, 1.0, samples)
    logits = rng.normal(0.0, 1.0, (runs, states, samples, classes))
    skill = np.linspace(0.3, 2.5, states)
    for state in range(states):
        logits[:, state, np.arange(samples), labels] += skill[state] + difficulty
    flat = logits.reshape(runs * states, samples, classes)
    probs = np.exp(flat) / np.exp(flat).sum(axis=-1, keepdims=True)
    run, step = np.repeat(np.arange(1, runs + 1), states), np.tile(np.arange(1, states + 1), runs)
    return Predictions.from_arrays(probs=probs, labels=labels, run=run, step=step)
