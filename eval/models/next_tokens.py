"""Next tokens of a causal language model: texts written after prompts, and how likely options are after them.

Texts are generated greedily or drawn, each independent of the others in its batch. Of options each prompt is
computed once, with the head that all its options share: many tokenizers make a token of the blank before a
letter. What its last position predicts is the next token of each option, which is all that letters need.
Longer ones go on from the prompt's key-value cache, each from a copy.
"""

import inspect
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from blend.eval.models import (
    Decoding,
    FinishReason,
    Generation,
)
from blend.eval.models.batches import Padded, padded
from blend.eval.models.encoding import EncodedQuestion, Encoder
from blend.eval.models.replies import split_thought

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def write(
    model: "PreTrainedModel",
    encoder: Encoder,
    prompts: Sequence[Sequence[int]],
    seeds: Sequence[int],
    decoding: Decoding,
    *,
    max_tokens: int,
) -> list[Generation]:
    """One answer per prompt, computed as one batch.

    Args:
        model: A causal language model.
        encoder: Of its tokenizer.
        prompts: Tokens of each prompt, none empty.
        seeds: Where drawing starts for each prompt (`draw_seeds`); without effect at temperature 0.
        decoding: How to write.
        max_tokens: Tokens of an answer at most, `Decoding.max_tokens` or what the context leaves.
    """
    import torch
    from transformers import GenerationConfig

    texts, tokenizer = padded(prompts, model.device), encoder.tokenizer
    ends = end_tokens(model, tokenizer)
    pad = tokenizer.pad_token_id
    settings = GenerationConfig(
        max_new_tokens=max_tokens,
        # Drawing is done by the processor: the library has one random state for a whole batch.
        do_sample=False,
        num_beams=1,
        use_cache=True,
        eos_token_id=ends or None,
        # Without a token for padding any will do: what is padded is masked before, and cut off after.
        pad_token_id=pad if pad is not None else next(iter(ends), 0),
        stop_strings=list(decoding.stop) or None,
    )
    with torch.inference_mode():
        written = model.generate(
            inputs=texts.ids,
            attention_mask=texts.mask,
            generation_config=settings,
            logits_processor=[_Drawn(decoding.temperature, seeds)] if decoding.temperature > 0 else [],
            **({"tokenizer": tokenizer} if decoding.stop else {}),
        )
    new: list[list[int]] = written[:, texts.ids.shape[1] :].tolist()
    return [
        _answer(encoder, len(prompt), ids, ends, decoding.stop)
        for prompt, ids in zip(prompts, new, strict=True)
    ]


def end_tokens(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> list[int]:
    """The tokens that end a text: those of the model's generation settings, else the tokenizer's."""
    ends = getattr(model.generation_config, "eos_token_id", None)
    ends = tokenizer.eos_token_id if ends is None else ends
    return [] if ends is None else list(ends) if isinstance(ends, (list, tuple)) else [ends]


class _Drawn:
    """Draws the next token of each text from a random state of its own.

    The largest of log-probability plus Gumbel noise is a draw from the distribution (Gumbel 1954; Maddison et
    al. 2014, https://arxiv.org/abs/1411.0030), so that a greedy choice afterwards draws.
    """

    def __init__(self, temperature: float, seeds: Sequence[int]) -> None:
        import torch

        self._temperature = temperature
        # On the CPU, where a seed gives the same numbers on every machine.
        self._states = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, _ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        import torch

        noise = torch.stack([torch.rand(scores.shape[1], generator=state) for state in self._states])
        gumbel = -torch.log(-torch.log(noise.clamp(min=1e-30).to(scores.device)))
        return scores.float() / self._temperature + gumbel


def _answer(
    encoder: Encoder, tokens_in: int, ids: list[int], ends: list[int], stop: Sequence[str]
) -> Generation:
    """The answer, cut where the text ended: the rest of its row waited for others in the batch."""
    end = next((i + 1 for i, token in enumerate(ids) if token in ends), None)
    ids = ids[:end]
    text = encoder.decoded(ids)
    finish: FinishReason = "length" if end is None else "stop"
    positions = [position for mark in stop if (position := text.find(mark)) >= 0]
    if positions:
        text, finish = text[: min(positions)], "stop"
        while ids and any(mark in encoder.decoded(ids[:-1]) for mark in stop):
            ids = ids[:-1]
    split = split_thought(text, is_open=encoder.is_open)
    return Generation(split.text, tokens_in, len(ids), finish, thought=split.thought)


_COPIED = ("DynamicLayer", "DynamicSlidingWindowLayer", "DynamicIndexedLayer", "DummyLayer")
"""Layers of a cache that can be copied whole, by name: not every version of transformers has all. Others
inherit from them and hold more, such as the states of a hybrid model, which the inherited method leaves out."""

_PREDICTED_ON_CPU = 2**25
"""Numbers that a pass over options predicts at a time on a CPU, one for every word of the vocabulary at every
token: 128 MB in float32, and as much again while they are added up. Of 150,000 words that is 220 tokens."""

_PREDICTED_ON_GPU = 2**30
"""The same on a GPU, whose passes are worth it only if they are larger."""


def as_one(questions: Sequence[EncodedQuestion]) -> EncodedQuestion:
    """Questions with the same prompt as one, with every option of theirs once, in the order of the first."""
    options = dict.fromkeys(tuple(ids) for question in questions for ids in question.options)
    return EncodedQuestion(questions[0].prefix, [list(ids) for ids in options])


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
    own = [[ids[len(head) :] for ids in one.options] for head, one in zip(heads, questions, strict=True)]
    # Options of which more than a token is left behind the head, fed in a second pass: (question, option).
    rows = [(q, o) for q, options in enumerate(own) for o, ids in enumerate(options) if len(ids) > 1]
    longest = max(map(len, heads))
    with torch.inference_mode():
        # Padding stands left, so that the last column predicts what follows each of the heads, and those before
        # it the heads themselves, whatever their length.
        fed = [question.prefix + head for head, question in zip(heads, questions, strict=True)]
        prompts = padded(fed, model.device)
        output = _forward(model, prompts, use_cache=bool(rows), logits_to_keep=longest + 1)
        cache = cache_of(output)
        if rows and not _can_be_copied(cache):
            return _without_cache(model, questions)
        logits = output.logits[:, -longest - 1 :]
        of_heads = _sums(logits[:, :-1], padded(heads, model.device)) if longest else [0.0] * len(heads)
        first = torch.log_softmax(logits[:, -1].float(), dim=-1)
        # All questions in one step: a GPU is waited for each time that something is fetched from it.
        openings = padded([[ids[0] for ids in options] for options in own], model.device, left=False)
        fetched = first.gather(1, openings.ids).tolist()
        sums = [
            [of_head + value for value in row[: len(options)]]
            for of_head, row, options in zip(of_heads, fetched, own, strict=True)
        ]
        # Freed before the second pass: over a large vocabulary they are what fills the memory.
        del first, logits, output
        tails = [own[q][o] for q, o in rows]
        slices = list(_slices(model, tails))
        for positions in slices:
            # A pass goes on from the cache in place, so that all but the last one get a copy.
            own = cache if positions is slices[-1] else deepcopy(cache)
            of_prompt = torch.tensor([rows[i][0] for i in positions])
            values = _tails(model, own, prompts, of_prompt, [tails[i] for i in positions])
            for i, value in zip(positions, values, strict=True):
                q, o = rows[i]
                sums[q][o] += value
    return sums


def _head(options: Sequence[Sequence[int]]) -> list[int]:
    """The tokens with which all options begin, but for the last token of the shortest."""
    columns = takewhile(lambda column: len({*column}) == 1, zip(*options, strict=False))
    return [column[0] for column in columns][: min(map(len, options)) - 1]


def _slices(model: "PreTrainedModel", options: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Positions of options of like length that are computed in one pass.

    What a pass takes grows with its options, padded to the longest, times the vocabulary; a batch is measured
    by its prompts and options alone.
    """
    predicted = _PREDICTED_ON_CPU if model.device.type == "cpu" else _PREDICTED_ON_GPU
    tokens = predicted // model.config.get_text_config().vocab_size
    waiting = sorted(range(len(options)), key=lambda i: (-len(options[i]), i))
    while waiting:
        n = max(1, tokens // len(options[waiting[0]]))
        yield waiting[:n]
        waiting = waiting[n:]


def takes(model: "PreTrainedModel", argument: str) -> bool:
    """Whether a model can be given an argument, such as positions."""
    return argument in inspect.signature(model.forward).parameters


def cache_of(output: Any) -> Any:
    """The cache that a pass returned; ``None`` where it returned none.

    transformers renamed it in 5.24; models of one's own have either name.
    """
    return output.cache if hasattr(output, "cache") else getattr(output, "past_key_values", None)


def cache_for(model: "PreTrainedModel", cache: Any) -> dict[str, Any]:
    """The argument by which a model goes on from a cache, under the name that it has there."""
    return {"cache" if takes(model, "cache") else "past_key_values": cache}


def _forward(model: "PreTrainedModel", texts: Padded, *, logits_to_keep: int, **options: Any) -> Any:
    """One pass; what a model does not take (positions for one without them) it is not given."""
    wanted = {"position_ids": texts.positions, "logits_to_keep": logits_to_keep}
    known = {name: value for name, value in wanted.items() if takes(model, name)}
    return model(input_ids=texts.ids, attention_mask=texts.mask, **known, **options)


def _can_be_copied(cache: Any) -> bool:
    """Whether options can go on from copies of a cache: recurrent states and caches of a model's own cannot."""
    layers = getattr(cache, "layers", None)
    return bool(layers and all(type(layer).__name__ in _COPIED for layer in layers))


def _tails(
    model: "PreTrainedModel",
    cache: Any,
    prompts: Padded,
    of_prompt: "torch.Tensor",
    options: Sequence[Sequence[int]],
) -> list[float]:
    """Sums over the second and further tokens of options, which go on from their prompts' cache."""
    import torch

    # In place, a copy of the prompt's cache for each of its options. The numbers are on the CPU: the layers of
    # a model that is spread over GPUs have their caches each on their own.
    cache.batch_select_indices(of_prompt)
    # The cache ends with the prompt, so padding stands right of what follows; positions go on from the number
    # of true tokens, not of columns.
    fed = padded([ids[:-1] for ids in options], model.device, left=False)
    lengths = prompts.mask.sum(dim=1, keepdim=True)[of_prompt]
    mask = torch.cat([prompts.mask[of_prompt], fed.mask], dim=1)
    going_on = Padded(fed.ids, mask, fed.positions + lengths * fed.mask)
    output = _forward(model, going_on, use_cache=True, logits_to_keep=0, **cache_for(model, cache))
    return _sums(output.logits, padded([ids[1:] for ids in options], model.device, left=False))


def _without_cache(model: "PreTrainedModel", questions: Sequence[EncodedQuestion]) -> list[list[float]]:
    """The same for models whose state cannot be copied: every option with its whole prompt."""
    rows = [(q, o) for q, question in enumerate(questions) for o in range(len(question.options))]
    options = [questions[q].options[o] for q, o in rows]
    sums = [[0.0] * len(question.options) for question in questions]
    for positions in _slices(model, options):
        part = [options[i] for i in positions]
        width = max(map(len, part))
        texts = [questions[rows[i][0]].prefix + options[i][:-1] for i in positions]
        output = _forward(model, padded(texts, model.device), use_cache=False, logits_to_keep=width)
        values = _sums(output.logits[:, -width:], padded(part, model.device))
        for i, value in zip(positions, values, strict=True):
            sums[rows[i][0]][rows[i][1]] = value
    return sums


def _sums(logits: "torch.Tensor", targets: Padded) -> list[float]:
    """Sums of the targets' log-probabilities by row; logits have the shape of the targets, by vocabulary."""
    logits = logits.float()
    # log-softmax of the targets alone: an array of it over the vocabulary would be as large as the logits
    # again.
    chosen = logits.gather(2, targets.ids.unsqueeze(2)).squeeze(2) - logits.logsumexp(dim=2)
    return (chosen.double() * targets.mask).sum(dim=1).tolist()
