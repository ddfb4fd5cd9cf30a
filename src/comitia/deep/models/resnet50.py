"""ResNet50 in the bottleneck form for large images (He et al. 2016)."""

from torch import Tensor, nn
from torch.nn import functional

from comitia.deep.models.parts import image_shape, rate

# (blocks, filters of the bottleneck, stride of the first block); each block puts out 4 × filters.
STAGES = ((3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2))


class Bottleneck(nn.Module):
    """1×1, 3×3, 1×1 convolutions, each normed, beside a shortcut; the stride is in the 3×3."""

    def __init__(self, channels: int, filters: int, stride: int, dropout: float) -> None:
        super().__init__()
        out = 4 * filters
        self.reduce = nn.Conv2d(channels, filters, 1, bias=False)
        self.reduce_norm = nn.BatchNorm2d(filters)
        self.middle = nn.Conv2d(filters, filters, 3, stride, 1, bias=False)
        self.middle_norm = nn.BatchNorm2d(filters)
        self.expand = nn.Conv2d(filters, out, 1, bias=False)
        self.expand_norm = nn.BatchNorm2d(out)
        self.dropout = nn.Dropout(dropout)
        projection = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))
        self.shortcut: nn.Module = nn.Identity() if channels == out else projection

    def forward(self, x: Tensor) -> Tensor:
        """Return dropout(relu(F(x) + shortcut(x)))."""
        y = functional.relu(self.reduce_norm(self.reduce(x)), inplace=True)
        y = functional.relu(self.middle_norm(self.middle(y)), inplace=True)
        y = self.expand_norm(self.expand(y))
        y += self.shortcut(x)
        y = functional.relu(y, inplace=True)
        kept: Tensor = self.dropout(y)
        return kept


class ResNet50(nn.Module):
    """A 7×7 convolution and 3×3 pooling of stride 2, stages of 3, 4, 6, 3 bottlenecks, a dense layer."""

    def __init__(self, classes: int, channels: int, dropout: float) -> None:
        super().__init__()
        self.stem = nn.Conv2d(channels, 64, 7, 2, 3, bias=False)
        self.norm = nn.BatchNorm2d(64)
        blocks, width = [], 64
        for count, filters, stride in STAGES:
            for k in range(count):
                blocks.append(Bottleneck(width, filters, stride if k == 0 else 1, dropout))
                width = 4 * filters
        self.stages = nn.Sequential(*blocks)
        self.dense = nn.Linear(width, classes)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set He-normal convolution kernels, Glorot-uniform dense kernel, zero bias."""
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, mode="fan_in", nonlinearity="relu")
        nn.init.xavier_uniform_(self.dense.weight)
        nn.init.zeros_(self.dense.bias)

    def forward(self, images: Tensor) -> Tensor:
        """Return (n, classes) logits of (n, channels, H, W) images."""
        start = functional.relu(self.norm(self.stem(images)), inplace=True)
        features = self.stages(functional.max_pool2d(start, 3, 2, 1))
        logits: Tensor = self.dense(features.mean(dim=(2, 3)))
        return logits


def resnet50(*, classes: int, input_shape: tuple[int, ...], dropout: float = 0.0) -> ResNet50:
    """Return the network for images of any size from 32 pixels; 23.5 million parameters for two classes.

    `dropout` acts after every block, as Monte Carlo dropout needs it.
    """
    channels = image_shape("resnet50", input_shape, least=32)[2]
    return ResNet50(classes, channels, rate("resnet50", dropout))
