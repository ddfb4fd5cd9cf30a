"""The loss of a batch, and the weights of the classes in it."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy


def class_weights(kind: str, labels: NDArray[np.int64], classes: int) -> torch.Tensor | None:
    """n/(C·n_c) for each class c if "balanced" (for two classes ½/(1-p) and ½/p), None if "none".

    A class without samples has weight 0: it cannot occur in a batch.

    >>> class_weights("balanced", np.array([0, 0, 0, 1]), 2)
    tensor([0.6667, 2.0000])
    """
    if kind == "none":
        return None
    counts = np.bincount(labels, minlength=classes)
    weights = np.where(counts > 0, len(labels) / (classes * np.maximum(counts, 1)), 0.0)
    return torch.from_numpy(weights).to(torch.float32)


def batch_loss(logits: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor | None) -> torch.Tensor:
    """The mean over the batch of w_y · cross-entropy.

    The mean divides by the number of samples, not by their weights (torch's `reduction="mean"`), so that a
    batch cut in pieces has the gradient of the whole.

    >>> logits = torch.tensor([[0.0, 0.0], [0.0, 0.0]])
    >>> float(batch_loss(logits, torch.tensor([0, 1]), torch.tensor([1.0, 3.0])))  # 2 ln 2
    1.386294...
    """
    total: torch.Tensor = cross_entropy(logits, labels, weight=weights, reduction="sum")
    return total / len(labels)
