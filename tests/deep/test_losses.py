"""Losses against sums written out."""

import math

import numpy as np
import pytest
import torch

from comitia.deep.losses import batch_loss, class_weights


def test_balanced_weights_of_two_classes() -> None:
    labels = np.array([1] * 30 + [0] * 70)
    weights = class_weights("balanced", labels, 2)
    assert weights is not None
    assert weights.tolist() == pytest.approx([0.5 / 0.7, 0.5 / 0.3])


def test_an_absent_class_has_weight_zero() -> None:
    weights = class_weights("balanced", np.array([0, 2, 2]), 3)
    assert weights is not None
    assert weights.tolist() == pytest.approx([1.0, 0.0, 0.5])


def test_no_weights() -> None:
    assert class_weights("none", np.array([0, 1]), 2) is None


def test_weighted_loss_and_its_pieces() -> None:
    random = np.random.default_rng(0)
    logits, labels = random.normal(size=(6, 3)), random.integers(3, size=6)
    weights = [0.5, 2.0, 1.5]
    expected = 0.0
    for row, label in zip(logits, labels):
        expected += weights[label] * (math.log(sum(math.exp(z) for z in row)) - row[label]) / 6
    table, right, w = torch.tensor(logits), torch.tensor(labels), torch.tensor(weights).double()
    assert batch_loss(table, right, w).item() == pytest.approx(expected)
    parts = [batch_loss(table[a:b], right[a:b], w) * ((b - a) / 6) for a, b in ((0, 4), (4, 6))]
    assert sum(part.item() for part in parts) == pytest.approx(expected)
