"""Causal models, ``conditional``: a candidate's tokens, each after the prompt and the tokens before it.

The prompt goes through the model once. Candidates go on from its key-value cache as one text, in which each
token sees the prompt and the tokens that it goes on from, and nothing else.
"""

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from blend.eval.models.alone import Twice, agrees, plain_logprob
from blend.eval.models.candidates.candidate_protocol import CandidateScores
from blend.eval.models.candidates.prefix_tree import TokenRun, Tree, make_tree
from blend.eval.models.candidates.read_positions import picked
from blend.eval.models.encoding import EncodedQuestion
from blend.eval.models.option_scoring import cache_for, cache_of, option_logprobs

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

_TRIED = 8
"""Candidates with which it is tried whether a model takes trees, the longest ones."""

_AT_A_TIME = 64
"""Candidates that go on side by side from copies of a cache, where a model takes no trees."""


def takes_trees(model: "PreTrainedModel", prompt: Sequence[int], candidates: Sequence[Sequence[int]]) -> bool:
    """Whether a model computes a tree of candidates as it computes each of them alone.

    Some cannot: their state cannot be gone back to (Mamba), positions are none that one could give (ALiBi), or
    they see fewer tokens than the text has (sliding windows). It is tried with a few long candidates.
    """
    from transformers.cache_utils import DynamicLayer

    if "position_ids" not in inspect.signature(model.forward).parameters:
        return False
    # Long candidates have most nodes after each other, where a wrong mask or position shows.
    tried = sorted(map(list, candidates), key=len)[-_TRIED:]
    tree = make_tree(tried, fed_at_a_time=1024)
    cache = cache_of(_prefilled(model, prompt))
    layers = getattr(cache, "layers", None)
    # Exactly this class: a subclass may drop what lies outside a window, and `tree_logprobs` sets keys and
    # values itself.
    if not layers or not all(type(layer) is DynamicLayer for layer in layers):
        return False
    together = tree_logprobs(model, prompt, tree).logprobs.tolist()
    return agrees(
        model,
        [
            Twice(str(ids), len(ids), value, plain_logprob(model, prompt, ids))
            for ids, value in zip(tried, together, strict=True)
        ],
    )


def tree_logprobs(model: "PreTrainedModel", prompt: Sequence[int], tree: Tree) -> CandidateScores:
    """Scores of candidates after a prompt.

    Args:
        model: A causal language model that `takes_trees`.
        prompt: Tokens of the prompt, at least one.
        tree: The candidates.
    """
    import torch

    logprobs = np.zeros(len(tree.tokens))
    with torch.inference_mode():
        output = _prefilled(model, prompt)
        nodes = tree.first
        # The prompt's last token (row 0 of the logits kept) predicts the first token of every candidate.
        logprobs[nodes] = _of(output.logits[0], np.zeros(len(nodes), dtype=np.int64), tree.tokens[nodes])
        cache = cache_of(output)
        # Feeding grows the cache; every part goes on from the prompt again.
        of_prompt = [(layer.keys, layer.values) for layer in cache.layers]
        for part in tree.parts:
            for layer, (keys, values) in zip(cache.layers, of_prompt, strict=True):
                layer.keys, layer.values = keys, values
            logits = _fed(model, cache, len(prompt), part)
            logprobs[part.read] = _of(logits, part.rows, tree.tokens[part.read])
    return CandidateScores(tree.sums(logprobs), tree.lengths.astype(np.int32), len(prompt))


def separate_logprobs(
    model: "PreTrainedModel", prompt: Sequence[int], candidates: Sequence[Sequence[int]]
) -> CandidateScores:
    """The same for models that take no trees: candidates one by one, from copies of the prompt's cache."""
    lengths = np.array([len(tokens) for tokens in candidates], dtype=np.int32)
    sums = np.full(len(candidates), np.nan)
    some = np.flatnonzero(lengths)
    for start in range(0, len(some), _AT_A_TIME):
        members = some[start : start + _AT_A_TIME]
        question = EncodedQuestion(list(prompt), [list(candidates[i]) for i in members])
        sums[members] = option_logprobs(model, [question])[0]
    return CandidateScores(sums, lengths, len(prompt))


def _prefilled(model: "PreTrainedModel", prompt: Sequence[int]) -> Any:
    """The prompt's cache, and what is predicted after its last token."""
    import torch

    with torch.inference_mode():
        ids = torch.tensor([list(prompt)], device=model.device)
        known = inspect.signature(model.forward).parameters
        last = {"logits_to_keep": 1} if "logits_to_keep" in known else {}
        output = model(input_ids=ids, use_cache=True, **last)
        output.logits = output.logits[:, -1:]
        return output


def _fed(model: "PreTrainedModel", cache: Any, n_prompt: int, part: TokenRun) -> "torch.Tensor":
    import torch

    # Shape ``(n_fed, n_prompt + n_fed)``: every node sees the whole prompt, and of the nodes its own
    # beginnings.
    sees = np.concatenate([np.ones((len(part.tokens), n_prompt), dtype=bool), part.sees], axis=1)
    # A four-dimensional mask is added to the attention's scores as it is: 0 lets through, the lowest number
    # hides.
    mask = torch.zeros(sees.shape, dtype=model.dtype).masked_fill_(
        torch.from_numpy(~sees), torch.finfo(model.dtype).min
    )
    logits: torch.Tensor = model(
        input_ids=torch.from_numpy(part.tokens)[None].to(model.device),
        # Siblings have the same position, though they stand behind each other in the row.
        position_ids=torch.from_numpy(part.depths + n_prompt)[None].to(model.device),
        attention_mask=mask[None, None].to(model.device),
        use_cache=True,
        **cache_for(model, cache),
    ).logits[0]
    return logits


def _of(logits: "torch.Tensor", rows: Any, tokens: Any) -> Any:
    import torch

    return picked(
        logits, torch.from_numpy(rows).to(logits.device), torch.from_numpy(tokens).to(logits.device)
    ).numpy()
