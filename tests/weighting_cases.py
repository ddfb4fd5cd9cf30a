"""Members whose errors share a difficulty a sample: tandem matrices and predictions for the tests of this folder."""

import numpy as np

from comitia._predictions import Predictions


def errors(members, samples, seed=0, spread=0.3, shared=0.6):
    rng = np.random.default_rng(seed)
    hard = rng.standard_normal(samples)
    skill = rng.normal(-1.2, spread, members)
    noise = rng.standard_normal((members, samples))
    return np.sqrt(shared) * hard + np.sqrt(1 - shared) * noise < skill[:, None]


def tandem_matrix(members, samples, seed=0, **how):
    wrong = errors(members, samples, seed, **how).astype(float)
    return wrong @ wrong.T / samples


def predictions(members=6, samples=300, classes=3, seed=0, probs=True, **more):
    """Random members of different skill, none a copy of another."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, samples)
    truth = np.eye(classes)[labels]
    skill = rng.uniform(0.7, 2.0, members)[:, None, None]
    doubt = rng.standard_normal((samples, classes)) + rng.standard_normal((members, samples, classes))
    logits = skill * truth + 0.8 * doubt
    values = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    if probs:
        return Predictions.from_arrays(probs=values, labels=labels, **more)
    return Predictions.from_arrays(votes=values.argmax(-1), labels=labels, **more)
