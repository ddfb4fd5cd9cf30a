"""The states of `monitor` and `drift`: what was fixed at the start, then a line per file or look."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from comitia._errors import InputError
from comitia._monitor import Monitored, stand
from comitia._records import from_plain, require_format, to_plain
from comitia._watch import Batch, Watch
from comitia.files.logs import Log, add_to_log, read_log

MONITOR, DRIFT = "comitia-monitor-1", "comitia-drift-1"
TORN = "the last line of {} was cut off, as by a kill while it was written; it is left out, so give that file again"


@dataclass(frozen=True)
class MonitorState:
    """What a state file of `monitor` says: what is watched, None before the first file, and the batches so far."""

    place: Path
    log: Log
    watch: Watch | None
    batches: tuple[Batch, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found to be off with the file, in words."""
        return torn_note(self.place, self.log)

    def stand(self) -> Monitored:
        """Return how things stand."""
        if self.watch is None:
            raise InputError(f"{self.place}: holds nothing yet; comitia monitor adds to it")
        return stand(self.watch, self.batches)


def torn_note(place: Path, log: Log) -> tuple[str, ...]:
    """Return a note on a line that was cut, if one was."""
    return (TORN.format(place),) if log.torn else ()


def read_monitor_state(place: Path) -> MonitorState:
    """Return what the file says; one that is absent, or whose first line was cut, says nothing yet."""
    log = read_log(place)
    head, lines = _head(place, log, MONITOR, "a state that comitia monitor wrote")
    watch = None if head is None else from_plain(Watch, head, f"{place}, line 1: ")
    batches = tuple(
        from_plain(Batch, line, f"{place}, line {number}: ") for number, line in enumerate(lines, 2)
    )
    return MonitorState(place, log, watch, batches)


def add_batches(state: MonitorState, watch: Watch, batches: list[Batch]) -> None:
    """Add a line per batch, and before the first one what is watched."""
    head = [] if state.watch is not None else [{"format": MONITOR, **to_plain(watch)}]
    if head or batches:
        add_to_log(state.place, state.log, [*head, *(_dense(to_plain(batch)) for batch in batches)])


def _dense(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if value is not None}


def _head(
    place: Path, log: Log, wanted: str, what: str
) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """The first line without its format, and the others; the same first line again is of another process's start."""
    if not log.records:
        return None, []
    first = require_format(log.records[0], wanted, str(place), what)
    others = [record for record in log.records[1:] if record != first]
    first.pop("format")
    return first, others


@dataclass(frozen=True)
class Look:
    """One look of `drift`: the samples it was at, and what it found."""

    file: str
    sha256: str
    p_value: float
    level: float
    alarm: bool
    samples: int


@dataclass(frozen=True)
class Looking:
    """What a series of looks is about, fixed before the first."""

    ensemble: str
    alpha: float
    seed: int = 0


@dataclass(frozen=True)
class DriftState:
    """What a state file of `drift` says: what is looked for, None before the first look, and the looks so far."""

    place: Path
    log: Log
    looking: Looking | None
    looks: tuple[Look, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found to be off with the file, in words."""
        return torn_note(self.place, self.log)

    def before(self, sha256: str) -> tuple[int, Look] | None:
        """Return the number of the look at those samples, and what it found, if there was one."""
        return next(((k, look) for k, look in enumerate(self.looks, 1) if look.sha256 == sha256), None)


def read_drift_state(place: Path) -> DriftState:
    """Return what the file says; one that is absent, or whose first line was cut, says nothing yet."""
    log = read_log(place)
    head, lines = _head(place, log, DRIFT, "a state that comitia drift wrote")
    looking = None if head is None else from_plain(Looking, head, f"{place}, line 1: ")
    looks = tuple(from_plain(Look, line, f"{place}, line {number}: ") for number, line in enumerate(lines, 2))
    return DriftState(place, log, looking, looks)


def add_look(state: DriftState, looking: Looking, look: Look) -> None:
    """Add a line for the look, and before the first one what is looked for."""
    head = [] if state.looking is not None else [{"format": DRIFT, **to_plain(looking)}]
    add_to_log(state.place, state.log, [*head, to_plain(look)])


def require_same(place: Path, begun: object, **asked: Any) -> None:
    """Raise where something is asked for that is not what the file was begun with; None asks for nothing."""
    for name, value in asked.items():
        known = getattr(begun, name)
        if value is None or value == known:
            continue
        if name == "ensemble":
            raise InputError(
                f"state: {place} is of another ensemble (sha256 {known[:16]}, this one {value[:16]}); give another file"
            )
        raise InputError(
            f"{name}: {place} was begun with {known}, got {value}; leave it out, or give another state"
        )
