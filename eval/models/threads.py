"""Threads: how many of them a model on a CPU is worth."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedModel

WORTH_THREADS = 2_000_000
"""Parameters from which a model is computed with several threads. A smaller one finishes a layer in less time
than threads take to meet: on a busy machine they mostly wait for each other, at ten times the cost of the
work."""


@contextmanager
def fitting_threads(model: "PreTrainedModel") -> Iterator[None]:
    """Compute a small model with one thread; torch has as many as before afterwards."""
    import torch

    before = torch.get_num_threads()
    small = model.device.type == "cpu" and model.num_parameters() < WORTH_THREADS
    if not small or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
