"""The one table of certificates: what follows from it, and the price on which the validity of `best` rests."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from comitia import InputError, bounds
from comitia._certify import certification
from comitia.bounds.row import CHOSEN_ON, VOTES, Facts, Paired, as_bound
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
GROUPS = replace(FACTS, group_errors=(1, 0) * 400, group_sizes=(2, 1) * 400)
PAIRS = replace(
    FACTS,
    chosen_on="part",
    paired=Paired(np.arange(900) % 15 == 0, np.arange(900) % 7 / 10, np.arange(1800).reshape(900, 2) % 5 / 8),
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
    extra = replace(BOUNDS["moment"], name="mine:moment", event="mine:moment")
    rows = with_outside([extra])
    assert price("majority", shared=True, rows=rows) == 9
    assert certification(FACTS, 0.05, rows).compared == 9
    two = with_outside([extra, replace(extra, name="mine:moment-again")])
    assert price("majority", shared=True, rows=two) == 9
    # an event of ours is paid for by ours alone: whether a bound from outside shares it nobody has proved
    with pytest.raises(InputError, match="the event of one from outside needs a colon"):
        with_outside([replace(extra, event="moment")])


def test_a_bound_is_paid_for_wherever_it_competes():
    """Also where it is refused for weights that all samples chose, and these were not."""
    row = replace(BOUNDS["moment"], name="mine:x", event="mine:x", refused={"all": "no"})
    rows = with_outside([row])
    assert price("majority", shared=False, chosen_on="all", rows=rows) == 7
    assert price("majority", shared=False, chosen_on="nothing", rows=rows) == 8
    facts = replace(FACTS, shared=False, chosen_on="nothing", errors=None, kept_errors=None, alone=None)
    assert certification(facts, 0.05, rows).compared == 8


@pytest.mark.parametrize("value", [-0.5, math.nan, math.inf, None, "small", [0.1]])
def test_a_bound_must_return_a_risk(value):
    row = as_bound(lambda facts, delta: value)
    with pytest.raises(InputError, match="bounds: '.*' (must return a risk of 0 or more|failed: )"):
        certification(FACTS, 0.05, (*BOUNDS.values(), row))


def test_a_bound_that_fails_is_named():
    def broken(facts, delta):
        raise KeyError("oops")

    with pytest.raises(InputError, match="bounds: '.*broken' failed: KeyError: 'oops'"):
        certification(FACTS, 0.05, with_outside([broken]))
    with pytest.raises(InputError, match="must rest on 1 sample or more, got n_pair = 0"):
        certification(replace(FACTS, n_pair=0), 0.05, (as_bound(halved),))


def test_a_function_is_not_given_where_the_prior_covers_not_all():
    assert "prior" in as_bound(halved).unavailable(replace(FACTS, kl=math.inf))


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
    facts = GROUPS if row.grouped else PAIRS if name == "unlabelled" else FACTS
    inputs = row.inputs(facts)
    assert row.stored(facts)[row.samples] in (800, 900, 3000)
    assert row.floor(row.stored(facts), 0.05) <= row(facts, 0.05)
    # outward, and by no more than the margin for ties
    plain = row.formula(**inputs, delta=0.05)
    assert plain <= row(facts, 0.05) <= plain * (1 + 1.1e-8)


def test_only_the_designated_cost_nothing():
    assert {name for name, row in BOUNDS.items() if row.designated} == {
        "holdout",
        "split",
        "unlabelled",
        "groups",
    }
    for chosen_on in CHOSEN_ON:
        rows = [row for row in BOUNDS.values() if row.designated and chosen_on not in row.refused]
        assert [row.name for row in rows if not row.grouped] == {
            "nothing": ["holdout", "unlabelled"],
            "apart": ["holdout", "unlabelled"],
            "part": ["split", "unlabelled"],
            "all": [],
        }[chosen_on]
        assert [row.name for row in rows if row.grouped] == ([] if chosen_on == "all" else ["groups"])


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
        (replace(BOUNDS["moment"], name="mine"), "bounds: the name of one from outside needs a colon"),
        (replace(BOUNDS["split"], name="my:split", event="my:x"), "bounds: 'my:split' cannot be designated"),
        (
            replace(BOUNDS["moment"], name="a:b", event="a:b", votes=("mean",)),
            "must hold for some of majority",
        ),
        ("tandem-kl", "bounds: must be module:function, got 'tandem-kl'"),
        ("no_such_module:bound", "bounds: cannot import 'no_such_module'"),
    ],
)
def test_bounds_that_cannot_be(bound, message):
    with pytest.raises(InputError, match=message):
        with_outside([bound])


def test_two_of_one_name():
    with pytest.raises(InputError, match="duplicate name"):
        with_outside([halved, halved])
