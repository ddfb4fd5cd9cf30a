"""A Hugging Face classifier that transformers saved lies in a bundle as its state and settings, and needs no code."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from comitia import Predictions, weigh
from comitia.bundle import read_bundle, verify_bundle, write_bundle
from comitia.members import find_members, open_member


def test_text_classifiers_become_a_bundle(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    settings = transformers.BertConfig(
        vocab_size=30,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=16,
        num_labels=3,
    )
    for seed in (0, 1):
        torch.manual_seed(seed)
        transformers.BertForSequenceClassification(settings).save_pretrained(tmp_path / f"seed{seed}")
    random = np.random.default_rng(0)
    inputs = {
        "input_ids": random.integers(0, 30, (200, 6)),
        "attention_mask": np.ones((200, 6), np.int64),
    }
    labels = random.integers(0, 3, 200)
    members = find_members([tmp_path / "seed0", tmp_path / "seed1"])
    probs = np.stack([open_member(one).probabilities(inputs) for one in members])
    pack = Predictions.from_arrays(probs=probs, labels=labels, names=[one.name for one in members])
    ensemble = weigh(pack, method="uniform")
    write_bundle(
        tmp_path / "out",
        ensemble,
        [replace(one, outputs="logits") for one in members],
        example_inputs={name: one[:2] for name, one in inputs.items()},
        holdout=(inputs, labels),
        predictions=pack,
    )
    assert {one.kind for one in read_bundle(tmp_path / "out").config.members} == {"huggingface"}
    found = verify_bundle(tmp_path / "out", (inputs, labels), device="cpu")
    assert found.holds
    assert [(one.what, one.differ) for one in found.files] == [("the networks", 0)]
