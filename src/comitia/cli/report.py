"""`comitia report`: one self-contained HTML page."""

import click

from comitia.cli.output import (
    common_options,
    console,
    require_absent,
    require_distinct,
    show_place,
    write_json,
)


@click.command(
    "report",
    epilog="""\b
Examples:
  comitia report ensemble.json                      writes ensemble.html beside it
  comitia report evaluation.json --out page.html
  comitia report runs/imdb-cnn_lstm-checkpoints     a folder of comitia reproduce
  comitia report ensemble.monitor.jsonl             what comitia monitor keeps
""",
)
@click.argument("path", metavar="PATH")
@click.option(
    "--out", metavar="FILE", help="File to write [default: PATH with .html; in a folder report.html]."
)
@click.option("--title", metavar="TEXT", help="Title of the page [default: name of the record or of PATH].")
@click.option("--force", is_flag=True, help="Overwrite an existing output.")
@common_options
def command(path: str, out: str | None, title: str | None, force: bool, json_path: str | None) -> None:
    """Write one HTML page that needs no network: verdict, figures, details.

    PATH is an ensemble (weigh --out), an evaluation (evaluate --out), the state of monitor (.jsonl), or a folder with
    ensemble.json, evaluation.json or comparison.json, as reproduce writes it.
    """
    from comitia.files.atomic import together, write_text
    from comitia.pages import page_text, report_place
    from comitia.pages.material import sources

    target = report_place(path, out)
    require_distinct(target, json_path)
    for place in (target, json_path):
        require_absent(place, force, (path, *sources(path)))
    text = page_text(path, title=title)
    size = len(text.encode("utf-8"))
    with together():
        write_text(target, text)
        write_json(json_path, {"page": show_place(target), "bytes": size})
    shown = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
    console(json_path).print(f"page written to {show_place(target)} ({shown})", markup=False)
