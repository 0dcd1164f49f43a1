"""Padding: texts of unlike length as the rows of one batch, with nothing of it left to the tokenizer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Padded:
    """Texts of unlike length as one batch; all shapes are ``(n_texts, n_tokens)``."""

    ids: "torch.Tensor"
    """Tokens; 0 where there is padding, whatever token that is."""
    mask: "torch.Tensor"
    """1 for tokens and 0 for padding."""
    positions: "torch.Tensor"
    """Place of each token in its own text, from 0."""


def padded(texts: Sequence[Sequence[int]], device: Any, *, left: bool = True) -> Padded:
    """Texts as one batch.

    Args:
        texts: Tokens of each text, none empty.
        device: Where the batch goes.
        left: Whether padding stands left of a text, so that all end in the last column, or right of it.
    """
    import torch

    width = max(map(len, texts))
    ids = torch.zeros(len(texts), width, dtype=torch.long)
    mask = torch.zeros(len(texts), width, dtype=torch.long)
    for row, text in enumerate(texts):
        place = slice(width - len(text), width) if left else slice(0, len(text))
        ids[row, place] = torch.tensor(text, dtype=torch.long)
        mask[row, place] = 1
    # What is masked has no position; 0 is one that every model has.
    positions = (mask.cumsum(dim=1) - 1).clamp(min=0)
    return Padded(ids.to(device), mask.to(device), positions.to(device))
