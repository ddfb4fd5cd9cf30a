"""Options of the commands that take a bundle in place of an ensemble and predictions."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from comitia._errors import InputError

Command = TypeVar("Command", bound=Callable[..., Any])

#: The options for bundles.
NAMES = ("runtime", "model", "allow_code", "trust", "device", "batch")


def bundle_options(command: Command) -> Command:
    """Return the command with the options for bundles; their values come as keyword arguments."""
    for option in reversed(
        (
            click.option("--runtime", metavar="NAME", help="Bundles: torch or onnx [default: what can run]."),
            click.option("--model", metavar="MODULE:NAME", help="Bundles: the function that makes networks."),
            click.option(
                "--allow-code", is_flag=True, help="Bundles: import code that it names, read model.pt2."
            ),
            click.option(
                "--trust",
                multiple=True,
                metavar="TYPE",
                help="Bundles: a type in a .skops file that you trust.",
            ),
            click.option("--device", metavar="NAME", help="Bundles: auto, cpu, cuda or mps."),
            click.option("--batch", type=click.IntRange(1), metavar="N", help="Bundles: samples at once."),
        )
    ):
        command = option(command)
    return command


def taken(given: dict[str, Any]) -> dict[str, Any]:
    """Take the options for bundles out of all that were given, and return them."""
    found = {name: given.pop(name) for name in NAMES}
    return {name: value for name, value in found.items() if value not in (None, False, ())}


def require_none(options: dict[str, Any], what: str) -> None:
    """Raise where options were given that are not for this kind of input."""
    named = next((name for name, value in options.items() if value not in (None, False, ())), None)
    if named is not None:
        raise InputError(f"{named}: is for {what}; leave it out")
