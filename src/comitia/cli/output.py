"""What every command shares: `--json`, `--debug`, `--force`, and where text for people goes."""

import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from comitia._errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

Command = TypeVar("Command", bound=Callable[..., Any])


class TableCommand(click.Command):
    """A command whose help names what the tables of the library hold: {methods}, {certificates}, {planned}."""

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, its lists read from the tables now."""
        from comitia._plan import PLANNED
        from comitia.bounds.table import BOUNDS
        from comitia.weighting import METHODS

        lists = {"{methods}": METHODS, "{certificates}": tuple(BOUNDS), "{planned}": PLANNED}
        text = self.help or ""
        for mark, names in lists.items():
            text = text.replace(mark, ", ".join(names))
        self.help = text
        return super().get_help(ctx)


def common_options(command: Command) -> Command:
    """Return the command with `--json FILE` (passed on as `json_path`) and `--debug` (read by `main`) added."""
    command = click.option(
        "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error."
    )(command)
    return click.option(
        "--json",
        "json_path",
        metavar="FILE",
        help="Write the result as JSON; - for standard output, and nothing else goes there.",
    )(command)


def ensemble_and_files(command: Command, *, required: bool = True) -> Command:
    """Return the command with the arguments ENSEMBLE.json and FILE..., and `--force`; a bundle may need no FILE."""
    command = click.option("--force", is_flag=True, help="Overwrite an existing output.")(command)
    command = click.argument("files", nargs=-1, required=required, metavar="FILE...")(command)
    return click.argument("ensemble_path", metavar="ENSEMBLE.json|BUNDLE")(command)


def console(json_path: str | None) -> "Console":
    """Return the console for text for people: standard output, or standard error while JSON has standard output."""
    from comitia.cli.screen import Screen

    return Screen(stderr=json_path == "-", highlight=False, soft_wrap=False)


def write_json(json_path: str | None, record: dict[str, Any]) -> None:
    """Write the record where `--json` says (whole or not at all); nothing when it was not given."""
    if json_path is None:
        return
    text = json.dumps(record, indent=1, allow_nan=False)
    if json_path == "-":
        print(text)
        sys.stdout.flush()
    else:
        from comitia.files.atomic import write_text

        write_text(json_path, text + "\n")


def require_distinct(*paths: str | Path | None) -> None:
    """Raise if two outputs have one name, so that the second would be written over the first."""
    named = [path for path in paths if path is not None]
    places = [
        str(path) if str(path) == "-" or _remote(path) else os.path.realpath(_plain(path)) for path in named
    ]
    for path, place in zip(named, places):
        if places.count(place) > 1:
            raise InputError(f"{show_place(path)}: two outputs have this name; give each its own")


def require_absent(path: str | Path | None, force: bool, inputs: Iterable[str | Path | None] = ()) -> None:
    """Raise unless an output may be written there: its folder can be written to, no file is there or `--force`
    was given, and it is none of the inputs."""
    if path is None or str(path) == "-":
        return
    given = [i for i in inputs if i is not None]
    if _remote(path):
        _require_absent_url(str(path), force, given)
        return
    path = _plain(path)
    target = Path(path).absolute()
    if not str(path) or target.is_dir():
        raise InputError(f"'{path}': is a folder; the name of a file is required")
    if not target.parent.is_dir():
        raise InputError(f"{path}: the folder {target.parent} does not exist; make it first")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"{path}: the folder {target.parent} cannot be written to; choose another")
    if target.is_symlink() and not target.exists():
        raise InputError(f"{path}: a link to nothing; refusing to write what it points to; remove the link")
    if target.exists() and not target.is_file():
        raise InputError(f"{path}: not a regular file; refusing to overwrite it")
    if target.exists() and any(target.samefile(i) for i in map(_plain, given) if Path(i).exists()):
        raise InputError(f"{path}: is one of the inputs; refusing to overwrite it")
    if target.exists() and not force:
        raise InputError(f"{path}: already exists; --force overwrites it")


def show_place(path: str | Path) -> str:
    """Return how an output is shown: a URL without what is secret in it."""
    if "://" not in str(path):
        return str(path)
    from comitia.files.remote import shown

    return shown(path)


def _remote(path: str | Path) -> bool:
    """Whether the path is a URL of another kind than file://; most are not, and need no import to tell."""
    if "://" not in str(path):
        return False
    from comitia.files.remote import is_url

    return is_url(_plain(path))


def _plain(path: str | Path) -> str | Path:
    if "://" not in str(path):
        return path
    from comitia.files.remote import plain

    return plain(path)


def _require_absent_url(url: str, force: bool, inputs: list[str | Path]) -> None:
    from comitia.files.remote import require_absent_remote

    if url in inputs:
        raise InputError(f"{show_place(url)}: is one of the inputs; refusing to overwrite it")
    require_absent_remote(url, force)
