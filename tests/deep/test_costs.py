"""What networks cost, against formulas."""

import pytest
import torch
from torch import nn

from comitia import InputError
from comitia.deep import member_costs
from comitia.deep.costs import measure_cost
from comitia.files.cost_files import read_member_costs, write_member_costs


def test_a_perceptron_by_its_formula() -> None:
    cost = measure_cost(nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 3)), torch.zeros(7, 10))
    assert cost.parameters == 10 * 20 + 20 + 20 * 3 + 3
    assert cost.multiply_adds == 10 * 20 + 20 * 3
    assert 0 < cost.seconds < 1


@pytest.mark.parametrize("groups", [1, 2])
def test_a_convolution_by_its_formula(groups: int) -> None:
    layer = nn.Conv2d(4, 6, kernel_size=(3, 5), stride=2, padding=(1, 2), groups=groups)
    images = torch.zeros(3, 4, 16, 16)
    height, width = layer(images).shape[2:]
    assert measure_cost(layer, images).multiply_adds == height * width * 6 * (4 // groups) * 3 * 5


def test_recurrent_layers_are_counted() -> None:
    cost = measure_cost(nn.LSTM(8, 16, batch_first=True), torch.zeros(2, 5, 8))
    assert cost.multiply_adds == 5 * 4 * 16 * (8 + 16)


def test_several_inputs_and_the_mode_is_left_as_it_was() -> None:
    class Pair(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.seen = nn.Linear(3, 2), []
            self.frozen = nn.Dropout().eval()

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            self.seen.append(self.training)
            return self.layer(ids * mask)

    pair = Pair()
    batch = {"ids": torch.zeros(4, 3), "mask": torch.ones(4, 3)}
    assert (
        measure_cost(pair, batch).multiply_adds
        == measure_cost(pair, tuple(batch.values())).multiply_adds
        == 6
    )
    assert set(pair.seen) == {False}
    assert (pair.training, pair.frozen.training) == (True, False)


def test_costs_of_members_go_through_a_file(tmp_path) -> None:
    members = ((name, nn.Linear(4, size)) for name, size in (("a, b", 2), ("c", 3)))
    costs = member_costs(members, torch.zeros(2, 4), repeats=1)
    write_member_costs(tmp_path / "costs.csv", costs)
    assert read_member_costs(tmp_path / "costs.csv") == costs


def test_bad_input_is_one_line() -> None:
    with pytest.raises(InputError, match="inputs: must be a batch of at least one sample"):
        measure_cost(nn.Linear(2, 2), torch.zeros(0, 2))
    with pytest.raises(InputError, match="members: duplicate name 'a'"):
        member_costs([("a", nn.Linear(2, 2))] * 2, torch.zeros(1, 2), repeats=1)
    with pytest.raises(InputError, match="repeats: must be at least 1, got 0"):
        measure_cost(nn.Linear(2, 2), torch.zeros(1, 2), repeats=0)
