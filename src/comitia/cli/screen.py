"""The terminal as commands write to it: what texts from files say is shown and never obeyed."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions
from rich.segment import Segment

from comitia._words import harmless


class Screen(Console):
    """A console that makes every piece of text harmless; the colours and moves of its own are added after that."""

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the pieces of what is to be shown."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield (
                segment
                if control or (text.isascii() and text.isprintable())
                else Segment(harmless(text), style)
            )
