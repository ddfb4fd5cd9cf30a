"""What happens in a training, as records: told to listeners, and kept in the logs of the runs as JSON lines.

A line is `{"event": kind, ..., "time": seconds since 1970}` with the fields of the record between the two.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from comitia._errors import InputError
from comitia._records import from_plain, parse_json, to_plain
from comitia.files.atomic import open_own


@dataclass(frozen=True)
class Event:
    """Something that happened; `kind` names it in logs."""

    kind: ClassVar[str]


@dataclass(frozen=True)
class Begin(Event):
    """A training begins: the epochs of each run, how many of them are done, which runs are left to train."""

    kind = "begin"
    name: str
    directory: str
    epochs: Mapping[int, int]
    done: Mapping[int, int]
    todo: tuple[int, ...]
    members: int


@dataclass(frozen=True)
class End(Event):
    """A training has ended; `complete` if every run made all its members."""

    kind = "end"
    members: int
    complete: bool


@dataclass(frozen=True)
class Started(Event):
    """A worker process has taken up a run."""

    kind = "started"
    run: int
    process: int


@dataclass(frozen=True, kw_only=True)
class Epoch(Event):
    """An epoch was trained: mean loss and accuracy over its batches, accuracy on `select`, seconds it took."""

    kind = "epoch"
    run: int
    epoch: int
    epochs: int = 0
    loss: float
    accuracy: float
    select_accuracy: float | None = None
    seconds: float


@dataclass(frozen=True)
class LayerReading:
    """The temperatures of one layer; one that is not finite, or not known to the sampler, is None."""

    name: str
    size: int
    kinetic: float | None
    configurational: float | None
    configurational_error: float | None = None


@dataclass(frozen=True)
class Temperatures(Event):
    """The temperatures of all layers of a chain in one epoch, and the T that they should have."""

    kind = "temperatures"
    run: int
    epoch: int
    expected: float
    layers: tuple[LayerReading, ...]

    def fault(self) -> str | None:
        """Return what is wrong with the record, or None."""
        return None if self.expected > 0 and self.layers else "temperatures need a T above 0 and a layer"


@dataclass(frozen=True)
class Member(Event):
    """The state of a step has predicted; `accuracy` is on its hold-out."""

    kind = "member"
    run: int
    step: int
    accuracy: float | None


@dataclass(frozen=True)
class Done(Event):
    """A run is over: why it was stopped, if it was, and how many states it saved."""

    kind = "done"
    run: int
    stopped: str | None
    members: int


@dataclass(frozen=True)
class Message(Event):
    """Something that people should read; `run` is None where it concerns no run."""

    run: int | None
    message: str


@dataclass(frozen=True)
class Lost(Message):
    """A file of a run is missing or damaged, and is made again."""

    kind = "lost"


@dataclass(frozen=True)
class Crashed(Message):
    """A worker died; its run goes on in another."""

    kind = "crashed"


@dataclass(frozen=True)
class Failed(Message):
    """A run was given up."""

    kind = "failed"


@dataclass(frozen=True)
class Untracked(Message):
    """A tracker failed; the training goes on without it."""

    kind = "untracked"


@dataclass(frozen=True)
class EpochMessage(Event):
    """Something about an epoch of a run that people should read."""

    run: int
    epoch: int
    message: str


@dataclass(frozen=True)
class Stopped(EpochMessage):
    """The loss of a run was not finite."""

    kind = "stopped"


@dataclass(frozen=True)
class Warned(EpochMessage):
    """Something is off: the temperatures of a chain, or a loss that exploded and is finite."""

    kind = "warning"


@dataclass(frozen=True)
class Ready(Event):
    """A worker waits for its first run."""

    kind = "ready"


@dataclass(frozen=True)
class Free(Event):
    """A worker has finished a run and waits for the next."""

    kind = "free"
    run: int


Listener = Callable[[Event], None]
_LOGGED = (Started, Epoch, Temperatures, Member, Done, Lost, Crashed, Failed, Stopped, Warned, Ready, Free)
_KINDS: dict[str, type[Event]] = {kind.kind: kind for kind in _LOGGED}


def ignore(event: Event) -> None:
    """Do nothing: a listener for those who want no events."""


def event_line(event: Event, **more: Any) -> str:
    """Return the event as one line of JSON, with its line break.

    >>> event_line(Done(run=1, stopped=None, members=2))
    '{"event": "done", "run": 1, "stopped": null, "members": 2}\\n'
    """
    return json.dumps({"event": event.kind, **to_plain(event), **more}) + "\n"


def parse_event(line: str, source: str = "log", kinds: tuple[type[Event], ...] = _LOGGED) -> Event | None:
    """Return the event of a line, None if it is of another kind; raise an `InputError` if the line is damaged.

    >>> parse_event('{"event": "done", "run": 1, "stopped": null, "members": 2, "time": 3.5}')
    Done(run=1, stopped=None, members=2)
    """
    plain = parse_json(line, source)
    if not isinstance(plain, dict) or "event" not in plain:
        raise InputError(f"{source}: must be a table of keys with the key event, got {line[:60]!r}")
    kind = _KINDS.get(plain["event"]) if isinstance(plain["event"], str) else None
    return from_plain(kind, plain, f"{source}: ", strict=False) if kind in kinds else None


def logged_events(log: Path, *kinds: type[Event]) -> Iterator[Any]:
    """Yield the events of those kinds in a log; lines that were torn when a training was killed are passed over."""
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        with suppress(InputError):
            if (event := parse_event(line, str(log), kinds)) is not None:
                yield event


def append_event(log: Path, event: Event) -> None:
    """Append the event to a log in a single write, which a crash does not mix with another."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open_own(log, "a") as file:
        file.write(event_line(event, time=time.time()))
