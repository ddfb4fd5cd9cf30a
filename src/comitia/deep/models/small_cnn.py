"""A small convolutional network for the demo: an epoch of 3,000 MNIST images takes about a second."""

from torch import Tensor, nn
from torch.nn import functional

from comitia.deep.models.parts import image_shape, rate


class SmallCnn(nn.Module):
    """Two 3×3 convolutions, each with ReLU and 2×2 max-pooling, and a dense layer."""

    def __init__(self, classes: int, shape: tuple[int, int, int], filters: int, dropout: float) -> None:
        super().__init__()
        height, width, channels = shape
        self.first = nn.Conv2d(channels, filters, 3, padding=1)
        self.second = nn.Conv2d(filters, 2 * filters, 3, padding=1)
        self.dropout = nn.Dropout(dropout)
        self.dense = nn.Linear(2 * filters * (height // 4) * (width // 4), classes)

    def forward(self, images: Tensor) -> Tensor:
        """Return (n, classes) logits of (n, channels, H, W) images."""
        x = functional.max_pool2d(functional.relu(self.first(images)), 2)
        x = functional.max_pool2d(functional.relu(self.second(x)), 2)
        logits: Tensor = self.dense(self.dropout(x.flatten(1)))
        return logits


def small_cnn(
    *, classes: int, input_shape: tuple[int, ...], filters: int = 8, dropout: float = 0.0
) -> SmallCnn:
    """Return the network with `filters` and 2·`filters` convolution kernels."""
    shape = image_shape("small_cnn", input_shape, least=4)
    return SmallCnn(classes, shape, filters, rate("small_cnn", dropout))
