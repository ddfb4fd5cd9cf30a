"""One public function per job, whatever the members predict: classes, or real numbers (`comitia.regression`)."""

import inspect
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar

from comitia._errors import InputError

Function = TypeVar("Function", bound=Callable[..., Any])


def real_too(function: Function) -> Function:
    """Return the function of classes, which hands over to that of its name in `comitia.regression` where its first
    argument is of real numbers: predictions, or an ensemble."""

    @wraps(function)
    def either(*args: Any, **kwargs: Any) -> Any:
        if args and is_real(args[0]):
            return _of_real(function.__name__, args, kwargs)
        return function(*args, **kwargs)

    return either  # type: ignore[return-value]


def is_real(value: object) -> bool:
    """Return whether the value is of an ensemble for real targets: its predictions, or itself."""
    from comitia.regression.ensemble import RealEnsemble
    from comitia.regression.predictions import RealPredictions

    return isinstance(value, RealPredictions | RealEnsemble)


def _of_real(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the function for real targets; what only classes have may be left at its default."""
    function = getattr(import_module("comitia.regression"), name)
    known = inspect.signature(function).parameters
    for argument, value in kwargs.items():
        if argument not in known and value not in (None, ()):
            raise InputError(
                f"{argument}: is for members that predict classes, these predict real numbers; leave it out"
            )
    return function(*args, **{key: value for key, value in kwargs.items() if key in known})
