"""What people read of a comparison, of the evidence so far, and of a look for drift."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from comitia._compare import VOID
from comitia.pages.figure import legible

if TYPE_CHECKING:
    from rich.console import Console

    from comitia._compare import Compared
    from comitia._monitor import Monitored

# Files beyond these are folded into one line.
SHOWN_FILES = 12


def show_compared(console: "Console", found: "Compared") -> None:
    """Print both errors, the gain, the test, the sentence and what makes it void."""
    result = found.result
    unit = "sample" if result.unit == "samples" else "group"
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column, justify in (
        ("vote", "left"),
        ("error", "right"),
        (f"{result.unit} on which it errs less", "right"),
    ):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    table.add_row(escape(legible(found.a)), f"{result.error:.4f}", f"{result.better:,}")
    table.add_row(escape(legible(found.b)), f"{result.other_error:.4f}", f"{result.worse:,}")
    console.print(table)
    where = (
        "the certifying part of the hold-out" if found.part == "certifying" else "all samples of the files"
    )
    console.print(
        f"gain {result.gain:+.4f}, certified {result.gain_at_least:+.4f} at delta {result.delta:g}; exact McNemar "
        f"test: p = {result.p_value:.2g} on {result.discordant:,} of {result.samples:,} {unit}s ({where})",
        markup=False,
    )
    style = "green" if found.certified else "yellow"
    console.print(f"{_capital(found.sentence)}.", style=style, markup=False)
    console.print(f"Provided that {found.assumption}.", style="dim", markup=False)
    console.print(f"Void by: {'; '.join(VOID)}.", style="dim", markup=False)


def show_monitored(console: "Console", found: "Monitored", notes: Sequence[str], place: Path) -> None:
    """Print the files so far, how things stand, and what was noticed."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column, justify in (
        ("file", "left"),
        (f"new {found.watch.unit}", "right"),
        ("error", "right"),
        ("evidence after", "right"),
    ):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    if len(found.steps) > SHOWN_FILES:
        table.add_row(f"[dim]… {len(found.steps) - SHOWN_FILES} before[/dim]", "", "", "")
    for step in found.steps[-SHOWN_FILES:]:
        error = "–" if step.error is None else f"{step.error:.4f}"
        table.add_row(escape(legible(step.file)), f"{step.labels:,}", error, _evidence(step.log10_evidence))
    console.print(table)
    console.print(f"{_capital(found.sentence)}.", style="bold red" if found.alarm else "green", markup=False)
    _show_notes(console, notes, place)


def show_drifted(console: "Console", record: dict[str, Any], notes: Sequence[str], place: Path) -> None:
    """Print both tests, what they say together, and what was noticed."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("of the vote", "hold-out", "new", "largest difference", "p"):
        table.add_column(column, justify="left" if column == "of the vote" else "right")
    for row in record["tests"]:
        means = (f"{row['reference_mean']:.4f}", f"{row['new_mean']:.4f}")
        table.add_row(row["name"], *means, f"{row['statistic']:.4f}", f"{row['p_value']:.2g}")
    console.print(table)
    console.print(
        f"{_capital(record['sentence'])}.", style="bold red" if record["alarm"] else "green", markup=False
    )
    console.print(
        f"{record['permutations']:,} permutations, seed {record['seed']}. {_capital(record['warning'])}."
        if record["alarm"]
        else f"{record['permutations']:,} permutations, seed {record['seed']}. No alarm promises nothing: errors can "
        "rise where votes look as before.",
        style="dim",
        markup=False,
    )
    _show_notes(console, notes, place)


def _show_notes(console: "Console", notes: Sequence[str], place: Path) -> None:
    for note in notes:
        console.print(f"note: {legible(note)}", style="yellow", markup=False)
    console.print(f"state: {place}", style="dim", markup=False)


def _evidence(power: float) -> str:
    return f"{10**power:.3g}" if -4 < power < 6 else f"10^{power:.1f}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
