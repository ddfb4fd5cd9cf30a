"""Options of every command that reads tables: which column is what."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

    from comitia._predictions import Predictions
    from comitia.files.roles import Roles

Command = TypeVar("Command", bound=Callable[..., Any])

#: Name, metavar, whether it may be given several times, help.
OPTIONS = (
    ("label", "COL", False, "Table: the column of true classes."),
    ("id", "COL", False, "Table: the column that identifies samples."),
    ("group", "COL", False, "Table: the column that says which samples belong together."),
    ("fold", "COL", False, "Table: the column of folds."),
    ("members", "GLOB", True, "Table: the columns that are members; may be repeated."),
    ("ignore", "GLOB", True, "Table: columns to leave out; may be repeated."),
    ("empty", "MEANING", False, "Table: empty cells mean abstain (no answer) or unseen (not hold-out)."),
    ("layout", "NAME", False, "Table: wide (a column per member) or long (a row per answer)."),
    ("pattern", "TEXT", False, "Table: names of columns per member and class, such as {member}_{class}."),
    ("classes", "NAME,...", False, "Table: all classes in order."),
    ("rounds", "MEANING", False, "Long table: several answers are members (one per round) or must agree."),
    ("abstain", "ANSWER", True, "Long table: an answer that means no answer, such as tie; may be repeated."),
    ("columns", "ROLE=COL", True, "Long table: the column of member, answer, probability or round."),
)


def table_options(command: Command) -> Command:
    """Return the command with the options for tables; their values come as keyword arguments."""
    for name, metavar, several, text in reversed(OPTIONS):
        command = click.option(f"--{name}", metavar=metavar, multiple=several, help=text)(command)
    return command


def typed(flag: str, value: str) -> str:
    """Return an option as it is typed.

    >>> typed("--group", "patient"), typed("--group", "patient no")
    ('--group patient', '--group "patient no"')
    """
    plain = re.fullmatch(r"[\w.:/-]+", value) is not None
    return f"{flag} {value}" if plain else f'{flag} "{value}"'


class Told:
    """What was taken as what, kept until there is something to show: files are written before anything is printed."""

    def __init__(self) -> None:
        self._roles: list[Roles] = []

    def __call__(self, roles: "Roles") -> None:
        self._roles.append(roles)

    def show(self, terminal: "Console") -> None:
        """Print it."""
        for roles in self._roles:
            show_roles(terminal, roles)


def as_arguments(given: dict[str, Any], told: Told | None = None) -> dict[str, Any]:
    """Return the options as arguments of `read_predictions`, which tells what was taken as what."""
    names = given.get("classes")
    return dict(
        given, classes=None if names is None else [name.strip() for name in names.split(",")], tell=told
    )


def read_further(files: tuple[str, ...], given: dict[str, Any], like: "Predictions") -> "Predictions | None":
    """Return the same members on further samples, read with the same options but no folds; None without files."""
    if not files:
        return None
    from comitia.files import read_predictions

    return read_predictions(files, like=like, **as_arguments(dict(given, fold=None)))


def show_roles(terminal: "Console", roles: "Roles") -> None:
    """Print what was taken as what, a short line per role."""
    from rich.markup import escape

    count = len(roles.members)
    shown = ", ".join(roles.members[:6]) + (", …" if count > 6 else "")
    lines = [("label", roles.label), ("id", roles.id), ("group", roles.group), ("fold", roles.fold)]
    lines += [("members", f"{count:,} ({shown})"), ("ignored", ", ".join(roles.ignored) or None)]
    notes = [
        re.sub(r"\b([a-z]+)='([^']*)'", lambda m: typed(f"--{m[1]}", m[2]), note) for note in roles.notes
    ]
    lines += [("probability of", roles.positive), *(("note", note) for note in notes)]
    for what, text in lines:
        if text is not None:
            terminal.print(f"[dim]{what}: {escape(text)}[/dim]", soft_wrap=True)
