"""What a member's numbers are, logits or probabilities, seen from the first of them."""

import torch

from comitia._checks import SUM_TOLERANCE
from comitia._errors import InputError


def recognised(values: torch.Tensor, what: str) -> str:
    """Return "probabilities" for rows of 0 to 1 that sum to 1, "logits" for what leaves 0 to 1.

    What is neither, such as one sigmoid per class, is an error: the user has to say what it is.

    >>> recognised(torch.tensor([[0.2, 0.8], [0.5, 0.5]]), "a.onnx"), recognised(torch.tensor([[-1.0, 3.0]]), "a.onnx")
    ('probabilities', 'logits')
    """
    if bool((values < 0).any()) or bool((values > 1).any()):
        return "logits"
    if values.dim() == 2 and values.shape[1] > 1 and _sums_to_one(values):
        return "probabilities"
    raise InputError(
        f"{what}: its outputs lie between 0 and 1 but rows do not sum to 1, so nothing tells what they are; --outputs "
        "logits (softmax is applied) or --outputs probabilities (of one column: that of class 1)"
    )


def require_probabilities(values: torch.Tensor, what: str) -> None:
    """Raise unless rows are probabilities: one number is that of the second of two classes."""
    inside = bool(((values >= -SUM_TOLERANCE) & (values <= 1 + SUM_TOLERANCE)).all())
    if not inside or (values.dim() == 2 and values.shape[1] > 1 and not _sums_to_one(values)):
        raise InputError(
            f"{what}: its outputs were taken for probabilities, and some row does not lie in 0 to 1 or sum to 1; "
            "--outputs logits says otherwise"
        )


def _sums_to_one(values: torch.Tensor) -> bool:
    return bool(((values.sum(dim=1, dtype=torch.float64) - 1).abs() <= SUM_TOLERANCE).all())
