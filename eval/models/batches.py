"""Batches: texts of like length together, as many at a time as memory allows; and whether a model bears it.

A run computes side by side what it can: padded texts, options that go on from one cache, candidates as branches
of a tree. That is correct only where a text does not feel what is computed with it, and no list of names says
where: FNet mixes padding into the text, an expert of Switch Transformers turns away what comes after its
capacity is used up, and tomorrow's architecture does something else. So every model is tried before it answers:
what a text is worth computed alone is compared (`check_alone`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from blend.eval.models.model_loading import context_of
from blend.schemas.errors import InputError

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

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


_NO_ROOM = "DefaultCPUAllocator"


def _fits(compute: Callable[[list[int]], None], batch: list[int]) -> bool:
    import torch

    try:
        compute(batch)
    except (RuntimeError, MemoryError) as error:
        # On a CPU, torch raises a plain RuntimeError that only its text tells from others.
        if not isinstance(error, (torch.OutOfMemoryError, MemoryError)) and _NO_ROOM not in str(error):
            raise
    else:
        return True
    # Outside the handler: the exception holds the tensors of the batch.
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return False


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


_TRIED = 32
"""Candidates that are computed alone at most; with each more, so many passes of the model are made."""

_FACTOR = 4
"""A token's log-probability may differ by so many square roots of the number type's precision.

The root says that half of the type's digits have to agree, which leaves the other half to the noise of adding
up in another order. Random models of 2 to 24 layers differ by up to half a root, whatever the type."""

ANOTHER = "evaluate a model of another architecture"
"""What to do about a model that cannot be trusted."""

T = TypeVar("T")
Counts = NDArray[np.integer[Any]]
Sums = NDArray[np.float64]


def _tolerance(model: "PreTrainedModel") -> float:
    """By how much the log-probability of a token may differ, from the precision of the model's number type."""
    import torch

    return float(_FACTOR * torch.finfo(model.dtype).eps ** 0.5)


def agrees(model: "PreTrainedModel", n_tokens: Counts, together: Sums, alone: Sums) -> bool:
    """Whether a model gives the same alone and together, but for the noise of its number type.

    In float32 every one has to agree. With fewer digits, noise makes a model of experts choose another expert
    now and then, and that token is then far off: there at least half have to.

    Args:
        model: The model.
        n_tokens: Tokens of each candidate or option, of which the log-probabilities are added up.
        together: Sums of their log-probabilities (natural logarithm), computed as a run does.
        alone: The same, each computed by itself.
    """
    import torch

    # NaN is close to nothing, and two that are impossible (minus infinity) agree.
    off = ~np.isclose(together, alone, rtol=0, atol=_tolerance(model) * n_tokens)
    return bool(off.sum() <= (0 if model.dtype == torch.float32 else len(off) // 2))


def check_alone(
    model: "PreTrainedModel",
    name: str,
    texts: Sequence[str],
    n_tokens: Counts,
    together: Sums,
    alone: Sums,
) -> None:
    """Check that a model's scores do not depend on what is computed beside them; arguments as of `agrees`.

    Args:
        model: The model.
        name: What messages call it.
        texts: What candidates or options say.
        n_tokens: See `agrees`.
        together: See there.
        alone: See there.

    Raises:
        InputError: If they do, or if it finds no scores at all; shows the one that is furthest off.
    """
    dtype = str(model.dtype).removeprefix("torch.")
    if np.isnan(alone).any():
        raise InputError(
            f"model {name}: {texts[int(np.isnan(alone).argmax())]!r} has no log-probability in {dtype}: its "
            "numbers do not fit into that type, so nothing was computed; use dtype bfloat16 or float32"
        )
    if agrees(model, n_tokens, together, alone):
        return
    i = int(np.argmax(np.abs(np.subtract(together, alone)) / n_tokens))
    tokens = f"{n_tokens[i]} tokens" if n_tokens[i] > 1 else "1 token"
    raise InputError(
        f"model {name}: {texts[i]!r} has the log-probability {alone[i]:.4g} computed by itself and "
        f"{together[i]:.4g} computed with the others ({tokens}; {dtype} explains "
        f"{n_tokens[i] * _tolerance(model):.2g}); scores of a {type(model).__name__} would depend on what "
        f"happens to be computed beside them, so nothing was computed: {ANOTHER}"
    )


def plain_logprob(model: "PreTrainedModel", prefix: Sequence[int], tokens: Sequence[int]) -> float:
    """Log-probability of tokens after others by a causal model: one text, no padding, no cache, all logits."""
    import torch

    # The last token tells a model that looks ahead, but nothing is read after it: it need not fit any more.
    ids = torch.tensor([[*prefix, *tokens][: context_of(model.config)]], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False).logits[0]
    return summed(logits[len(prefix) - 1 :], tokens)


def summed(logits: "torch.Tensor", tokens: Sequence[int]) -> float:
    """Sum of the log-probabilities of tokens, each by its row of the logits."""
    import torch

    rows = torch.log_softmax(logits.float(), dim=-1)
    return float(sum(rows[i, token].double() for i, token in enumerate(tokens)))


def short_and_usual(items: Sequence[T], lengths: Sequence[int]) -> list[T]:
    """The shortest of some items and that of median length, which padding makes alike; or the only one."""
    order = sorted(range(len(items)), key=lengths.__getitem__)
    return [items[i] for i in sorted({order[0], order[len(order) // 2]})]


def spread(candidates: Sequence[Sequence[int]]) -> list[int]:
    """Positions of up to `_TRIED` candidates, evenly spread over those that have tokens, in order of these."""
    ordered = sorted((i for i, tokens in enumerate(candidates) if tokens), key=lambda i: list(candidates[i]))
    n = min(_TRIED, len(ordered))
    # The last one is among them: what comes after many others is what a full expert turns away.
    return [ordered[(k + 1) * len(ordered) // n - 1] for k in range(n)]
