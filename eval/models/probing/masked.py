"""Masked models: a candidate of n tokens fills n masks, all from one pass.

With ``l[n][i][v]`` the log-softmax at the i-th mask of the prompt with n masks, a candidate of the tokens
``t1..tn`` has the sum over i of ``l[n][i][ti]``. Masks are not filled one after the other.

References:
    Zhou et al. (2025), FmLAMA, section 4; Kassner et al. (2021), Multilingual LAMA (several masks).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from blend.eval.models.alone import summed
from blend.eval.models.padding import padded
from blend.eval.models.probing.heads import read_only
from blend.eval.models.probing.prompts import Gapped
from blend.eval.models.probing.protocol import CandidateScores
from blend.schemas.probing import GAP

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class MaskedCandidates:
    """Candidates as tokens, by their number."""

    def __init__(self, candidates: Sequence[Sequence[int]], max_masks: int) -> None:
        """Prepare.

        Args:
            candidates: Tokens of each.
            max_masks: Tokens up to which a candidate is ranked.
        """
        self.lengths = np.array([len(tokens) for tokens in candidates], dtype=np.int32)
        ranked = sorted({n for n in self.lengths.tolist() if 0 < n <= max_masks})
        self.members = {n: np.flatnonzero(self.lengths == n) for n in ranked}
        """Positions of the candidates with so many tokens."""
        self.tokens = {
            n: np.array([candidates[i] for i in members.tolist()]) for n, members in self.members.items()
        }
        """Their tokens, shape ``(n_candidates, n)``."""

    @property
    def longest(self) -> int:
        """Masks of the longest prompt."""
        return max(self.members, default=0)


def encoded(tokenizer: "PreTrainedTokenizerBase", prompt: Gapped) -> list[int]:
    """The tokens of a prompt with one mask in its gap."""
    text = f"{prompt.before}{tokenizer.mask_token}{prompt.after}"
    ids: list[int] = tokenizer(text, verbose=False)["input_ids"]
    return ids


def problem(ids: Sequence[int], mask: int) -> str | None:
    """Why a prompt cannot be asked, if so: a dish can be called like the mask."""
    n_masks = ids.count(mask)
    return None if n_masks == 1 else f"the prompt has {n_masks} masks in place of {GAP}; it must have one"


def masked_logprobs(
    model: "PreTrainedModel", prompts: Sequence[Sequence[int]], mask: int, sets: Sequence[MaskedCandidates]
) -> list[CandidateScores]:
    """Scores of each prompt's candidates, computed as one batch.

    Args:
        model: A masked language model.
        prompts: Tokens of each prompt, with one mask.
        mask: The token of the mask.
        sets: Candidates of each prompt.
    """
    import torch

    places = [list(prompt).index(mask) for prompt in prompts]
    asked = [(p, n) for p, candidates in enumerate(sets) for n in candidates.members]
    found = [np.full(len(candidates.lengths), np.nan) for candidates in sets]
    if asked:
        texts = [[*prompts[p][: places[p]], *[mask] * n, *prompts[p][places[p] + 1 :]] for p, n in asked]
        batch = padded(texts, model.device, left=False)
        rows = torch.tensor([row for row, (_, n) in enumerate(asked) for _ in range(n)], device=model.device)
        columns = torch.tensor([places[p] + i for p, n in asked for i in range(n)], device=model.device)
        with torch.inference_mode(), read_only(model, rows, columns):
            logits = model(input_ids=batch.ids, attention_mask=batch.mask).logits[0]
            logprobs = torch.log_softmax(logits.float(), dim=-1)
            start = 0
            for p, n in asked:
                tokens = torch.from_numpy(sets[p].tokens[n]).to(model.device)
                of_masks = logprobs[torch.arange(start, start + n, device=model.device), tokens]
                found[p][sets[p].members[n]] = of_masks.double().sum(dim=1).cpu().numpy()
                start += n
    return [
        CandidateScores(values, candidates.lengths, len(prompt))
        for values, candidates, prompt in zip(found, sets, prompts, strict=True)
    ]


def plain_logprob(model: "PreTrainedModel", prompt: Sequence[int], mask: int, tokens: Sequence[int]) -> float:
    """Score of one candidate: its masks in one text by itself, all logits."""
    import torch

    place = list(prompt).index(mask)
    text = [*prompt[:place], *[mask] * len(tokens), *prompt[place + 1 :]]
    ids = torch.tensor([text], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[0]
    return summed(logits[place : place + len(tokens)], tokens)
