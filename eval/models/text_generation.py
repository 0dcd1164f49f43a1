"""Writing: texts generated after prompts, greedily or drawn, each independent of the others in its batch."""

import hashlib
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from blend.eval.models.batches import padded
from blend.eval.models.protocols import Decoding, FinishReason, Generation
from blend.eval.models.thoughts import AROUND_ANSWERS, MARKS, split_thought

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class Reading(NamedTuple):
    """How a model's tokens are read as thoughts and an answer."""

    is_open: bool
    """Whether every prompt ends inside a thought."""
    kept: Mapping[int, str]
    """Special tokens that are part of a mark, with their text; all others are left out of a text."""


def reading(tokenizer: "PreTrainedTokenizerBase", *, is_open: bool) -> Reading:
    """How what a model thinks is told from what it says, by its tokenizer; see `Reading`."""
    special = {
        number: token.content for number, token in tokenizer.added_tokens_decoder.items() if token.special
    }
    marks = [mark for pair in MARKS for mark in pair]
    kept = {number: text for number, text in special.items() if any(text in mark for mark in marks)}
    if kept:
        kept |= {number: text for number, text in special.items() if any(text in m for m in AROUND_ANSWERS)}
    return Reading(is_open, kept)


def write(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    prompts: Sequence[Sequence[int]],
    seeds: Sequence[int],
    decoding: Decoding,
    *,
    max_tokens: int,
    reading: Reading,
) -> list[Generation]:
    """One answer per prompt, computed as one batch.

    Args:
        model: A causal language model.
        tokenizer: Its tokenizer.
        prompts: Tokens of each prompt, none empty.
        seeds: Where drawing starts for each prompt (`draw_seeds`); without effect at temperature 0.
        decoding: How to write.
        max_tokens: Tokens of an answer at most, `Decoding.max_tokens` or what the context leaves.
        reading: How what is thought is told from what is said.
    """
    import torch
    from transformers import GenerationConfig

    texts = padded(prompts, model.device)
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
        _answer(tokenizer, len(prompt), ids, ends, decoding.stop, reading)
        for prompt, ids in zip(prompts, new, strict=True)
    ]


def draw_seeds(prompts: Sequence[str], samples: Sequence[int] | None, decoding: Decoding) -> list[int]:
    """Say where drawing starts for each prompt: a digest of prompt, draw and seed, and nothing else.

    For the arguments see `protocols.Generator.generate`.
    """
    draws = [0] * len(prompts) if samples is None else samples
    texts = [f"{decoding.seed}|{draw}|{prompt}" for prompt, draw in zip(prompts, draws, strict=True)]
    return [int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1 for text in texts]


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
    tokenizer: "PreTrainedTokenizerBase",
    tokens_in: int,
    ids: list[int],
    ends: list[int],
    stop: Sequence[str],
    reading: Reading,
) -> Generation:
    """The answer, cut where the text ended: the rest of its row waited for others in the batch."""
    end = next((i + 1 for i, token in enumerate(ids) if token in ends), None)
    ids = ids[:end]
    text = _decoded(tokenizer, ids, reading.kept)
    finish: FinishReason = "length" if end is None else "stop"
    positions = [position for mark in stop if (position := text.find(mark)) >= 0]
    if positions:
        text, finish = text[: min(positions)], "stop"
        while ids and any(mark in _decoded(tokenizer, ids[:-1], reading.kept) for mark in stop):
            ids = ids[:-1]
    split = split_thought(text, is_open=reading.is_open)
    return Generation(split.text, tokens_in, len(ids), finish, thought=split.thought)


def _decoded(tokenizer: "PreTrainedTokenizerBase", ids: list[int], kept: Mapping[int, str]) -> str:
    """The text of tokens without special ones, but for those that are kept."""

    def plain(run: list[int]) -> Any:
        return tokenizer.decode(run, skip_special_tokens=True, clean_up_tokenization_spaces=False)

    # One by one, only where there are any: a tokenizer may write a token otherwise at the beginning of a text.
    return "".join(
        "".join(kept[token] for token in run) if is_kept else plain(list(run))
        for is_kept, run in groupby(ids, key=kept.__contains__)
    )
