"""The one table of certificates: what each promises, when it is valid, its formula and its source.

Everything else that knows certificates follows from it: which are given (`Bound.unavailable`), the price of choosing
the smallest (`price`), what `plan` can plan, the tables of the documents and the help of the command line. A new bound
is a function in a file of its own and one row here; `weigh(bounds=...)` takes those from outside the package.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any

from comitia._errors import InputError
from comitia._extensions import is_reference
from comitia.bounds.best_member import best_member
from comitia.bounds.c1 import c1
from comitia.bounds.c2 import c2
from comitia.bounds.cantelli import cantelli
from comitia.bounds.clopper_pearson import clopper_pearson
from comitia.bounds.ctd import ctd
from comitia.bounds.designation import adjusted_mean, of_pairs
from comitia.bounds.digital_paired import digital_paired
from comitia.bounds.disagreement import disagreement
from comitia.bounds.first_order_kl import first_order_kl
from comitia.bounds.first_order_lambda import first_order_lambda
from comitia.bounds.group_mean import group_mean
from comitia.bounds.moment import moment
from comitia.bounds.occam import occam
from comitia.bounds.row import VOTES, Bound, Facts, as_bound, prior_covers
from comitia.bounds.tandem_kl import tandem_kl
from comitia.bounds.tandem_lambda import tandem_lambda


def _first(facts: Facts) -> dict[str, Any]:
    return {"gibbs": facts.gibbs, "kl": facts.kl, "n": facts.n_first}


def _second(facts: Facts) -> dict[str, Any]:
    return {"tandem": facts.tandem, "kl": facts.kl, "n": facts.n_pair}


def _both(facts: Facts) -> dict[str, Any]:
    samples = {"n_first": facts.n_first, "n_pair": facts.n_pair}
    return {"gibbs": facts.gibbs, "tandem": facts.tandem, "kl": facts.kl, **samples}


def _apart(facts: Facts) -> dict[str, Any]:
    samples = {"n_first": facts.n_first, "n_pair": facts.n_disagreement}
    return {"gibbs": facts.gibbs, "disagreement": facts.disagreement, "kl": facts.kl, **samples}


def _joint(facts: Facts) -> dict[str, Any]:
    return {"tandem": facts.tandem, "disagreement": facts.own_disagreement, "kl": facts.kl, "n": facts.n_pair}


def _kept(facts: Facts) -> dict[str, Any]:
    return {"errors": facts.kept_errors, "n": facts.kept_samples}


def _paired(facts: Facts) -> dict[str, Any]:
    assert facts.paired is not None
    return {"losses": facts.paired.losses, "scores": facts.paired.scores, "others": facts.paired.others}


def _not_paired(facts: Facts) -> str | None:
    return facts.unpaired if facts.paired is None else None


def _all_counts(facts: Facts) -> dict[str, Any]:
    return {"errors": facts.errors, "n": facts.samples, "counts": list(facts.counts or ())}


def _not_counts(facts: Facts) -> str | None:
    return "the weights are not multiples of 1/k; resolution makes them so" if facts.counts is None else None


def _groups(facts: Facts) -> dict[str, Any]:
    errors, sizes = list(facts.group_errors or ()), list(facts.group_sizes or ())
    return {"errors": errors, "sizes": sizes, "groups": len(sizes)}


def _hit_groups(facts: Facts) -> dict[str, Any]:
    return {"errors": sum(wrong > 0 for wrong in facts.group_errors or ()), "n": len(facts.group_sizes or ())}


def _alone(facts: Facts) -> dict[str, Any]:
    errors, n = facts.alone or (None, None)
    return {"errors": errors, "n": n, "members": facts.members}


def _several_vote(facts: Facts) -> str | None:
    return "more than one member votes" if facts.alone is None else None


MASEGOSA, GERMAIN, CLOPPER = "Masegosa et al. (2020)", "Germain et al. (2015)", "Clopper and Pearson (1934)"
ALL_CHOSE = "all samples chose the weights; certify_fraction keeps some for certifying"
CHOSEN_HERE = "the weights were chosen on these samples"

# Bounds from moments of the losses, which contain KL(rho||pi); those proved for 0/1 losses; those for two classes.
_moments = partial(Bound, condition=prior_covers)
_majority = partial(_moments, votes=("majority",), answers=True)
_binary = partial(_majority, binary=True)
# Bounds that count the errors of the whole vote, sample by sample or group by group.
_vote = partial(Bound, counted=True, joint=True, independent=True)
_group = partial(Bound, counted=True, joint=True, grouped=True, refused={"all": ALL_CHOSE})

_ROWS = (
    _moments(
        "first-order-kl",
        "twice the Gibbs risk",
        event="gibbs",
        equation="2 kl⁺(G, (KL + ln(2√n/δ))/n)",
        source="Langford and Seeger (2001), Maurer (2004)",
        formula=first_order_kl,
        inputs=_first,
        planned=True,
    ),
    _moments(
        "first-order-lambda",
        "twice the Gibbs risk, as first-order weights minimise it",
        event="gibbs",
        equation="2(G/(1−λ/2) + (KL + ln(2√n/δ))/(λ(1−λ/2)n))",
        source="Thiemann et al. (2017)",
        formula=first_order_lambda,
        inputs=_first,
    ),
    _moments(
        "tandem-kl",
        "four times the tandem risk",
        event="tandem",
        equation="4 kl⁺(T, (2KL + ln(2√n/δ))/n)",
        source=MASEGOSA,
        formula=tandem_kl,
        inputs=_second,
        planned=True,
    ),
    _moments(
        "tandem-lambda",
        "the paper's bound, as tandem weights minimise it",
        event="tandem",
        equation="4(T/(1−λ/2) + (2KL + ln(2√n/δ))/(λ(1−λ/2)n))",
        source=f"{MASEGOSA}; the paper's Theorem 1",
        formula=tandem_lambda,
        inputs=_second,
    ),
    _moments(
        "moment",
        "Gibbs and tandem risk together, for members that err together",
        event="moment",
        equation="1.5 kl⁺((3G − 2T)/1.5, (2KL + ln(2√n/δ))/n)",
        source="derived here",
        formula=moment,
        inputs=lambda facts: {"moment": facts.moment, "kl": facts.kl, "n": facts.n_pair},
    ),
    _moments(
        "cantelli",
        "Gibbs and tandem risk together, for members that err apart",
        event="gibbs, tandem",
        equation="(T_u − 2μG_* + μ²)/(1/2 − μ)², least over all μ < 1/2",
        source="Wu et al. (2021)",
        formula=cantelli,
        inputs=_both,
        samples="n_pair",
    ),
    _majority(
        "ctd",
        "variance of the vote against its margin",
        event="gibbs, tandem",
        equation="(T_u − G_l²)/(T_l − G_u + 1/4)",
        source=f"{MASEGOSA}, after {GERMAIN}",
        formula=ctd,
        inputs=_both,
        samples="n_pair",
    ),
    _binary(
        "disagreement",
        "Gibbs risk less disagreement, two classes",
        event="gibbs, disagreement",
        equation="4G_u − 2D_l",
        source=MASEGOSA,
        formula=disagreement,
        inputs=_apart,
        samples="n_first",
    ),
    _binary(
        "c1",
        "C-bound from Gibbs risk and disagreement, two classes",
        event="gibbs, disagreement",
        equation="1 − (1−2G_u)²/(1−2D_l)",
        source=f"{GERMAIN}, PAC-Bound 1",
        formula=c1,
        inputs=_apart,
        samples="n_first",
    ),
    _binary(
        "c2",
        "C-bound from tandem risk and disagreement, two classes",
        event="tandem, disagreement",
        equation="sup of 1 − (1−2e−d)²/(1−2d) over kl(D̂, T̂‖d, e) ≤ (2KL + ln((2√n + n)/δ))/n",
        source=f"{GERMAIN}, PAC-Bound 2",
        formula=c2,
        inputs=_joint,
        independent=True,
    ),
    _vote(
        "holdout",
        "the vote's errors, counted where no sample chose the weights",
        event="holdout",
        equation="max{p : P(Bin(n, p) ≤ k) ≥ δ}",
        source=CLOPPER,
        formula=clopper_pearson,
        inputs=_kept,
        refused={"part": CHOSEN_HERE, "all": CHOSEN_HERE},
        designated=True,
        planned=True,
    ),
    _vote(
        "split",
        "the vote's errors, counted where they did not choose the weights",
        event="split",
        equation="max{p : P(Bin(n, p) ≤ k) ≥ δ}",
        source=CLOPPER,
        formula=clopper_pearson,
        inputs=_kept,
        refused={"nothing": "", "apart": "", "all": ALL_CHOSE},
        designated=True,
        planned=True,
    ),
    _vote(
        "unlabelled",
        "the vote's errors where they did not choose the weights, with unlabelled samples",
        event="unlabelled",
        equation="digital bound of ℓ_t − c_t(g(x_t) − mean_j g(x̃_tj))",
        source="Angelopoulos et al. (2023), with bets that hedge a digital option",
        formula=digital_paired,
        inputs=_paired,
        refused={"all": ALL_CHOSE},
        designated=True,
        condition=_not_paired,
        kept=of_pairs,
        least=adjusted_mean,
    ),
    _vote(
        "occam",
        "the vote's errors on all samples, the weights paid for by their length",
        event="occam",
        equation="Clopper-Pearson at δ·P(counts)",
        source="derived here, after Blumer et al. (1987)",
        formula=occam,
        inputs=_all_counts,
        condition=_not_counts,
    ),
    Bound(
        "best-member",
        "the one member's errors, its choice among all paid for",
        event="best-member",
        equation="Clopper-Pearson at δ/M",
        source=f"{CLOPPER}, union bound",
        formula=best_member,
        inputs=_alone,
        counted=True,
        independent=True,
        condition=_several_vote,
        planned=True,
    ),
    _group(
        "groups",
        "the vote's error rate within groups, averaged over groups that did not choose the weights",
        event="groups",
        equation="digital bound of the group error rates k_g/n_g",
        source="Waudby-Smith and Ramdas (2024), with bets that hedge a digital option",
        formula=group_mean,
        inputs=_groups,
        samples="groups",
        designated=True,
    ),
    _group(
        "groups-any",
        "groups with any error, counted where they did not choose the weights",
        event="groups-any",
        equation="max{p : P(Bin(n, p) ≤ k) ≥ δ}, k groups of n with an error",
        source=CLOPPER,
        formula=clopper_pearson,
        inputs=_hit_groups,
    ),
)
BOUNDS: dict[str, Bound] = {row.name: row for row in _ROWS}


def price(vote: str, *, shared: bool, chosen_on: str = "all", rows: Iterable[Bound] = _ROWS) -> int:
    """Return how many events the smallest certificate is chosen from.

    The number is fixed by the question, not by which bounds the data happen to allow: if it shrank when they lead to
    weights without an occam bound, or show two classes only, the shares of delta could add up to more than delta.

    >>> price("majority", shared=True), price("average", shared=False)
    (8, 5)
    """
    possible = (row for row in rows if vote in row.votes and (shared or not row.joint))
    return len({row.event for row in possible if chosen_on not in row.refused})


def with_outside(given: Iterable[Any]) -> tuple[Bound, ...]:
    """Return the rows of the table and those from outside, whose names must be new."""
    rows = list(BOUNDS.values())
    for bound in map(as_bound, [given] if isinstance(given, str) else given):
        if bound.name in {row.name for row in rows}:
            raise InputError(f"bounds: duplicate name '{bound.name}'; give each bound its own")
        for what, text in (("name", bound.name), ("event", bound.event)):
            if not is_reference(text):
                raise InputError(
                    f"bounds: the {what} of one from outside needs a colon, such as 'mine:{text}'"
                )
        if not isinstance(bound.votes, tuple) or not bound.votes or not set(bound.votes) <= set(VOTES):
            raise InputError(
                f"bounds: '{bound.name}' must hold for some of {', '.join(VOTES)}, got {bound.votes!r}"
            )
        if bound.designated:
            raise InputError(f"bounds: '{bound.name}' cannot be designated; only holdout and split are")
        rows.append(bound)
    return tuple(rows)
