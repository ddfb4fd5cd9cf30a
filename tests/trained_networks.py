"""Networks that a plain loop trained, which knows nothing of us, and their predictions on a hold-out."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from comitia import Ensemble, Predictions, weigh
from comitia.deep import WeightedEnsemble

SAMPLES, CLASSES = 600, 3


class Small(nn.Module):
    """A convolution, batch norm and a dense layer, on images (n, C, H, W)."""

    def __init__(self, width: int = 6, classes: int = CLASSES) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(2, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.AdaptiveAvgPool2d(2)
        )
        self.head = nn.Linear(4 * width, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(images).flatten(1))


def make(name: str) -> nn.Module:
    """The network of a member by its name, as the function of a user."""
    return Small(width=9 if name.startswith("wide") else 6)


def make_two(name: str) -> nn.Module:
    """The same for two classes."""
    return Small(width=9 if name.startswith("wide") else 6, classes=2)


@dataclass(frozen=True)
class Trained:
    """Trained networks, the hold-out in tensors, and the predictions of the networks on it."""

    networks: list[nn.Module]
    inputs: torch.Tensor
    labels: torch.Tensor
    predictions: Predictions

    def weighed(self, **options: object) -> Ensemble:
        return weigh(self.predictions, **options)  # type: ignore[arg-type]

    def module(self, ensemble: Ensemble) -> WeightedEnsemble:
        return WeightedEnsemble(
            self.networks, ensemble.weights, vote=ensemble.vote, decision=ensemble.decision
        )


def draw(samples: int, random: torch.Generator, classes: int = CLASSES) -> tuple[torch.Tensor, torch.Tensor]:
    """Images of which the corner tells the class, mostly."""
    labels = torch.randint(0, classes, (samples,), generator=random)
    images = torch.randn(samples, 2, 5, 5, generator=random)
    images[torch.arange(samples), labels % 2, labels // 2 * 3, 1] += 3.0
    return images, labels


def fit(network: nn.Module, images: torch.Tensor, labels: torch.Tensor) -> nn.Module:
    """Train by a plain loop."""
    optimiser = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(25):
        optimiser.zero_grad()
        nn.functional.cross_entropy(network(images), labels).backward()
        optimiser.step()
    return network.eval()


def train(classes: int = CLASSES) -> Trained:
    torch.set_num_threads(1)  # threads that wait for each other take all the time of such small networks
    random = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    names = ["small/1", "wide/1", "small/2", "wide/2"]
    inputs, labels = draw(SAMPLES, random, classes)
    made = make if classes == CLASSES else make_two
    networks = [fit(made(name), *draw(120, random, classes)) for name in names]
    with torch.inference_mode():
        probs = np.stack([network(inputs).softmax(dim=1).numpy() for network in networks])
    pack = Predictions.from_arrays(probs=probs, labels=labels.numpy(), names=names)
    return Trained(networks, inputs, labels, pack)
