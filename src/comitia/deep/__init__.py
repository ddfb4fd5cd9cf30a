"""Deep ensembles: training, states, predictions. Needs torch (extra: torch).

`WeightedEnsemble` is a weighed ensemble of trained networks that predicts. `member_costs` measures what
networks cost. `load_data` reads a data set. `Strategy`,
`Plan` and `Dataset` are what strategies and data sets of your own return.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comitia.data import Dataset as Dataset
    from comitia.data import load as load_data
    from comitia.deep.costs import member_costs as member_costs
    from comitia.deep.ensemble import WeightedEnsemble as WeightedEnsemble
    from comitia.files.cost_files import write_member_costs as write_member_costs
    from comitia.recipes import Plan as Plan
    from comitia.recipes import Strategy as Strategy

# Imported when first asked for: planning and assembling predictions need no torch.
_HOMES = {
    "WeightedEnsemble": ("comitia.deep.ensemble", "WeightedEnsemble"),
    "member_costs": ("comitia.deep.costs", "member_costs"),
    "write_member_costs": ("comitia.files.cost_files", "write_member_costs"),
    "load_data": ("comitia.data", "load"),
    "Dataset": ("comitia.data", "Dataset"),
    "Plan": ("comitia.recipes", "Plan"),
    "Strategy": ("comitia.recipes", "Strategy"),
}
__all__ = [
    "Dataset",
    "Plan",
    "Strategy",
    "WeightedEnsemble",
    "load_data",
    "member_costs",
    "write_member_costs",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, own = _HOMES[name]
    return getattr(import_module(module), own)
