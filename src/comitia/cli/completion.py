"""Completion in bash, zsh and fish: which words can follow, found without importing anything heavy.

Click asks the type of a parameter for completions. `completed` gives each parameter of a command the type that its
name or metavar stands for, so that no command has to know about completion.
"""

from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import Any

import click
from click.shell_completion import CompletionItem

# `comitia.weighting.METHODS` without importing scipy; a test compares the two.
METHODS = (
    *("uniform", "best", "early-stopping", "first-order", "tandem"),
    *("cantelli", "disagreement", "greedy", "likelihood", "blend", "auto"),
)
VOTES = ("majority", "average")


def _library(folder: str) -> tuple[str, ...]:
    """Return the names of the TOML files that come with the package in that folder."""
    entries = files("comitia").joinpath(folder).iterdir()
    return tuple(sorted(entry.name[:-5] for entry in entries if entry.name.endswith(".toml")))


def _data_sets() -> tuple[str, ...]:
    from comitia.data import NAMES

    return NAMES


class Completed(click.ParamType):  # type: ignore[type-arg]  # not generic in click 8.1
    """Text that is passed on as it is, with completion from `names`, or from files where none of them fits."""

    name = "text"

    def __init__(self, names: Callable[[], Iterable[str]] = tuple, paths: str = "") -> None:
        self.names, self.paths = names, paths

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        found = [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]
        return found or ([CompletionItem(incomplete, type=self.paths)] if self.paths else [])


class CompletedList(Completed):
    """Names separated by commas: the last one is completed."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        used = before.split(",")
        found = [name for name in self.names() if name.startswith(last) and name not in used]
        return [CompletionItem(f"{before}{comma}{name}") for name in found]


FILES, FOLDERS = Completed(paths="file"), Completed(paths="dir")
DATA_SETS = Completed(_data_sets)
BY_METAVAR = {
    "FILE": FILES,
    "FILE...": FILES,
    "FILE.npz": FILES,
    "PACK.npz": FILES,
    "ENSEMBLE.json": FILES,
    "ENSEMBLE.json|BUNDLE": FILES,
    "A.json": FILES,
    "[B.json] FILE...": FILES,
    "PATH": FILES,
    "DIR": FOLDERS,
    "DIR|CHECKPOINT...": FILES,
    "CHECKPOINT...": FILES,
    "FILE.npz|MODULE:FUNCTION": FILES,
    "NAME|FILE.toml": Completed(lambda: _library("recipes/library"), paths="file"),
    "NAME,...": CompletedList(lambda: METHODS),
}
# These go before the metavar.
BY_OPTION = {
    "--method": Completed(lambda: METHODS),
    "--vote": Completed(lambda: VOTES),
    "--votes": CompletedList(lambda: VOTES),
    "--compare": Completed(lambda: _library("paper/comparisons"), paths="file"),
    "--engine": Completed(lambda: ("local", "ray")),
    "--device": Completed(lambda: ("auto", "cpu", "cuda", "mps")),
}


def completed(command: click.Command) -> click.Command:
    """Give the parameters of a command, and of its sub-commands, the types that complete them; return it."""
    for parameter in command.params:
        if isinstance(parameter.type, click.types.StringParamType):
            parameter.type = _type_of(command, parameter)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            completed(inner)
    return command


def _type_of(command: click.Command, parameter: click.Parameter) -> Any:
    if command.name in ("fetch", "prepare", "check") and parameter.name == "name":
        return DATA_SETS
    found = next((BY_OPTION[word] for word in parameter.opts if word in BY_OPTION), None)
    return found or BY_METAVAR.get(parameter.metavar or "", parameter.type)
