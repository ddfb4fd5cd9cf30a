"""Which column of a table is what: settled by names first; `recognise` judges what the others hold."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from comitia._errors import InputError, nearest, require_choice

#: Names that a column of labels has when none was given, in small letters.
# fmt: off
LABELS = (
    "label", "labels", "y", "target", "y_true", "truth", "class", "true_label", "gold", "ground_truth", "actual",
)
# fmt: on
# fmt: off
IDS = frozenset((
    "", "id", "ids", "index", "row", "uuid", "guid", "item", "key", "sample", "example", "file", "filepath", "path",
    "image", "record", "case", "url", "__index_level_0__",
))
# fmt: on
# fmt: off
FOLDS = frozenset((
    "fold", "folds", "kfold", "k_fold", "cv", "cv_fold", "cvfold", "split", "partition", "set", "subset", "is_train",
    "is_test", "is_val", "is_valid",
))
# fmt: on
WEIGHTS = frozenset(("weight", "weights", "sample_weight", "sample_weights", "w"))
# fmt: off
GROUPS = frozenset((
    "patient", "subject", "user", "group", "groups", "site", "session", "hospital", "cluster", "family",
    "person", "participant", "household", "customer", "client", "document", "doc", "author", "speaker", "clinic",
    "center", "centre", "ward", "school", "device", "scanner",
))
# fmt: on
#: Names of features that are often 0 and 1, so that their values look like votes.
# fmt: off
FEATURES = frozenset((
    "sex", "gender", "age", "race", "ethnicity", "smoker", "male", "female", "married", "treated",
    "treatment", "country", "region", "year", "month", "day", "date", "time", "timestamp", "source",
    "batch", "test", "train", "visit", "eye", "side", "laterality", "smoking", "diabetes", "diabetic",
    "hypertension", "is_male", "is_female", "height", "bmi", "income", "education",
))
# fmt: on
#: Endings of names that say what a column numbers or names: `patient_no`, `PatientID`, `fold index`.
NUMBERING = re.compile(r"_?(?:id|ids|nr|no|num|number|idx|index|code|name)$")
EMPTY_MEANS = ("abstain", "unseen")
LAYOUTS = ("wide", "long")
#: What to do with several answers of one member on one item of a long table.
ROUNDS = ("members", "agree")
#: Columns of a long table that `columns` names; those of items, labels, groups and folds have options of their own.
NAMED = ("member", "answer", "probability", "round")
#: What promises can be asked per without a column: the true class, and the class that is answered.
PER_ANSWER = ("class", "predicted")


@dataclass(frozen=True)
class TableOptions:
    """What the user says about a table; see `read_predictions`. `known` are classes that others have, in order."""

    label: str | None = None
    id: str | None = None
    group: str | None = None
    fold: str | None = None
    members: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    empty: str | None = None
    layout: str | None = None
    pattern: str | None = None
    classes: tuple[str, ...] = ()
    rounds: str | None = None
    abstain: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    known: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    positive: str | None = None

    def __post_init__(self) -> None:
        choices = {"empty": EMPTY_MEANS, "layout": LAYOUTS, "rounds": ROUNDS}
        for argument, allowed in choices.items():
            if (word := getattr(self, argument)) is not None:
                require_choice(argument, word, allowed)
        for role in self.columns:
            require_choice("columns", role, NAMED)
        if len(set(self.classes)) != len(self.classes) or len(self.classes) == 1:
            raise InputError(
                f"classes: two or more different names are required, got {', '.join(self.classes)}"
            )
        if self.positive is not None and self.classes:
            raise InputError(
                "positive: classes= gives the order already, the last is the positive one; give one"
            )


@dataclass(frozen=True)
class Roles:
    """What was taken as what.

    Attributes
    ----------
    label, id, group, fold : the columns of that role, None where there is none
    members : the members' names
    ignored : columns that were left out
    positive : the class whose probability is given, where each member gives one probability
    notes : what else the user should know about how the table was read
    doubts : of each column that is no member by its name, what it looks like and what settles it
    strata : columns of further facts of the samples, which promises are asked for by
    """

    label: str | None
    id: str | None
    group: str | None
    fold: str | None
    members: tuple[str, ...] = field(repr=False)
    ignored: tuple[str, ...] = ()
    positive: str | None = None
    notes: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def globs(given: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return one glob or several as a tuple."""
    if given is None:
        return ()
    return (given,) if isinstance(given, str) else tuple(given)


def named_columns(given: Mapping[str, str] | str | Iterable[str] | None) -> dict[str, str]:
    """Return the columns of a long table by their roles, however they were given.

    >>> named_columns("member=rater"), named_columns({"answer": "choice"})
    ({'member': 'rater'}, {'answer': 'choice'})
    """
    if given is None or isinstance(given, Mapping):
        return dict(given or {})
    found: dict[str, str] = {}
    for text in globs(given):
        role, sign, name = text.partition("=")
        if not sign or role.strip() in found:
            raise InputError(
                f"columns: ROLE=COLUMN is required once per role, such as member=rater, got '{text}'"
            )
        found[role.strip()] = name.strip()
    return found


def roles_by_name(source: str, names: Sequence[str], options: TableOptions, labelled: bool = False) -> Roles:
    """Return the roles that names and options settle; the members are all columns that may be one.

    Columns whose names say that they are no member are in doubt, unless `members` names them. `labelled` says that the
    labels lie elsewhere: a column that looks like labels is then left out.
    """
    chosen = {
        role: _named(source, names, role, name)
        for role, name in (("id", options.id), ("group", options.group), ("fold", options.fold))
    }
    strata = found_strata(source, names, options.strata)
    ignored = _matching(source, names, "ignore", options.ignore)
    taken = {name for name in chosen.values() if name is not None}
    label = _label(source, [n for n in names if n not in ignored and n not in taken], options, labelled)
    rest = [name for name in names if name not in {*ignored, *taken, *label, *strata}]
    if options.members:
        wanted = _matching(source, names, "members", options.members)
        members, doubts = [name for name in rest if name in wanted], {}
        if not options.known:
            _refuse_silent_folds(source, [name for name in rest if name not in wanted])
    else:
        doubts = {name: text for name in rest if (text := _looks_like(name)) is not None}
        members = [name for name in rest if name not in doubts]
    if not members:
        raise InputError(
            f"{source}: {joined_doubts(list(doubts.values()))}"
            if doubts
            else f"{source}: no member found; one column per member is required beside the labels"
        )
    out = ignored | (set(rest) - set(members)) | set(label if labelled else ())
    own = None if labelled or not label else label[0]
    left, told = tuple(n for n in names if n in out), tuple(doubts.values())
    return Roles(
        own, chosen["id"], chosen["group"], chosen["fold"], tuple(members), left, strata=strata, doubts=told
    )


def found_strata(source: str, names: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that promises are asked for by; one that is not there is an error."""
    return tuple(name for name in wanted if _named(source, names, "per", name))


def find_label(source: str, names: Sequence[str], label: str | None) -> str | None:
    """Return the column of labels: the one that was named, or the only one with a usual name; None without one."""
    if label is not None:
        return _named(source, names, "label", label)
    found = [name for name in names if name.lower() in LABELS]
    if len(found) > 1:
        raise InputError(
            f"{source}: columns '{found[0]}' and '{found[1]}' both look like labels; label= says which one holds them"
        )
    return found[0] if found else None


def _label(source: str, names: list[str], options: TableOptions, labelled: bool) -> list[str]:
    """The column of labels; all that look like labels where those lie elsewhere."""
    if labelled:
        return [name for name in names if name.lower() in LABELS or name == options.label]
    found = find_label(source, names, options.label)
    return [] if found is None else [found]


def _named(source: str, names: Sequence[str], role: str, name: str | None) -> str | None:
    if name is not None and name not in names:
        shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
        raise InputError(f"{source}: no column '{name}' for {role}={nearest(name, names)}; there are {shown}")
    return name


def _matching(source: str, names: Sequence[str], role: str, patterns: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    for pattern in single_globs(patterns, names):
        fitting = {name for name in names if fits(name, pattern)}
        if not fitting:
            raise InputError(f"{source}: no column matches {role}='{pattern}'{nearest(pattern, names)}")
        found |= fitting
    return found


def fits(name: str, glob: str) -> bool:
    """Return whether a name is that one, or fits the glob."""
    return name == glob or fnmatchcase(name, glob)


def single_globs(given: Iterable[str], names: Collection[str]) -> list[str]:
    """Return the globs one by one: those that no name fits as they stand are cut at commas.

    >>> single_globs(["rf,svm", "a,b"], ["rf", "svm", "a,b"])
    ['rf', 'svm', 'a,b']
    """
    found: list[str] = []
    for glob in given:
        whole = "," not in glob or any(fits(name, glob) for name in names)
        found += [glob] if whole else [part.strip() for part in glob.split(",")]
    return found


def joined_doubts(texts: Sequence[str], most: int = 4) -> str:
    """Return what is to be said of several columns, in one line."""
    more = f"; … and {len(texts) - most} more columns" if len(texts) > most else ""
    return "; ".join(texts[:most]) + more


def _refuse_silent_folds(source: str, left: Sequence[str]) -> None:
    """Raise where a column of folds was left out without a word: out-of-fold predictions promise nothing."""
    name = next((name for name in left if names_folds(name)), None)
    if name is not None:
        raise InputError(
            f"{source}: column '{name}' looks like folds or a split, and members= leaves it out; fold='{name}' if "
            f"the predictions are out-of-fold, ignore='{name}' if no row was trained on"
        )


def names_folds(name: str) -> bool:
    """Return whether the name of a column says that it holds folds, or which rows were trained on."""
    low = _plain(name)
    return low in FOLDS or NUMBERING.sub("", low) in FOLDS


def _looks_like(name: str) -> str | None:
    """What a column is by its name, where that is no member, and what settles it."""
    low = _plain(name)
    stem = NUMBERING.sub("", low)
    leave = f"ignore='{name}' leaves it out"
    if low in IDS or (stem and stem in IDS) or low.startswith("unnamed:"):
        shown = f"column '{name}'" if name else "a column without a name"
        take = f"id='{name}' takes it as the id, " if name else ""
        return f"{shown} looks like a row number or an id, not a member; {take}{leave}"
    if names_folds(name):
        return f"column '{name}' looks like folds, not a member; fold='{name}' says so, {leave}"
    if low in WEIGHTS:
        return f"column '{name}' looks like weights of the samples, not a member; {leave}, members= names the members"
    if names_groups(name):
        return (
            f"column '{name}' looks like groups of samples or an id, not a member; group='{name}' or "
            f"id='{name}' says which, {leave}"
        )
    return None


def names_groups(name: str) -> bool:
    """Return whether the name of a column says that samples with the same value may belong together.

    >>> [names_groups(name) for name in ("patient", "Site No", "user_id", "id", "age")]
    [True, True, True, False, False]
    """
    low = _plain(name)
    return low in GROUPS or NUMBERING.sub("", low) in GROUPS or low.endswith("_id")


def _plain(name: str) -> str:
    return re.sub(r"[\s.-]+", "_", name.lower())
