"""The figures of a weighed ensemble: its certificates side by side, its members and their weights."""

from collections.abc import Iterator

from comitia._certificate import Certificate, percent_up
from comitia._ensemble import Ensemble
from comitia._records import from_plain
from comitia._words import counted
from comitia.pages.declining_figure import declining_figure
from comitia.pages.figure import Figure, Panel, Reference, Series, Table, legible, percent, role_of
from comitia.promises.selective import Curve

# with more members their names would overlap; a bar shows its name when it is pointed at
NAMED_MEMBERS = 12


def measured_on(ensemble: Ensemble) -> str:
    """Return which samples the errors of the members were counted on, and how."""
    data = ensemble.data
    where = "the whole hold-out" if data.folds is None else "all out-of-fold samples"
    if ensemble.chosen_on == "apart":
        where = "the samples that certify"
    return f"{where} (mean over groups)" if data.groups is not None else where


def ensemble_figures(ensemble: Ensemble) -> tuple[Figure, ...]:
    """Return the figures of a weighed ensemble, in the order in which they are shown."""
    members, further = members_figure(ensemble), tuple(promise_figures(ensemble))
    if ensemble.best is None:
        return (members,)
    return (certificates_figure(ensemble, ensemble.best), *further, members)


def promise_figures(ensemble: Ensemble) -> Iterator[Figure]:
    """Yield the figure of a vote that declines."""
    for promise in ensemble.promises:
        if promise.kind == "selective":
            curve = from_plain(Curve, promise.inputs)
            yield declining_figure([("counted", role_of(ensemble.weighting.method), curve)], ensemble.vote)


def shown_certificates(ensemble: Ensemble) -> tuple[Certificate, ...]:
    """Return the certificates by rising risk, each kind once: the quoted one as it is quoted, its price paid."""
    best = ensemble.best
    found = [
        best if best is not None and c.name == best.name else c for c in ensemble.certification.certificates
    ]
    return tuple(sorted(found, key=lambda c: (c.risk, c.name)))


def certificates_figure(ensemble: Ensemble, best: Certificate) -> Figure:
    """Return every certificate as a bar, vacuous ones hatched, the one to quote strong."""
    rows = shown_certificates(ensemble)
    names = tuple(certificate_title(c, ensemble) for c in rows)
    strong = tuple(c == best for c in rows)
    return Figure(
        key="certificates",
        title="Certificates side by side",
        caption=(
            "The share of errors that each certificate allows. Shorter is better. Quote the strong bar: each of the "
            "others holds only by itself, at its own δ. Hatched bars promise nothing."
        ),
        alt=f"{in_words(rows, names)} Designated: {names[rows.index(best)]}.",
        x_title=f"certified risk of the {ensemble.vote} vote",
        panels=(bars_of(rows, names, strong),),
        table=Table(
            ("certificate", "risk at most", "δ", best.unit, "vacuous", "what it is"),
            tuple((n, c.risk, c.delta, c.samples, c.vacuous, c.meaning) for n, c in zip(names, rows)),
        ),
    )


def certificate_title(certificate: Certificate, ensemble: Ensemble) -> str:
    """Return the name of the certificate; the smallest of several was computed at its share of delta and says so."""
    compared = ensemble.certification.compared
    paid = compared > 1 and certificate == ensemble.best
    return f"{certificate.name} at δ/{compared}" if paid else certificate.name


def members_figure(ensemble: Ensemble) -> Figure:
    """Return hold-out accuracy and weight of every member, stacked over one axis."""
    names = tuple(legible(name) for name in ensemble.names)
    weights = tuple(float(w) for w in ensemble.weights)
    accuracies = tuple(1 - risk for risk in ensemble.member_risks)
    x, role = tuple(float(i) for i in range(len(names))), role_of(ensemble.weighting.method)
    points = Series("accuracy", "best", x, accuracies, labels=names, strong=tuple(w > 0 for w in weights))
    ticks = names if len(names) <= NAMED_MEMBERS else None
    uniform = Reference("uniform weight", "uniform", 1 / len(names))
    measured = measured_on(ensemble)
    silence = ", where no answer counts as half an error" if ensemble.data.abstained else ""
    voting, heaviest = len(ensemble.active), max(range(len(names)), key=lambda i: weights[i])
    return Figure(
        key="members",
        title="Members and their weights",
        caption=(
            f"{voting} of {counted(len(names), 'member')} {'votes' if voting == 1 else 'vote'} "
            f"(filled). Above: the accuracy of each on {measured}{silence}. Below: its weight, and the "
            "weight that each would have if all were equal."
        ),
        alt=(
            f"Two charts over {counted(len(names), 'member')}. Accuracy from "
            f"{percent(min(accuracies))} to {percent(max(accuracies))}. Weight from {min(weights):.3g} to "
            f"{max(weights):.3g}, most on {names[heaviest]}; {voting} of them vote."
        ),
        x_title="member" if ticks else "member, in the order of the file",
        panels=(
            Panel("dots", "accuracy", (points,), (), ticks, percent=True),
            Panel("bars", "weight", (Series("weight", role, x, weights, labels=names),), (uniform,), ticks),
        ),
        table=Table(("member", f"accuracy on {measured}", "weight"), tuple(zip(names, accuracies, weights))),
    )


def bars_of(rows: tuple[Certificate, ...], names: tuple[str, ...], designated: tuple[bool, ...]) -> Panel:
    """Return the certificates as bars in their order: vacuous ones hatched at full length, designated ones strong."""
    series = Series(
        name="certified risk",
        role="tandem",
        x=tuple(float(i) for i in range(len(rows))),
        y=tuple(min(c.risk, 1.0) for c in rows),
        labels=tuple(shown(c) for c in rows),
        marked=tuple(c.vacuous for c in rows),
        strong=designated,
    )
    return Panel("across", "", (series,), ticks=tuple(legible(name) for name in names), percent=True)


def shown(certificate: Certificate) -> str:
    """Return the risk in per cent, rounded up, or "vacuous".

    >>> shown(Certificate("split", "average", 0.0741, 0.05, 4000)), shown(Certificate("c1", "majority", 1.2, 0.05, 9))
    ('7.41%', 'vacuous')
    """
    return "vacuous" if certificate.vacuous else percent_up(certificate.risk)


def in_words(rows: tuple[Certificate, ...], names: tuple[str, ...]) -> str:
    """Return what the bars show, for readers who cannot see them."""
    listed = ", ".join(f"{name} {shown(c)}" for name, c in zip(names, rows))
    return legible(f"Bar chart of {counted(len(rows), 'certificate')}, smallest first: {listed}.")
