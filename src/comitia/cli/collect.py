"""`comitia collect`: networks → predictions, again or on new data."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from comitia._errors import InputError
from comitia.cli.output import common_options, console, require_absent, write_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from comitia.recipes import Recipe

# How samples of a kind may be stored (numpy's letters), in words, and as what a network takes them.
STORED = {
    "image": ("uf", "uint8 or float", "float32"),
    "tokens": ("iu", "integer", "int64"),
    "vector": ("f", "float", "float32"),
}


@click.command(
    "collect",
    epilog="""\b
Examples:
  comitia collect imdb                                 compute hold-out and test predictions again
  comitia collect imdb --data new.npz --out new-predictions.npz
new.npz holds the samples x as the data set stores them and, if known, their classes y.
""",
)
@click.argument("directory", metavar="DIR")
@click.option("--data", metavar="FILE.npz", help="New samples: x, and y where the classes are known.")
@click.option("--out", metavar="FILE.npz", help="Where the predictions on new data go.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda or mps.")
@click.option("--force", is_flag=True, help="Overwrite an existing output.")
@common_options
def command(
    directory: str, data: str | None, out: str | None, device: str, force: bool, json_path: str | None
) -> None:
    """Compute the predictions of the members in DIR, which `comitia train` made."""
    if (data is None) != (out is None):
        raise InputError("collect: --data and --out go together; without them DIR's own files are made again")
    if out == "-":
        raise InputError("--out: the name of a file is required, got -")
    for place in (out, json_path):
        require_absent(place, force, (data, *_files(Path(directory))))
    if data is None:
        written = _again(Path(directory), device, json_path)
    else:
        written = {"new": _new(Path(directory), data, Path(str(out)), device)}
    for part, path in written.items():
        console(json_path).print(f"{part}: {path}", markup=False, soft_wrap=True)
    write_json(json_path, {"predictions": {part: str(path) for part, path in written.items()}})


def _files(root: Path) -> list[Path]:
    """The files of a training, which are inputs too."""
    names = ("recipe.toml", "settings.json", "holdout.npz", "test.npz")
    return [*(root / name for name in names), *root.glob("runs/*/*")]


def _again(root: Path, device: str, json_path: str | None) -> dict[str, Path]:
    from comitia.deep.directory import Directory
    from comitia.deep.recollecting import collect_again
    from comitia.engines.opening import locked, trained_recipe
    from comitia.engines.work import load_data

    directory, screen = Directory(root), console(json_path)
    recipe = trained_recipe(directory)
    data, parts = load_data(recipe)

    def report(event: dict[str, Any]) -> None:
        screen.print(f"run {event['run']}, step {event['step']}", markup=False)

    with locked(directory):
        return collect_again(directory, recipe, data, parts, report, device=device)


def _new(root: Path, data: str, out: Path, device: str) -> Path:
    from comitia.deep.directory import Directory
    from comitia.deep.networks import choose_device
    from comitia.deep.recollecting import collect_new, members_with_states
    from comitia.engines.opening import trained_recipe

    directory = Directory(root)
    recipe = trained_recipe(directory)
    choose_device(device)
    first = members_with_states(directory, recipe)[0]
    samples, labels = _fitting(data, recipe, directory.state(first.plan.run, first.saved.step))
    collect_new(directory, recipe, samples, labels, out, device=device)
    return out


def _fitting(path: str, recipe: "Recipe", state: Path) -> "tuple[NDArray[Any], NDArray[np.int64] | None]":
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


def _stored(path: str, samples: "NDArray[Any]", about: Mapping[str, Any]) -> "NDArray[Any]":
    """The samples in the type in which the network takes them; raise where they are of another shape or type."""
    import numpy as np

    letters, words, kind = STORED[about["kind"]]
    shape = tuple(about["input_shape"])
    bytes_alone = about["kind"] == "image" and samples.dtype.kind == "u"
    fits = samples.dtype == np.uint8 if bytes_alone else samples.dtype.kind in letters
    if not fits or samples.shape[1:] != shape or not len(samples):
        raise InputError(
            f"--data {path}: x must be {words} of shape (n, {', '.join(map(str, shape))}) with n at least 1, "
            f"as the members were trained on, got {samples.dtype} of shape {samples.shape}"
        )
    if samples.dtype.kind == "f" and not np.isfinite(samples).all():
        raise InputError(f"--data {path}: x must be finite, got NaN or infinity")
    return samples if bytes_alone else samples.astype(kind, copy=False)


def _classes(path: str, labels: "NDArray[Any]", samples: int, classes: int) -> "NDArray[np.int64]":
    import numpy as np

    if labels.shape != (samples,) or labels.dtype.kind not in "iu":
        raise InputError(
            f"--data {path}: y must be integer, one class a row of x, got {labels.dtype} of shape "
            f"{labels.shape} for {samples} rows"
        )
    if labels.min() < 0 or labels.max() >= classes:
        raise InputError(
            f"--data {path}: y must be classes 0 to {classes - 1}, got {labels.min()} to {labels.max()}"
        )
    return labels.astype(np.int64)


def _read(path: str) -> "tuple[NDArray[Any], NDArray[Any] | None]":
    """The samples `x` of a file, and their classes `y` where it has them."""
    import zlib
    from zipfile import BadZipFile

    import numpy as np

    try:
        with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            return archive["x"], archive["y"] if "y" in archive.files else None
    except FileNotFoundError:
        raise InputError(f"--data {path}: no such file") from None
    except (KeyError, ValueError, OSError, TypeError, EOFError, BadZipFile, zlib.error) as error:
        raise InputError(
            f"--data {path}: must be a .npz with the samples x (and classes y): {error}"
        ) from None
