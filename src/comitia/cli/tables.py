"""Tables that people read: an ensemble, a verification, predictions."""

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from comitia._certificate import percent_up
from comitia._choosing import is_blind
from comitia._verification import Verification
from comitia._words import counted
from comitia.cli.promise_tables import show_promises
from comitia.pages.figure import legible, told_apart

if TYPE_CHECKING:
    from rich.console import Console

    from comitia._certificate import Certificate
    from comitia._ensemble import Ensemble
    from comitia._predict import Predicted
    from comitia.bundle.verifying import BundleVerification

# Members beyond these, and lighter ones, are folded into one line.
SHOWN_MEMBERS, SHOWN_WEIGHT = 12, 5e-4
PROMISE_NEEDS = "A promise needs samples that no fold has seen: --certify FILE."
# A longer name loses its middle, so that its row stays one line.
LONGEST_NAME = 36


def show_ensemble(console: "Console", ensemble: "Ensemble") -> None:
    """Print members, certificates, the promise, what is not given and why, and warnings."""
    if ensemble.best is None:
        console.print("[bold yellow]estimate: out-of-fold predictions promise nothing[/bold yellow]")
    console.print(_headline(ensemble))
    console.print(_members(ensemble))
    if ensemble.best is None:
        console.print(_estimate(ensemble))
    else:
        _show_promise(console, ensemble, ensemble.best)
    show_promises(console, ensemble)
    if ensemble.gain is not None:
        sentence = ensemble.gain.sentence()
        console.print(f"[bold]Over equal weights[/bold]: {sentence[:1].upper()}{sentence[1:]}.")
    for why, rows in groupby(ensemble.certification.unavailable, key=lambda row: row.why):
        named = ", ".join(row.name for row in rows)
        console.print(f"[dim]not given: {escape(named)}: {escape(_with_flags(why))}[/dim]")
    for warning in ensemble.warnings:
        console.print(f"[yellow]warning: {escape(legible(warning))}[/yellow]")


def _show_promise(console: "Console", ensemble: "Ensemble", best: "Certificate") -> None:
    console.print(_certificates(ensemble))
    console.print(
        "[dim]Each row holds alone; the smallest row, picked after looking, does not. Quote the promise.[/dim]"
    )
    console.print(f"[bold]Promise[/bold] ({best.name}): {best.promise}.{_price(ensemble)}", style="green")
    console.print(f"[dim]Provided that {ensemble.assumption(best)}.[/dim]")


def _estimate(ensemble: "Ensemble") -> str:
    """What stands in place of a promise."""
    return (
        f"[bold yellow]Estimate[/bold yellow], not a promise: the {ensemble.vote} vote errs on {ensemble.estimate:.2%} "
        f"of the samples, each fold judged by weights that the others chose. {PROMISE_NEEDS}"
    )


def _with_flags(text: str) -> str:
    """Return the text with arguments of the library spelled as the flags of weigh."""
    for argument in ("certify_fraction", "resolution"):
        text = text.replace(argument, f"--{argument.replace('_', '-')}")
    return text.replace("certify=", "--certify")


def _headline(ensemble: "Ensemble") -> str:
    w, split = ensemble.weighting, ensemble.split
    how = {
        "nothing": ("by your own statement " if w.method == "given" else "")
        + "fixed without the hold-out, certified on all of it",
        "part": f"{_what(ensemble)}chosen on {split.weighing:,} samples, "
        f"{split.certifying:,} kept for certifying",
        "all": "chosen on all samples"
        + ("" if ensemble.data.pair_samples_min >= _draws(ensemble) else ", each member on its own"),
        "apart": f"certified on {ensemble.data.certify_samples or 0:,} samples apart{_known(ensemble)}",
    }[ensemble.chosen_on]
    method = w.method if w.chosen is None else f"{w.method} → {w.chosen}"
    return (
        f"[bold]{counted(len(ensemble.names), 'member')} · "
        f"{_samples(ensemble)} · "
        f"{_classes(ensemble)} · {ensemble.vote} vote · delta {ensemble.delta:g}[/bold]\n"
        f"weights: {method}, {how}{_limit(ensemble)}"
    )


def _limit(ensemble: "Ensemble") -> str:
    """The limit on the members that vote, and what they come to."""
    limit = ensemble.limit
    if limit is None:
        return ""
    voting = ensemble.weights > 0
    cost = "" if limit.budget is None else f" and cost {limit.cost(voting):.4g}"
    return f"\nlimit: {escape(limit.in_words())}; {int(voting.sum())} of {len(voting)} vote{cost}"


def _what(ensemble: "Ensemble") -> str:
    """What was chosen, where it is not the weights."""
    return "its rule " if is_blind(ensemble.weighting.method) and ensemble.limit is None else ""


def _draws(ensemble: "Ensemble") -> int:
    """How many independent draws the statistics rest on."""
    return ensemble.data.samples if ensemble.data.groups is None else ensemble.data.groups


def _samples(ensemble: "Ensemble") -> str:
    kind = "hold-out sample" if ensemble.data.folds is None else "out-of-fold sample"
    known = "" if ensemble.chosen_on == "apart" else _known(ensemble)
    return counted(ensemble.data.samples, kind) + (", counted" if ensemble.data.counted else "") + known


def _known(ensemble: "Ensemble") -> str:
    """Groups and abstentions of the samples that statistics and certificates are of: those apart, if there are any."""
    groups, silent = ensemble.data.groups, ensemble.data.abstained
    return ("" if groups is None else f" in {counted(groups, 'group')}") + (
        f" · {counted(silent, 'abstention')}" if silent else ""
    )


def _classes(ensemble: "Ensemble") -> str:
    """How many classes, and which, where they have names and fit in the line."""
    names = ", ".join(legible(name) for name in ensemble.class_names)
    shown = f" ({escape(names)})" if ensemble.declared and len(names) <= LONGEST_NAME else ""
    return f"{ensemble.classes} classes{shown}"


def _members(ensemble: "Ensemble") -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("member")
    table.add_column("error" if not ensemble.data.abstained else "error (no answer ½)", justify="right")
    table.add_column("weight", justify="right")
    table.add_column("")
    weights = ensemble.weights
    order = np.argsort(-weights, kind="stable")
    shown = [i for i in order[:SHOWN_MEMBERS] if weights[i] >= min(SHOWN_WEIGHT, weights.max())]
    names = told_apart([legible(ensemble.names[i]) for i in shown], LONGEST_NAME)
    for i, name in zip(shown, names):
        bar = "█" * max(1, round(20 * weights[i] / weights.max()))
        risk = f"{ensemble.member_risks[i]:.4f}"
        table.add_row(escape(name), risk, f"{weights[i]:.4f}", f"[cyan]{bar}[/cyan]")
    _folded(table, weights, len(shown))
    return table


def _folded(table: Table, weights: NDArray[np.float64], shown: int) -> None:
    """One line for the members that are not shown, and one for those that do not vote."""
    silent = int((weights == 0).sum())
    rest = len(weights) - shown - silent
    if rest:
        total = np.sort(weights)[::-1][shown:].sum()
        table.add_row(f"[dim]… {rest} more[/dim]", "", f"[dim]{total:.4f}[/dim]", "[dim]together[/dim]")
    if silent:
        table.add_row(f"[dim]… {silent} with zero weight[/dim]", "", "[dim]0[/dim]", "[dim]not needed[/dim]")


def _certificates(ensemble: "Ensemble") -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("certificate", no_wrap=True)
    table.add_column("risk at most", justify="right")
    table.add_column("samples" if ensemble.data.groups is None else "groups", justify="right")
    table.add_column("what it is")
    certificates = sorted(ensemble.certification.certificates, key=lambda c: c.risk)
    for place, c in enumerate(certificates):
        risk = "vacuous" if c.vacuous else percent_up(c.risk)
        mark = " (smallest)" if place == 0 and not c.vacuous else ""
        style = (
            "bold green"
            if ensemble.best is not None and c.name == ensemble.best.name
            else "dim"
            if c.vacuous
            else ""
        )
        table.add_row(escape(c.name) + mark, risk, f"{c.samples:,}", escape(c.meaning), style=style)
    return table


def _price(ensemble: "Ensemble") -> str:
    """How `best` was chosen: designated, or chosen among certificates and paid for."""
    compared = ensemble.certification.compared
    if compared == 1:
        return " It was designated before looking."
    return (
        f" The smallest of {compared} kinds of certificate, each at delta/{compared} = "
        f"{ensemble.delta / compared:.3g}, so that it holds at delta {ensemble.delta:g}."
    )


def show_verification(console: "Console", found: "Verification") -> None:
    """Print each statement with what the file says, what the data say, and whether it holds up."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("statement", "stated", "from the data", ""):
        table.add_column(column)
    for row in found.rows:
        mark = "[green]holds[/green]" if row.holds else "[bold red]does not hold[/bold red]"
        table.add_row(escape(row.name), escape(row.stated), escape(row.found), mark)
    console.print(table)
    if found.holds:
        console.print("[green]Everything that can be computed holds.[/green]")
    else:
        console.print("[bold red]Some statements do not hold.[/bold red]")
    console.print(f"[dim]Taken on trust: {'; '.join(found.trusted)}.[/dim]")


def show_bundle(console: "Console", found: "BundleVerification") -> None:
    """Print what a bundle states beside what its files answer, and what is promised of each file."""
    show_verification(console, Verification(found.rows, found.trusted))
    for one in found.files:
        style = "green" if one.certificate is not None else "yellow"
        console.print(f"[bold]{escape(one.what)}[/bold]: {escape(one.sentence())}.", style=style)
    for why in found.not_run:
        console.print(f"[yellow]not run: {escape(why)}[/yellow]")


def _zero_weight(members: int) -> str:
    return (
        "1 member has zero weight and was not run" if members == 1 else f"{members} members have zero weight"
    )


def show_predicted(console: "Console", predicted: "Predicted") -> None:
    """Print how many samples were predicted by how many members, the classes found, and the error if known."""
    n = len(predicted.classes)
    dropped = f" ({_zero_weight(predicted.dropped)})" if predicted.dropped else ""
    by = f"by the {predicted.vote} vote of {counted(len(predicted.members), 'member')}{dropped}"
    console.print(f"{counted(n, 'sample')} {by}")
    classes, counts = np.unique(predicted.classes[predicted.classes >= 0], return_counts=True)
    shown = ", ".join(f"{predicted.class_names[c]}: {k:,}" for c, k in zip(classes[:20], counts[:20]))
    console.print(f"classes predicted: {legible(shown)}{' …' if len(classes) > 20 else ''}", markup=False)
    if predicted.unknown:
        names = ", ".join(f"'{legible(name)}'" for name in predicted.unknown[:5])
        console.print(
            f"[yellow]warning: the hold-out had no {escape(names)}, so the promise says nothing of it; check that "
            "classes are spelled as they were weighed[/yellow]"
        )
    for warning in predicted.warnings:
        console.print(f"[yellow]warning: {escape(warning)}[/yellow]")
    declined = 0 if predicted.declined is None else int(predicted.declined.sum())
    if predicted.declined is not None:
        console.print(
            f"declined: {declined:,} samples ({declined / n:.1%}), too little weight behind an answer"
        )
    if (silent := int((predicted.classes < 0).sum()) - declined) > 0:
        console.print(f"no answer: {silent:,} samples, on which no member votes")
    if predicted.error is not None:
        of = "" if predicted.declined is None else ", of the samples answered"
        console.print(f"error on the labels given{of}: {predicted.error:.4f}")
