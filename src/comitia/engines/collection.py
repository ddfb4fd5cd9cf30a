"""Predictions of trained networks, computed again or for new samples."""

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia._extensions import allowing, is_reference, module_of
from comitia.data.augmentation import Augmentation
from comitia.deep.directory import Directory
from comitia.deep.events import Listener, ignore
from comitia.engines.opening import locked, trained_recipe
from comitia.engines.training import require_packages
from comitia.engines.worker import load_data
from comitia.recipes import Recipe

if TYPE_CHECKING:
    from comitia.deep.augmented import Augmented

# How samples of a kind may be stored (numpy's letters), in words, and as what a network takes them.
STORED = {
    "image": ("uf", "uint8 or float", "float32"),
    "tokens": ("iu", "integer", "int64"),
    "vector": ("f", "float", "float32"),
}


def collect(
    directory: str | Path,
    data: str | Path | None = None,
    out: str | Path | None = None,
    *,
    augment: str | Augmentation | None = None,
    copies: int | None = None,
    device: str = "auto",
    allow_code: bool = False,
    listen: Listener | None = None,
) -> dict[str, Path]:
    """Compute the predictions of all members of a training and return the files written, by part.

    `collect("demo")` writes and returns `demo/holdout.npz` and `demo/test.npz`, as "holdout" and "test".
    `collect("demo", augment="flip-shift")` leaves these alone and writes `demo/holdout-augmented.npz` and
    `demo/test-augmented.npz`.

    Parameters
    ----------
    directory : the folder that was trained into
    data : an `.npz` with new samples `x` as the data set stores them and, where known, their classes `y`; without it
        the hold-out and test predictions of the folder are computed again
    out : where the predictions on new samples go; required with `data`, and only then
    augment : "flip-shift", `module:function` or a callable of (images, random): each member's probabilities are
        averaged over the plain sample and augmented copies of it; for images only
    copies : how many looks at a sample that makes, the plain one included (at least 2); with `augment` 8 by default
    device : "auto", "cpu", "cuda" or "mps"
    allow_code : whether code that the folder's recipe names (`module:function`) may run
    listen : called with a `Member` event for each state that has predicted again
    """
    if copies is not None and augment is None:
        raise InputError(f"copies: requires augment, which says how copies are made, got {copies} without it")
    if (data is None) != (out is None):
        raise InputError(
            "data: data and out must be given together; without them the folder's own predictions are recomputed"
        )
    require_packages("collect", ("torch", "safetensors", "filelock"), extra="torch")
    places = Directory(Path(directory))
    with allowing(None if allow_code else _own_module(augment)):
        recipe = trained_recipe(places)
    augmented = None if augment is None else _augmented(augment, copies, recipe)
    if data is None or out is None:
        return _again(places, recipe, device, listen or ignore, augmented)
    return {"new": _new(places, recipe, str(data), Path(out), device, augmented)}


def _own_module(augment: str | Augmentation | None) -> list[str]:
    """The module that the caller names."""
    return [module_of(augment)] if isinstance(augment, str) and is_reference(augment) else []


def _augmented(augment: str | Augmentation, copies: int | None, recipe: Recipe) -> "Augmented":
    from comitia.deep.augmented import Augmented

    return Augmented.of(augment, copies, seed=recipe.seed)


def _again(
    places: Directory, recipe: Recipe, device: str, listen: Listener, augmented: "Augmented | None"
) -> dict[str, Path]:
    from comitia.deep.prediction import collect_again, collect_augmented

    data = load_data(recipe)
    if augmented is not None:
        augmented.check(data.test_x, data.kind)
        with locked(places):
            return collect_augmented(places, recipe, data, listen, augmented=augmented, device=device)
    with locked(places):
        return collect_again(places, recipe, data, listen, device=device)


def _new(
    places: Directory, recipe: Recipe, data: str, out: Path, device: str, augmented: "Augmented | None"
) -> Path:
    from comitia.deep.networks import choose_device
    from comitia.deep.prediction import collect_new, members_with_states
    from comitia.deep.states import read_state

    choose_device(device)
    first = members_with_states(places, recipe)[0]
    state = places.state(first.plan.run, first.saved.step)
    samples, labels = _fitting(data, recipe, state)
    if augmented is not None:
        augmented.check(samples, read_state(state)[1]["kind"])
    collect_new(places, recipe, samples, labels, out, device=device, augmented=augmented)
    return out


def _fitting(path: str, recipe: Recipe, state: Path) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
    """The samples and classes of a file, if the network of that state takes them."""
    from comitia.deep.networks import choose_device, load_network, try_network
    from comitia.deep.states import read_state

    about = read_state(state)[1]
    samples, labels = _read(path)
    samples = _stored(path, samples, about)
    if labels is not None:
        labels = _classes(path, labels, len(samples), about["classes"])
    network, inputs = load_network(recipe, state, choose_device("cpu"))
    try_network(recipe.model.name, network, inputs, [samples], classes=about["classes"])
    return samples, labels


def _stored(path: str, samples: NDArray[Any], about: Mapping[str, Any]) -> NDArray[Any]:
    """The samples in the type in which the network takes them; raise where they are of another shape or type."""
    letters, words, kind = STORED[about["kind"]]
    shape = tuple(about["input_shape"])
    bytes_alone = about["kind"] == "image" and samples.dtype.kind == "u"
    fits = samples.dtype == np.uint8 if bytes_alone else samples.dtype.kind in letters
    if not fits or samples.shape[1:] != shape or not len(samples):
        raise InputError(
            f"data: {path}: x must be {words} of shape (n, {', '.join(map(str, shape))}) with n at least 1, "
            f"as the members were trained on, got {samples.dtype} of shape {samples.shape}"
        )
    if samples.dtype.kind == "f" and not np.isfinite(samples).all():
        raise InputError(f"data: {path}: x must be finite, got NaN or infinity")
    return samples if bytes_alone else samples.astype(kind, copy=False)


def _classes(path: str, labels: NDArray[Any], samples: int, classes: int) -> NDArray[np.int64]:
    if labels.shape != (samples,) or labels.dtype.kind not in "iu":
        raise InputError(
            f"data: {path}: y must be integer, one class per row of x, got {labels.dtype} of shape "
            f"{labels.shape} for {samples} rows"
        )
    if labels.min() < 0 or labels.max() >= classes:
        raise InputError(
            f"data: {path}: y must be classes 0 to {classes - 1}, got {labels.min()} to {labels.max()}"
        )
    return labels.astype(np.int64)


def _read(path: str) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """The samples `x` of a file, and their classes `y` where it has them."""
    try:
        with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            return archive["x"], archive["y"] if "y" in archive.files else None
    except FileNotFoundError:
        raise InputError(f"data: {path}: no such file") from None
    except (KeyError, ValueError, OSError, TypeError, EOFError, BadZipFile, zlib.error) as error:
        raise InputError(
            f"data: {path}: must be a .npz with the samples x (and classes y): {error}"
        ) from None
