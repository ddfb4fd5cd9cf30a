"""Members by name as parameters of an estimator: `get_params`, `set_params`, `named_estimators`, tags and display."""

from collections.abc import Sequence
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Bunch, get_tags

from comitia._errors import InputError

# What takes the place of a member that is left out.
DROP = "drop"


class Composition(BaseEstimator):  # type: ignore[misc]
    """An estimator whose parameter `estimators` holds (name, member) pairs, each a parameter by its name."""

    estimators: Sequence[tuple[str, Any]]

    @property
    def named_estimators(self) -> Bunch:
        """The members as they were given, by name."""
        return Bunch(**dict(self.estimators))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with `deep` also members by name, and theirs as `name__parameter`."""
        found: dict[str, Any] = super().get_params(deep=deep)
        for name, member in pairs_of(self.estimators) if deep else []:
            found[name] = member
            if hasattr(member, "get_params"):
                inner = member.get_params(deep=True)
                found |= {f"{name}__{key}": value for key, value in inner.items()}
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters: our own, members by name (`"drop"` leaves one out), and theirs as `name__parameter`."""
        rest = dict(params)
        if "estimators" in rest:
            self.estimators = rest.pop("estimators")
        given = {name: rest.pop(name) for name, _ in pairs_of(self.estimators) if name in rest}
        if given:
            self.estimators = [(name, given.get(name, member)) for name, member in self.estimators]
        super().set_params(**rest)
        return self

    def _sk_visual_block_(self) -> Any:
        """Return the members side by side, for the diagram of scikit-learn."""
        return VotingClassifier(list(self.estimators))._sk_visual_block_()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        members = [member for _, member in kept(pairs_of(self.estimators))]
        inner = [get_tags(member).input_tags for member in members if hasattr(member, "__sklearn_tags__")]
        if members and len(inner) == len(members):
            tags.input_tags.sparse = all(each.sparse for each in inner)
            tags.input_tags.allow_nan = all(each.allow_nan for each in inner)
        # fitted members know their own data only; FrozenEstimator is skipped by check_estimator for the same reason
        tags._skip_test = any(isinstance(member, FrozenEstimator) for member in members)
        return tags


def pairs_of(estimators: Any) -> list[tuple[str, Any]]:
    """Return the (name, member) pairs; none where it is anything else, so that a wrong one can still be shown."""
    whole = isinstance(estimators, list | tuple) and all(_is_pair(item) for item in estimators)
    return [(item[0], item[1]) for item in estimators] if whole else []


def _is_pair(item: Any) -> bool:
    return isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], str)


def kept(pairs: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Return the pairs whose member was not left out."""
    return [(name, member) for name, member in pairs if not (isinstance(member, str) and member == DROP)]


def require_members(estimators: Any, parameters: Sequence[str], kind: str) -> list[tuple[str, Any]]:
    """Return the (name, member) pairs in use; names that cannot be told from parameters are an error."""
    pairs = pairs_of(estimators)
    if estimators is not None and len(pairs) != len(estimators):
        raise InputError(f"estimators: must be (name, {kind}) pairs")
    names = [name for name, _ in pairs]
    if not names:
        raise InputError(f"estimators: at least one (name, {kind}) pair is required, got none")
    if len(set(names)) != len(names):
        raise InputError(f"estimators: names must differ, got {names}")
    for name in names:
        if "__" in name or name in parameters:
            why = "'__' leads to a member's own parameters" if "__" in name else "it is a parameter here"
            raise InputError(f"estimators: '{name}' cannot be a name, for {why}; choose another")
    members = kept(pairs)
    if not members:
        raise InputError("estimators: all are dropped; at least one is required")
    for name, member in members:
        if not (hasattr(member, "fit") and hasattr(member, "predict")):
            raise InputError(f"estimators: '{name}' must be a {kind}, got {type(member).__name__}")
    return members
