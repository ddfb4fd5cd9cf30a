"""A file whose further promises were changed is refused: each must be what was asked for and what its inputs give."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from comitia import Ensemble, InputError, verify, weigh
from promises.problems import COSTS, clinic

PACK = clinic(300)


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    found = weigh(
        PACK, vote="average", per=["class", "site"], target_risk=0.3, costs=COSTS, threshold="cost=2:1"
    )
    return found.to_json()


def named(record: dict[str, Any], name: str, group: str | None = None) -> dict[str, Any]:
    return next(one for one in record["promises"] if (one["name"], one.get("group")) == (name, group))


def set_to(name: str, key: str, value: Any, group: str | None = None) -> Callable[[dict[str, Any]], None]:
    return lambda record: named(record, name, group).update({key: value})


def within(name: str, key: str, value: Any, group: str | None = None) -> Callable[[dict[str, Any]], None]:
    return lambda record: named(record, name, group)["inputs"].update({key: value})


def reordered(key: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    """Another order, beside a number that is high enough for any."""
    return lambda record: [within("costs", key, value)(record), set_to("costs", "risk", 4.5)(record)]


def drop(name: str, group: str | None = None) -> Callable[[dict[str, Any]], None]:
    return lambda record: record["promises"].remove(named(record, name, group))


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a smaller risk": (set_to("class", "risk", 0.001, "sick"), "it was edited"),
    "a smaller cost": (set_to("costs", "risk", 0.01), "it was edited"),
    "another order": (reordered("order", "00ff"), "its order is not that of the data and the seed"),
    "another seed of the order": (reordered("seed", 1), "its order is not that of the data and the seed"),
    "a smaller largest cost": (within("costs", "largest", 5.0000001), ""),
    "all of delta": (set_to("class", "delta", 0.05, "sick"), "is more than its share"),
    "a lower target": (lambda r: r["asked"].update(target_risk=0.05), "the target is not the one"),
    "a promise left out": (drop("class", "sick"), "holds for 2 groups at once, and 1 are listed"),
    "all of a name left out": (
        lambda r: [drop("class", "sick")(r), drop("class", "well")(r)],
        "'class' was asked for and is missing",
    ),
    "what nobody asked for": (lambda r: r["asked"].update(per=["site"]), "'class' was not asked for"),
    "a promise twice": (lambda r: r["promises"].append(r["promises"][0]), "duplicate"),
    "another class": (set_to("class", "group", "ill", "sick"), "its groups are not the classes"),
    "another name of the rate": (
        set_to("class", "rate", "false-positive rate", "sick"),
        "has another name",
    ),
    "another vote": (set_to("class", "vote", "majority", "sick"), "must be of the ensemble's own vote"),
    "dependent samples": (set_to("class", "unit", "groups", "sick"), ""),
    "a looser rule": (lambda r: r["decision"].update(least_share=0.1), "least_share is not the threshold"),
    "no rule": (lambda r: r["decision"].update(least_share=None), "least_share is not the threshold"),
    "no threshold": (lambda r: r["decision"].update(threshold=None), "a threshold is required"),
    "an impossible threshold": (lambda r: r["decision"].update(threshold=2), "strictly between 0 and 1"),
    "a fixed one that is another": (
        lambda r: r["asked"].update(threshold=0.5),
        "is not the one that was asked for",
    ),
    "costs for other classes": (lambda r: r["asked"].update(costs=[[0, 1]]), "a row per class"),
    "weights from all samples": (lambda r: r["weighting"].update(chosen_on="all"), ""),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_file_is_refused_and_does_not_verify(record: dict[str, Any], what: str) -> None:
    change, message = CHANGES[what]
    copy = json.loads(json.dumps(record))
    change(copy)
    with pytest.raises(InputError) as caught:
        Ensemble.from_json(json.dumps(copy))
    assert message in str(caught.value)
    assert not verify(Ensemble.from_json(json.dumps(copy), faults=False), PACK).holds


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [leaf for key, part in [*inner] for leaf in leaves(part, (*path, key))]
    return found or [path]


def edited(value: Any) -> Any:
    if isinstance(value, str):
        return value + " indeed"
    return value + 1 if isinstance(value, int) else (value * 0.9 or 0.1) if isinstance(value, float) else 1


def test_every_value_of_the_promises_is_checked(record: dict[str, Any]) -> None:
    """Each value of one promise per kind is edited: verify says no, or the file is no ensemble any more."""
    passed = []
    seen = {one["kind"]: place for place, one in enumerate(record["promises"])}
    del seen["class"]  # of the same form as those of a column
    paths = [
        path
        for key in ("asked", "decision", "promises", "unpromised")
        for path in leaves(record[key], (key,))
    ]
    curves = [path for path in paths if "thresholds" in path or "accepted" in path or "errors" in path]
    few = [path for path in paths if path not in curves] + curves[::60]
    few = [path for path in few if path[0] != "promises" or path[1] in seen.values()]
    for path in few:
        copy = json.loads(json.dumps(record))
        place = copy
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = edited(place[path[-1]])
        try:
            if verify(Ensemble.from_json(json.dumps(copy), faults=False), PACK).holds:
                passed.append(path)
        except InputError:
            continue
    # what no answer costs is the user's word where every sample is answered
    assert passed == [("asked", "costs", 0, 2), ("asked", "costs", 1, 2)]


def test_fewer_errors_are_found_by_the_data_alone(record: dict[str, Any]) -> None:
    """A larger risk than the inputs give contradicts nothing, so that the file can be read."""
    copy = json.loads(json.dumps(record))
    within("class", "errors", 0, "sick")(copy)
    rows = verify(Ensemble.from_json(json.dumps(copy)), PACK).rows
    assert [row.name for row in rows if not row.holds] == ["class sick"]


def test_other_sites_do_not_verify(record: dict[str, Any]) -> None:
    """Strata are not in the checksum of the predictions, but promises that rest on others are found."""
    sites = PACK.strata["site"]
    others = clinic(300, strata={"site": [sites.names[code] for code in sites.codes[::-1]]})
    assert others.fingerprint() == PACK.fingerprint()
    rows = verify(Ensemble.from_json(json.dumps(record)), others).rows
    assert {row.name for row in rows if not row.holds} >= {"site north", "site south"}


def test_a_file_of_before_there_were_promises_reads_and_verifies() -> None:
    found = weigh(PACK, vote="average").to_json()
    for key in ("asked", "decision", "promises", "unpromised"):
        del found[key]
    assert verify(Ensemble.from_json(json.dumps(found)), PACK).holds
