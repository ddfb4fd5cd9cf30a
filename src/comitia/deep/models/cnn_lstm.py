"""The CNN-LSTM of the Keras IMDB example, with Keras's initial values."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from comitia._errors import InputError
from comitia.deep.models.parts import Dropout, rate

WIDTH, POOL = 5, 4


class CnnLstm(nn.Module):
    """Embedding 128 → dropout → convolution 64 of width 5, ReLU → max-pool 4 → LSTM 70 → dense.

    For two classes the dense layer has one output z, and the logits are (0, z): softmax of them is the
    sigmoid that Keras trains, cross-entropy the same loss.
    """

    def __init__(self, classes: int, *, words: int, dropout: float, dropout_late: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, 128)
        self.dropout = Dropout(dropout)
        self.convolution = nn.Conv1d(128, 64, WIDTH)
        self.lstm = nn.LSTM(64, 70, batch_first=True)
        self.late = Dropout(dropout_late)
        self.dense = nn.Linear(70, 1 if classes == 2 else classes)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set Keras's initial values: with torch's own, training at lr .1 and momentum .98 stays at chance."""
        nn.init.uniform_(self.embedding.weight, -0.05, 0.05)
        for name, value in self.named_parameters():
            if name.endswith("bias") or ".bias_" in name:
                nn.init.zeros_(value)
        nn.init.xavier_uniform_(self.convolution.weight)
        nn.init.xavier_uniform_(self.dense.weight)
        gates = dict(self.lstm.named_parameters())
        # Keras draws the four gates as one kernel (64, 280): the limit follows from all of them stacked.
        nn.init.xavier_uniform_(gates["weight_ih_l0"])
        # Orthogonal rows of the (70, 280) kernel = orthonormal columns of torch's (280, 70).
        nn.init.orthogonal_(gates["weight_hh_l0"])
        with torch.no_grad():
            gates["bias_ih_l0"][70:140] = 1.0  # torch's gates are input, forget, cell, output
        # Keras has one bias for the gates, torch two: the second stays 0 and is not trained.
        gates["bias_hh_l0"].requires_grad_(False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return (n, classes) logits of (n, length) tokens."""
        words = self.dropout(self.embedding(tokens))
        features = functional.relu(self._convolve(words.transpose(1, 2)))
        pooled = functional.max_pool1d(features, POOL).transpose(1, 2)
        _, (hidden, _) = self.lstm(pooled)
        logits: Tensor = self.dense(self.late(hidden[-1]))
        if logits.shape[1] == 1:
            return torch.cat([torch.zeros_like(logits), logits], dim=1)
        return logits

    def _convolve(self, words: Tensor) -> Tensor:
        # The same sums as the layer's own, as a convolution of height 1: twice as fast on a processor.
        layer = self.convolution
        return functional.conv2d(words.unsqueeze(2), layer.weight.unsqueeze(2), layer.bias).squeeze(2)


def cnn_lstm(
    *,
    classes: int,
    input_shape: tuple[int, ...],
    words: int = 20_000,
    dropout: float | None = None,
) -> CnnLstm:
    """Return the network for texts of `words` different tokens; 2,638,895 trained parameters in the paper's form.

    `dropout` None is the example's .25 after the embedding; a rate is used there and before the dense layer.
    """
    if len(input_shape) != 1 or input_shape[0] < WIDTH + POOL - 1:
        raise InputError(
            f"model cnn_lstm: needs texts of at least {WIDTH + POOL - 1} tokens, "
            f"got samples of shape {input_shape}"
        )
    first = 0.25 if dropout is None else rate("cnn_lstm", dropout)
    return CnnLstm(classes, words=words, dropout=first, dropout_late=dropout or 0.0)
