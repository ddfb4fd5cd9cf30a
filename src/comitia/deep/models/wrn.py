"""Wide residual network (Zagoruyko and Komodakis 2016): pre-activation blocks, few and wide."""

from torch import Tensor, nn
from torch.nn import functional

from comitia._errors import InputError
from comitia.deep.models.parts import image_shape, rate, stages, start_he_normal

# Keras's initial values "uniform" lie within this of 0.
UNIFORM = 0.05


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

    def start_as_keras(self) -> None:
        """Draw norm scales from U(-.05, .05), the dense kernel Glorot-uniform; let averages keep 10% at each step."""
        for layer in self.modules():
            if isinstance(layer, nn.BatchNorm2d):
                nn.init.uniform_(layer.weight, -UNIFORM, UNIFORM)
                layer.momentum = 0.9  # torch counts what is new, Keras what is kept
        nn.init.xavier_uniform_(self.dense.weight)

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
    keras: bool = False,
) -> WideResNet:
    """Return the network of `depth` 6n+4 and `width` k: 28-10 has 36.5 million parameters.

    `keras` takes the details of the Keras implementation that the paper's authors trained: the scales of batch norm
    start from U(-.05, .05) instead of 1, its running averages keep 10% at each step instead of 90%, and the dense
    kernel starts Glorot-uniform instead of He-normal. The same there and here is ε = 1e-5. There the L2 penalty also
    acts on the dense kernel: that is `training.l2_on = "kernels"` of a recipe.
    """
    if depth < 10 or (depth - 4) % 6:
        raise InputError(f"model wrn: depth must be 6n+4 (10, 16, 22, 28, ...), got {depth}")
    if width < 1:
        raise InputError(f"model wrn: width must be at least 1, got {width}")
    if not isinstance(keras, bool):
        raise InputError(f"model wrn: keras must be true or false, got {keras!r}")
    channels = image_shape("wrn", input_shape, least=8)[2]
    network = WideResNet(classes, channels, (depth - 4) // 6, width, rate("wrn", dropout))
    if keras:
        network.start_as_keras()
    return network
