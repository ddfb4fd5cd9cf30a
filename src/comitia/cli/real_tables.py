"""Tables that people read where members predict real numbers: an ensemble, predictions, an evaluation."""

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from comitia._words import counted
from comitia.pages.figure import legible
from comitia.regression.certificate import rounded_up

if TYPE_CHECKING:
    from rich.console import Console

    from comitia.regression import RealCertificate, RealEnsemble, RealEvaluation, RealPredicted

# Members beyond these are folded into one line.
SHOWN_MEMBERS = 12


def show_real_ensemble(terminal: "Console", ensemble: "RealEnsemble") -> None:
    """Print members, certificates, the promise, what is not given and why, and warnings."""
    data, split = ensemble.data, ensemble.split
    groups = "" if data.groups is None else f" in {counted(data.groups, 'group')}"
    how = {
        "nothing": "fixed without the hold-out, certified on all of it",
        "part": f"chosen on {split.weighing:,} samples, {split.certifying:,} kept for certifying",
        "apart": f"certified on {data.certify_samples or 0:,} samples apart",
        "all": "chosen on all samples",
    }[ensemble.chosen_on]
    terminal.print(
        f"[bold]{counted(len(ensemble.names), 'member')} · {counted(data.samples, 'hold-out sample')}{groups} · real "
        f"target · weighted mean · delta {ensemble.delta:g}[/bold]\nweights: {ensemble.weighting.method}, {how}"
    )
    terminal.print(_members(ensemble))
    if ensemble.best is None:
        terminal.print(
            f"[bold yellow]Estimate[/bold yellow], not a promise: mean squared error {ensemble.estimate:.4g}, by "
            "cross-validation."
        )
    else:
        terminal.print(_certificates(ensemble.certificates, ensemble.best))
        terminal.print("[dim]Each row holds alone. Quote the promise.[/dim]")
        price = (
            "It was designated before looking."
            if ensemble.compared == 1
            else "The smaller of two, each at delta/2."
        )
        terminal.print(
            f"[bold]Promise[/bold] ({ensemble.best.name}): {ensemble.best.promise}. {price}", style="green"
        )
        terminal.print(f"[dim]Provided that {ensemble.assumption(ensemble.best)}.[/dim]")
    for row in ensemble.unavailable:
        terminal.print(f"[dim]not given: {escape(row.name)}: {escape(_with_flags(row.why))}[/dim]")
    for warning in ensemble.warnings:
        terminal.print(f"[yellow]warning: {escape(legible(warning))}[/yellow]")


def _with_flags(text: str) -> str:
    for argument in ("certify_fraction", "certify=", "largest_error="):
        text = text.replace(argument, f"--{argument.removesuffix('=').replace('_', '-')}")
    return text


def _members(ensemble: "RealEnsemble") -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("member")
    for title in ("mean squared error", "weight"):
        table.add_column(title, justify="right")
    order = sorted(range(len(ensemble.names)), key=lambda i: -ensemble.weights[i])
    for i in order[:SHOWN_MEMBERS]:
        name = escape(legible(ensemble.names[i]))
        table.add_row(name, f"{ensemble.member_errors[i]:.4g}", f"{ensemble.weights[i]:.4f}")
    if len(order) > SHOWN_MEMBERS:
        rest = sum(ensemble.weights[i] for i in order[SHOWN_MEMBERS:])
        table.add_row(f"[dim]… {len(order) - SHOWN_MEMBERS} more[/dim]", "", f"[dim]{rest:.4f}[/dim]")
    table.add_row("[bold]weighted mean[/bold]", f"[bold]{ensemble.statistics['mse']:.4g}[/bold]", "")
    return table


def _certificates(rows: "tuple[RealCertificate, ...]", best: "RealCertificate") -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("certificate")
    table.add_column("of", no_wrap=True)
    for title in ("at most", "root"):
        table.add_column(title, justify="right")
    table.add_column(best.unit, justify="right")
    table.add_column("what it is")
    for row in rows:
        risk = "vacuous" if row.vacuous else rounded_up(row.risk)
        root = "" if row.root is None or row.vacuous else rounded_up(row.root)
        style = "bold green" if (row.name, row.measure) == (best.name, best.measure) else ""
        table.add_row(row.name, row.title, risk, root, f"{row.samples:,}", row.meaning, style=style)
    return table


def show_real_predicted(terminal: "Console", predicted: "RealPredicted") -> None:
    """Print how many samples were predicted, in which range, and the errors if known."""
    voters = f"{counted(len(predicted.members), 'member')}"
    dropped = f" ({predicted.dropped} of zero weight not needed)" if predicted.dropped else ""
    terminal.print(f"{counted(len(predicted.values), 'sample')} by the weighted mean of {voters}{dropped}")
    low, high = predicted.values.min(), predicted.values.max()
    terminal.print(f"predictions from {low:.6g} to {high:.6g}, mean {predicted.values.mean():.6g}")
    if predicted.mse is not None:
        terminal.print(
            f"on the targets given: mean squared error {predicted.mse:.4g} (root {predicted.mse**0.5:.4g}), mean "
            f"absolute error {predicted.mae:.4g}"
        )


def show_real_evaluation(terminal: "Console", found: "RealEvaluation") -> None:
    """Print a row per weighting."""
    groups = "" if found.groups is None else f" in {counted(found.groups, 'group')}"
    terminal.print(
        f"[bold]{counted(len(found.names), 'member')} · {found.samples:,} test samples{groups} · real target · "
        f"{counted(found.repeats, 'halving')}[/bold]"
    )
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("weights")
    for title in ("mean squared error", "± sd", "root", "mean absolute error", "certified at most"):
        table.add_column(title, justify="right")
    for row in found.rows:
        spread = row.mse_sd if row.mse_sd > 1e-12 * row.mse_mean else 0.0  # equal sums in another order
        numbers = (row.mse_mean, spread, row.mse_mean**0.5, row.mae_mean)
        table.add_row(row.weights, *(f"{value:.4g}" for value in numbers), rounded_up(row.bound_mean))
    terminal.print(table)
    best = found.single_best
    terminal.print(
        f"[dim]Best member with hindsight: {escape(legible(found.names[best]))}, mean squared error "
        f"{found.member_errors[best]:.4g}. Certified: of the mean squared error, mean over halves, each at delta "
        f"{found.delta:g}.[/dim]"
    )
