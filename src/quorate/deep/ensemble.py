"""A weighed ensemble of trained networks that predicts: the members that have weight, and their vote."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from quorate.deep.collecting import Probabilities, batch_size, probabilities
from quorate.deep.directory import Directory
from quorate.deep.networks import choose_device, load_network, wake_dropout
from quorate.deep.samples import Inputs
from quorate.deep.strategies import plan
from quorate.ensemble import Ensemble
from quorate.errors import InputError
from quorate.files import read_ensemble
from quorate.recipes import Recipe, read_recipe
from quorate.votes import probability_totals, vote_totals, winners

Batches = NDArray[Any] | Iterable[Any]


class WeightedEnsemble(nn.Module):
    """The networks of an ensemble with their weights; `load` reads them from the directory of a training.

    `predict` and `predict_proba` take samples as the data set stores them (images uint8 or float (n, H, W, C), texts
    int (n, length)): an array, or a `DataLoader` of such batches, of which the first entry is used.
    `forward` takes a batch of samples as a tensor and returns what `predict_proba` does.
    """

    def __init__(
        self, networks: Sequence[nn.Module], weights: Sequence[float], inputs: Sequence[Inputs], *, vote: str
    ) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks)
        self.weights = np.asarray(weights, dtype=np.float64)
        self.inputs = tuple(inputs)
        self.vote = vote

    @classmethod
    def load(
        cls, directory: str | Path, ensemble: str | Path | Ensemble, *, device: str = "auto"
    ) -> "WeightedEnsemble":
        """The ensemble of `quorate weigh --out`, with its networks from the directory of `quorate train`."""
        weighed = ensemble if isinstance(ensemble, Ensemble) else read_ensemble(ensemble)
        places = Directory(Path(directory))
        if not places.recipe.exists():
            raise InputError(f"{directory}: holds no training; give the --out of quorate train")
        if weighed.run is None or weighed.step is None:
            raise InputError("ensemble: names no runs and steps, so its networks cannot be found")
        recipe, where = read_recipe(places.recipe), choose_device(device)
        members = [(weighed.run[i], weighed.step[i]) for i in weighed.active]
        loaded = [_load(places, recipe, run, step, where) for run, step in members]
        weights = weighed.weights[weighed.active]
        return cls([one for one, _ in loaded], weights.tolist(), [i for _, i in loaded], vote=weighed.vote)

    def predict(self, samples: Batches) -> NDArray[np.int64]:
        """(n,) the classes that the ensemble votes for; the lowest class wins a tie."""
        return winners(self.predict_proba(samples))

    def predict_proba(self, samples: Batches) -> NDArray[np.float64]:
        """(n, C) weighted mean probabilities, or for the majority vote the weight of the votes for each class."""
        return np.concatenate([self._totals(batch) for batch in _batches(samples)])

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        """(n, C) as `predict_proba`, of a batch of samples."""
        return torch.from_numpy(self._totals(batch.numpy(force=True)))

    def _totals(self, batch: NDArray[Any]) -> NDArray[np.float64]:
        rows = [_only(probabilities(one, [batch], how)) for one, how in zip(self.networks, self.inputs)]
        probs = np.stack(rows)  # (M, n, C)
        if self.vote == "average":
            return probability_totals(probs, self.weights)
        classes = probs.shape[2]
        # As in predictions files: of two classes the second needs more than a half.
        votes = probs[..., 1] > 0.5 if classes == 2 else probs.argmax(axis=2)
        return vote_totals(votes, self.weights, classes)


def _load(
    places: Directory, recipe: Recipe, run: int, step: int, device: torch.device
) -> tuple[nn.Module, Inputs]:
    planned = plan(recipe, run)
    path = places.state(run, step if planned.passes == 1 else planned.saves[-1])
    if not path.exists():
        raise InputError(
            f"{path}: no such state; the training was of another recipe, is not finished, or kept predictions only"
        )
    network, inputs = load_network(recipe, path, device)
    if planned.passes > 1:
        wake_dropout(network)
    return network, inputs


def _batches(samples: Batches) -> Iterator[NDArray[Any]]:
    if isinstance(samples, np.ndarray):
        size = batch_size(samples.shape[1:])
        yield from (samples[start : start + size] for start in range(0, len(samples), size))
        return
    for batch in samples:
        first = batch[0] if isinstance(batch, tuple | list) else batch
        yield first.numpy(force=True) if isinstance(first, torch.Tensor) else np.asarray(first)


def _only(rows: Iterable[Probabilities]) -> Probabilities:
    (row,) = rows
    return row
