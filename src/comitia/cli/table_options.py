"""Options of every command that reads tables: which column is what."""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

    from comitia._predictions import Predictions
    from comitia.files.roles import Roles
    from comitia.statistics.counted import Counted

Command = TypeVar("Command", bound=Callable[..., Any])

#: Headings under which help lists the options for tables.
TABLES, LONG, REAL = "Tables", "Long tables (a row per answer)", "Real targets"
#: Name, metavar, whether it may be given several times, heading, help.
OPTIONS = (
    ("label", "COL", False, TABLES, "The column of true classes."),
    ("id", "COL", False, TABLES, "The column that identifies samples."),
    ("group", "COL", False, TABLES, "The column that says which samples belong together."),
    ("fold", "COL", False, TABLES, "The column of folds: predictions are out-of-fold."),
    ("members", "GLOB,...", True, TABLES, "The columns (long: the members) to take; may be repeated."),
    ("ignore", "GLOB,...", True, TABLES, "Columns (long: or members) to leave out; may be repeated."),
    ("empty", "MEANING", False, TABLES, "Empty cells mean abstain (no answer) or unseen (not hold-out)."),
    (
        "layout",
        "NAME",
        False,
        TABLES,
        "wide (a column per member) or long [default: by the names of columns].",
    ),
    ("pattern", "TEXT", False, TABLES, "Names of columns per member and class, such as {member}_{class}."),
    ("classes", "NAME,...", False, TABLES, "All classes in order."),
    ("positive", "CLASS", False, TABLES, "Two classes: the second, which single probabilities are of."),
    ("abstain", "ANSWER", True, TABLES, "An answer that means no answer, such as tie; may be repeated."),
    ("rounds", "MEANING", False, LONG, "Several answers on an item: members (one per round), or agree."),
    ("columns", "ROLE=COL", True, LONG, "The column of member, answer, probability or round."),
)


class TableOption(click.Option):
    """An option for tables, which help lists under a heading of its own."""

    def __init__(self, *args: Any, heading: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.heading = heading


def table_options(command: Command) -> Command:
    """Return the command with the options for tables; their values come as keyword arguments."""
    for name, metavar, several, heading, text in reversed(OPTIONS):
        command = click.option(
            f"--{name}", cls=TableOption, heading=heading, metavar=metavar, multiple=several, help=text
        )(command)
    return command


class ReadingCommand(click.Command):
    """A command that reads tables: its help lists the options for them after all others."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by their headings."""
        listed: dict[str, list[tuple[str, str]]] = {"Options": [], TABLES: [], LONG: [], REAL: []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                listed[getattr(parameter, "heading", "Options")].append(record)
        for heading, records in listed.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def typed(flag: str, value: str) -> str:
    """Return an option as it is typed.

    >>> typed("--group", "patient"), typed("--group", "patient no")
    ('--group patient', '--group "patient no"')
    """
    plain = re.fullmatch(r"[\w.:/,=-]+", value) is not None
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


def read_holdout(
    files: tuple[str, ...],
    labels: str | None,
    given: dict[str, Any],
    told: Told,
    further: Iterable[str],
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
    if any(value for name, value in given.items() if name != "per") and not any(further):
        raise InputError(
            "files: options for columns of tables were given, and counts have none; leave them out"
        )
    return read_counts(files)


def read_further(
    files: tuple[str, ...], given: dict[str, Any], like: "Predictions | Counted"
) -> "Predictions | None":
    """Return the same members on further samples, read with the same options but no folds; None without files."""
    if not files:
        return None
    from comitia.files import read_predictions

    return read_predictions(files, like=like, **as_arguments(dict(given, fold=None)))


def read_unlabelled(
    files: tuple[str, ...], given: dict[str, Any], like: "Predictions | Counted"
) -> "Predictions | None":
    """Return the same members on unlabelled samples, read with the same options; None without files."""
    if not files:
        return None
    from comitia.files import read_predictions

    options = as_arguments(dict(given, per=()))
    return read_predictions(files, like=like, **options, labelled=False)


def show_roles(terminal: "Console", roles: "Roles") -> None:
    """Print what was taken as what, a short line per role."""
    from rich.markup import escape

    count = len(roles.members)
    shown = ", ".join(roles.members[:6]) + (", …" if count > 6 else "")
    lines = [("label", roles.label), ("id", roles.id), ("group", roles.group), ("fold", roles.fold)]
    lines += [("per", ", ".join(roles.strata) or None)]
    lines += [
        ("members", f"{count:,} ({shown})"),
        ("ignored", ", ".join(name or '""' for name in roles.ignored) or None),
    ]
    notes = [
        re.sub(r"\b([a-z]+)='([^']*)'", lambda m: typed(f"--{m[1]}", m[2]), note) for note in roles.notes
    ]
    lines += [("probability of", roles.positive), *(("note", note) for note in notes)]
    for what, text in lines:
        if text is not None:
            terminal.print(f"[dim]{what}: {escape(text)}[/dim]", soft_wrap=True)
