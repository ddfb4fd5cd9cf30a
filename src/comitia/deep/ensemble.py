"""A weighed ensemble of trained networks that predicts: the members that have weight, and their vote."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia._predict import decide
from comitia._votes import probability_totals, vote_totals
from comitia.data import NAMES
from comitia.deep.augmented import MARK
from comitia.deep.directory import Directory, checksum, read_record
from comitia.deep.networks import choose_device, load_network, wake_dropout
from comitia.deep.prediction import Probabilities, batch_size, probabilities
from comitia.deep.task import Inputs
from comitia.files import read_ensemble, read_predictions
from comitia.promises import Decision
from comitia.recipes import Recipe, plan, read_recipe

Batches = NDArray[Any] | Iterable[Any]
# How far beyond 0..1 an image may reach, as resampled ones do, before it is taken for one of another scale.
OVERSHOOT = 0.5
# The data sets whose images are surely bytes.
BYTES = {name for name in NAMES if name != "arrays"}


class WeightedEnsemble(nn.Module):
    """The networks of an ensemble with their weights; `load` reads them from the directory of a training.

    `predict` and `predict_proba` take samples as the data set stores them (images uint8 or float (n, H, W, C), texts
    int (n, length)): an array, or a `DataLoader` of such batches, of which the first entry is used.
    `forward` takes a batch of samples as a tensor and returns what `predict_proba` does.

    The networks keep the mode in which they voted when they were certified, whatever `train` and `eval` are asked.
    With `trained_on_bytes` (the training images were uint8, as they are where a mean image is subtracted) images of
    another type must lie in 0..1.
    """

    def __init__(
        self,
        networks: Sequence[nn.Module],
        weights: Sequence[float],
        inputs: Sequence[Inputs],
        *,
        vote: str,
        trained_on_bytes: bool = False,
        decision: Decision | None = None,
    ) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks)
        self.weights = np.asarray(weights, dtype=np.float64)
        self.inputs = tuple(inputs)
        self.vote = vote
        self.decision = Decision() if decision is None else decision
        from_bytes = trained_on_bytes or any(one.mean is not None for one in self.inputs)
        self.scaled = from_bytes and all(one.kind == "image" for one in self.inputs)

    @classmethod
    def load(
        cls,
        directory: str | Path,
        ensemble: str | Path | Ensemble,
        *,
        device: str = "auto",
        predictions: str | Path | None = None,
    ) -> "WeightedEnsemble":
        """Load the ensemble of `comitia weigh` with its networks from the directory of `comitia train`.

        Every state must have the checksum that its run recorded, and the ensemble must have been weighed on the
        directory's own predictions; `predictions` names the file that was weighed where it was another
        (`comitia collect`). Where there is nothing to compare with, a warning says so. Members that average over
        augmented copies are refused: these networks look at the plain sample alone.
        """
        weighed = ensemble if isinstance(ensemble, Ensemble) else read_ensemble(ensemble)
        places = Directory(Path(directory))
        if not places.recipe.exists():
            raise InputError(f"{directory}: holds no training; give the folder that was trained into")
        if weighed.run is None or weighed.step is None:
            raise InputError("ensemble: names no runs and steps, so its networks cannot be found")
        _require_plain(weighed)
        recipe, where = read_recipe(places.recipe), choose_device(device)
        members = [(weighed.run[i], weighed.step[i]) for i in weighed.active]
        loaded = [_load(places, recipe, run, step, where) for run, step in members]
        _require_weighed(places, weighed, predictions)
        return cls(
            [network for network, _ in loaded],
            weighed.weights[weighed.active].tolist(),
            [inputs for _, inputs in loaded],
            vote=weighed.vote,
            trained_on_bytes=recipe.data.name in BYTES,
            decision=weighed.decision,
        )

    def train(self, mode: bool = True) -> "WeightedEnsemble":
        """Return the ensemble itself; its networks stay in the mode in which they were certified."""
        self.training = mode
        return self

    def predict(self, samples: Batches) -> NDArray[np.int64]:
        """Return, as (n,), the classes that the ensemble votes for, by its threshold if it has one; -1 if it declines.

        The lowest class wins a tie.
        """
        return decide(self.predict_proba(samples), self.decision)[0]

    def predict_proba(self, samples: Batches) -> NDArray[np.float64]:
        """Return, as (n, C), weighted mean probabilities, or the weight of the votes for each class (majority vote)."""
        return np.concatenate([self._totals(batch) for batch in _batches(samples)])

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        """Return the (n, C) of `predict_proba` for a batch of samples."""
        return torch.from_numpy(self._totals(batch.numpy(force=True)))

    def _totals(self, batch: NDArray[Any]) -> NDArray[np.float64]:
        if self.scaled:
            _require_scale(batch)
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
    saved_at = step if planned.passes == 1 else planned.saves[-1]
    path = places.state(run, saved_at)
    if not path.exists():
        raise InputError(
            f"{path}: no such state; the training used another recipe, is unfinished, or kept only predictions"
        )
    recorded = {saved.step: saved.sha256 for saved in read_record(places, run).saved}.get(saved_at)
    if checksum(path) != recorded:
        raise InputError(
            f"{path}: not the state that {places.record(run).name} names; train again to restore it"
        )
    network, inputs = load_network(recipe, path, device)
    if planned.passes > 1:
        wake_dropout(network)
    return network, inputs


def _require_plain(weighed: Ensemble) -> None:
    """Raise for members that were weighed as means over augmented copies."""
    name = next((name for name in weighed.names if MARK in name), None)
    if name is not None:
        raise InputError(
            f"ensemble: its members average over augmented copies ('{name}'), and WeightedEnsemble looks at the plain "
            "sample alone; weigh the plain predictions, or predict by comitia collect with the same augmentation"
        )


def _require_weighed(places: Directory, weighed: Ensemble, given: str | Path | None) -> None:
    """Raise if other predictions were weighed than those of these networks; warn where nothing tells.

    The directory's own hold-out tells if it has as many samples as were weighed; else those were other samples.
    """
    wanted = weighed.data.sha256
    paths = [Path(given)] if given is not None else [places.predictions(part) for part in ("holdout", "test")]
    prints = [_fingerprint(path, weighed) if given or path.exists() else None for path in paths]
    if wanted in prints:
        return
    found = prints[0]
    was = f"ensemble: was weighed on {weighed.data.samples:,} samples with sha256 {wanted[:16]}"
    remedy = "give predictions=, the file that was weighed"
    if given is None and found is None:
        why = f"whose predictions are not in {places.root}, so nothing shows that these are its networks"
        warnings.warn(f"{was}, {why}; {remedy}", stacklevel=3)
        return
    got = "no such samples" if found is None else f"sha256 {found[:16]}"
    raise InputError(
        f"{was}, but {paths[0]} holds {got}, so its networks may be others; weigh that file, or {remedy}"
    )


def _fingerprint(path: Path, weighed: Ensemble) -> str | None:
    """The sha256 of the ensemble's members in a file; None if it is of another number of samples.

    The file may hold further members: a training may have grown since it was weighed.
    """
    pack = read_predictions([path])
    if pack.samples != weighed.data.samples:
        return None
    if pack.run is None or pack.step is None or weighed.run is None or weighed.step is None:
        return pack.fingerprint()
    held = {key: place for place, key in enumerate(zip(pack.run.tolist(), pack.step.tolist()))}
    members = [*zip(weighed.run, weighed.step)]
    return (pack.pick([held[key] for key in members]) if held.keys() >= {*members} else pack).fingerprint()


def _require_scale(images: NDArray[Any]) -> None:
    if images.dtype == np.uint8 or not images.size:
        return
    low, high = float(images.min()), float(images.max())
    if not (low >= -OVERSHOOT and high <= 1 + OVERSHOOT):
        raise InputError(
            f"samples: images that are not uint8 must lie in 0 to 1, as those of the training do after division by "
            f"255, got {low:g} to {high:g}; give uint8, or bring them to that scale"
        )


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
