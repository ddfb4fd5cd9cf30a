"""A nested table of plain values as a TOML text (the standard library reads TOML but does not write it)."""

import json
from typing import Any


def to_toml(table: dict[str, Any]) -> str:
    """The table as TOML: plain keys first, then one `[section]` a sub-table.

    >>> print(to_toml({"name": "a", "training": {"epochs": 5, "schedule": {"shape": "constant"}}}))
    name = "a"
    <BLANKLINE>
    [training]
    epochs = 5
    <BLANKLINE>
    [training.schedule]
    shape = "constant"
    <BLANKLINE>
    """
    return "\n".join(_section(table, "")).lstrip("\n") + "\n"


def _section(table: dict[str, Any], prefix: str) -> list[str]:
    lines = [f"{_key(key)} = {_value(value)}" for key, value in table.items() if not _is_section(key, value)]
    for key, value in table.items():
        if _is_section(key, value):
            lines += ["", f"[{prefix}{_key(key)}]", *_section(value, f"{prefix}{_key(key)}.")]
    return lines


def _is_section(key: str, value: Any) -> bool:
    # Options of a data set or network are few: they read better on one line.
    return isinstance(value, dict) and key != "options"


def _key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else json.dumps(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        # JSON's escapes are TOML's, but TOML also forbids DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + "}"
    raise TypeError(f"TOML has no value for {type(value).__name__}")
