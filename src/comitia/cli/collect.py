"""`comitia collect`: networks → predictions, again or on new data."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from comitia._errors import InputError
from comitia.cli.member_options import member_options, teller
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
  comitia collect ckpts --model mine:network --data mine:holdout --out holdout.npz
new.npz holds the samples x as the data set stores them and, if known, their classes y.
""",
)
@click.argument("checkpoints", nargs=-1, required=True, metavar="DIR|CHECKPOINT...")
@click.option(
    "--data",
    metavar="FILE.npz|MODULE:FUNCTION",
    help="New samples: x, and y where the classes are known. Of checkpoints: the hold-out, with y.",
)
@click.option("--out", metavar="FILE.npz", help="Where the predictions on these samples go.")
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
@member_options
@click.option("--force", is_flag=True, help="Overwrite an existing output.")
@common_options
def command(
    checkpoints: tuple[str, ...],
    data: str | None,
    out: str | None,
    augment: str | None,
    copies: int | None,
    device: str,
    force: bool,
    json_path: str | None,
    **origin: Any,
) -> None:
    """Compute predictions of networks: of the members in DIR, which `comitia train` made, or of checkpoints.

    Checkpoints are .pt, .pth, .ckpt, .safetensors, .onnx, .skops or .pt2 files, Hugging Face folders, or folders of
    these. The same command again resumes: rows that are done lie in FILE.npz.rows.
    """
    from comitia.deep.events import Member
    from comitia.members.collection import collect

    if out == "-":
        raise InputError("--out: the name of a file is required, got -")
    require_distinct(out, json_path)
    for place in (out, json_path):
        require_absent(place, force, (data, *(file for path in checkpoints for file in _files(Path(path)))))
    if augment is not None and data is None:
        _require_no_augmented(Path(checkpoints[0]), force)
    screen = console(json_path)

    def show(event: "Event") -> None:
        if isinstance(event, Member):
            screen.print(f"run {event.run}, step {event.step}", markup=False)

    written = collect(
        checkpoints[0] if len(checkpoints) == 1 else checkpoints,
        data,
        out,
        augment=augment,
        copies=copies,
        device=device,
        listen=show,
        tell=teller(screen),
        **origin,
    )
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
