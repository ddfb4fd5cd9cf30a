"""States of monitor and drift: what they say again, and whose they are."""

from pathlib import Path

import pytest

from comitia import InputError, weigh
from comitia._monitor import stand
from comitia._watch import Watch, batch_of, watch_over
from comitia.files.states import (
    Look,
    Looking,
    add_batches,
    add_look,
    read_drift_state,
    read_monitor_state,
    require_same,
)
from simulated import simulated

ENSEMBLE = weigh(simulated())
WATCH = watch_over(ENSEMBLE, "samples", risk=None, alpha=0.05, seed=0)
BATCHES = [batch_of(ENSEMBLE, simulated(samples=60, seed=seed), f"f{seed}") for seed in (1, 2, 3)]


def test_batches_come_back_and_stand_the_same(tmp_path: Path) -> None:
    place = tmp_path / "s.jsonl"
    for batch in BATCHES:
        add_batches(read_monitor_state(place), WATCH, [batch])
    found = read_monitor_state(place)
    assert found.watch == WATCH
    assert found.batches == tuple(BATCHES)
    assert found.stand() == stand(WATCH, BATCHES)
    assert len(place.read_text().splitlines()) == 4


def test_killed_at_any_byte_and_called_again_it_ends_the_same(tmp_path: Path) -> None:
    """The command after a kill gives the same file again: whatever was kept counts once, whatever was cut is added."""
    whole = tmp_path / "whole.jsonl"
    add_batches(read_monitor_state(whole), WATCH, BATCHES)
    content, place = whole.read_bytes(), tmp_path / "cut.jsonl"
    for cut in range(0, len(content), 7):
        place.write_bytes(content[:cut])
        found = read_monitor_state(place)
        known = {batch.sha256 for batch in found.batches}
        assert bool(found.notes) == (bool(cut) and content[cut - 1] != ord("\n"))
        add_batches(found, WATCH, [batch for batch in BATCHES if batch.sha256 not in known])
        assert place.read_bytes() == content


def test_nothing_yet(tmp_path: Path) -> None:
    found = read_monitor_state(tmp_path / "none.jsonl")
    assert (found.watch, found.batches, found.notes) == (None, (), ())
    with pytest.raises(InputError, match="holds nothing yet"):
        found.stand()


def test_two_beginnings_at_once_are_one(tmp_path: Path) -> None:
    place = tmp_path / "s.jsonl"
    nothing = read_monitor_state(place)
    add_batches(nothing, WATCH, BATCHES[:1])
    add_batches(nothing, WATCH, BATCHES[1:2])
    assert read_monitor_state(place).batches == tuple(BATCHES[:2])


def test_the_other_kind_of_state_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "s.jsonl"
    add_batches(read_monitor_state(place), WATCH, BATCHES)
    with pytest.raises(InputError, match="not a state that comitia drift wrote"):
        read_drift_state(place)


def test_looks_come_back(tmp_path: Path) -> None:
    place = tmp_path / "d.jsonl"
    looks = [Look(f"f{i}", f"sha{i}", 0.5, 0.01, False, 100) for i in range(3)]
    for look in looks:
        add_look(read_drift_state(place), Looking("e", 0.05), look)
    found = read_drift_state(place)
    assert (found.looking, found.looks) == (Looking("e", 0.05), tuple(looks))
    assert found.before("sha1") == (2, looks[1])
    assert found.before("sha9") is None


def test_what_a_state_was_begun_with_stays() -> None:
    watch = Watch("e" * 64, 0.1, 0.05, "samples")
    require_same(Path("s"), watch, ensemble="e" * 64, risk=None, alpha=0.05)
    with pytest.raises(InputError, match="state: s is of another ensemble"):
        require_same(Path("s"), watch, ensemble="f" * 64)
    with pytest.raises(InputError, match=r"alpha: s was begun with 0.05, got 0.01"):
        require_same(Path("s"), watch, alpha=0.01)
