"""Causal models as published: every token of a candidate after the model's own greedy continuation.

Zhou et al. (2025) continue the prompt greedily and read the j-th token of a candidate from the j-th step of
that continuation. Only a candidate's first token is judged after the right text; and where the continuation
ends itself early, later tokens of a candidate are not counted, so that its mean is over fewer of them. Both
are kept here under the name ``published-greedy``; ``conditional`` has neither.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from blend.eval.models.alone import summed
from blend.eval.models.candidates.candidate_protocol import CandidateScores
from blend.eval.models.option_scoring import cache_for, cache_of

if TYPE_CHECKING:
    from transformers import PreTrainedModel

STEPS = 50
"""Tokens that the published code continues a prompt by."""


def greedy_logprobs(
    model: "PreTrainedModel", prompt: Sequence[int], candidates: Sequence[Sequence[int]], ends: Sequence[int]
) -> CandidateScores:
    """Scores of candidates after a prompt.

    Args:
        model: A causal language model.
        prompt: Tokens of the prompt.
        candidates: Tokens of each.
        ends: Tokens that end a text.

    Returns:
        Sums over those tokens of a candidate for which the continuation has a step, and their number.
    """
    longest = min(STEPS, max(map(len, candidates), default=0))
    steps = _steps(model, prompt, longest, ends)
    sums, n_tokens = np.full(len(candidates), np.nan), np.zeros(len(candidates), dtype=np.int32)
    for position, tokens in enumerate(candidates):
        read = list(tokens[: len(steps)])
        n_tokens[position] = len(read)
        if read:
            sums[position] = sum(float(steps[step][token]) for step, token in enumerate(read))
    return CandidateScores(sums, n_tokens, len(prompt))


def plain_logprobs(
    model: "PreTrainedModel", prompt: Sequence[int], candidates: Sequence[Sequence[int]], ends: Sequence[int]
) -> list[float]:
    """The same sums from one text, the prompt and its greedy continuation, without a cache."""
    import torch

    steps = _steps(model, prompt, min(STEPS, max(map(len, candidates))), ends)
    # What the last step writes predicts nothing that is read.
    written = [int(logprobs.argmax()) for logprobs in steps[:-1]]
    ids = torch.tensor([[*prompt, *written]], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False).logits[0]
    # The prompt's last token is step 0: it predicts the first token of a candidate.
    return [summed(logits[len(prompt) - 1 :], tokens[: len(steps)]) for tokens in candidates]


def _steps(
    model: "PreTrainedModel", prompt: Sequence[int], n_steps: int, ends: Sequence[int]
) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Log-probabilities of all tokens at each step, up to the one that writes the end."""
    import torch

    steps = []
    with torch.inference_mode():
        ids, cache = torch.tensor([list(prompt)], device=model.device), None
        for _ in range(n_steps):
            output = model(input_ids=ids, use_cache=True, **cache_for(model, cache))
            logprobs = torch.log_softmax(output.logits[0, -1].float(), dim=-1)
            steps.append(logprobs.double().cpu().numpy())
            token = int(logprobs.argmax())
            if token in ends:
                break
            ids, cache = torch.tensor([[token]], device=model.device), cache_of(output)
    return steps
