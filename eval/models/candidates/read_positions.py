"""Heads: the layer over the vocabulary, computed only where something is read.

Over 30,000 to 250,000 tokens it costs as much as the rest of a small model.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel


@contextmanager
def read_only(model: "PreTrainedModel", rows: "torch.Tensor", columns: "torch.Tensor") -> Iterator[None]:
    """Have a model predict at some places only while the block runs.

    What the layers below the head give is cut down to these places; the head, whichever it is, then sees a
    single text of as many tokens.

    Args:
        model: Any model with a head over its base model.
        rows: Texts of the batch, shape ``(n_read,)``.
        columns: Places in them.
    """

    def cut(_module: Any, _inputs: Any, output: Any) -> Any:
        # From ``(n_texts, n_tokens, n_hidden)`` to ``(1, n_read, n_hidden)``.
        output.last_hidden_state = output.last_hidden_state[rows, columns].unsqueeze(0)
        return output

    hook = model.base_model.register_forward_hook(cut)
    try:
        yield
    finally:
        hook.remove()


def picked(logits: "torch.Tensor", rows: "torch.Tensor", tokens: "torch.Tensor") -> "torch.Tensor":
    """Log-probabilities of some tokens in float64: row ``rows[i]`` of the logits predicts ``tokens[i]``."""
    values = logits.float()
    return (values[rows, tokens] - values.logsumexp(dim=-1)[rows]).double().cpu()
