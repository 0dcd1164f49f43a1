"""What a prober is asked and what it gives back: a figure per candidate, whatever model is behind it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from blend.eval.models.protocols import Described
from blend.schemas.errors import InputError
from blend.schemas.prompts.probing_terms import GAP


@dataclass(frozen=True, slots=True, eq=False)
class CandidateScores:
    """Likelihood of each candidate in the gap of one prompt."""

    logprobs: NDArray[np.float64]
    """Sum of the log-probabilities (natural logarithm) of a candidate's tokens, shape ``(n_candidates,)``; NaN
    where it cannot be ranked: it has too many tokens for a masked model, or none."""
    tokens: NDArray[np.int32]
    """Tokens that the sum is over, same shape; those that the candidate has where it is not ranked."""
    tokens_in: int
    """Tokens of the prompt."""
    error: str | None = None
    """Why there are no scores at all, in words for a user; then both arrays are empty."""

    @classmethod
    def failed(cls, error: str, *, tokens_in: int = 0) -> "CandidateScores":
        """A prompt without scores, and why."""
        return cls(np.empty(0), np.empty(0, dtype=np.int32), tokens_in, error)


@dataclass(frozen=True, slots=True)
class Tokenised:
    """Tokens that a tokenizer makes of a candidate, as counts."""

    n_tokens: int
    """Tokens; 0 where nothing is left of it."""
    n_unknown: int
    """Of these, tokens that stand for what the tokenizer does not know."""


OnCandidates = Callable[[int, CandidateScores], None]
"""Takes scores as soon as they are there: position of the prompt, and its scores."""


class CandidateScorer(Described, Protocol):
    """Says how likely given candidates are in the gap of a prompt."""

    def candidate_logprobs(
        self,
        prompts: Sequence[str],
        sets: Sequence[int],
        candidates: Sequence[Sequence[str]],
        *,
        keep: OnCandidates,
    ) -> None:
        """Scores of every prompt's candidates, handed on in the order of the prompts.

        Args:
            prompts: Texts with one gap each (`probing_terms.GAP`).
            sets: For each prompt the position of its candidates among ``candidates``.
            candidates: Sets of candidates, as text.
            keep: Takes the scores of each prompt.

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

    @property
    def opening(self) -> str:
        """The text before the gap, stripped: what a model that reads from left to right is given."""
        return self.before.strip()

    def spoken(self, candidate: str) -> str:
        """The candidate as it continues the opening, with the blank before it where the prompt has one."""
        return f" {candidate}" if self.after_blank else candidate


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
