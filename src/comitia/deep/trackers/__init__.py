"""Where the numbers of a training are sent while it runs: one tracker per file, one contract.

A tracker is a function of a training's events (`comitia.deep.events`). `TABLE` are the built-in ones; one from outside
is such a function, or its ``"module:function"``.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from comitia._errors import InputError, require_choice
from comitia._extensions import is_reference, load, name_of
from comitia.deep.events import Event, Listener, Untracked

Opened = AbstractContextManager[Listener]
Tracker = str | Listener


@dataclass(frozen=True)
class Row:
    """A built-in tracker: what it needs, the extra that installs it, and where its numbers go."""

    name: str
    package: str
    about: str

    def open(self, out: Path) -> Opened:
        """Return the tracker of a training into `out`; close it at the end."""
        if find_spec(self.package) is None:
            raise InputError(f"track: '{self.name}' needs {self.package}; pip install 'comitia[{self.name}]'")
        opened: Callable[[Path], Opened] = import_module(f"comitia.deep.trackers.{self.name}").track
        return opened(out)


_ROWS = (
    Row("tensorboard", "tensorboard", "TensorBoard: DIR/tensorboard"),
    Row("mlflow", "mlflow", "MLflow: MLFLOW_TRACKING_URI, else DIR/mlflow"),
    Row("wandb", "wandb", "Weights & Biases: offline in DIR/wandb, unless WANDB_MODE is set"),
)
TABLE = {row.name: row for row in _ROWS}
TRACKERS = tuple(TABLE)


@contextmanager
def tracking(trackers: Iterable[Tracker], out: Path, tell: Listener) -> Iterator[Listener]:
    """Give each event to every tracker for as long as the context lasts; a wrong name is an `InputError` at once.

    A tracker that fails is told of once, as an event to `tell`, and is left out from then on: the training goes on.

    >>> seen = []
    >>> with tracking([seen.append], Path("out"), print) as listen:
    ...     listen("an event")
    >>> seen
    ['an event']
    """
    guards: list[_Guard] = []
    with ExitStack() as stack:
        for tracker in trackers:
            name, opened = name_of(tracker), _open(tracker, out)
            guards.append(stack.enter_context(_guarded(name, opened, tell)))

        def listen(event: Event) -> None:
            for guard in guards:
                guard.attempt(partial(guard.listener, event))

        yield listen


def require_tracker(tracker: Tracker) -> None:
    """Raise unless that is a tracker."""
    if isinstance(tracker, str) and not is_reference(tracker):
        require_choice("track", tracker, TABLE)


def _open(tracker: Tracker, out: Path) -> Opened:
    if not isinstance(tracker, str):
        return nullcontext(tracker)
    if is_reference(tracker):
        return nullcontext(load("track", tracker))
    return TABLE[require_choice("track", tracker, TABLE)].open(out)


@dataclass
class _Guard:
    """A tracker at work, until it fails."""

    name: str
    listener: Listener
    tell: Listener
    failed: bool = False

    def attempt(self, action: Callable[[], Any]) -> None:
        """Do what may fail, unless the tracker has failed before; tell the first failure."""
        if self.failed:
            return
        try:
            action()
        except Exception as error:
            self.failed = True
            why = " ".join(f"{type(error).__name__}: {error}".split())
            self.tell(
                Untracked(None, f"tracker '{self.name}' failed ({why}); the training goes on without it")
            )


@contextmanager
def _guarded(name: str, opened: Opened, tell: Listener) -> Iterator[_Guard]:
    guard = _Guard(name, _nothing, tell)

    def enter() -> None:
        guard.listener = opened.__enter__()

    guard.attempt(enter)
    try:
        yield guard
    finally:
        guard.attempt(lambda: opened.__exit__(None, None, None))


def _nothing(event: Event) -> None:
    """Do nothing."""
