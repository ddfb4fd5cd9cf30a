"""A plain training loop as people have them: it knows nothing of this library."""

from pathlib import Path

import numpy as np
import torch
from torch import nn


class Wide(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)  # type: ignore[no-any-return]


class Deep(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.norm = nn.BatchNorm1d(8)
        self.second = nn.Linear(8, 8)
        self.head = nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.norm(self.first(x)))
        return self.head(torch.relu(self.second(x)))  # type: ignore[no-any-return]


class Sure(nn.Module):
    """Returns probabilities."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.layer(x), dim=1)


KINDS: dict[str, type[nn.Module]] = {"wide": Wide, "deep": Deep, "sure": Sure}


def network(name: str) -> nn.Module:
    """The network of a checkpoint, by the first word of its name."""
    return KINDS[name.split("/")[0].split("-")[0]]()


def samples(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    x = random.normal(size=(count, 4)).astype(np.float32)
    y = (x[:, 0] + x[:, 1] * x[:, 2] + random.normal(size=count) * 0.4 > 0).astype(np.int64) + (x[:, 3] > 0.8)
    return x, y


def holdout() -> tuple[np.ndarray, np.ndarray]:
    return samples(1, 600)


def train(folder: Path, runs: int = 2, epochs: int = 3) -> None:
    """Write `wide/run1/epoch=1.pt` and so on."""
    x, y = map(torch.from_numpy, samples(0, 300))
    for kind, make in KINDS.items():
        for run in range(1, runs + 1):
            torch.manual_seed(run)
            model = make()
            optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
            place = folder / kind / f"run{run}"
            place.mkdir(parents=True)
            for epoch in range(1, epochs + 1):
                model.train()
                for part in torch.randperm(len(x)).split(64):
                    scores = model(x[part])
                    scores = scores.log() if kind == "sure" else scores
                    optimiser.zero_grad()
                    nn.functional.cross_entropy(scores, y[part]).backward()
                    optimiser.step()
                torch.save(model.state_dict(), place / f"epoch={epoch}.pt")
