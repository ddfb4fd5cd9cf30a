"""Work in threads, and the compiled loops where there is enough to do."""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache, wraps
from itertools import islice
from types import ModuleType
from typing import Any, TypeVar

from numpy.typing import NDArray

#: Values that numpy has worked through before numba is imported.
WORTH_IMPORTING = 2**26

Item = TypeVar("Item")
Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")


def threads() -> int:
    """Return how many threads work: the processors this process may use, at most 8."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(8, usable)


def in_threads(work: Callable[[Item], Result], items: Iterable[Item], *, large: bool) -> Iterator[Result]:
    """Yield the results of the work in the order of its items; in threads if it is large, a few items ahead.

    >>> list(in_threads(abs, [-1, 2, -3], large=True))
    [1, 2, 3]
    """
    if not large or threads() == 1:
        yield from map(work, items)
        return
    waiting = iter(items)
    with ThreadPoolExecutor(threads()) as pool:
        begun = deque(pool.submit(work, item) for item in islice(waiting, 4 * threads()))
        while begun:
            yield begun.popleft().result()
            begun.extend(pool.submit(work, item) for item in islice(waiting, 1))


def loops(stored: NDArray[Any], *, values: int = 0) -> ModuleType | None:
    """Return the compiled loops if they take such an array, contiguous rows of native floats or whole numbers.

    None where numba is not installed, or where there are too few values in all to be worth importing it.
    """
    if values < WORTH_IMPORTING and "comitia._kernels" not in sys.modules:
        return None
    if stored.dtype.str not in ("<f4", "<f8", "|u1", "<u2") or not stored.flags.c_contiguous:
        return None
    from comitia import _kernels

    return _kernels if _kernels.AVAILABLE else None


@cache
def _blas() -> Any:
    """Return what sets the threads of the linear algebra libraries; None where threadpoolctl is not installed."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController()


def single_blas_threads() -> AbstractContextManager[Any]:
    """Return a context with one thread of linear algebra, where threadpoolctl is installed.

    Solvers multiply small matrices thousands of times. Handing each product to several threads costs more than it
    saves, and hundreds of times more where other programs use the processors too.
    """
    blas = _blas()
    limit: AbstractContextManager[Any] = (
        nullcontext() if blas is None else blas.limit(limits=1, user_api="blas")
    )
    return limit


def single_blas(function: Function) -> Function:
    """Return the function, run with one thread of linear algebra."""

    @wraps(function)
    def limited(*arguments: Any, **options: Any) -> Any:
        with single_blas_threads():
            return function(*arguments, **options)

    return limited  # type: ignore[return-value]
