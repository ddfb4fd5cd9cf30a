"""ResNet of depth 6n+2 for small images (He et al. 2016, the CIFAR form), as in the Keras example."""

from torch import Tensor, nn
from torch.nn import functional

from comitia._errors import InputError
from comitia.deep.models.parts import image_shape, rate, stages, start_he_normal


class Block(nn.Module):
    """Two 3×3 convolutions beside a shortcut; where the size changes, a 1×1 projection of stride 2."""

    def __init__(self, channels: int, filters: int, stride: int, dropout: float) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, filters, 3, stride, 1)
        self.first_norm = nn.BatchNorm2d(filters, eps=1e-3, momentum=0.01)
        self.dropout = nn.Dropout(dropout)
        self.second = nn.Conv2d(filters, filters, 3, 1, 1)
        self.second_norm = nn.BatchNorm2d(filters, eps=1e-3, momentum=0.01)
        self.shortcut = nn.Identity() if stride == 1 else nn.Conv2d(channels, filters, 1, stride)

    def forward(self, x: Tensor) -> Tensor:
        """Return relu(F(x) + shortcut(x))."""
        y = functional.relu(self.first_norm(self.first(x)), inplace=True)
        y = self.second_norm(self.second(self.dropout(y)))
        y += self.shortcut(x)
        return functional.relu(y, inplace=True)


class ResNet(nn.Module):
    """A 3×3 convolution, three stages of n blocks with 16, 32, 64 filters, the mean, a dense layer."""

    def __init__(self, classes: int, channels: int, blocks: int, dropout: float) -> None:
        super().__init__()
        self.stem = nn.Conv2d(channels, 16, 3, 1, 1)
        self.norm = nn.BatchNorm2d(16, eps=1e-3, momentum=0.01)
        self.stages = stages(Block, [(16, 16, 1), (16, 32, 2), (32, 64, 2)], blocks, dropout)
        self.dense = nn.Linear(64, classes)
        start_he_normal(self)

    def forward(self, images: Tensor) -> Tensor:
        """Return (n, classes) logits of (n, channels, H, W) images."""
        features = self.stages(functional.relu(self.norm(self.stem(images)), inplace=True))
        logits: Tensor = self.dense(features.mean(dim=(2, 3)))
        return logits


def resnet(*, classes: int, input_shape: tuple[int, ...], depth: int = 20, dropout: float = 0.0) -> ResNet:
    """Return the network of `depth` 6n+2: 20 has 0.27 million parameters, 110 has 1.7 million.

    Batch norm keeps 99% of its running averages each step, as in Keras.
    """
    if depth < 8 or (depth - 2) % 6:
        raise InputError(f"model resnet: depth must be 6n+2 (8, 14, 20, ...), got {depth}")
    channels = image_shape("resnet", input_shape, least=8)[2]
    return ResNet(classes, channels, (depth - 2) // 6, rate("resnet", dropout))
