"""Test-time augmentation: members that look at a sample and at augmented copies of it."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError, require_whole_number
from comitia._extensions import name_of, resolve
from comitia.data.augmentation import AUGMENTATIONS, Augmentation
from comitia.deep.seeds import stream

# Looks at a sample where none are asked for: the plain one, and seven augmented ones.
COPIES = 8
# What follows the name of a member that averages over copies; `predict` matches by name, so they are never mixed.
MARK = ", mean of "


@dataclass(frozen=True)
class Augmented:
    """`copies` looks at a sample, over which a member's probabilities are averaged: plain once, the others augmented.

    The stream of the augmented ones is named by the seed and the sample's own bytes. So they are the same in whatever
    batch, file or order the sample comes, and the averaging network is a function of the sample alone.
    """

    name: str
    change: Augmentation
    copies: int
    seed: int

    @classmethod
    def of(cls, augment: str | Augmentation, copies: int | None, *, seed: int) -> "Augmented":
        """Return the looks by that augmentation: a name, `module:function`, or a callable of (images, random)."""
        known: dict[str, Callable[..., Any]] = {k: v for k, v in AUGMENTATIONS.items() if k != "none"}
        change = resolve("augment", augment, known)
        count = COPIES if copies is None else require_whole_number("copies", copies, 2)
        return cls(name_of(augment), change, count, seed)

    @property
    def mark(self) -> str:
        """What follows the names of these members."""
        return f"{MARK}{self.copies} copies ({self.name})"

    def looks(self, samples: NDArray[Any]) -> NDArray[Any]:
        """Return (n·copies, ...): each sample followed by its augmented copies."""
        return np.concatenate([look for sample in samples for look in (sample[None], self._changed(sample))])

    def check(self, samples: NDArray[Any], kind: str) -> None:
        """Raise `InputError` unless the samples are images, and the augmentation keeps their shape and type."""
        if kind != "image":
            raise InputError(
                f"augment: is for images, and the samples of this training are {kind}; leave it out"
            )
        sample = samples[0]
        try:
            changed = np.asarray(self._changed(sample))
        except Exception as error:  # code from outside may raise anything
            said = " ".join(f"{type(error).__name__}: {error}".split())
            raise InputError(f"augment: '{self.name}' failed ({said})") from error
        wanted = (self.copies - 1, *sample.shape)
        if (changed.shape, changed.dtype) != (wanted, sample.dtype):
            raise InputError(
                f"augment: '{self.name}' must return {sample.dtype} of shape {wanted} as it was given, "
                f"got {changed.dtype} of shape {changed.shape}"
            )

    def _changed(self, sample: NDArray[Any]) -> NDArray[Any]:
        content = sha256(np.ascontiguousarray(sample).tobytes()).digest()
        random = stream(self.seed, int.from_bytes(content[:8]), 0, "copies")
        return self.change(np.repeat(sample[None], self.copies - 1, axis=0), random)
