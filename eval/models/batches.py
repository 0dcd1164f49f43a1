"""Batches: texts of like length together, as many at a time as memory allows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

CPU_TOKENS = 1024
"""Tokens of a batch on a CPU. Larger ones are slower there, since what a layer computes is then so large that
its memory comes fresh from the system each time; and running out of memory kills the process."""

CPU_WRITTEN_TOKENS = 4096
"""Tokens of a batch of texts on a CPU, prompts and answers. `CPU_TOKENS` are a handful of texts, for each token
of which all weights would be read."""

GPU_TOKENS = 2**16
"""Tokens of the first batch on a GPU; halved for as long as it does not fit."""

GPU_WRITTEN_TOKENS = 2**17
"""The same for texts to write: a step takes about as long for many texts as for few."""


class Batches:
    """Divides items into batches, and remembers what fitted."""

    def __init__(self, tokens: int, *, batch_size: int | None = None) -> None:
        """Prepare.

        Args:
            tokens: Tokens of a batch, padding among them, to begin with.
            batch_size: Items of a batch at most; no limit but the tokens when absent.
        """
        self.tokens = tokens
        """Tokens of a batch; smaller after memory has run out."""
        self._batch_size = batch_size

    def run(
        self, lengths: Mapping[int, int], compute: Callable[[list[int]], None], failed: Callable[[int], None]
    ) -> None:
        """Compute all items, the longest first.

        Args:
            lengths: Tokens of each item.
            compute: Computes some items. What it does is done once for each of them: if it runs out of memory,
                it must not have kept anything yet.
            failed: Told of an item that does not fit into memory even on its own.
        """
        # Longest first: a batch that does not fit comes at the beginning and not after an hour.
        waiting = sorted(lengths, key=lambda item: (-lengths[item], item))
        while waiting:
            # The first is the longest of what waits, and all are padded to it.
            size = max(1, self.tokens // max(1, lengths[waiting[0]]))
            batch = waiting[: size if self._batch_size is None else min(size, self._batch_size)]
            if _fits(compute, batch):
                waiting = waiting[len(batch) :]
            elif len(batch) > 1:
                # Half of what this batch took, padding among it: the limit may have been larger than the batch.
                # It stays for all that follows.
                self.tokens = max(1, len(batch) * lengths[batch[0]] // 2)
            else:
                failed(waiting.pop(0))


def _fits(compute: Callable[[list[int]], None], batch: list[int]) -> bool:
    import torch

    try:
        compute(batch)
    except (RuntimeError, MemoryError) as error:
        if not _out_of_memory(error):
            raise
    else:
        return True
    # Outside the handler: the exception holds the tensors of the batch.
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return False


def _out_of_memory(error: Exception) -> bool:
    import torch

    # On a CPU, torch raises a plain RuntimeError that only its text tells from others.
    return isinstance(error, (torch.OutOfMemoryError, MemoryError)) or "DefaultCPUAllocator" in str(error)


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
        columns = slice(width - len(text), width) if left else slice(0, len(text))
        ids[row, columns] = torch.tensor(text, dtype=torch.long)
        mask[row, columns] = 1
    # What is masked has no position; 0 is one that every model has.
    positions = (mask.cumsum(dim=1) - 1).clamp(min=0)
    return Padded(ids.to(device), mask.to(device), positions.to(device))
