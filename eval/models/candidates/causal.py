"""Causal models: a candidate's tokens, each after the prompt and the tokens before it.

Candidates stand behind the prompt as one text, in which each token sees the prompt and the tokens that it goes
on from, and nothing else.

``published-greedy`` is what Zhou et al. (2025) do: they continue the prompt greedily and read the j-th token of
a candidate from the j-th step of that continuation. Only a candidate's first token is judged after the right
text; and where the continuation ends itself early, later tokens of a candidate are not counted, so that its
mean is over fewer of them. Both are kept under that name; ``conditional`` has neither.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from blend.eval.models import Likelihoods
from blend.eval.models.batches import agrees, plain_logprob
from blend.eval.models.candidates import (
    Gapped,
    KindScorer,
    Request,
    Tree,
    make_trees,
    plain_tokens,
    tree_scores,
)
from blend.eval.models.encoding import EncodedQuestion, Encoder, n_in_common
from blend.eval.models.model_loading import OpenCheckpoint, context_of
from blend.eval.models.next_tokens import cache_for, cache_of, end_tokens, option_logprobs, takes
from blend.schemas.errors import InputError
from blend.schemas.prompts import Causal

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

STEPS = 50
"""Tokens that the published code continues a prompt by."""

_TRIED = 8
"""Candidates with which it is tried whether a model takes trees, the longest ones."""

_AT_A_TIME = 64
"""Candidates that go on side by side from copies of a cache, where a model takes no trees."""


class CausalScorer(KindScorer):
    """See `candidates.KindScorer`."""

    def __init__(self, opened: OpenCheckpoint, batch_size: int | None, way: Causal) -> None:
        super().__init__(opened, batch_size)
        self._way = way
        self._encoder = Encoder(opened.tokenizer, chat=False)
        self._takes_trees: bool | None = None

    def encoded(self, prompt: Gapped) -> list[int]:
        """See `candidates.KindScorer.encoded`; what follows the gap is not seen."""
        [ids] = self._encoder.prompts([prompt.before.strip()])
        if not ids:
            raise InputError("nothing stands before the gap, and a causal model reads from left to right")
        return ids

    def tokens(self, texts: Sequence[str], *, after_blank: bool) -> list[list[int]]:
        """See `candidates.KindScorer.tokens`."""
        return plain_tokens(self._opened.tokenizer, [f" {text}" if after_blank else text for text in texts])

    def seen(self, request: Request) -> int:
        """See `candidates.KindScorer.seen`; the last token of a candidate is read and not fed."""
        return len(request.ids) + int(request.candidates.lengths.max(initial=0)) - 1

    def scores(self, requests: Sequence[Request]) -> list[Likelihoods]:
        """See `candidates.KindScorer.scores`."""
        return [self._scored(request) for request in requests]

    def alone(self, request: Request, some: Sequence[int]) -> list[float]:
        """See `candidates.KindScorer.alone`."""
        ids, rest = self._asked(request)
        if self._way == "published-greedy":
            # Nothing is computed beside its steps, so that it is tried for finite numbers alone.
            rest = [rest[i] for i in some]
            return list(_greedy_logprobs(self._opened.model, ids, rest, self._ends).logprobs)
        return [plain_logprob(self._opened.model, ids, rest[i]) for i in some]

    @property
    def _ends(self) -> list[int]:
        return end_tokens(self._opened.model, self._opened.tokenizer)

    def _scored(self, request: Request) -> Likelihoods:
        model, own = self._opened.model, request.candidates
        ids, rest = self._asked(request)
        if self._way == "published-greedy":
            return _greedy_logprobs(model, ids, rest, self._ends)
        if self._takes_trees is None:
            self._takes_trees = _takes_trees(model, ids, rest)
        if not self._takes_trees:
            return _separate_logprobs(model, ids, rest)
        if self._way == "statement":
            # They hold the prompt's end as well, so no other prompt shares their trees.
            return _tree_logprobs(model, ids, rest, make_trees(rest, tokens_at_a_time=own.tokens_at_a_time))
        return _tree_logprobs(model, ids, rest, own.trees)

    def _asked(self, request: Request) -> tuple[list[int], list[list[int]]]:
        """Return what the model is given, and the tokens of each candidate read after it."""
        if self._way != "statement":
            return request.ids, request.candidates.tokens
        before, after = request.prompt
        statements = self._encoder.prompts([f"{before}{text}{after}" for text in request.candidates.texts])
        # What the smallest and the largest list in order have in common, all between them have too. What is
        # read must come after something: a text that begins like all others still has a last token.
        same = min(n_in_common(min(statements), max(statements)), *(len(ids) - 1 for ids in statements))
        if same == 0:
            raise InputError(
                f"the statements made of {before!r} have no first token in common; put a blank before the "
                'gap, or choose causal="conditional"'
            )
        return statements[0][:same], [ids[same:] for ids in statements]


def _takes_trees(model: "PreTrainedModel", prompt: Sequence[int], candidates: Sequence[Sequence[int]]) -> bool:
    """Whether a model computes a tree of candidates as it computes each of them alone.

    Some cannot: their state knows no branches (Mamba), positions are none that one could give (ALiBi), or they
    see fewer tokens than the text has (sliding windows). It is tried with a few long candidates.
    """
    window = getattr(model.config.get_text_config(), "sliding_window", None)
    if window is not None or not takes(model, "position_ids"):
        return False
    # Long candidates have most nodes after each other, where a wrong mask or position shows.
    tried = sorted(map(list, candidates), key=len)[-_TRIED:]
    if len(prompt) != context_of(model.config):
        # Twice, as a lone token is never fed: a tree of such would agree in any model.
        tried = [ids * 2 if len(ids) == 1 else ids for ids in tried]
    alone = np.array([plain_logprob(model, prompt, ids) for ids in tried])
    try:
        together = _tree_logprobs(model, prompt, tried, make_trees(tried, tokens_at_a_time=1024))
    except (RuntimeError, ValueError, TypeError):  # what layers without attention say of such a mask
        return False
    return agrees(model, together.tokens, together.logprobs, alone)


def _tree_logprobs(
    model: "PreTrainedModel",
    prompt: Sequence[int],
    candidates: Sequence[Sequence[int]],
    trees: Sequence[Tree],
) -> Likelihoods:
    """Scores of candidates after a prompt, at least one token, by a model that `_takes_trees`."""
    import torch

    def predicted(tokens: Any, positions: Any, sees: Any) -> "torch.Tensor":
        # A four-dimensional mask is added to the attention's scores as it is: 0 lets through, the lowest number
        # hides.
        mask = torch.zeros(sees.shape, dtype=model.dtype).masked_fill_(
            torch.from_numpy(~sees), torch.finfo(model.dtype).min
        )
        logits: torch.Tensor = model(
            input_ids=torch.from_numpy(tokens)[None].to(model.device),
            position_ids=torch.from_numpy(positions)[None].to(model.device),
            attention_mask=mask[None, None].to(model.device),
            use_cache=False,
        ).logits[0]
        return logits

    with torch.inference_mode():
        return tree_scores(candidates, trees, prompt, predicted)


def _separate_logprobs(
    model: "PreTrainedModel", prompt: Sequence[int], candidates: Sequence[Sequence[int]]
) -> Likelihoods:
    """The same for models that take no trees: candidates one by one, from copies of the prompt's cache."""
    lengths = np.array([len(tokens) for tokens in candidates], dtype=np.int32)
    sums = np.full(len(candidates), np.nan)
    some = np.flatnonzero(lengths)
    for start in range(0, len(some), _AT_A_TIME):
        members = some[start : start + _AT_A_TIME]
        question = EncodedQuestion(list(prompt), [list(candidates[i]) for i in members])
        sums[members] = option_logprobs(model, [question])[0]
    return Likelihoods(sums, lengths, len(prompt))


def _greedy_logprobs(
    model: "PreTrainedModel", prompt: Sequence[int], candidates: Sequence[Sequence[int]], ends: Sequence[int]
) -> Likelihoods:
    """Scores as published: of those tokens of a candidate for which the continuation has a step.

    Args:
        model: A causal language model.
        prompt: Tokens of the prompt.
        candidates: Tokens of each.
        ends: Tokens that end a text.
    """
    steps = _steps(model, prompt, candidates, ends)
    lengths = np.array([min(len(tokens), len(steps)) for tokens in candidates], dtype=np.int32)
    sums = [
        sum(float(step[token]) for step, token in zip(steps, tokens, strict=False)) if tokens else np.nan
        for tokens in candidates
    ]
    return Likelihoods(np.array(sums), lengths, len(prompt))


def _steps(
    model: "PreTrainedModel", prompt: Sequence[int], candidates: Sequence[Sequence[int]], ends: Sequence[int]
) -> list[Any]:
    """Log-probabilities of all tokens at each step, up to the one that writes the end."""
    import torch

    steps: list[Any] = []
    with torch.inference_mode():
        ids, cache = torch.tensor([list(prompt)], device=model.device), None
        for _ in range(min(STEPS, max(map(len, candidates), default=0))):
            output = model(input_ids=ids, use_cache=True, **cache_for(model, cache))
            logprobs = torch.log_softmax(output.logits[0, -1].float(), dim=-1)
            steps.append(logprobs.double().cpu().numpy())
            token = int(logprobs.argmax())
            if token in ends:
                break
            ids, cache = torch.tensor([[token]], device=model.device), cache_of(output)
    return steps
