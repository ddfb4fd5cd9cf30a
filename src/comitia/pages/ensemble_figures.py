"""The figures of a weighed ensemble: its certificates side by side, its members and their weights."""

from comitia._certificate import MEANING, Certificate
from comitia._ensemble import Ensemble
from comitia.pages.certificate_bars import bars_of, in_words
from comitia.pages.figure import Figure, Panel, Reference, Series, Table, legible, percent
from comitia.pages.palette import role_of

# with more members their names would cover each other; they are told when a bar is pointed at
NAMED_MEMBERS = 12


def ensemble_figures(ensemble: Ensemble) -> tuple[Figure, ...]:
    """The figures of a weighed ensemble, in the order in which they are shown."""
    return certificates_figure(ensemble), members_figure(ensemble)


def shown_certificates(ensemble: Ensemble) -> tuple[Certificate, ...]:
    """The certificates by rising risk, the designated one among them whatever delta it stands at."""
    found, best = list(ensemble.certification.certificates), ensemble.best
    if best not in found:
        found.append(best)
    return tuple(sorted(found, key=lambda c: (c.risk, c.name, c.delta)))


def certificates_figure(ensemble: Ensemble) -> Figure:
    """Every certificate as a bar, vacuous ones hatched, the designated one strong."""
    rows, best = shown_certificates(ensemble), ensemble.best
    names = tuple(_titled(c, ensemble) for c in rows)
    strong = tuple(c == best for c in rows)
    return Figure(
        key="certificates",
        title="Certificates side by side",
        caption=(
            "How many errors each certificate allows: shorter is better. The strong bar is the one to quote; "
            "every other holds alone at its own δ. Hatched bars promise nothing."
        ),
        alt=f"{in_words(rows)} Designated: {best.name}.",
        x_title=f"certified risk of the {ensemble.vote} vote",
        panels=(bars_of(rows, names, strong),),
        table=Table(
            ("certificate", "risk at most", "δ", "samples", "vacuous", "what it is"),
            tuple((c.name, c.risk, c.delta, c.samples, c.vacuous, MEANING.get(c.name, "")) for c in rows),
        ),
    )


def _titled(certificate: Certificate, ensemble: Ensemble) -> str:
    if certificate.delta == ensemble.delta:
        return certificate.name
    return f"{certificate.name}, δ = {certificate.delta:.3g}"


def members_figure(ensemble: Ensemble) -> Figure:
    """Hold-out accuracy and weight of every member, stacked over one axis."""
    names = tuple(legible(name) for name in ensemble.names)
    weights = tuple(float(w) for w in ensemble.weights)
    accuracies = tuple(1 - risk for risk in ensemble.member_risks)
    x, role = tuple(float(i) for i in range(len(names))), role_of(ensemble.weighting.method)
    points = Series("accuracy", "best", x, accuracies, labels=names, strong=tuple(w > 0 for w in weights))
    ticks = names if len(names) <= NAMED_MEMBERS else None
    uniform = Reference("uniform weight", "uniform", 1 / len(names))
    voting, heaviest = len(ensemble.active), max(range(len(names)), key=lambda i: weights[i])
    return Figure(
        key="members",
        title="Members and their weights",
        caption=(
            f"{voting} of {len(names)} members vote (filled). Above, how often each is right on the hold-out; "
            "below, its weight beside the weight that all would have if they were equal."
        ),
        alt=(
            f"Two charts over {len(names)} members. Accuracy on the hold-out from {percent(min(accuracies))} "
            f"to {percent(max(accuracies))}. Weight from {min(weights):.3g} to {max(weights):.3g}, most on "
            f"{names[heaviest]}; {voting} members have any."
        ),
        x_title="member" if ticks else "member, in the order of the file",
        panels=(
            Panel("dots", "accuracy", (points,), (), ticks, percent=True),
            Panel("bars", "weight", (Series("weight", role, x, weights, labels=names),), (uniform,), ticks),
        ),
        table=Table(("member", "accuracy on the hold-out", "weight"), tuple(zip(names, accuracies, weights))),
    )
