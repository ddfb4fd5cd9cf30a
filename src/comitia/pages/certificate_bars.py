"""Certificates as horizontal bars, for an ensemble and for an evaluation alike."""

from comitia._certificate import Certificate, percent_up
from comitia.pages.figure import Panel, Series, legible


def bars_of(rows: tuple[Certificate, ...], names: tuple[str, ...], designated: tuple[bool, ...]) -> Panel:
    """The certificates as bars in their order: vacuous ones hatched at full length, designated ones strong."""
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
    """The risk in per cent, rounded up, or that it is vacuous.

    >>> shown(Certificate("split", "average", 0.0741, 0.05, 4000)), shown(Certificate("c1", "majority", 1.2, 0.05, 9))
    ('7.41%', 'vacuous')
    """
    return "vacuous" if certificate.vacuous else percent_up(certificate.risk)


def in_words(rows: tuple[Certificate, ...]) -> str:
    """What the bars show, for those who cannot see them."""
    listed = ", ".join(f"{c.name} {shown(c)}" for c in rows)
    return legible(f"Bar chart of {len(rows)} certificates, smallest first: {listed}.")
