"""Tables of the further promises of an ensemble, for people."""

from itertools import groupby
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from comitia._certificate import confidence_down, percent_up
from comitia.pages.figure import legible
from comitia.promises.table import at_least, named_rate

if TYPE_CHECKING:
    from rich.console import Console

    from comitia._ensemble import Ensemble
    from comitia.promises import Promise

# With more groups than this, only the worst are shown.
SHOWN_GROUPS = 20


def show_promises(console: "Console", ensemble: "Ensemble") -> None:
    """Print the rule by which the vote answers, every further promise, and what is not promised and why."""
    if ensemble.decision.threshold is not None:
        console.print(f"Threshold: {escape(legible(ensemble.tilt))}.")
    for name, some in groupby(ensemble.promises, key=lambda one: one.name):
        _show(console, name, list(some))
    for row in ensemble.unpromised:
        title = row.name if row.group is None else f"{row.name} {row.group}"
        console.print(f"[yellow]not promised: {escape(legible(title))}: {escape(row.why)}[/yellow]")
    if ensemble.promises:
        console.print(
            "[dim]These promises were asked for beside the one above, which is the one to quote for the vote as a "
            "whole. Each line with a probability of its own holds by itself; the groups of one name hold at once.[/dim]"
        )


def _show(console: "Console", name: str, promises: "list[Promise]") -> None:
    first = promises[0]
    if first.group is None:
        console.print(
            f"[bold]Promise[/bold] ({escape(name)}): {escape(legible(first.promise))}.", style="green"
        )
        if first.coverage is not None:
            console.print(f"[dim]Of the certifying samples it answers {first.coverage:.2%}.[/dim]")
        return
    together = f"{confidence_down(first.delta)}, all {first.at_once} at once"
    console.print(f"[bold]Promise[/bold] (per {escape(name)}), with probability {together}:", style="green")
    console.print(_table(name, promises))


def _table(name: str, promises: "list[Promise]") -> Table:
    named = any(one.rate for one in promises)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(escape(name), no_wrap=True)
    for title in ("errors at most", promises[0].unit):
        table.add_column(title, justify="right")
    table.add_column("precision at least" if name == "predicted" else "as a rate" if named else "")
    shown = (
        promises
        if len(promises) <= SHOWN_GROUPS
        else sorted(promises, key=lambda one: -one.risk)[:SHOWN_GROUPS]
    )
    for one in shown:
        table.add_row(escape(legible(one.group or "")), percent_up(one.risk), f"{one.samples:,}", _named(one))
    if len(promises) > len(shown):
        table.add_row(f"[dim]… {len(promises) - len(shown)} with fewer[/dim]", "", "", "")
    return table


def _named(promise: "Promise") -> str:
    if promise.kind == "predicted":
        return at_least(promise.risk)
    return "" if promise.rate is None else escape(legible(named_rate(promise)))
