"""One run to train: its plan, its files, and its samples as batches of tensors."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from comitia._extensions import resolve
from comitia.data.augmentation import AUGMENTATIONS
from comitia.data.dataset import Dataset, Index, Parts, mean_image
from comitia.deep.directory import Directory
from comitia.deep.preparing import prepared
from comitia.deep.samples import run_parts
from comitia.recipes import Plan, Recipe


@dataclass(frozen=True)
class Inputs:
    """How stored samples become what a network sees: on which device, minus which mean image."""

    kind: str
    mean: torch.Tensor | None
    device: torch.device

    @classmethod
    def of(cls, data: Dataset, index: Index, device: torch.device) -> "Inputs":
        """Return the inputs of a network that trains on those samples: they alone enter the mean image."""
        mean = None
        if data.mean_image is not None:
            mean = torch.from_numpy(mean_image(data.train_x, index)).to(device)
        return cls(kind=data.kind, mean=mean, device=device)

    def tensor(self, stored: NDArray[Any]) -> torch.Tensor:
        """Return a batch for the network: images as floats (n, C, H, W) that lie channels-last, others as stored."""
        batch = torch.from_numpy(np.ascontiguousarray(stored)).to(self.device, non_blocking=True)
        return prepared(batch, self.kind, self.mean)

    def labels(self, stored: Index) -> torch.Tensor:
        """Return the labels for the loss."""
        return torch.from_numpy(stored).to(self.device, non_blocking=True)


@dataclass(frozen=True)
class Task:
    """One run to train: which, where its files go, on what data (`parts`: positions of its samples)."""

    recipe: Recipe
    plan: Plan
    directory: Directory
    data: Dataset
    parts: Parts
    inputs: Inputs

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        plan: Plan,
        directory: Directory,
        data: Dataset,
        device: torch.device,
    ) -> "Task":
        """Return the task of a plan on a device."""
        parts = run_parts(recipe, plan, len(data.train_y), data.train_groups)
        return cls(recipe, plan, directory, data, parts, Inputs.of(data, parts.train, device))

    @property
    def device(self) -> torch.device:
        """Where the network computes."""
        return self.inputs.device


def pieces(order: Index, *, batch: int, accumulate: int) -> list[list[Index]]:
    """Return the order cut into batches, and each batch into pieces whose gradients are added up.

    >>> [[piece.tolist() for piece in batch] for batch in pieces(np.arange(5), batch=4, accumulate=2)]
    [[[0, 1], [2, 3]], [[4]]]
    """
    size = -(-batch // accumulate)
    batches = [order[start : start + batch] for start in range(0, len(order), batch)]
    return [[one[start : start + size] for start in range(0, len(one), size)] for one in batches]


def stored_batch(
    data: Dataset, index: Index, *, augment: str, random: np.random.Generator
) -> tuple[NDArray[Any], Index]:
    """Return those training samples, augmented as the recipe says, and their labels."""
    change = resolve("recipe key training.augment", augment, AUGMENTATIONS)
    return change(data.train_x[index], random), data.train_y[index]
