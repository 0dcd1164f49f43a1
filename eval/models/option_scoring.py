"""Options: their log-probabilities after a prompt, with each prompt computed once.

A prompt goes through the model once, together with the tokens with which all of its options begin, such as
the blank before a letter. Of what comes out only the last positions are read. That is all that options need
which then differ by one token, such as letters; longer ones go on from the prompt's key-value cache, each
from a copy.
"""

import inspect
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from blend.eval.models.batches import Padded, padded
from blend.eval.models.encoding import EncodedQuestion

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

_COPIED = ("DynamicLayer", "DynamicSlidingWindowLayer", "DynamicIndexedLayer", "DummyLayer")
"""Layers of a cache that can be copied whole, by name: not every version of transformers has all. Others
inherit from them and hold more, such as the states of a hybrid model, which the inherited method leaves out."""

PREDICTED_ON_CPU = 2**25
"""Numbers that a pass over options predicts at a time on a CPU, one for every word of the vocabulary at every
token: 128 MB in float32, and as much again while they are added up. Of 150,000 words that is 220 tokens."""

PREDICTED_ON_GPU = 2**30
"""The same on a GPU, whose passes are worth it only if they are larger."""


def option_logprobs(model: "PreTrainedModel", questions: Sequence[EncodedQuestion]) -> list[list[float]]:
    """Sums of log-probabilities of each question's options, computed as one batch.

    Args:
        model: A causal language model.
        questions: Prompts and options, none of them empty and none longer than the model's context.

    Returns:
        Per question, one sum per option in natural logarithm; softmax in float32, sums in float64.
    """
    import torch

    heads = [_head(question.options) for question in questions]
    own = [
        [ids[len(head) :] for ids in question.options] for head, question in zip(heads, questions, strict=True)
    ]
    # Options of which more than one token is left after the head: (question, option), fed in a second pass.
    rows = [(q, o) for q, options in enumerate(own) for o, ids in enumerate(options) if len(ids) > 1]
    longest = max(map(len, heads))
    with torch.inference_mode():
        fed = [question.prefix + head for head, question in zip(heads, questions, strict=True)]
        prefixes = padded(fed, model.device)
        # Padding stands left, so the last columns hold every question's head, whatever its length; one more
        # column predicts the head's first token. Models that do not take logits_to_keep return all columns.
        output = _forward(model, prefixes, use_cache=bool(rows), logits_to_keep=longest + 1)
        if rows and not _shareable(cache_of(output)):
            return _without_sharing(model, questions)
        logits = output.logits[:, -longest - 1 :]
        # What stands before a head's first token predicts it: each is read one place earlier.
        shared = _sums(logits[:, :-1], padded(heads, model.device))
        # The first token of an option after the head, by vocabulary: shape ``(n_questions, n_vocabulary)``.
        first = torch.log_softmax(logits[:, -1].float(), dim=-1)
        sums = [
            [of_head + value for value in first[q, [ids[0] for ids in options]].tolist()]
            for q, (of_head, options) in enumerate(zip(shared, own, strict=True))
        ]
        # Freed before the second pass: over a large vocabulary they are what fills the memory.
        del first, logits
        if rows:
            tails = [own[q][o] for q, o in rows]
            slices = list(_slices(model, tails))
            for positions in slices:
                # A pass goes on from the cache in place, so that all but the last one get a copy.
                cache = cache_of(output) if positions is slices[-1] else deepcopy(cache_of(output))
                part, of_part = [rows[i] for i in positions], [tails[i] for i in positions]
                for (q, o), value in zip(part, _tails(model, cache, prefixes, part, of_part), strict=True):
                    sums[q][o] += value
    return sums


def _slices(model: "PreTrainedModel", options: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Positions of options that are computed in one pass: all, or those of like length that memory allows.

    What a pass takes grows with its options, padded to the longest, times the vocabulary; a batch is measured
    by its prompts and options alone.
    """
    predicted = PREDICTED_ON_CPU if model.device.type == "cpu" else PREDICTED_ON_GPU
    tokens = max(1, predicted // model.config.get_text_config().vocab_size)
    if len(options) * max(map(len, options)) <= tokens:
        yield list(range(len(options)))
        return
    waiting = sorted(range(len(options)), key=lambda i: (-len(options[i]), i))
    while waiting:
        n = max(1, tokens // len(options[waiting[0]]))
        yield waiting[:n]
        waiting = waiting[n:]


def _head(options: Sequence[Sequence[int]]) -> list[int]:
    """The tokens with which all options begin, but for the last token of the shortest."""
    shortest = min(options, key=len)
    n = 0
    while n < len(shortest) - 1 and all(ids[n] == shortest[n] for ids in options):
        n += 1
    return list(shortest[:n])


def _forward(model: "PreTrainedModel", texts: Padded, *, logits_to_keep: int, **options: Any) -> Any:
    """One pass; what a model does not take (positions for one without them) it is not given."""
    wanted = {"position_ids": texts.positions, "logits_to_keep": logits_to_keep}
    taken = inspect.signature(model.forward).parameters
    known = {name: value for name, value in wanted.items() if name in taken}
    return model(input_ids=texts.ids, attention_mask=texts.mask, **known, **options)


def cache_of(output: Any) -> Any:
    """The cache that a pass returned; ``None`` where it returned none.

    transformers renamed it in 5.24; models of one's own have either name.
    """
    return output.cache if hasattr(output, "cache") else getattr(output, "past_key_values", None)


def cache_for(model: "PreTrainedModel", cache: Any) -> dict[str, Any]:
    """The argument by which a model goes on from a cache, under the name that it has there."""
    renamed = "cache" in inspect.signature(model.forward).parameters
    return {"cache" if renamed else "past_key_values": cache}


def _shareable(cache: Any) -> bool:
    """Whether options can go on from copies of a cache: recurrent states and caches of a model's own cannot."""
    layers = getattr(cache, "layers", None)
    return bool(layers and all(type(layer).__name__ in _COPIED for layer in layers))


def _tails(
    model: "PreTrainedModel",
    cache: Any,
    prefixes: Padded,
    rows: Sequence[tuple[int, int]],
    options: Sequence[Sequence[int]],
) -> list[float]:
    """Sums over the second and further tokens of options, which go on from their prompts' cache."""
    import torch

    device = prefixes.ids.device
    # On the CPU: the layers of a model that is spread over GPUs have their caches each on their own.
    of_prompt = torch.tensor([q for q, _ in rows])
    # In place, a copy of the question's cache for each of its options.
    cache.batch_select_indices(of_prompt)
    # The cache ends with prompt and head, so padding stands right of what follows; positions go on from the
    # number of true tokens, not of columns.
    fed = padded([ids[:-1] for ids in options], device, left=False)
    lengths = prefixes.mask.sum(dim=1, keepdim=True)[of_prompt]
    going_on = Padded(
        fed.ids, torch.cat([prefixes.mask[of_prompt], fed.mask], dim=1), fed.positions + lengths * fed.mask
    )
    output = _forward(model, going_on, use_cache=True, logits_to_keep=0, **cache_for(model, cache))
    targets = padded([ids[1:] for ids in options], device, left=False)
    return _sums(output.logits, targets)


def _without_sharing(model: "PreTrainedModel", questions: Sequence[EncodedQuestion]) -> list[list[float]]:
    """The same for models whose state cannot be copied: every option with its whole prompt."""
    options = [ids for question in questions for ids in question.options]
    texts = [question.prefix + ids[:-1] for question in questions for ids in question.options]
    sums: dict[int, float] = {}
    for positions in _slices(model, options):
        part = [options[i] for i in positions]
        width = max(map(len, part))
        fed = padded([texts[i] for i in positions], model.device)
        output = _forward(model, fed, use_cache=False, logits_to_keep=width)
        sums |= zip(positions, _sums(output.logits[:, -width:], padded(part, model.device)), strict=True)
    values = (sums[i] for i in range(len(options)))
    return [[next(values) for _ in question.options] for question in questions]


def _sums(logits: "torch.Tensor", targets: Padded) -> list[float]:
    """Sums of the targets' log-probabilities by row; logits have the shape of the targets, by vocabulary."""
    logits = logits.float()
    # log-softmax of the targets alone: an array of it over the vocabulary would be as large as the logits
    # again.
    chosen = logits.gather(2, targets.ids.unsqueeze(2)).squeeze(2) - logits.logsumexp(dim=2)
    return (chosen.double() * targets.mask).sum(dim=1).tolist()
