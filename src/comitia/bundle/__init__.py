"""A certified ensemble as a folder that can be deployed: weights, promise, networks, one graph, and a model card.

`write_bundle` makes it from members, `read_bundle` checks every file in it, `predict_bundle` answers new samples, and
`verify_bundle` certifies what the files in it answer.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comitia.bundle.building import write_bundle as write_bundle
    from comitia.bundle.predicting import predict_bundle as predict_bundle
    from comitia.bundle.reading import Bundle as Bundle
    from comitia.bundle.reading import read_bundle as read_bundle
    from comitia.bundle.verifying import verify_bundle as verify_bundle

# Imported when first asked for: only some of them need torch.
_HOMES = {
    "Bundle": "reading",
    "read_bundle": "reading",
    "write_bundle": "building",
    "predict_bundle": "predicting",
    "verify_bundle": "verifying",
}
__all__ = ["Bundle", "predict_bundle", "read_bundle", "verify_bundle", "write_bundle"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
