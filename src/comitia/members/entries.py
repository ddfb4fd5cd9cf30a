"""Which of the states in a file is the member: by its name in the file, or by a prefix of names."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from comitia._errors import InputError, nearest

#: States in a file by where they lie: "" for the file itself, "state_dict", "state.model".
States = Mapping[str, Mapping[str, Any]]


def choose_entry(path: Path, found: States, entry: str | None) -> str | None:
    """Return where in the file its state lies; raise where that is not clear, or not there.

    `entry` names it, and may go on with the prefix of a part of that state: "state_dict.ema_model".

    >>> choose_entry(Path("a.ckpt"), {"state_dict": {"w": 0}}, None)
    'state_dict'
    """
    if entry is None:
        if len(found) > 1:
            raise InputError(
                f"{path}: holds {len(found)} states ({', '.join(found)}); --entry says which, such as "
                f"--entry {next(iter(found))}"
            )
        return next(iter(found)) or None
    if not any(entry == where or _part(where, state, entry) for where, state in found.items()):
        listed = ", ".join(found) if "" not in found else "one state with nothing around it"
        raise InputError(f"{path}: no entry '{entry}'{nearest(entry, found)}; it holds {listed}")
    return entry


def state_at(found: States, entry: str | None) -> Mapping[str, Any]:
    """Return the state at that place of a file, as `choose_entry` named it.

    >>> state_at({"state_dict": {"ema.w": 1, "net.w": 2}}, "state_dict.ema")
    {'w': 1}
    """
    if (entry or "") in found:
        return found[entry or ""]
    return next(part for where, state in found.items() if (part := _part(where, state, entry or "")))


def _part(where: str, state: Mapping[str, Any], entry: str) -> dict[str, Any]:
    """The part of a state under the prefix that remains of the entry; empty where it lies elsewhere."""
    lead = f"{where}." if where else ""
    if not entry.startswith(lead):
        return {}
    prefix = entry[len(lead) :] + "."
    return {key.removeprefix(prefix): value for key, value in state.items() if key.startswith(prefix)}
