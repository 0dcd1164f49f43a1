"""Masked models: a candidate of n tokens fills n masks, all from one pass.

With ``l[n][i][v]`` the log-softmax at the i-th mask of the prompt with n masks, a candidate of the tokens
``t1..tn`` has the sum over i of ``l[n][i][ti]``. Masks are not filled one after the other.

References:
    Zhou et al. (2025), FmLAMA, section 4; Kassner et al. (2021), Multilingual LAMA (several masks).
"""

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from blend.eval.models.alone import Twice, agrees, summed
from blend.eval.models.batches import padded
from blend.eval.models.candidates.candidate_protocol import CandidateScores, Gapped
from blend.eval.models.candidates.read_positions import read_only
from blend.schemas.prompts.probing_terms import GAP

if TYPE_CHECKING:
    import torch
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
    """Say why a prompt cannot be asked, if so: a dish can be called like the mask."""
    n_masks = ids.count(mask)
    return None if n_masks == 1 else f"the prompt has {n_masks} masks in place of {GAP}; it must have one"


def takes_rows(
    model: "PreTrainedModel", prompt: Sequence[int], mask: int, candidates: MaskedCandidates
) -> bool:
    """Whether a model computes texts that stand in one row as it computes each of them alone.

    It has to take positions, and a mask that says which token sees which. It is tried with a candidate of every
    length.
    """
    if "position_ids" not in inspect.signature(model.forward).parameters:
        return False
    try:
        (together,) = masked_logprobs(model, [prompt], mask, [candidates], in_row=True)
    # What models raise for a mask of four dimensions or for positions that they cannot take.
    except (RuntimeError, ValueError, TypeError, IndexError):
        return False
    tried = [(members[0], candidates.tokens[n][0].tolist()) for n, members in candidates.members.items()]
    return agrees(
        model,
        [
            Twice(str(ids), len(ids), together.logprobs[i], plain_logprob(model, prompt, mask, ids))
            for i, ids in tried
        ],
    )


def masked_logprobs(
    model: "PreTrainedModel",
    prompts: Sequence[Sequence[int]],
    mask: int,
    sets: Sequence[MaskedCandidates],
    *,
    in_row: bool = False,
) -> list[CandidateScores]:
    """Scores of each prompt's candidates, computed as one batch.

    Args:
        model: A masked language model.
        prompts: Tokens of each prompt, with one mask.
        mask: The token of the mask.
        sets: Candidates of each prompt.
        in_row: Have the texts stand in one row, where each sees itself only, in place of rows that are padded:
            no token is computed for nothing. For models that `takes_rows`.
    """
    import torch

    places = [list(prompt).index(mask) for prompt in prompts]
    asked = [(p, n) for p, candidates in enumerate(sets) for n in candidates.members]
    found = [np.full(len(candidates.lengths), np.nan) for candidates in sets]
    if asked:
        texts = [[*prompts[p][: places[p]], *[mask] * n, *prompts[p][places[p] + 1 :]] for p, n in asked]
        lengths = np.array([len(text) for text in texts])
        # Where each mask stands: its text, and its place there.
        text_of = np.repeat(np.arange(len(asked)), [n for _, n in asked])
        place_of = np.concatenate([places[p] + np.arange(n) for p, n in asked])
        if in_row:
            inputs = _row(model, texts, lengths)
            # One row: a text begins where those before it end.
            rows, columns = np.zeros_like(text_of), (np.cumsum(lengths) - lengths)[text_of] + place_of
        else:
            batch = padded(texts, model.device, left=False)
            inputs = {"input_ids": batch.ids, "attention_mask": batch.mask}
            rows, columns = text_of, place_of
        at = (torch.from_numpy(rows).to(model.device), torch.from_numpy(columns).to(model.device))
        with torch.inference_mode(), read_only(model, *at):
            # `read_only` hands the head one text of all masks, in the order of `asked`: shape ``(n_masks,
            # n_vocabulary)``.
            logits = model(**inputs).logits[0]
            logprobs = torch.log_softmax(logits.float(), dim=-1)
            start = 0
            for p, n in asked:
                tokens = torch.from_numpy(sets[p].tokens[n]).to(model.device)
                # Rows of masks broadcast against tokens, shape ``(n_candidates, n)``: the i-th token at the
                # i-th mask.
                of_masks = logprobs[torch.arange(start, start + n, device=model.device), tokens]
                found[p][sets[p].members[n]] = of_masks.double().sum(dim=1).cpu().numpy()
                start += n
    return [
        CandidateScores(values, candidates.lengths, len(prompt))
        for values, candidates, prompt in zip(found, sets, prompts, strict=True)
    ]


def _row(
    model: "PreTrainedModel", texts: Sequence[Sequence[int]], lengths: "np.ndarray[Any, np.dtype[np.int64]]"
) -> "dict[str, torch.Tensor]":
    """Make what a model is given where texts stand in one row, each with positions of its own."""
    import torch

    # Models of RoBERTa's kind count positions from the one after that of their padding.
    first = getattr(getattr(model.base_model, "embeddings", None), "padding_idx", None)
    positions = np.concatenate([np.arange(n) for n in lengths]) + (0 if first is None else first + 1)
    text_of = np.repeat(np.arange(len(texts)), lengths)
    given = {
        "input_ids": np.concatenate(texts)[None],
        "position_ids": positions[None],
        # Shape (1, 1, n_tokens, n_tokens): the row's token sees the column's.
        "attention_mask": (text_of[:, None] == text_of)[None, None],
    }
    return {name: torch.from_numpy(value).to(model.device) for name, value in given.items()}


def plain_logprob(model: "PreTrainedModel", prompt: Sequence[int], mask: int, tokens: Sequence[int]) -> float:
    """Score of one candidate: its masks in one text by itself, all logits."""
    import torch

    position = list(prompt).index(mask)
    text = [*prompt[:position], *[mask] * len(tokens), *prompt[position + 1 :]]
    ids = torch.tensor([text], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[0]
    return summed(logits[position : position + len(tokens)], tokens)
