"""Stored samples become what a network sees; as a module, so that the step is part of compiled and exported graphs."""

import torch
from torch import nn


def prepared(batch: torch.Tensor, kind: str, mean: torch.Tensor | None = None) -> torch.Tensor:
    """Return images (n, H, W, C) as floats (n, C, H, W), bytes divided by 255, less the mean image; others as stored.

    The permuted view is the channels-last layout already, nothing is copied for it.

    >>> prepared(torch.full((1, 2, 2, 3), 255, dtype=torch.uint8), "image").shape
    torch.Size([1, 3, 2, 2])
    """
    if kind != "image":
        return batch
    scaled = batch.to(torch.float32) / 255.0 if batch.dtype == torch.uint8 else batch
    return (scaled if mean is None else scaled - mean).permute(0, 3, 1, 2)


class Prepare(nn.Module):
    """`prepared` as a module; the mean image is a buffer."""

    mean: torch.Tensor | None

    def __init__(self, kind: str, mean: torch.Tensor | None = None) -> None:
        super().__init__()
        self.kind = kind
        self.register_buffer("mean", mean)

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        """Return the batch for the network."""
        return prepared(batch, self.kind, self.mean)
