"""Options of every command that reads tables: which column is what."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

    from comitia._predictions import Predictions
    from comitia.files.roles import Roles
    from comitia.statistics.counted import Counted

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


def read_holdout(
    files: tuple[str, ...],
    labels: str | None,
    given: dict[str, Any],
    told: Told,
    further: Iterable[str | None],
) -> "Predictions | Counted":
    """Return what is to be weighed: predictions, or the sum of counts.

    Options for tables are then of `further` files, and an error where there are none.
    """
    from comitia._errors import InputError
    from comitia.files import read_counts, read_predictions
    from comitia.files.counts import is_counts

    if not any(map(is_counts, files)):
        return read_predictions(files, labels=labels, **as_arguments(given, told))
    if labels is not None:
        raise InputError("labels: counts hold the labels that they were counted with; leave them out")
    if any(given.values()) and not any(further):
        raise InputError(
            "files: options for columns of tables were given, and counts have none; leave them out"
        )
    return read_counts(files)


def read_apart(files: tuple[str, ...], given: dict[str, Any]) -> "Predictions | None":
    """Return the predictions in the files of samples apart, read with the same options but no folds; None for none."""
    if not files:
        return None
    from comitia.files import read_predictions

    return read_predictions(files, **as_arguments(dict(given, fold=None)))


def show_roles(terminal: "Console", roles: "Roles") -> None:
    """Print what was taken as what, a short line per role."""
    from rich.markup import escape

    count = len(roles.members)
    shown = ", ".join(roles.members[:6]) + (", …" if count > 6 else "")
    lines = [("label", roles.label), ("id", roles.id), ("group", roles.group), ("fold", roles.fold)]
    lines += [("members", f"{count:,} ({shown})"), ("ignored", ", ".join(roles.ignored) or None)]
    lines += [("probability of", roles.positive), *(("note", note) for note in roles.notes)]
    for what, text in lines:
        if text is not None:
            terminal.print(f"[dim]{what}: {escape(text)}[/dim]", soft_wrap=True)
