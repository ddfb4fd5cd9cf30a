"""Whether a state fits a network, under which prefix its names stand, and if not, what is wrong."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from comitia._errors import InputError

#: Parts of names that wrappers put around a network: `DataParallel`, `torch.compile`.
WRAPPERS = ("module.", "_orig_mod.")
#: How many names a message lists.
LISTED = 3


@dataclass(frozen=True)
class Fit:
    """How a state fits a network: the state by the network's own names, and what was done for that."""

    tensors: dict[str, Any]
    prefix: str
    aside: tuple[str, ...]

    def said(self) -> str | None:
        """Return what to tell of it, None where names were the same."""
        parts = [f"prefix '{self.prefix}' taken off"] if self.prefix else []
        if self.aside:
            more = ", …" if len(self.aside) > LISTED else ""
            parts.append(f"{len(self.aside)} left aside ({', '.join(self.aside[:LISTED])}{more})")
        return ", ".join(parts) or None


def fit_state(what: str, state: Mapping[str, Any], wanted: Mapping[str, Any]) -> Fit:
    """Return the state under the names of the network; raise where it does not fit.

    `wanted` is the network's own state. Prefixes of wrappers (`module.`, `_orig_mod.`) are taken off, then one that
    all of the network's names have in the state (`model.` in files of Lightning). Names outside that prefix are left
    aside; where there is none, every name must be the network's.

    >>> import torch
    >>> one = torch.zeros(1)
    >>> fit_state("a.ckpt", {"model.w": one, "loss.scale": one}, {"w": one}).said()
    "prefix 'model.' taken off, 1 left aside (loss.scale)"
    """
    if state.keys() == wanted.keys():
        return _shaped(what, dict(state), wanted, "", ())
    bare = {_unwrapped(key): value for key, value in state.items()}
    for held in (state, bare) if len(bare) == len(state) else (state,):
        if held.keys() == wanted.keys():
            return _shaped(what, dict(held), wanted, "_orig_mod.", ())
        prefixes = [prefix for prefix in _prefixes(held, wanted) if _covers(held, prefix, wanted)]
        if len(prefixes) > 1:
            raise InputError(
                f"{what}: the network is found in it {len(prefixes)} times, under "
                f"{', '.join(prefix.rstrip('.') for prefix in prefixes)}; --entry says which"
            )
        if prefixes:
            return _inside(what, held, prefixes[0], wanted)
    raise InputError(f"{what}: {_misfit(state, wanted)}")


def _inside(what: str, state: Mapping[str, Any], prefix: str, wanted: Mapping[str, Any]) -> Fit:
    inside = {key.removeprefix(prefix): value for key, value in state.items() if key.startswith(prefix)}
    aside = tuple(key for key in state if not key.startswith(prefix))
    return _shaped(what, inside, wanted, prefix, aside)


def _unwrapped(key: str) -> str:
    for wrapper in WRAPPERS:
        while key.startswith(wrapper) or f".{wrapper}" in key:
            key = key.removeprefix(wrapper) if key.startswith(wrapper) else key.replace(f".{wrapper}", ".")
    return key


def _prefixes(state: Iterable[str], wanted: Iterable[str]) -> Iterator[str]:
    """The prefixes under which some one name of the network occurs in the state."""
    first = next(iter(wanted), None)
    if first is not None:
        yield from dict.fromkeys(key[: -len(first)] for key in state if key.endswith(f".{first}"))


def _covers(state: Iterable[str], prefix: str, wanted: Mapping[str, Any]) -> bool:
    """Whether the names under the prefix are those of the network, no more and no fewer."""
    return {key.removeprefix(prefix) for key in state if key.startswith(prefix)} == wanted.keys()


def _misfit(state: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """What is missing and what is too much."""
    missing = [key for key in wanted if key not in state]
    further = [key for key in state if key not in wanted]
    parts = [f"lacks {len(missing)} of {len(wanted)} tensors ({_few(missing)})"] if missing else []
    if further:
        parts.append(f"has {len(further)} that the network has not ({_few(further)})")
    return f"does not fit the network: it {' and '.join(parts)}; --model must make the network that was saved"


def _few(names: list[str]) -> str:
    return ", ".join(names[:LISTED]) + (", …" if len(names) > LISTED else "")


def _shaped(
    what: str, state: dict[str, Any], wanted: Mapping[str, Any], prefix: str, aside: tuple[str, ...]
) -> Fit:
    wrong = [
        f"{key}: {tuple(value.shape)} in the file, {tuple(wanted[key].shape)} in the network"
        for key, value in state.items()
        if getattr(value, "shape", None) != getattr(wanted[key], "shape", None)
    ]
    if wrong:
        raise InputError(
            f"{what}: does not fit the network: {len(wrong)} tensors have other shapes ({wrong[0]}); --model must "
            "make the network that was saved"
        )
    return Fit(state, prefix, aside)
