"""What a prober is asked and what it gives back: a figure per candidate, whatever model is behind it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from blend.eval.models.candidates.prefix_tree import Tree, make_tree
from blend.eval.models.model_loading import Device
from blend.eval.models.protocols import Described, Likelihoods, OnLikelihoods
from blend.schemas.errors import InputError
from blend.schemas.rows import GAP

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase

_FED_ON_CPU = 256
"""Nodes of a tree fed in a pass on a CPU: what a layer computes of more no longer fits into its caches, and
the scores of 250,000 tokens at as many places would take gigabytes."""

_FED_ON_GPU = 2048
"""Nodes of a tree fed in a pass on a GPU."""


@dataclass(frozen=True, slots=True)
class Tokenised:
    """Tokens that a tokenizer makes of a candidate, as counts."""

    n_tokens: int
    """Tokens; 0 where nothing is left of it."""
    n_unknown: int
    """Of these, tokens that stand for what the tokenizer does not know."""


@runtime_checkable
class CandidateScorer(Described, Protocol):
    """Says how likely given candidates are in the gap of a prompt."""

    def candidate_logprobs(
        self,
        prompts: Sequence[str],
        sets: Sequence[int],
        candidates: Sequence[Sequence[str]],
        *,
        keep: OnLikelihoods | None = None,
    ) -> Sequence[Likelihoods]:
        """Scores of every prompt's candidates.

        Args:
            prompts: Texts with one gap each (`probing_terms.GAP`).
            sets: For each prompt the position of its candidates among ``candidates``.
            candidates: Sets of candidates, as text.
            keep: As for `protocols.Generator.generate`.

        Raises:
            BlendError: If the model cannot be asked at all. What was kept until then stays.
        """
        ...

    def tokenised(self, candidates: Sequence[str], *, after_blank: bool) -> list[Tokenised]:
        """Count what the tokenizer makes of candidates, in gaps with or without a blank before them.

        Nothing, an empty list, where the model does not tell.
        """
        ...


class Gapped(NamedTuple):
    """A prompt, divided at its gap."""

    before: str
    """What stands before the gap."""
    after: str
    """What stands after it."""

    @property
    def after_blank(self) -> bool:
        """Whether a blank stands before the gap, as in English and not in Chinese."""
        return self.before[-1:].isspace()


def divided(prompt: str) -> Gapped:
    """A prompt, divided at its gap.

    Raises:
        InputError: If it has none or several.
    """
    parts = prompt.split(GAP)
    if len(parts) != 2:
        count = "no gap" if len(parts) == 1 else f"{len(parts) - 1} gaps"
        raise InputError(f"the prompt {prompt!r} has {count} {GAP}; it must have one")
    return Gapped(*parts)


@dataclass(eq=False)
class CandidateSet:
    """Candidates as a model's tokens: the same in all gaps, but for the blank before them."""

    texts: Sequence[str]
    """What they say."""
    tokens: list[list[int]]
    """Tokens of each."""
    _made: dict[int, Tree] = field(default_factory=dict)

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """Number of tokens of each."""
        return np.array([len(ids) for ids in self.tokens], dtype=np.int32)

    @cached_property
    def by_length(self) -> dict[int, tuple[NDArray[np.intp], NDArray[np.int64]]]:
        """By number of tokens, positions of those that have so many, and their tokens."""
        positions = {n: np.flatnonzero(self.lengths == n) for n in sorted({*self.lengths.tolist()} - {0})}
        return {n: (at, np.array([self.tokens[i] for i in at])) for n, at in positions.items()}

    def tree(self, fed_at_a_time: int) -> Tree:
        """Their tree, made once."""
        if fed_at_a_time not in self._made:
            self._made[fed_at_a_time] = make_tree(self.tokens, fed_at_a_time=fed_at_a_time)
        return self._made[fed_at_a_time]


class Request(NamedTuple):
    """A prompt and its candidates, as a model's tokens."""

    prompt: Gapped
    ids: list[int]
    """Tokens of the prompt, as the kind of model is given it."""
    candidates: CandidateSet


class KindScorer(Protocol):
    """What one kind of model makes of prompts and candidates."""

    most_tokens: float
    """Tokens of a candidate that is ranked at most."""

    def encoded(self, prompt: Gapped) -> list[int]:
        """Tokens of a prompt.

        Raises:
            InputError: If it cannot be asked; says why.
        """
        ...

    def tokens(self, texts: Sequence[str], *, after_blank: bool) -> list[list[int]]:
        """Tokens of candidates, in gaps with or without a blank before them."""
        ...

    def seen(self, request: Request) -> int:
        """Tokens that the model has to see at once; 0 where that is not limited."""
        ...

    def cost(self, request: Request) -> int:
        """Tokens that a prompt takes of a batch."""
        ...

    def scores(self, requests: Sequence[Request]) -> list[Likelihoods]:
        """Scores of some prompts, as one batch where the kind has batches."""
        ...

    def alone(self, request: Request, some: Sequence[int]) -> list[float]:
        """Scores of some candidates, each computed by itself."""
        ...


def plain_tokens(tokenizer: "PreTrainedTokenizerBase", texts: Sequence[str]) -> list[list[int]]:
    """Tokens of each text, without special ones."""
    ids: list[list[int]] = tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
    return ids


def fed_at_a_time(device: Device) -> int:
    """Nodes of a tree that are fed in a pass on a device."""
    return _FED_ON_CPU if device.on_cpu else _FED_ON_GPU


def picked(logits: "torch.Tensor", rows: NDArray[np.int64], tokens: NDArray[np.int64]) -> Any:
    """Log-probabilities of some tokens in float64: row ``rows[i]`` of the logits predicts ``tokens[i]``."""
    import torch

    values = logits.float()
    at = torch.from_numpy(rows).to(logits.device), torch.from_numpy(tokens).to(logits.device)
    return (values[at] - values.logsumexp(dim=-1)[at[0]]).double().cpu().numpy()
