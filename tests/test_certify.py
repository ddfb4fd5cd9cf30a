"""Which certificates are given, to whom, and at which numbers."""

import numpy as np
import pytest

from comitia import Predictions, bounds, certify
from comitia._certify import certify_with
from comitia._errors import InputError
from comitia.bounds.terms import kl_divergence
from comitia.statistics import measure
from simulated import simulated

PAC_BAYES = {"first-order-kl", "first-order-lambda", "tandem-kl", "tandem-lambda", "moment", "cantelli"}
BINARY = {"disagreement", "c1", "c2"}
IRREGULAR = np.array([0.31, 0.23, 0.19, 0.13, 0.09, 0.05]) + np.array([1, -1, 1, -1, 1, -1]) / 997


def names(found) -> set[str]:
    return {certificate.name for certificate in found.certificates}


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("vote", ["majority", "average"])
def test_weights_fixed_beforehand(classes: int, vote: str) -> None:
    found = certify(simulated(classes=classes), IRREGULAR, vote=vote, chosen_on="nothing")
    expected = PAC_BAYES | {"holdout"}
    if vote == "majority":
        expected |= {"ctd"} | (BINARY if classes == 2 else set())
    assert names(found) == expected
    assert found.best.name == "holdout"
    assert found.compared == 1


def test_weights_chosen_on_a_part_get_split_and_never_holdout() -> None:
    pack = simulated()
    kept = np.arange(100, 400)
    found = certify(pack, IRREGULAR, chosen_on="part", certifying=kept, vote="majority")
    assert "holdout" not in names(found)
    split = next(c for c in found.certificates if c.name == "split")
    wrong = weighted_majority(pack, IRREGULAR)[100:] != pack.labels[100:]
    assert split.samples == 300
    assert split.inputs["errors"] == wrong.sum()
    assert split.risk == pytest.approx(bounds.clopper_pearson(int(wrong.sum()), 300, 0.05), rel=1e-11)
    assert found.best == split


def weighted_majority(pack: Predictions, weights: np.ndarray) -> np.ndarray:
    """An oracle for the majority vote, by a loop over samples."""
    votes, found = pack.votes(), []
    for j in range(pack.samples):
        totals = [sum(weights[votes[:, j] == c]) for c in range(pack.classes)]
        found.append(int(np.argmax(totals)))
    return np.array(found)


def test_weights_chosen_on_all_samples_get_no_counted_certificate() -> None:
    found = certify(simulated(), IRREGULAR, vote="majority")
    assert names(found) == PAC_BAYES | {"ctd"}
    assert {row.name for row in found.unavailable} >= {
        "holdout",
        "split",
        "occam",
        "c1",
        "c2",
        "disagreement",
    }


def test_the_smallest_of_k_kinds_pays_for_the_choice() -> None:
    pack = simulated()
    found = certify(pack, IRREGULAR, delta=0.05, vote="majority")
    # gibbs; tandem; moment; gibbs and tandem together; occam; best-member; disagreement with gibbs, with tandem
    assert found.compared == 8
    assert found.best.delta == 0.05
    assert found.best.inputs["delta_share"] == pytest.approx(0.05 / 8)
    cheaper = certify(pack, IRREGULAR, delta=0.05 / 8, vote="majority")
    assert found.best.risk == min(c.risk for c in cheaper.certificates)


def test_the_price_does_not_depend_on_the_weights_that_the_data_led_to() -> None:
    """A price that fell when occam is not to be had could let the shares of delta add up to more than delta."""
    pack = simulated(classes=2)
    prices = {
        certify(pack, w, vote="majority").compared for w in (IRREGULAR, np.eye(6)[0], np.full(6, 1 / 6))
    }
    assert prices == {8} == {certify(simulated(classes=3), IRREGULAR, vote="majority").compared}
    claims = certify(pack, np.eye(6)[0], vote="majority").certificates
    events = {
        "tandem-lambda": "tandem-kl",
        "first-order-lambda": "first-order-kl",
        "ctd": "cantelli",
        "c1": "disagreement",
    }
    assert len({events.get(c.name, c.name) for c in claims}) == 8


def test_multiples_of_one_part_get_occam_on_all_samples() -> None:
    pack = simulated()
    weights = np.array([0, 0, 0, 1, 1, 2]) / 4
    found = certify(pack, weights, vote="majority")
    occam = next(c for c in found.certificates if c.name == "occam")
    losses = _losses(pack, weights)
    assert occam.samples == 400
    assert occam.risk == pytest.approx(bounds.occam(losses, 400, 0.05, [0, 0, 0, 1, 1, 2]), rel=1e-11)


def _losses(pack: Predictions, weights: np.ndarray) -> int:
    """Errors and ties of the majority vote, by a loop."""
    votes, count = pack.votes(), 0
    for j in range(pack.samples):
        totals = np.array([sum(weights[votes[:, j] == c]) for c in range(pack.classes)])
        others = np.delete(totals, pack.labels[j])
        count += totals[pack.labels[j]] <= others.max() + 1e-9
    return count


def test_one_member_alone_gets_best_member_at_delta_over_all_members() -> None:
    pack = simulated()
    found = certify(pack, np.eye(6)[5])
    best = next(c for c in found.certificates if c.name == "best-member")
    errors = int((pack.votes()[5] != pack.labels).sum())
    assert best.risk == pytest.approx(bounds.clopper_pearson(errors, 400, 0.05 / 6), rel=1e-11)


def test_per_member_holdouts_use_the_smallest_overlap_and_say_what_is_missing() -> None:
    pack = simulated(masked=True, votes=True)
    found = certify(pack, IRREGULAR)
    mask = pack.mask()
    overlap = min(int((mask[i] & mask[j]).sum()) for i in range(6) for j in range(6))
    assert names(found) == PAC_BAYES | {"ctd"}
    assert next(c for c in found.certificates if c.name == "tandem-kl").samples == overlap
    assert next(c for c in found.certificates if c.name == "first-order-kl").samples == mask.sum(axis=1).min()
    missing = {row.name: row.why for row in found.unavailable}
    for name in ("holdout", "split", "occam"):
        assert missing[name].startswith("each member has its own hold-out samples")


def test_every_number_of_a_certificate_is_in_its_inputs() -> None:
    pack = simulated(classes=2)
    prior = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
    found = {
        c.name: c for c in certify(pack, IRREGULAR, prior=prior, delta=0.1, vote="majority").certificates
    }
    kl = kl_divergence(IRREGULAR, prior)
    wrong = pack.votes() != pack.labels
    tandem = sum(
        IRREGULAR[i] * IRREGULAR[j] * np.mean(wrong[i] & wrong[j]) for i in range(6) for j in range(6)
    )
    stated = found["tandem-kl"]
    assert stated.inputs["tandem"] == pytest.approx(tandem, rel=1e-12)
    assert stated.inputs["kl"] == pytest.approx(kl, rel=1e-12)
    assert stated.risk == pytest.approx(bounds.tandem_kl(tandem, kl, 400, 0.1), rel=2e-8)
    assert stated.risk > bounds.tandem_kl(tandem, kl, 400, 0.1)
    assert found["tandem-kl"].risk <= found["tandem-lambda"].risk
    assert found["first-order-kl"].risk <= found["first-order-lambda"].risk
    for name, function in (("cantelli", bounds.cantelli), ("ctd", bounds.ctd)):
        inputs = found[name].inputs
        again = function(inputs["gibbs"], inputs["tandem"], kl, 400, 400, 0.1)
        assert found[name].risk == pytest.approx(again, rel=2e-8)
    d = found["c2"].inputs["disagreement"]
    assert found["c2"].risk == pytest.approx(bounds.c2(tandem, d, kl, 400, 0.1), rel=2e-8)


def test_the_average_is_certified_with_soft_losses() -> None:
    pack = simulated()
    found = {c.name: c for c in certify(pack, IRREGULAR, vote="average").certificates}
    probs = np.concatenate([block.probs for block in pack.blocks()], axis=1)
    own = probs[:, np.arange(400), pack.labels]
    others = np.where(np.eye(3, dtype=bool)[pack.labels], -1, probs).max(axis=2)
    soft = (1 - own + others) / 2
    w = IRREGULAR @ soft
    assert found["first-order-kl"].inputs["gibbs"] == pytest.approx(w.mean(), rel=1e-10)
    assert found["tandem-kl"].inputs["tandem"] == pytest.approx((w**2).mean(), rel=1e-10)
    assert found["moment"].inputs["moment"] == pytest.approx((3 * w - 2 * w**2).mean(), rel=1e-10)
    assert all(c.vote == "average" for c in found.values())


def test_a_prior_of_zero_for_a_member_that_votes_certifies_no_pac_bayes_bound() -> None:
    prior = np.array([0, 0.2, 0.2, 0.2, 0.2, 0.2])
    found = certify(simulated(), IRREGULAR, prior=prior, chosen_on="nothing")
    assert names(found) == {"holdout"}
    with pytest.raises(InputError, match="prior: the prior gives no weight to a member that votes"):
        certify(simulated(), IRREGULAR, prior=prior)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vote": "avrage"}, "vote: 'avrage' is not one of majority, average (did you mean 'average'?)"),
        ({"delta": 0.0}, "delta: must lie strictly between 0 and 1, got 0"),
        ({"delta": 1.0}, "delta: must lie strictly between 0 and 1, got 1"),
        ({"chosen_on": "part"}, "certifying: required with chosen_on='part', and only then"),
        ({"certifying": [1, 2]}, "certifying: required with chosen_on='part', and only then"),
        (
            {"chosen_on": "part", "certifying": [1, 1]},
            "certifying: must be distinct indices between 0 and 399",
        ),
        (
            {"chosen_on": "part", "certifying": [400]},
            "certifying: must be distinct indices between 0 and 399",
        ),
        (
            {"chosen_on": "part", "certifying": [-1, 3]},
            "certifying: must be distinct indices between 0 and 399",
        ),
        ({"chosen_on": "part", "certifying": []}, "certifying: must be a non-empty list of sample indices"),
        ({"chosen_on": "some"}, "chosen_on: 'some' is not one of nothing, part, all"),
    ],
)
def test_questions_without_a_meaning(options: dict, message: str) -> None:
    with pytest.raises(InputError) as error:
        certify(simulated(), IRREGULAR, **options)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int8])
def test_certifying_samples_of_any_integer_type_in_any_order(dtype: type) -> None:
    kept = np.array([90, 3, 17, 55], dtype=dtype)
    plain = certify(simulated(), IRREGULAR, chosen_on="part", certifying=[3, 17, 55, 90])
    assert certify(simulated(), IRREGULAR, chosen_on="part", certifying=kept).best == plain.best


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("vote", ["majority", "average"])
def test_statistics_at_hand_change_nothing(vote: str, masked: bool) -> None:
    pack = simulated(masked=masked)
    measured = measure(pack, "hard" if vote == "majority" else "soft")
    assert certify_with(measured, pack, IRREGULAR, vote=vote) == certify(pack, IRREGULAR, vote=vote)


def test_statistics_of_members_that_share_their_samples_although_others_have_their_own() -> None:
    mask = np.ones((6, 400), bool)
    mask[5, :100] = False
    whole = simulated()
    probs = np.concatenate([block.probs for block in whole.blocks()], axis=1)
    part = Predictions.from_arrays(probs=probs, labels=whole.labels, mask=mask).pick([0, 1])
    assert certify_with(measure(part), part, [0.6, 0.4]) == certify(part, [0.6, 0.4], vote="majority")


@pytest.mark.parametrize(
    ("vote", "statistics", "message"),
    [
        ("average", measure(simulated(), "hard"), "the average vote needs soft losses, got hard ones"),
        ("majority", measure(simulated(), "soft"), "the majority vote needs hard losses, got soft ones"),
        (
            "majority",
            measure(simulated(members=5)),
            "must be of 6 members with 400 samples or more each, got 5 with 400",
        ),
        (
            "majority",
            measure(simulated(samples=4000)),
            "must be of 6 members with 400 samples or more each, got 6 with 4,000",
        ),
        ("majority", measure(simulated(masked=True)), "must be of 6 members with 400 samples or more each"),
    ],
)
def test_statistics_that_cannot_be_of_these_predictions(vote: str, statistics, message: str) -> None:
    with pytest.raises(InputError) as error:
        certify_with(statistics, simulated(), IRREGULAR, vote=vote)
    assert str(error.value).startswith(f"statistics: {message}")
    assert "leave them out, or give measure(predictions, " in str(error.value)


def test_no_labels_no_certificate_and_no_average_of_votes() -> None:
    with pytest.raises(InputError, match="labels: a certificate needs the true classes"):
        certify(simulated(labels=False), IRREGULAR)
    with pytest.raises(InputError, match="vote: 'average' needs probabilities"):
        certify(simulated(votes=True), IRREGULAR, vote="average")
    with pytest.raises(InputError, match="each member has its own hold-out samples"):
        certify(simulated(masked=True), IRREGULAR, chosen_on="part", certifying=[0, 1])


def test_one_member_on_its_own_samples_is_certified_as_it_is_deployed() -> None:
    """Probabilities within the tie tolerance: the arg-max is right, the deployed average takes the lower class."""
    probs = np.empty((2, 300, 2))
    probs[0], probs[1] = [0.5 - 2e-10, 0.5 + 2e-10], [0.9, 0.1]
    mask = np.ones((2, 300), bool)
    mask[0, 0] = mask[1, 1] = False
    pack = Predictions.from_arrays(probs=probs, labels=np.ones(300, int), mask=mask)
    found = {c.name: c for c in certify(pack, [1.0, 0.0], vote="average").certificates}
    assert found["best-member"].inputs["errors"] == 299


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_certificates_loosen_as_delta_shrinks(vote: str) -> None:
    pack = simulated(classes=2)
    loose, tight = (
        {
            c.name: c.risk
            for c in certify(pack, IRREGULAR, vote=vote, delta=d, chosen_on="nothing").certificates
        }
        for d in (0.01, 0.2)
    )
    assert all(loose[name] >= tight[name] for name in tight)
