"""Wide residual network (Zagoruyko and Komodakis 2016): pre-activation blocks, few and wide."""

from torch import Tensor, nn
from torch.nn import functional

from comitia._errors import InputError
from comitia.deep.models.parts import image_shape, rate, stages, start_he_normal


class Block(nn.Module):
    """Norm, ReLU, 3×3 convolution, twice; the shortcut of a changed size starts after the first ReLU."""

    def __init__(self, channels: int, filters: int, stride: int, dropout: float) -> None:
        super().__init__()
        self.first_norm = nn.BatchNorm2d(channels)
        self.first = nn.Conv2d(channels, filters, 3, stride, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(filters)
        self.dropout = nn.Dropout(dropout)
        self.second = nn.Conv2d(filters, filters, 3, 1, 1, bias=False)
        same = channels == filters and stride == 1
        self.shortcut = None if same else nn.Conv2d(channels, filters, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return shortcut(x) + F(x), not activated."""
        active = functional.relu(self.first_norm(x), inplace=True)
        y = functional.relu(self.second_norm(self.first(active)), inplace=True)
        total: Tensor = self.second(self.dropout(y)) + (x if self.shortcut is None else self.shortcut(active))
        return total


class WideResNet(nn.Module):
    """A 3×3 convolution, three stages of (depth-4)/6 blocks with 16k, 32k, 64k filters, a dense layer."""

    def __init__(self, classes: int, channels: int, blocks: int, width: int, dropout: float) -> None:
        super().__init__()
        self.stem = nn.Conv2d(channels, 16, 3, 1, 1, bias=False)
        sizes = [(16, 16 * width, 1), (16 * width, 32 * width, 2), (32 * width, 64 * width, 2)]
        self.stages = stages(Block, sizes, blocks, dropout)
        self.norm = nn.BatchNorm2d(64 * width)
        self.dense = nn.Linear(64 * width, classes)
        start_he_normal(self)

    def forward(self, images: Tensor) -> Tensor:
        """Return (n, classes) logits of (n, channels, H, W) images."""
        features = functional.relu(self.norm(self.stages(self.stem(images))), inplace=True)
        logits: Tensor = self.dense(features.mean(dim=(2, 3)))
        return logits


def wrn(
    *,
    classes: int,
    input_shape: tuple[int, ...],
    depth: int = 28,
    width: int = 10,
    dropout: float = 0.0,
) -> WideResNet:
    """Return the network of `depth` 6n+4 and `width` k: 28-10 has 36.5 million parameters."""
    if depth < 10 or (depth - 4) % 6:
        raise InputError(f"model wrn: depth must be 6n+4 (10, 16, 22, 28, ...), got {depth}")
    if width < 1:
        raise InputError(f"model wrn: width must be at least 1, got {width}")
    channels = image_shape("wrn", input_shape, least=8)[2]
    return WideResNet(classes, channels, (depth - 4) // 6, width, rate("wrn", dropout))
