"""The networks of a weighed ensemble from the directory of their training, each the one that was certified."""

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from comitia._ensemble import Ensemble
from comitia._errors import InputError
from comitia.bundle.config import Network
from comitia.data import NAMES
from comitia.deep.augmented import MARK
from comitia.deep.directory import Directory, checksum, read_record
from comitia.deep.networks import choose_device, load_network
from comitia.deep.states import read_state
from comitia.deep.task import Inputs
from comitia.files import read_ensemble, read_predictions
from comitia.promises import Decision
from comitia.recipes import Recipe, plan, read_recipe

# The data sets whose images are surely bytes.
BYTES = {name for name in NAMES if name != "arrays"}


@dataclass(frozen=True, eq=False)
class Loaded:
    """The networks that have weight, how samples become their inputs, and how they vote."""

    networks: tuple[nn.Module, ...]
    inputs: tuple[Inputs, ...]
    weights: NDArray[np.float64]
    vote: str
    stochastic: bool
    trained_on_bytes: bool
    decision: Decision
    ensemble: Ensemble
    network: Network


def load_trained(
    directory: str | Path,
    ensemble: str | Path | Ensemble,
    *,
    device: str = "auto",
    predictions: str | Path | None = None,
    allow_code: bool = False,
) -> Loaded:
    """Return the networks of the ensemble; `WeightedEnsemble.load` says what is checked."""
    weighed = ensemble if isinstance(ensemble, Ensemble) else read_ensemble(ensemble)
    places = Directory(Path(directory))
    if not places.recipe.exists():
        raise InputError(f"{directory}: holds no training; give the folder that was trained into")
    if weighed.run is None or weighed.step is None:
        raise InputError("ensemble: names no runs and steps, so its networks cannot be found")
    _require_plain(weighed)
    recipe, where = read_recipe(places.recipe, allow_code=allow_code), choose_device(device)
    members = [(weighed.run[i], weighed.step[i]) for i in weighed.active]
    loaded = [_load(places, recipe, run, step, where) for run, step in members]
    _require_weighed(places, weighed, predictions)
    inputs = tuple(how for _, how in loaded)
    from_bytes = recipe.data.name in BYTES or any(one.mean is not None for one in inputs)
    return Loaded(
        tuple(network for network, _ in loaded),
        inputs,
        weighed.weights[weighed.active],
        weighed.vote,
        plan(recipe, 1).passes > 1,
        from_bytes and all(one.kind == "image" for one in inputs),
        weighed.decision,
        weighed,
        _network(recipe, places.state(*_saved(recipe, *members[0]))),
    )


def _network(recipe: Recipe, path: Path) -> Network:
    """Return what makes the networks of a recipe, by one of its states."""
    _, about = read_state(path)
    return Network(recipe.model.name, recipe.model_options(), about["classes"], tuple(about["input_shape"]))


def _saved(recipe: Recipe, run: int, step: int) -> tuple[int, int]:
    """Return run and step of the state that a member computes with: its own, or the last where passes are random."""
    planned = plan(recipe, run)
    return run, step if planned.passes == 1 else planned.saves[-1]


def _load(
    places: Directory, recipe: Recipe, run: int, step: int, device: torch.device
) -> tuple[nn.Module, Inputs]:
    _, saved_at = _saved(recipe, run, step)
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
    return load_network(recipe, path, device)


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
