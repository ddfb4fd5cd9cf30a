"""What people see of a training: a live view on a terminal, plain lines elsewhere, logs in files."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

Listener = Callable[[dict[str, Any]], None]


@contextmanager
def watching(console: "Console") -> Iterator[Listener]:
    """A listener that shows the events of a training on the console for as long as the context lasts."""
    from comitia.progress.live import LiveView
    from comitia.progress.plain import PlainView

    with ExitStack() as stack:
        if console.is_terminal:
            yield stack.enter_context(LiveView(console)).listen
        else:
            yield PlainView(console).listen
