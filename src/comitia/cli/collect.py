"""`comitia collect`: networks → predictions, again or on new data."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from comitia._errors import InputError
from comitia.cli.output import common_options, console, require_absent, require_distinct, write_json

if TYPE_CHECKING:
    from comitia.deep.events import Event


@click.command(
    "collect",
    epilog="""\b
Examples:
  comitia collect imdb                                 compute hold-out and test predictions again
  comitia collect imdb --data new.npz --out new-predictions.npz
  comitia collect demo --augment flip-shift --copies 8 means over augmented copies: test-augmented.npz
new.npz holds the samples x as the data set stores them and, if known, their classes y.
""",
)
@click.argument("directory", metavar="DIR")
@click.option("--data", metavar="FILE.npz", help="New samples: x, and y where the classes are known.")
@click.option("--out", metavar="FILE.npz", help="Where the predictions on new data go.")
@click.option(
    "--augment",
    metavar="NAME",
    help="Average each member over the plain image and augmented copies: flip-shift or module:function.",
)
@click.option(
    "--copies",
    type=int,
    metavar="K",
    help="With --augment: looks at an image, the plain one included (8 by default).",
)
@click.option("--allow-code", is_flag=True, help="Run code that a recipe file names as module:function.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda or mps.")
@click.option("--force", is_flag=True, help="Overwrite an existing output.")
@common_options
def command(
    directory: str,
    data: str | None,
    out: str | None,
    augment: str | None,
    copies: int | None,
    device: str,
    allow_code: bool,
    force: bool,
    json_path: str | None,
) -> None:
    """Compute the predictions of the members in DIR, which `comitia train` made."""
    from comitia.deep.events import Member
    from comitia.engines.collection import collect

    if out == "-":
        raise InputError("--out: the name of a file is required, got -")
    require_distinct(out, json_path)
    for place in (out, json_path):
        require_absent(place, force, (data, *_files(Path(directory))))
    if augment is not None and data is None:
        _require_no_augmented(Path(directory), force)
    screen = console(json_path)

    def show(event: "Event") -> None:
        if isinstance(event, Member):
            screen.print(f"run {event.run}, step {event.step}", markup=False)

    how: dict[str, Any] = {"augment": augment, "copies": copies, "device": device, "allow_code": allow_code}
    written = collect(directory, data, out, **how, listen=show)
    write_json(json_path, {"predictions": {part: str(path) for part, path in written.items()}})
    for part, path in written.items():
        screen.print(f"{part}: {path}", markup=False, soft_wrap=True)


def _require_no_augmented(root: Path, force: bool) -> None:
    """Raise where means over copies lie already: other copies may have made them."""
    for part in ("holdout", "test"):
        path = root / f"{part}-augmented.npz"
        if path.exists():
            require_absent(path, force)


def _files(root: Path) -> list[Path]:
    """The files of a training, which are inputs too."""
    names = ("recipe.toml", "settings.json", "holdout.npz", "test.npz")
    return [*(root / name for name in names), *root.glob("runs/*/*")]
