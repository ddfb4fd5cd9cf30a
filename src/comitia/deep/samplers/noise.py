"""The noise ξ of a step: standard normal, from a table of quantiles where a tensor is large.

Drawing ξ is a large part of a step on a processor. So large tensors take 16 random bits per number and look up one of
2¹⁶ equally likely values, the quantiles Φ⁻¹((k + ½)/2¹⁶) divided by their standard deviation. Their law is symmetric,
with mean 0, variance 1, fourth moment 2.9992 instead of 3, and no value beyond 4.325.

A chain adds up thousands of such draws with weights that shrink, and the mean and covariance of its stationary law
on a quadratic U depend on mean and variance of ξ alone. In general a discretised diffusion of weak order 1 needs only
the first moments of its noise, so that even a noise of two values would do (Kloeden and Platen 1992, "Numerical
Solution of Stochastic Differential Equations", chapter 14).
"""

from functools import cache

import torch

#: Tensors of at least that many elements are drawn from the table; for smaller ones torch's own draws take no time.
LARGE = 2**16
BITS = 16


def standard_normal(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Return draws of N(0, 1) in the shape, precision and place of a tensor; large ones are those of the table.

    They are made where the generator lives: one on the processor gives the same chain on every device.

    >>> from torch import Generator, zeros
    >>> standard_normal(zeros(2, 3), Generator().manual_seed(1)).shape
    torch.Size([2, 3])
    """
    if like.numel() >= LARGE and generator.device.type == "cpu":
        return _looked_up(like, generator).to(like.device)
    drawn = torch.randn(like.shape, generator=generator, dtype=like.dtype, device=generator.device)
    return drawn.to(like.device)


def _looked_up(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    words = -(-like.numel() // (64 // BITS))
    drawn = torch.randint(-(2**63), 2**63 - 1, (words,), generator=generator).view(torch.int16)
    places = drawn[: like.numel()].to(torch.int32).add_(2 ** (BITS - 1))
    return quantiles(like.dtype).index_select(0, places).view(like.shape)


@cache
def quantiles(dtype: torch.dtype) -> torch.Tensor:
    """Return the values of the table in ascending order, in that precision; it is made once and must not be changed.

    >>> table = quantiles(torch.float64)
    >>> len(table), round(float(table[-1]), 3), bool((table == -table.flip(0)).all())
    (65536, 4.325, True)
    """
    above = torch.arange(2 ** (BITS - 1), dtype=torch.float64)
    upper = torch.special.ndtri(0.5 + (above + 0.5) / 2**BITS)
    upper /= upper.square().mean().sqrt()
    return torch.cat([-upper.flip(0), upper]).to(dtype)
