"""`comitia collect`: networks → predictions, again or on new data."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from comitia._errors import InputError
from comitia.cli.output import common_options, console, require_absent, write_json

if TYPE_CHECKING:
    from comitia.deep.events import Event


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
    from comitia.deep.events import Member
    from comitia.engines.collection import collect

    if out == "-":
        raise InputError("--out: the name of a file is required, got -")
    for place in (out, json_path):
        require_absent(place, force, (data, *_files(Path(directory))))
    screen = console(json_path)

    def show(event: "Event") -> None:
        if isinstance(event, Member):
            screen.print(f"run {event.run}, step {event.step}", markup=False)

    written = collect(directory, data, out, device=device, listen=show)
    write_json(json_path, {"predictions": {part: str(path) for part, path in written.items()}})
    for part, path in written.items():
        screen.print(f"{part}: {path}", markup=False, soft_wrap=True)


def _files(root: Path) -> list[Path]:
    """The files of a training, which are inputs too."""
    names = ("recipe.toml", "settings.json", "holdout.npz", "test.npz")
    return [*(root / name for name in names), *root.glob("runs/*/*")]
