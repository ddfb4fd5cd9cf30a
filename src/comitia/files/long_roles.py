"""Which column of a long table is what: the items, the members, their answers, and what else is known."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from comitia._errors import InputError, nearest
from comitia.files.roles import NAMED, TableOptions

#: Names by which columns are recognised, in any case, with or without `_id` or `_name` at the end. A confidence or a
#: score may be anything, so it has to be named.
KNOWN: Mapping[str, tuple[str, ...]] = {
    "item": ("item", "id", "sample", "example", "question", "prompt", "task", "unit", "row"),
    "member": ("member", "judge", "annotator", "worker", "model", "rater", "labeler", "classifier"),
    "answer": (
        "answer",
        "vote",
        "prediction",
        "response",
        "annotation",
        "judgment",
        "judgement",
        "verdict",
        "choice",
        "predicted",
        "winner",
        "preference",
    ),
    "probability": ("probability", "prob"),
    "label": ("label", "gold", "truth", "target", "y"),
    "group": ("group", "groups"),
    "fold": ("fold",),
    "round": ("round", "order", "trial"),
}
REQUIRED = ("item", "member", "answer")
MEANING = {
    "item": "items",
    "member": "members",
    "answer": "answers",
    "probability": "probabilities",
    "label": "labels",
    "group": "groups",
    "fold": "folds",
    "round": "rounds",
}
ENDINGS = ("_id", "_name")
#: Roles whose columns may have such an ending: an `answer_id` numbers answers and is none.
NUMBERED = ("item", "member", "group")


@dataclass(frozen=True)
class Roles:
    """The columns of a long table; None for what it does not have."""

    item: str
    member: str
    answer: str
    probability: str | None = None
    label: str | None = None
    group: str | None = None
    fold: str | None = None
    round: str | None = None
    strata: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        found = (getattr(self, role) for role in KNOWN)
        return tuple(dict.fromkeys([*(name for name in found if name is not None), *self.strata]))


def looks_long(names: Sequence[str], options: TableOptions) -> bool:
    """Return whether those columns are of a long table: items, members and answers, each named or recognised.

    >>> looks_long(["question_id", "Judge", "verdict", "gold"], TableOptions())
    True
    >>> looks_long(["id", "forest", "svm", "label"], TableOptions())
    False
    >>> looks_long(["Prompt ID", "Judge Name", "Verdict"], TableOptions())
    True
    """
    given = named_roles(options)
    free = [name for name in names if name not in given.values()]
    return bool(options.columns) or all(role in given or _candidates(role, free) for role in REQUIRED)


def hints_at_long(names: Sequence[str]) -> str | None:
    """Return what to say if one column names members: the table may be long, with an answer that was not recognised.

    >>> hints_at_long(["task_id", "annotator", "sentiment"])
    "column 'annotator' may name members: if each row is one answer, columns='answer=COLUMN' says which column holds it"
    >>> hints_at_long(["task", "judge_model", "winner"])
    "column 'judge_model' may name members: if each row is one answer, columns='member=judge_model' says so"
    """
    exact = _candidates("member", names)
    if exact and not _candidates("answer", names):
        return (
            f"column '{exact[0]}' may name members: if each row is one answer, columns='answer=COLUMN' says which "
            "column holds it"
        )
    near = [name for name in names if set(_plain(name).split("_")) & set(KNOWN["member"])]
    if near and _candidates("answer", names):
        return f"column '{near[0]}' may name members: if each row is one answer, columns='member={near[0]}' says so"
    return None


def named_roles(options: TableOptions) -> dict[str, str]:
    """Return the columns that the options name, by their roles in a long table."""
    found = {"item": options.id, "label": options.label, "group": options.group, "fold": options.fold}
    return {role: name for role, name in found.items() if name is not None} | dict(options.columns)


def find_roles(names: Sequence[str], given: Mapping[str, str], source: str) -> Roles:
    """Return the column of each role: the one given, or the only one with a name that is known for it.

    A column that was given for one role is taken for no other. What is needed and not found, or found twice, is an
    error that names the option which settles it; so are folds that were not given as such.

    >>> find_roles(["Item", "judge", "label"], {"answer": "label"}, "votes.csv").columns
    ('Item', 'judge', 'label')
    """
    taken = {role: _given(role, name, names, source) for role, name in given.items()}
    _refuse_twice(taken, source)
    free = [name for name in names if name not in taken.values()]
    found: dict[str, str] = dict(taken)
    for role in KNOWN:
        if role not in taken and (name := _only(role, free, source)) is not None:
            found[role] = name
    if "fold" in found and "fold" not in taken:
        name = found["fold"]
        raise InputError(
            f"{source}: column '{name}' looks like folds; fold='{name}' says so, ignore='{name}' leaves it out"
        )
    return Roles(**found)  # type: ignore[arg-type]  # strata are not among them


def item_and_label(names: Sequence[str], item: str | None, label: str | None, source: str) -> tuple[str, str]:
    """Return the two columns of a table of labels: those given, those with known names, or the only two.

    >>> item_and_label(["question", "gold"], None, None, "gold.csv")
    ('question', 'gold')
    """
    one = item if item is not None and item in names else _only("item", names, source)
    assert one is not None  # needed, so that its absence was an error
    rest = [name for name in names if name != one]
    other = label if label is not None and label in rest else _only("label", rest, source)
    if other is None and len(rest) != 1:
        raise InputError(f"{source}: no column of the labels found; {_remedy('label')}")
    return one, rest[0] if other is None else other


def _given(role: str, name: str, names: Sequence[str], source: str) -> str:
    if name not in names:
        raise InputError(
            f"{source}: no column '{name}' for the {MEANING[role]}{nearest(name, names)}; there are "
            f"{', '.join(names[:8])}{', …' if len(names) > 8 else ''}"
        )
    return name


def _refuse_twice(taken: Mapping[str, str], source: str) -> None:
    roles: dict[str, str] = {}
    for role, name in taken.items():
        if name in roles:
            raise InputError(
                f"{source}: column '{name}' is given for the {MEANING[roles[name]]} and for the {MEANING[role]}; "
                "name another"
            )
        roles[name] = role


def _only(role: str, names: Sequence[str], source: str) -> str | None:
    """The column with a name known for the role; None where there is none and none is needed."""
    found = _candidates(role, names)
    if len(found) > 1:
        listed = " and ".join(f"'{name}'" for name in found[:2])
        raise InputError(f"{source}: columns {listed} both look like the {MEANING[role]}; {_remedy(role)}")
    if not found and role in REQUIRED:
        raise InputError(f"{source}: no column of the {MEANING[role]} found; {_remedy(role)}")
    return found[0] if found else None


def _remedy(role: str) -> str:
    option = {"item": "id="}.get(role, f"{role}=")
    named = f"columns='{role}=COLUMN'" if role in NAMED else option
    return f"{named} names it, or call it '{KNOWN[role][0]}'"


def _candidates(role: str, names: Iterable[str]) -> list[str]:
    """Columns whose names are known for the role; those with an ending only where there is no other."""
    listed = list(names)
    exact = [name for name in listed if _plain(name) in KNOWN[role]]
    return exact or [name for name in listed if role in NUMBERED and _stem(name) in KNOWN[role]]


def _plain(name: str) -> str:
    """A name as the tables above spell it: `Judge Name` as `judge_name`."""
    return re.sub(r"[\s.-]+", "_", name.strip().lower())


def _stem(name: str) -> str:
    plain = _plain(name)
    ending = next((ending for ending in ENDINGS if plain.endswith(ending)), "")
    return plain.removesuffix(ending)
