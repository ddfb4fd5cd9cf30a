"""Parts from outside the package: a callable, or `module:function` where only text can be written."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from comitia._errors import InputError, require_choice

# The modules whose code files may name; None for any.
_ALLOWED: ContextVar[frozenset[str] | None] = ContextVar("_ALLOWED", default=frozenset())


@contextmanager
def allowing(modules: Iterable[str] | None) -> Iterator[None]:
    """Let files name code of those modules too, or of any (None), within this block.

    >>> with allowing(["mine"]):
    ...     require_allowed("model.name", "mine:network")
    >>> require_allowed("model.name", "mine:network")
    Traceback (most recent call last):
    comitia._errors.InputError: model.name: 'mine:network' is code, run only if allow_code ...
    """
    before = _ALLOWED.get()
    token = _ALLOWED.set(None if modules is None or before is None else before | set(modules))
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def require_allowed(what: str, reference: str) -> None:
    """Raise where a file names code that nobody allowed: to read it would run it."""
    allowed, module = _ALLOWED.get(), module_of(reference)
    if allowed is not None and module not in allowed:
        raise InputError(
            f"{what}: '{reference}' is code, run only if allow_code says so; look at the module '{module}' first"
        )


def module_of(reference: str) -> str:
    """Return the module of `module:function`."""
    return reference.partition(":")[0]


def is_reference(name: str) -> bool:
    """Whether the text is a `module:function` rather than a name of ours.

    >>> is_reference("mine:tandem_cubed"), is_reference("tandem")
    (True, False)
    """
    return ":" in name


def resolve(what: str, part: Any, known: Mapping[str, Any]) -> Any:
    """Return the part itself if it is callable, else what its name or `module:function` stands for.

    `what` starts the messages, such as "method". The module is looked for in the working directory too.

    >>> resolve("method", "double", {"double": len}) is len
    True
    """
    if callable(part):
        return part
    if not isinstance(part, str):
        raise InputError(f"{what}: must be a name, 'module:function' or a callable, got {part!r}")
    return load(what, part) if is_reference(part) else known[require_choice(what, part, known)]


def load(what: str, reference: str) -> Callable[..., Any]:
    """Import and return the function of `module:function`.

    >>> load("method", "math:sqrt")(9)
    3.0
    """
    module_name, _, function = reference.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        module = import_module(module_name)
    except (ImportError, TypeError, ValueError, SyntaxError) as error:
        raise InputError(f"{what}: cannot import '{module_name}' of '{reference}' ({error})") from None
    found = getattr(module, function, None)
    if not callable(found):
        raise InputError(f"{what}: module '{module_name}' has no function '{function}'")
    return found  # type: ignore[no-any-return]


def name_of(part: Any) -> str:
    """Return the name that records and tables give to a part: its text, or `module:function` of a callable.

    >>> from math import sqrt
    >>> name_of("tandem"), name_of(sqrt)
    ('tandem', 'math:sqrt')
    """
    if isinstance(part, str):
        return part
    return (
        f"{getattr(part, '__module__', None) or '?'}:{getattr(part, '__qualname__', type(part).__qualname__)}"
    )


def has(library: str) -> bool:
    """Return whether that library can be imported.

    >>> has("numpy"), has("no_such_library")
    (True, False)
    """
    try:
        return find_spec(library) is not None
    except (ImportError, ValueError):
        return False
