"""The predictions of a member: probabilities of one state on many samples."""

from collections.abc import Iterable
from io import BytesIO
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from comitia.deep.samples import Inputs

Probabilities = NDArray[np.float32]
# Numbers in a batch: large enough to keep the processor busy, small enough for the cache and a small GPU.
BATCH_NUMBERS = 2**21


def batch_size(sample_shape: tuple[int, ...]) -> int:
    """Samples predicted at once: at most 512, fewer where one sample is large.

    >>> batch_size((100,)), batch_size((32, 32, 3)), batch_size((512, 512, 3))
    (512, 512, 2)
    """
    return max(1, min(512, BATCH_NUMBERS // int(np.prod(sample_shape))))


def predict(network: nn.Module, samples: NDArray[Any], inputs: Inputs) -> Probabilities:
    """Class probabilities (n, C) in float32, by a network in whatever mode it is in."""
    size = batch_size(samples.shape[1:])
    batches = (samples[start : start + size] for start in range(0, len(samples), size))
    return np.concatenate([*probabilities(network, batches, inputs)])


@torch.inference_mode()
def probabilities(
    network: nn.Module, batches: Iterable[NDArray[Any]], inputs: Inputs
) -> Iterable[Probabilities]:
    """Class probabilities (b, C) of each batch of stored samples."""
    for batch in batches:
        logits = network(inputs.tensor(batch)).to(torch.float32)
        yield torch.softmax(logits, dim=1).cpu().numpy()


def stored_row(passes: list[Probabilities]) -> Probabilities:
    """Probabilities as they are stored: (passes, n, C), for two classes (passes, n) of class 1 alone.

    >>> stored_row([np.array([[0.25, 0.75]], dtype=np.float32)])
    array([[0.75]], dtype=float32)
    """
    row = np.stack(passes)
    return np.ascontiguousarray(row[..., 1]) if row.shape[2] == 2 else row


def as_bytes(array: NDArray[Any]) -> bytes:
    """The array as the bytes of an `.npy` file."""
    buffer = BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def accuracy(probs: Probabilities, labels: NDArray[np.int64]) -> float:
    """The share of samples whose most probable class is the label."""
    return float(np.mean(np.argmax(probs, axis=1) == labels))
