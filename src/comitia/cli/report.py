"""`comitia report`: one self-contained HTML page."""

from pathlib import Path

import click

from comitia._errors import InputError
from comitia.cli.output import common_options, console, require_absent, require_distinct, write_json


@click.command(
    "report",
    epilog="""\b
Examples:
  comitia report ensemble.json                      writes ensemble.html beside it
  comitia report evaluation.json --out page.html
  comitia report runs/imdb-cnn_lstm-checkpoints     a folder of comitia reproduce
""",
)
@click.argument("path", metavar="PATH")
@click.option(
    "--out", metavar="FILE", help="Where the page goes [default: PATH with .html; in a folder report.html]."
)
@click.option("--force", is_flag=True, help="Overwrite an existing output.")
@common_options
def command(path: str, out: str | None, force: bool, json_path: str | None) -> None:
    """Write one HTML page that needs no network: verdict, figures, details.

    PATH is an ensemble (weigh --out), an evaluation (evaluate --json), or a folder with ensemble.json,
    evaluation.json or comparison.json, such as reproduce writes.
    """
    if out == "-":
        raise InputError("--out: the name of a file is required, got '-'")
    target = Path(out) if out is not None else _beside(Path(path))
    if target in _records(Path(path)):
        raise InputError(f"--out {target}: is the name of a record; choose another name")
    require_distinct(target, json_path)
    for place in (target, json_path):
        require_absent(place, force, _records(Path(path)))
    from comitia.files.atomic import write_text
    from comitia.pages import report_text

    text = report_text(path)
    write_text(target, text)
    console(json_path).print(f"page written to {target} ({len(text.encode()) / 1e6:.1f} MB)", markup=False)
    write_json(json_path, {"page": str(target), "bytes": len(text.encode())})


def _records(path: Path) -> list[Path]:
    """What the page is made from: the file, or every record in the folder."""
    from comitia.pages.comparison_page import COMPARISON
    from comitia.pages.learning import LEARNING
    from comitia.pages.material import ENSEMBLE, EVALUATION, RUN

    names = (COMPARISON, ENSEMBLE, EVALUATION, RUN, LEARNING)
    return [path / name for name in names] if path.is_dir() else [path]


def _beside(path: Path) -> Path:
    return path / "report.html" if path.is_dir() else path.with_suffix(".html")
