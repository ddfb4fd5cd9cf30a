"""Options of the commands that read checkpoints, and how their progress is shown."""

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

Command = TypeVar("Command", bound=Callable[..., Any])

OPTIONS = (
    click.option(
        "--model",
        metavar="MODULE:FUNCTION",
        help="Makes the network of a state; takes nothing, or the member's name where architectures differ.",
    ),
    click.option(
        "--entry",
        metavar="NAME",
        help="Where in a file the state lies, if it holds several: state_dict, ema.",
    ),
    click.option(
        "--pattern",
        metavar="TEXT",
        help="Where run and step stand in names, such as {run}/net-{step}.pt [default: by usual names].",
    ),
    click.option(
        "--outputs",
        type=click.Choice(["logits", "probabilities"]),
        help="What members return [default: seen from their first batch].",
    ),
    click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda or mps."),
    click.option(
        "--skip-bad", is_flag=True, help="Leave out checkpoints that cannot be used; each is named."
    ),
    click.option(
        "--allow-code",
        is_flag=True,
        help="Run code that files hold or name: exported programs (.pt2), module:function in a recipe.",
    ),
    click.option(
        "--trust", multiple=True, metavar="TYPE", help="A type in .skops files to trust; may be repeated."
    ),
)


def member_options(command: Command) -> Command:
    """Return the command with the options for checkpoints; their values come as keyword arguments."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def teller(screen: "Console") -> Callable[[str], None]:
    """Return what prints a line of progress as it comes, and goes on when nobody reads."""
    from comitia._words import harmless

    def tell(line: str) -> None:
        with suppress(BrokenPipeError, SystemExit):
            screen.print(harmless(line), markup=False, soft_wrap=True)
            sys.stdout.flush()

    return tell
