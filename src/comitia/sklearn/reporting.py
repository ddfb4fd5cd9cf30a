"""What is said of a fitted vote: warnings of Python, a report as text, and a table for notebooks."""

import html
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from sklearn import get_config
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from comitia._certificate import percent_up
from comitia._diagnose import of_concern
from comitia._ensemble import Ensemble

# Where the default method of forests lies: readers need its own name only.
OF_FORESTS = "comitia.sklearn.mixing:"
# Members that a report and a notebook list; the others are counted.
LISTED = 30


class CertificateWarning(UserWarning):
    """Something is off about the samples, the members or the promise; `ensemble_.warnings` has all lines."""


def warn(lines: Iterable[str], stacklevel: int = 3) -> None:
    """Issue a `CertificateWarning` per line; it points at the caller of `fit`, three frames up from here."""
    for line in lines:
        warnings.warn(line, CertificateWarning, stacklevel=stacklevel)


def concerns(ensemble: Ensemble, *, drawn: bool = False) -> list[str]:
    """Return what a user should hear of without asking: warnings, and that nothing is promised."""
    lines = list(of_concern(ensemble.warnings, drawn=drawn))
    if ensemble.best is None:
        lines.append(
            "no promise: out-of-fold predictions choose weights and certify nothing; holdout=0.2 keeps samples for one"
        )
    return lines


def as_text(ensemble: Ensemble) -> str:
    """Return what was found as a few lines of text."""
    return "\n".join([*_headline(ensemble), *promise_lines(ensemble), *_table(ensemble), *_further(ensemble)])


def _headline(ensemble: Ensemble) -> Iterator[str]:
    n, used = len(ensemble.names), len(ensemble.active)
    yield f"{ensemble.vote} vote of {used} of {n} members · {ensemble.classes} classes · delta {ensemble.delta:g}"
    method = ensemble.weighting.method.removeprefix(OF_FORESTS)
    yield f"weights: {method}, {_basis(ensemble)}"


def _basis(ensemble: Ensemble) -> str:
    split, data = ensemble.split, ensemble.data
    if ensemble.chosen_on == "apart":
        origin = "out-of-fold samples" if data.folds else "other samples"
        return f"chosen on {data.samples:,} {origin}, certified on {data.certify_samples:,} held out from all of it"
    if ensemble.chosen_on == "part":
        return f"chosen on {split.weighing:,} samples that no member saw, certified on {split.certifying:,} others"
    if ensemble.chosen_on == "nothing":
        return f"no sample chose them, certified on {data.samples:,} samples"
    return f"chosen on {data.samples:,} samples"


def promise_lines(ensemble: Ensemble) -> Iterator[str]:
    """Yield the promise, or the estimate and that there is none."""
    if ensemble.best is not None:
        yield f"promise ({ensemble.best.name}): {ensemble.best.promise}"
    elif ensemble.estimate is not None:
        yield f"no promise; estimate: the {ensemble.vote} vote errs on {ensemble.estimate:.2%} of the samples"
    else:
        yield "no promise"


def _table(ensemble: Ensemble) -> Iterator[str]:
    rows = _rows(ensemble)
    width = max(len("member"), *(len(name) for name, _, _ in rows))
    yield f"{'member':{width}}  weight   error"
    for name, weight, error in rows:
        yield f"{name:{width}}  {weight:>6}  {error:>6}"


def _rows(ensemble: Ensemble) -> list[tuple[str, str, str]]:
    """Members by weight, the heaviest first."""
    order = sorted(range(len(ensemble.names)), key=lambda i: -ensemble.weights[i])
    rows = [
        (ensemble.names[i], f"{ensemble.weights[i]:.3f}", f"{ensemble.member_risks[i]:.4f}")
        for i in order[:LISTED]
    ]
    return rows if len(order) <= LISTED else [*rows, (f"… {len(order) - LISTED:,} more", "", "")]


def _further(ensemble: Ensemble) -> Iterator[str]:
    for certificate in ensemble.certification.certificates:
        if certificate is not ensemble.best and not certificate.vacuous:
            yield f"also {certificate.name}: error at most {percent_up(certificate.risk)}"
    for line in ensemble.warnings:
        yield f"warning: {line}"


class Reported:
    """An estimator that says what `fit` found: as text by `report`, below its diagram in a notebook."""

    ensemble_: Ensemble

    def report(self) -> str:
        """Return what `fit` found as a few lines of text; `comitia.report(vote.ensemble_, "page.html")` is a page."""
        check_is_fitted(self)
        return as_text(self.ensemble_)

    def _repr_html_(self) -> str:
        """Return scikit-learn's diagram, and below it promise and weights once there are any."""
        diagram: str = estimator_html_repr(self)
        return diagram if not hasattr(self, "ensemble_") else f"{diagram}{as_html(self.ensemble_)}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        shown = {"text/plain": repr(self)}
        return shown | {"text/html": self._repr_html_()} if get_config()["display"] == "diagram" else shown


def as_html(ensemble: Ensemble) -> str:
    """Return the promise and, folded, the weights."""
    promise = "".join(f"<p>{html.escape(line)}</p>" for line in promise_lines(ensemble))
    cells = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in _rows(ensemble)
    )
    head = "<tr><th>member</th><th>weight</th><th>error</th></tr>"
    return f"<div>{promise}<details><summary>weights</summary><table>{head}{cells}</table></details></div>"
