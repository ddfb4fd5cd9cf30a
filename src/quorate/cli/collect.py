"""`quorate collect`: networks → predictions, again or on new data."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.output import common_options, console, require_absent, write_json
from quorate.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@click.command(
    "collect",
    epilog="""\b
Examples:
  quorate collect imdb                                 compute hold-out and test predictions again
  quorate collect imdb --data new.npz --out new-predictions.npz
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
    """Compute the predictions of the members in DIR, which `quorate train` made."""
    if (data is None) != (out is None):
        raise InputError("collect: --data and --out go together; without them DIR's own files are made again")
    if data is None:
        written = _again(Path(directory), device, json_path)
    else:
        require_absent(out, force)
        written = {"new": _new(Path(directory), data, Path(str(out)), device)}
    for part, path in written.items():
        console(json_path).print(f"{part}: {path}", markup=False, soft_wrap=True)
    write_json(json_path, {"predictions": {part: str(path) for part, path in written.items()}})


def _again(root: Path, device: str, json_path: str | None) -> dict[str, Path]:
    from quorate.deep.directory import Directory
    from quorate.deep.recollecting import collect_again
    from quorate.engines.opening import locked, trained_recipe
    from quorate.engines.work import load_data

    directory, screen = Directory(root), console(json_path)
    recipe = trained_recipe(directory)
    data, parts = load_data(recipe)

    def report(event: dict[str, Any]) -> None:
        screen.print(f"run {event['run']}, step {event['step']}", markup=False)

    with locked(directory):
        return collect_again(directory, recipe, data, parts, report, device=device)


def _new(root: Path, data: str, out: Path, device: str) -> Path:
    from quorate.deep.directory import Directory
    from quorate.deep.recollecting import collect_new
    from quorate.engines.opening import trained_recipe

    directory = Directory(root)
    recipe = trained_recipe(directory)
    samples, labels = _read(data)
    collect_new(directory, recipe, samples, labels, out, device=device)
    return out


def _read(path: str) -> "tuple[NDArray[Any], NDArray[np.int64] | None]":
    """The samples `x` of a file, and their classes `y` where it has them."""
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as archive:
            samples = archive["x"]
            labels = archive["y"].astype(np.int64) if "y" in archive.files else None
    except FileNotFoundError:
        raise InputError(f"--data {path}: no such file") from None
    except (KeyError, ValueError, OSError) as error:
        raise InputError(
            f"--data {path}: must be a .npz with the samples x (and classes y): {error}"
        ) from None
    if labels is not None and labels.shape != samples.shape[:1]:
        raise InputError(
            f"--data {path}: x and y must have as many rows, got {samples.shape} and {labels.shape}"
        )
    return samples, labels
