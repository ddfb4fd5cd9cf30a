"""`comitia data`: fetch, prepare and check data sets."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from comitia.cli.output import common_options, console, write_json

if TYPE_CHECKING:
    from rich.progress import Progress

    from comitia.data.checking import State


@click.group()
def command() -> None:
    """Fetch, prepare and check data sets.

    \b
    Examples:
    comitia data fetch imdb                            download into the cache folder
    comitia data prepare eyepacs --from kaggle/        preprocess photographs once
    comitia data check                                 what is there, and is it whole

    The cache folder is ~/.cache/comitia; the environment variable COMITIA_DATA moves it.
    """


folder_option = click.option(
    "--folder", metavar="DIR", help="Instead of the cache folder (COMITIA_DATA, else ~/.cache/comitia)."
)


@command.command()
@click.argument("name")
@folder_option
@click.option("--url", help="Another address of the file, or of the folder that holds it (COMITIA_DATA_URL).")
@click.option("--digest", help="Checksum of that file, sha256:... or md5:..., instead of the official one.")
@common_options
def fetch(name: str, folder: str | None, url: str | None, digest: str | None, json_path: str | None) -> None:
    """Download the data set NAME (imdb, cifar10 or cifar100); the same command again resumes.

    \b
    comitia data fetch cifar10
    comitia data fetch imdb --url http://mirror.example/data/
    """
    from comitia.data import fetch as fetch_data

    with _bar(json_path) as bar:
        task = bar.add_task(name, total=None)
        path = fetch_data(
            name,
            folder,
            url=url,
            digest=digest,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    count = path.stat().st_size
    write_json(json_path, {"name": name, "path": str(path), "bytes": count})
    console(json_path).print(f"{name}: {path} ({_size(count)}), checksum verified", soft_wrap=True)


@command.command()
@click.argument("name")
@click.option("--from", "source", metavar="DIR", help="The unpacked Kaggle folder (eyepacs).")
@folder_option
@click.option("--blur", default=10.0, show_default=True, help="Pixels of the local average (eyepacs).")
@click.option("--size", default=512, show_default=True, help="Width and height in pixels (eyepacs).")
@click.option("--workers", type=click.IntRange(1), help="Processes at once; by default one per processor.")
@common_options
def prepare(
    name: str,
    source: str | None,
    folder: str | None,
    blur: float,
    size: int,
    workers: int | None,
    json_path: str | None,
) -> None:
    """Make the data set NAME ready for training; the same command again resumes.

    Only eyepacs needs it: its photographs are preprocessed once, in parallel. Others are read once to see
    that they are usable.

    \b
    comitia data prepare eyepacs --from kaggle/ --workers 8
    """
    if name == "eyepacs":
        record = _prepare_eyepacs(
            source, folder, json_path, workers=workers, settings={"blur": blur, "size": size}
        )
    else:
        record = _read_once(name, folder)
    write_json(json_path, record)
    console(json_path).print(_sentence(record), soft_wrap=True)


def _prepare_eyepacs(
    source: str | None,
    folder: str | None,
    json_path: str | None,
    *,
    workers: int | None,
    settings: dict[str, Any],
) -> dict[str, Any]:
    from comitia.data.eyepacs import prepared_folder
    from comitia.data.eyepacs_preparation import prepare as prepare_photographs

    if source is None:
        raise click.UsageError("--from DIR is missing: the unpacked Kaggle folder of the photographs")
    with _bar(json_path, unit="photographs") as bar:
        tasks: dict[str, Any] = {}

        def show(split: str, done: int, total: int) -> None:
            if split not in tasks:
                tasks[split] = bar.add_task(split, total=total)
            bar.update(tasks[split], completed=done)

        unusable = prepare_photographs(source, folder, workers=workers, progress=show, **settings)
    where = prepared_folder(folder, **settings)
    return {**_read_once("eyepacs", folder, **settings), "path": str(where), "unusable": unusable}


def _read_once(name: str, folder: str | None, **options: Any) -> dict[str, Any]:
    from comitia.data import load

    data = load(name, folder, **options)
    shape = list(data.input_shape)
    return {
        "name": name,
        "train": len(data.train_y),
        "test": len(data.test_y),
        "shape": shape,
        "classes": data.classes,
    }


def _sentence(record: dict[str, Any]) -> str:
    shape = " × ".join(map(str, record["shape"]))
    text = (
        f"{record['name']}: ready, {record['train']:,} samples to train and {record['test']:,} to test, "
        f"{shape}, {record['classes']} classes"
    )
    spoilt = [image for images in record.get("unusable", {}).values() for image in images]
    if spoilt:
        text += f"; unreadable, replaced by plain grey: {', '.join(spoilt)}"
    return text


@command.command()
@click.argument("name", required=False)
@folder_option
@common_options
@click.pass_context
def check(ctx: click.Context, name: str | None, folder: str | None, json_path: str | None) -> None:
    """Show which data sets are there and whether they are whole; exit 1 if one is corrupt.

    \b
    comitia data check
    comitia data check cifar10 --json -
    """
    from comitia._errors import require_choice
    from comitia._records import to_plain
    from comitia.data import NAMES, data_folder
    from comitia.data.checking import check as check_data

    chosen = [require_choice("data set", name, NAMES)] if name else [n for n in NAMES if n != "arrays"]
    states = [check_data(entry, folder) for entry in chosen]
    where = data_folder(folder)
    corrupt = [state.name for state in states if state.state == "corrupt"]
    write_json(
        json_path, {"folder": str(where), "corrupt": corrupt, "data": [to_plain(state) for state in states]}
    )
    _show(states, where, json_path)
    if corrupt:
        ctx.exit(1)


def _show(states: "list[State]", where: Path, json_path: str | None) -> None:
    from rich.table import Table

    table = Table("data set", "state", "size", "checksum", "remark", title=f"Data sets in {where}")
    for state in states:
        size = _size(state.bytes) if state.bytes is not None else ""
        table.add_row(state.name, state.state, size, state.checksum, state.remark)
    console(json_path).print(table)


def _size(count: int) -> str:
    value, unit = float(count), "bytes"
    for larger in ("kB", "MB", "GB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"


def _bar(json_path: str | None, unit: str = "bytes") -> "Progress":
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    counts = (DownloadColumn(), TransferSpeedColumn()) if unit == "bytes" else (MofNCompleteColumn(),)
    screen = console(json_path)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *counts,
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )
