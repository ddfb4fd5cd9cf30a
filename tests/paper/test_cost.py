"""What training a row takes: counted by torch, and shares that add up."""

import math
import re
from typing import Any

import pytest

from comitia.paper.cost import GPU_HOURS, OPERATIONS, core_hours, epochs_of, gpu_hours, needs, operations
from comitia.paper.rows import PaperRow, paper_row, paper_rows
from comitia.recipes import read_recipe


def row_of(name: str, budget: int | None = None) -> PaperRow:
    found = paper_row(name, budget=budget)
    assert found is not None
    return found


def counted(shape: tuple[int, ...], name: str, **options: Any) -> int:
    """The operations that torch counts in a forward pass of one sample."""
    torch = pytest.importorskip("torch", reason="networks need the extra torch")
    from torch.utils.flop_counter import FlopCounterMode

    from comitia.deep.models import build

    network = build(name, classes=2, input_shape=shape, **options).eval()
    image = len(shape) == 3
    sample = torch.zeros((1, shape[2], *shape[:2])) if image else torch.zeros((1, *shape), dtype=torch.long)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        network(sample)
    return int(counter.get_total_flops())


@pytest.mark.parametrize(
    ("model", "recipe", "side", "larger"),
    [
        ("ResNet20", "cifar10-resnet20-simple", 32, 1),
        ("ResNet110", "cifar10-resnet110-simple", 32, 1),
        ("WRN28-10", "cifar100-wrn28_10-simple", 32, 1),
        ("ResNet50", "eyepacs-resnet50-simple", 64, 64),  # 512 × 512 images: 64 times the pixels
    ],
)
def test_operations_are_those_that_torch_counts(model: str, recipe: str, side: int, larger: int) -> None:
    network = read_recipe(recipe).model
    found = counted((side, side, 3), network.name, **network.options)
    assert OPERATIONS[model] == pytest.approx(larger * found, rel=0.02)


def test_operations_of_the_text_network_add_the_gates_that_torch_does_not_count() -> None:
    steps, gates, inputs, hidden = (100 - 4) // 4, 4, 64, 70
    lstm = steps * gates * 2 * hidden * (inputs + hidden)
    assert OPERATIONS["CNN-LSTM"] == pytest.approx(counted((100,), "cnn_lstm") + lstm, rel=0.02)


def test_every_network_of_the_paper_has_its_operations() -> None:
    assert {row.model for row in paper_rows()} == set(OPERATIONS)


@pytest.mark.parametrize(
    ("name", "budget", "epochs"),
    [
        ("imdb-cnn_lstm-simple", None, 50 * 50),
        ("cifar10-resnet20-sse", None, 30 * 200),
        ("cifar10-resnet110-epoch-budget", 300, sum(m * (300 // m) for m in range(1, 16))),
        ("cifar10-resnet110-epoch-budget", 1500, sum(m * (1500 // m) for m in range(1, 16))),
    ],
)
def test_epochs_are_those_of_all_runs(name: str, budget: int | None, epochs: int) -> None:
    assert epochs_of(row_of(name, budget)) == epochs


def test_shares_of_the_authors_hours_add_up_and_follow_the_operations() -> None:
    shares = [gpu_hours(row) for row in paper_rows()]
    assert math.fsum(shares) == pytest.approx(GPU_HOURS)
    small, large = row_of("cifar10-resnet20-simple"), row_of("cifar10-wrn28_10-simple")
    # 30 runs each, of 200 and 300 epochs
    ratio = 1.5 * OPERATIONS["WRN28-10"] / OPERATIONS["ResNet20"]
    assert gpu_hours(large) / gpu_hours(small) == pytest.approx(ratio)
    assert operations(large) / operations(small) == pytest.approx(ratio)


def test_hours_on_two_cores_follow_the_epochs_that_were_timed() -> None:
    assert core_hours(row_of("imdb-cnn_lstm-checkpoints")) == pytest.approx(250 * 11.3 / 2 / 3600)
    # an epoch of 20,000 images took each of two processes a minute; these have 50,000
    assert core_hours(row_of("cifar10-resnet20-simple")) == pytest.approx(30 * 200 * 2.5 * 60 / 2 / 3600)


def test_what_a_row_needs_in_words() -> None:
    for row in paper_rows():
        numbers = [float(text.replace(",", "")) for text in re.findall(r"[\d,.]+(?= h| GPU h)", needs(row))]
        hours = [core_hours(row)] if row.dataset == "IMDB" else [gpu_hours(row), core_hours(row)]
        assert numbers == pytest.approx(hours, rel=0.05, abs=0.05), row.key
        assert ("GPU h, or" in needs(row)) == (row.dataset != "IMDB")
