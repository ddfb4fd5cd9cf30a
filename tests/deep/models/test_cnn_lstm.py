import math

import numpy as np
import torch

from comitia.deep.models.cnn_lstm import cnn_lstm


def fresh(**options: float) -> torch.nn.Module:
    torch.manual_seed(0)
    return cnn_lstm(classes=2, input_shape=(100,), **options)  # type: ignore[arg-type]


def test_initial_values_are_kerass() -> None:
    values = {key: value.detach().numpy() for key, value in fresh().named_parameters()}

    def uniform(key: str, limit: float) -> None:
        assert np.abs(values[key]).max() <= limit
        assert abs(values[key].std() - limit / math.sqrt(3)) < 0.1 * limit  # as a uniform distribution has

    uniform("embedding.weight", 0.05)
    uniform("convolution.weight", math.sqrt(6 / (5 * 128 + 5 * 64)))
    uniform("lstm.weight_ih_l0", math.sqrt(6 / (64 + 4 * 70)))
    uniform("dense.weight", math.sqrt(6 / (70 + 1)))
    recurrent = values["lstm.weight_hh_l0"]
    assert np.allclose(recurrent.T @ recurrent, np.eye(70), atol=1e-5)
    assert values["lstm.bias_ih_l0"].tolist() == [0.0] * 70 + [1.0] * 70 + [0.0] * 140
    for key in ("lstm.bias_hh_l0", "convolution.bias", "dense.bias"):
        assert not values[key].any()


def test_forward_against_numpy() -> None:
    """Embedding, valid convolution, ReLU, pooling, the LSTM's equations, dense: all in loops."""
    network = fresh().eval()
    w = {key: value.detach().numpy().astype(float) for key, value in network.named_parameters()}
    tokens = np.random.default_rng(0).integers(0, 20_000, 100)
    words = w["embedding.weight"][tokens]
    kernel = w["convolution.weight"]  # (64, 128, 5)
    features = np.array(
        [
            [np.sum(words[t : t + 5].T * kernel[f]) + w["convolution.bias"][f] for f in range(64)]
            for t in range(96)
        ]
    )
    pooled = np.maximum(features, 0).reshape(24, 4, 64).max(axis=1)
    h, c = np.zeros(70), np.zeros(70)
    for x in pooled:
        gates = w["lstm.weight_ih_l0"] @ x + w["lstm.weight_hh_l0"] @ h + w["lstm.bias_ih_l0"]
        i, f, g, o = gates.reshape(4, 70)
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
    expected = float((w["dense.weight"] @ h + w["dense.bias"])[0])
    with torch.no_grad():
        logits = network(torch.from_numpy(tokens[None]))
    assert logits[0, 0] == 0.0  # softmax of (0, z) is the sigmoid of z
    assert abs(float(logits[0, 1]) - expected) < 1e-4
    assert abs(expected) > 1e-3


def test_dropout_of_a_quarter_by_default_and_before_the_dense_layer_when_asked() -> None:
    plain, asked = fresh(), fresh(dropout=0.4)
    assert [layer.p for layer in plain.modules() if isinstance(layer, torch.nn.Dropout)] == [0.25, 0.0]
    assert [layer.p for layer in asked.modules() if isinstance(layer, torch.nn.Dropout)] == [0.4, 0.4]


def test_second_bias_of_the_gates_is_not_trained() -> None:
    network = fresh()
    fixed = [key for key, value in network.named_parameters() if not value.requires_grad]
    assert fixed == ["lstm.bias_hh_l0"]
