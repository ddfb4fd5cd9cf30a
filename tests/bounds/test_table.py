"""The one table of certificates: what follows from it, and the price on which the validity of `best` rests."""

import math
from dataclasses import replace
from itertools import product

import pytest

from comitia import InputError, bounds
from comitia._certify import certification
from comitia.bounds.row import CHOSEN_ON, VOTES, Bound, Facts, as_bound
from comitia.bounds.table import BOUNDS, price, with_outside

FACTS = Facts(
    vote="majority",
    classes=2,
    shared=True,
    chosen_on="all",
    members=5,
    kl=0.7,
    gibbs=0.1,
    tandem=0.04,
    moment=0.22,
    n_first=900,
    n_pair=800,
    disagreement=0.12,
    n_disagreement=3000,
    own_disagreement=0.11,
    errors=60,
    samples=900,
    kept_errors=60,
    kept_samples=900,
    alone=(60, 900),
    counts=(1, 0, 0, 0, 0),
)
PAC_BAYES = {"first-order-kl", "first-order-lambda", "tandem-kl", "tandem-lambda", "moment", "cantelli"}
BINARY = {"disagreement", "c1", "c2"}


def given(**changes):
    return {name for name, row in BOUNDS.items() if row.unavailable(replace(FACTS, **changes)) is None}


@pytest.mark.parametrize("classes", [2, 10])
@pytest.mark.parametrize(
    "vote, shared, events",
    [("majority", True, 8), ("average", True, 6), ("majority", False, 7), ("average", False, 5)],
)
def test_the_price_of_choosing(vote, classes, shared, events):
    """gibbs, tandem, moment, both together; occam and best-member; for the majority two with disagreement.

    The number of classes may be read off the data, so it must not change the price.
    """
    assert price(vote, shared=shared) == events
    own = None if vote == "average" else 0.1
    facts = replace(
        FACTS,
        vote=vote,
        classes=classes,
        shared=shared,
        disagreement=own,
        own_disagreement=own,
        n_disagreement=None if own is None else 800,
    )
    found = certification(facts, 0.05, tuple(BOUNDS.values()))
    assert found.compared == events
    assert found.best.inputs["delta_share"] == 0.05 / events
    assert found.best.delta == 0.05


@pytest.mark.parametrize("vote, classes, shared", [*product(VOTES, (2, 3), (True, False))])
def test_the_price_covers_every_event_that_can_be_given(vote, classes, shared):
    """Whatever the weights turn out to be: counts or not, one member or several."""
    for counts, alone in product((None, FACTS.counts), (None, FACTS.alone)):
        names = given(vote=vote, classes=classes, shared=shared, counts=counts, alone=alone)
        assert len({BOUNDS[name].event for name in names}) <= price(vote, shared=shared)


def test_a_bound_from_outside_is_paid_for():
    extra = replace(BOUNDS["moment"], name="mine:moment", event="mine")
    rows = with_outside([extra])
    assert price("majority", shared=True, rows=rows) == 9
    assert certification(FACTS, 0.05, rows).compared == 9
    same_event = with_outside([replace(extra, event="moment")])
    assert price("majority", shared=True, rows=same_event) == 8


def test_which_are_given():
    everywhere = PAC_BAYES | BINARY | {"ctd", "occam", "best-member"}
    assert given() == everywhere
    assert given(chosen_on="nothing") == everywhere | {"holdout"}
    assert given(chosen_on="part") == everywhere | {"split"}
    assert given(vote="average") == PAC_BAYES | {"occam", "best-member"}
    assert given(classes=3) == PAC_BAYES | {"ctd", "occam", "best-member"}
    assert given(shared=False, chosen_on="nothing") == PAC_BAYES | BINARY | {"ctd", "best-member"}
    assert given(kl=math.inf) == {"occam", "best-member"}
    assert given(counts=None, alone=None) == PAC_BAYES | BINARY | {"ctd"}


def test_nothing_counted_is_given_on_samples_that_chose_unless_it_is_paid_for():
    for row in BOUNDS.values():
        if row.counted and "all" not in row.refused:
            at_full = row.value(row.inputs(FACTS), 0.05)
            assert at_full > bounds.clopper_pearson(60, 900, 0.05)


@pytest.mark.parametrize("name", BOUNDS)
def test_a_row_is_whole(name):
    row = BOUNDS[name]
    assert row.name == name
    assert all((row.meaning, row.event, row.equation, row.source))
    assert set(row.refused) <= set(CHOSEN_ON)
    inputs = row.inputs(FACTS)
    assert inputs[row.samples] in (800, 900, 3000)
    # outward, and by no more than the margin for ties
    plain = row.formula(**inputs, delta=0.05)
    assert plain <= row(FACTS, 0.05) <= plain * (1 + 1.1e-8)


def test_only_the_designated_cost_nothing():
    assert {name for name, row in BOUNDS.items() if row.designated} == {"holdout", "split"}
    for chosen_on in CHOSEN_ON:
        found = [row.name for row in BOUNDS.values() if row.designated and chosen_on not in row.refused]
        assert found == {"nothing": ["holdout"], "part": ["split"], "all": []}[chosen_on]


def halved(facts, delta):
    """Half the Gibbs risk, which is no bound. For a test."""
    return facts.gibbs / 2 + delta


def test_a_plain_function_becomes_a_bound():
    row = as_bound(halved)
    assert row.meaning == "Half the Gibbs risk, which is no bound. For a test"
    assert row.name.endswith(":halved")
    assert row(FACTS, 0.05) == pytest.approx(0.1, rel=1e-7)
    assert row.samples == "n_pair"


@pytest.mark.parametrize(
    "bound, message",
    [
        (3, "bounds: must be a Bound or a function of \\(facts, delta\\), got 3"),
        (BOUNDS["moment"], "bounds: duplicate name 'moment'"),
        (replace(BOUNDS["moment"], name="mine"), "bounds: a name from outside needs a colon"),
        (replace(BOUNDS["split"], name="my:split"), "bounds: 'my:split' cannot be designated"),
        ("no_such_module:bound", "bounds: cannot import 'no_such_module'"),
    ],
)
def test_bounds_that_cannot_be(bound, message):
    with pytest.raises(InputError, match=message):
        with_outside([bound])


def test_two_of_one_name():
    with pytest.raises(InputError, match="duplicate name"):
        with_outside([halved, halved])


def test_a_bound_is_a_record():
    assert isinstance(BOUNDS["split"], Bound)
