"""Batches: what a network sees of stored samples."""

import numpy as np
import torch

from comitia.deep.task import Inputs, pieces
from small_training import dataset

CPU = torch.device("cpu")


def test_images_lie_channels_last_and_lose_their_mean() -> None:
    data = dataset(mean=True)
    index = np.arange(10, 40)
    stored = data.train_x[:5]
    batch = Inputs.of(data, index, CPU).tensor(stored)
    mean = data.train_x[10:40].mean(axis=0) / 255
    expected = np.moveaxis(stored / 255 - mean, 3, 1)
    assert batch.shape == (5, 1, 12, 12)
    assert batch.is_contiguous(memory_format=torch.channels_last)
    assert np.allclose(batch.numpy(), expected, atol=1e-6)


def test_texts_stay_as_they_are() -> None:
    inputs = Inputs(kind="tokens", mean=None, device=CPU)
    tokens = np.arange(12, dtype=np.int32).reshape(3, 4)
    assert torch.equal(inputs.tensor(tokens), torch.from_numpy(tokens))


def test_pieces_cover_the_order_once() -> None:
    order = np.random.default_rng(0).permutation(103)
    batches = pieces(order, batch=20, accumulate=3)
    assert [sum(map(len, batch)) for batch in batches] == [20] * 5 + [3]
    assert max(len(piece) for batch in batches for piece in batch) == 7
    assert np.concatenate([piece for batch in batches for piece in batch]).tolist() == order.tolist()
