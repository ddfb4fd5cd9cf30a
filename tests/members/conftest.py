"""Checkpoints of 3 architectures × 2 runs × 3 epochs, made once by a loop that knows nothing of this library."""

from pathlib import Path

import pytest
import torch

import plain_loop


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # quicker for networks this small
    plain_loop.train(folder)
    torch.set_num_threads(threads)
    return folder
