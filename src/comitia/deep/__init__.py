"""Deep ensembles: training, states, predictions. The only folder that imports torch (extra: torch)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comitia.deep.ensemble import WeightedEnsemble as WeightedEnsemble

__all__ = ["WeightedEnsemble"]


def __getattr__(name: str) -> Any:
    # Planning and assembling predictions need no torch: it is imported when the networks are.
    if name == "WeightedEnsemble":
        from comitia.deep.ensemble import WeightedEnsemble

        return WeightedEnsemble
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
