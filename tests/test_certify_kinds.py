"""Certificates where members decline and samples come in groups, against plain loops."""

import numpy as np
import pytest

from comitia import InputError, Predictions, bounds, certify
from panels import loss_of, lost, panel, some_groups


def names(found) -> set[str]:
    return {certificate.name for certificate in found.certificates}


def certified(found) -> dict:
    return {certificate.name: certificate for certificate in found.certificates}


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_where_members_decline_nobody_and_ties_are_errors(vote: str) -> None:
    given = panel(votes=vote == "majority", classes=2)
    pack = Predictions.from_arrays(**given)
    for weights in (np.full(5, 0.2), np.array([0.5, 0.5, 0, 0, 0])):
        found = certified(certify(pack, weights, vote=vote, chosen_on="nothing"))
        errors = sum(lost(given, weights, vote))
        assert found["holdout"].inputs["errors"] == errors
        assert found["holdout"].risk == pytest.approx(bounds.clopper_pearson(errors, 120, 0.05), rel=1e-11)


@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.parametrize("grouped", [False, True])
def test_bounds_from_moments_use_the_losses_of_a_loop(vote: str, grouped: bool) -> None:
    """No answer costs one half; losses are averaged within groups first, and n is the number of groups."""
    given, rho = panel(votes=vote == "majority"), np.array([0.3, 0.1, 0.25, 0.2, 0.15])
    codes = some_groups() if grouped else np.arange(120)
    pack = Predictions.from_arrays(**given, groups=codes if grouped else None)
    found = certified(certify(pack, rho, vote=vote, chosen_on="nothing"))
    w = [sum(rho[i] * loss_of(given, i, k, vote) for i in range(5)) for k in range(120)]
    inside = [[w[k] for k in range(120) if codes[k] == name] for name in set(codes.tolist())]
    gibbs, tandem = (np.mean([np.mean([x**power for x in group]) for group in inside]) for power in (1, 2))
    kl, n = sum(p * np.log(p * 5) for p in rho), len(inside)
    wanted = {
        "first-order-kl": bounds.first_order_kl(gibbs, kl, n, 0.05),
        "first-order-lambda": bounds.first_order_lambda(gibbs, kl, n, 0.05),
        "tandem-kl": bounds.tandem_kl(tandem, kl, n, 0.05),
        "tandem-lambda": bounds.tandem_lambda(tandem, kl, n, 0.05),
        "moment": bounds.moment(3 * gibbs - 2 * tandem, kl, n, 0.05),
        "cantelli": bounds.cantelli(gibbs, tandem, kl, n, n, 0.05),
    }
    for name, risk in wanted.items():
        assert found[name].risk == pytest.approx(risk, rel=3e-8), name
        assert (found[name].samples, found[name].unit) == (n, "groups" if grouped else "samples")


def test_bounds_that_are_proved_for_members_that_answer_are_not_given_where_they_decline() -> None:
    pack = Predictions.from_arrays(**panel(classes=2))
    found = certify(pack, np.full(5, 0.2), chosen_on="nothing")
    silent = {row.name for row in found.unavailable if row.why == "proved for members that always answer"}
    assert silent == {"ctd", "disagreement", "c1", "c2"}
    answered = certify(Predictions.from_arrays(**panel(classes=2, silent=0.0)), np.full(5, 0.2))
    assert silent <= names(answered)


@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.parametrize("part", [False, True])
def test_groups_are_certified_by_their_error_rates_in_the_drawn_order(vote: str, part: bool) -> None:
    given, codes, rho = panel(votes=vote == "majority"), some_groups(), np.array([0.3, 0.1, 0.25, 0.2, 0.15])
    pack, kept = Predictions.from_arrays(**given, groups=codes), np.flatnonzero(codes < (25 if part else 40))
    how = {"chosen_on": "part", "certifying": kept} if part else {"chosen_on": "nothing"}
    found = certify(pack, rho, vote=vote, seed=11, **how)
    wrong = np.array(lost(given, rho, vote))
    # groups as they occur, then in an order that the seed draws
    inside = [[k for k in kept if codes[k] == name] for name in dict.fromkeys(codes[kept].tolist())]
    drawn = [inside[g] for g in np.random.default_rng(11).permutation(len(inside))]
    rates = [sum(wrong[k] for k in group) / len(group) for group in drawn]
    best = found.best
    assert (best.name, best.unit, best.samples, found.compared) == ("groups", "groups", len(inside), 1)
    assert best.risk == pytest.approx(bounds.digital(rates, 0.05), rel=1e-12)
    assert best.inputs["errors"] == [sum(wrong[k] for k in group) for group in drawn]
    assert best.inputs["sizes"] == [len(group) for group in drawn]
    hit = certified(found)["groups-any"]
    assert hit.risk == pytest.approx(bounds.clopper_pearson(sum(r > 0 for r in rates), len(inside), 0.05))
    assert certify(pack, rho, vote=vote, seed=12, **how).best.risk != best.risk


def test_certificates_of_single_samples_are_not_given_to_groups() -> None:
    pack = Predictions.from_arrays(**panel(classes=2, silent=0.0), groups=some_groups())
    weights = np.eye(5)[2]
    missing = {row.name: row.why for row in certify(pack, weights, chosen_on="nothing").unavailable}
    reason = "proved for independent samples, and these come in groups"
    assert {name for name, why in missing.items() if why == reason} == {
        "holdout",
        "occam",
        "best-member",
        "c2",
        "unlabelled",
    }
    part = certify(pack, weights, chosen_on="part", certifying=np.flatnonzero(some_groups() < 20))
    assert {row.name: row.why for row in part.unavailable}["split"] == reason
    assert {"groups", "groups-any"}.isdisjoint(names(certify(pack, weights)))


def test_a_torn_group_is_refused() -> None:
    pack = Predictions.from_arrays(**panel(), groups=[f"p{k}" for k in np.arange(120) // 4])
    with pytest.raises(
        InputError, match="certifying: must hold whole groups; 'p1' has samples on both sides"
    ):
        certify(pack, np.full(5, 0.2), chosen_on="part", certifying=[0, 1, 2, 3, 4])


def test_a_group_in_two_shards_is_one() -> None:
    given, codes = panel(), some_groups()
    whole = Predictions.from_arrays(**given, groups=codes)
    cut = {key: given[key] for key in ("votes", "labels", "abstained")}
    parts = [
        Predictions.from_arrays(
            **{key: value[..., half] for key, value in cut.items()}, groups=codes[half], classes=3
        )
        for half in (slice(0, 61), slice(61, 120))
    ]
    assert set(codes[:61]) & set(codes[61:])
    joined, one = (
        certify(pack, np.full(5, 0.2), chosen_on="nothing")
        for pack in (Predictions.concatenate(parts), whole)
    )
    assert joined.best == one.best
    assert joined.best.samples == 40
    for name, certificate in certified(one).items():
        # sums of fractions differ in their last bits
        assert certified(joined)[name].risk == pytest.approx(certificate.risk, rel=1e-12)
