r"""An order for values whose counts alone are kept: what the digital bound needs, from a few numbers.

The digital bound bets on one value after the other, so the order enters, and it must not depend on the values. A record
keeps how often each value occurs, and the key of a permutation of the sorted values.

Why this is valid. Samples are exchangeable, so given how often each value occurs, every order of them is as likely as
every other. A uniformly random permutation of the sorted values that is independent of the data has the same joint law:
given the counts, every order is as likely as every other. So

.. math:: (X_{\pi(1)}, \dots, X_{\pi(n)}) \text{ of the sorted values} \sim (X_1, \dots, X_n)

and whatever holds with probability 1 - delta for values in the order of their draw holds for these.

What the key must be. *One* permutation of sorted values, the same for every data set, does not do: the bound would be a
function of the counts alone, and for one such function the share of failures may be above delta (the mean over all
permutations is not). A permutation of the samples by a fixed seed would be as weak for a file that is sorted by class.
So the key is the checksum of the data, together with the seed: it changes with every data set and, as far as anybody
can tell from a cryptographic hash, has nothing to do with how the values are distributed. `verify` finds it again, and
nobody can choose it but by choosing another seed, which is as wrong as trying several splits.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError

#: Hexadecimal digits of a checksum that a key has.
DIGITS = 16


def key_of(sha256: str) -> str:
    """Return the key of the permutation for data with that checksum.

    >>> key_of("0123456789abcdef" * 4)
    '0123456789abcdef'
    """
    return sha256[:DIGITS]


def tallied(values: NDArray[np.float64]) -> tuple[list[float], list[int]]:
    """Return the different values, rising, and how often each occurs.

    >>> tallied(np.array([1.0, 0.0, 1.0]))
    ([0.0, 1.0], [1, 2])
    """
    different, counts = np.unique(values, return_counts=True)
    return different.tolist(), counts.tolist()


def drawn(values: Sequence[float], counts: Sequence[int], seed: int, key: str) -> NDArray[np.float64]:
    """Return that many of each value, in the order that the seed and the key give.

    >>> sorted(drawn([0.0, 1.0], [3, 1], 0, "00ff").tolist())
    [0.0, 0.0, 0.0, 1.0]
    """
    numbers, times = np.asarray(values, dtype=np.float64), np.asarray(counts)
    if numbers.ndim != 1 or numbers.shape != times.shape or times.dtype.kind != "i" or not numbers.size:
        raise InputError("counts: one whole number for each value is required")
    if (np.diff(numbers) <= 0).any() or times.min() < 1 or int(times.sum()) > 2**31:
        raise InputError("values: must rise, and each must occur")
    return np.random.default_rng([int(seed), int(key, 16)]).permutation(np.repeat(numbers, times))
