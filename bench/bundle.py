"""Prediction by an ensemble as one torch module against its members' plain forwards, and members batched by torch.func.

Ten networks of one architecture, in `eval` mode, with random weights; batches of images. What is compared runs in turns
within one process, and the ratio is that of the medians.
"""

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Any

MEMBERS, BATCH = 10, 256
#: Architectures of the recipes.
NETWORKS: dict[str, dict[str, Any]] = {
    "small_cnn": {"input_shape": (28, 28, 1)},
    "resnet": {"input_shape": (32, 32, 3), "depth": 20},
}


def run(scale: float = 1.0) -> list[dict[str, object]]:
    """Rows per network and batch: the ensemble against plain forwards, and stacked members against the same."""
    rounds = max(3, round(15 * scale))
    batches = (1, BATCH) if scale >= 1 else (1, 32)
    return [row for name in NETWORKS for size in batches for row in _rows(name, size, rounds)]


def _rows(name: str, size: int, rounds: int) -> list[dict[str, object]]:
    import torch

    from comitia.deep import WeightedEnsemble
    from comitia.deep.models import build

    torch.manual_seed(0)
    shape = NETWORKS[name]["input_shape"]
    members = [build(name, classes=10, **NETWORKS[name]).eval() for _ in range(MEMBERS)]
    batch = torch.randn(size, shape[2], *shape[:2])
    ensemble = WeightedEnsemble(members, [1 / MEMBERS] * MEMBERS)
    stacked = _stacked(members)
    with torch.inference_mode():
        apart = float((stacked(batch) - torch.stack([member(batch) for member in members])).abs().max())
        plain, whole, at_once = _times(
            (lambda: [member(batch) for member in members], lambda: ensemble(batch), lambda: stacked(batch)),
            rounds,
        )
    what = f"{name}, {MEMBERS} members, batch {size}"
    against = f"plain forwards {plain:.4f} s"
    return [
        {"name": f"{what}: the ensemble", "seconds": whole, "ratio": whole / plain, "against": against},
        {
            "name": f"{what}: stacked by torch.func",
            "seconds": at_once,
            "ratio": at_once / plain,
            "against": against,
            "largest difference": apart,
        },
    ]


def _stacked(members: Sequence[Any]) -> Callable[[Any], Any]:
    """Return what computes all members at once: their states stacked, one network mapped over them."""
    from copy import deepcopy

    from torch.func import functional_call, stack_module_state, vmap

    parameters, buffers = stack_module_state(list(members))
    skeleton = deepcopy(members[0]).to("meta")

    def one(params: Any, buffs: Any, batch: Any) -> Any:
        return functional_call(skeleton, (params, buffs), (batch,))

    mapped = vmap(one, in_dims=(0, 0, None))
    detached = {key: value.detach() for key, value in parameters.items()}
    return lambda batch: mapped(detached, buffers, batch)


def _times(calls: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """Return the median seconds of each, called in turns; the first round warms up."""
    seconds: list[list[float]] = [[] for _ in calls]
    for turn in range(rounds + 1):
        for place, call in enumerate(calls):
            start = perf_counter()
            call()
            if turn:
                seconds[place].append(perf_counter() - start)
    return [median(one) for one in seconds]
