"""Columns of one member and one class each, such as `rf:cat`: which member and which class a name means."""

import re
from collections.abc import Collection, Sequence

from comitia._errors import InputError

#: How such columns are named unless `pattern` says otherwise.
PATTERN = "{member}:{class}"
#: Signs that usually stand between a member and a class.
JOINTS = "_.-"

#: Member → class → place of the column.
Groups = dict[str, dict[str, int]]


def grouped(source: str, columns: Sequence[str], pattern: str, known: Collection[str]) -> Groups:
    """Return which column holds which class of which member; classes that are known are looked for first.

    >>> grouped("t.csv", ["p_cat_rf", "p_dog_rf"], "p_{class}_{member}", ())
    {'rf': {'cat': 0, 'dog': 1}}
    """
    expressions = _expressions(pattern, known)
    found: Groups = {}
    strange = []
    for place, column in enumerate(columns):
        fit = next((match for e in expressions if (match := e.fullmatch(column))), None)
        if fit is None:
            strange.append(column)
        else:
            found.setdefault(fit["member"], {})[fit["class"]] = place
    _require_fitting(source, pattern, strange)
    _require_all(source, found)
    return found


def default_groups(source: str, columns: Sequence[str], known: Collection[str]) -> Groups | None:
    """Return the groups of columns named `member:class`, or None where these are no such names."""
    cut = [column.rpartition(":") for column in columns if ":" in column]
    classes: dict[str, set[str]] = {}
    for member, _, name in cut:
        classes.setdefault(member, set()).add(name)
    if not any(len(own) > 1 and (not known or own & set(known)) for own in classes.values()):
        return None
    return grouped(source, columns, PATTERN, known)


def suspects(columns: Sequence[str], known: Sequence[str]) -> tuple[str, list[int]] | None:
    """Return a sign and the columns of one member, where they are named by all classes after that sign.

    >>> suspects(["rf_cat", "rf_dog", "age"], ["cat", "dog"])
    ('_', [0, 1])
    """
    places = {column: place for place, column in enumerate(columns)}
    if len(known) < 2:
        return None
    for sign in JOINTS:
        ending = f"{sign}{known[0]}"
        for column in columns:
            member = column.removesuffix(ending)
            if member and member != column and all(f"{member}{sign}{name}" in places for name in known):
                return sign, [places[f"{member}{sign}{name}"] for name in known]
    return None


def _expressions(pattern: str, known: Collection[str]) -> list[re.Pattern[str]]:
    if pattern.count("{member}") != 1 or pattern.count("{class}") != 1:
        raise InputError(f"pattern: must hold {{member}} and {{class}} once each, got '{pattern}'")
    fixed = re.escape(pattern).replace(r"\{member\}", "{member}").replace(r"\{class\}", "{class}")
    names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
    kinds = [names, ".+"] if known else [".+"]
    return [
        re.compile(fixed.replace("{member}", "(?P<member>.+)").replace("{class}", f"(?P<class>{kind})"))
        for kind in kinds
    ]


def _require_fitting(source: str, pattern: str, strange: Sequence[str]) -> None:
    if strange:
        shown = ", ".join(f"'{name}'" for name in strange[:4]) + (", …" if len(strange) > 4 else "")
        columns, them = ("column", "it") if len(strange) == 1 else ("columns", "them")
        raise InputError(
            f"{source}: {columns} {shown} {'do' if strange[1:] else 'does'} not fit pattern='{pattern}'; "
            f"ignore='{','.join(strange[:12])}' leaves {them} out"
        )


def _require_all(source: str, found: Groups) -> None:
    """Raise unless all members have columns of the same classes."""
    every = sorted({name for own in found.values() for name in own})
    for member, own in found.items():
        lacking = next((name for name in every if name not in own), None)
        if lacking is not None:
            raise InputError(
                f"{source}: member '{member}' has no column of class '{lacking}'; every member needs all classes"
            )
