"""Writing: texts generated after prompts, greedily or drawn, each independent of the others in its batch."""

import hashlib
from collections.abc import Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from blend.eval.models.batches import padded
from blend.eval.models.protocols import Decoding, FinishReason, Generation
from blend.eval.models.thoughts import Marks, split_thought

if TYPE_CHECKING:
    import torch
    from transformers import GenerationConfig, PreTrainedModel, PreTrainedTokenizerBase


class Reading(NamedTuple):
    """How a model's tokens are read as thoughts and an answer."""

    further: tuple[Marks, ...] = ()
    """Pairs of marks around thoughts besides the usual ones."""
    is_open: bool = False
    """Whether every prompt ends inside a thought."""
    kept: Mapping[int, str] = MappingProxyType({})
    """Special tokens that are part of a mark, with their text; all others are left out of a text."""


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
        seeds: Where drawing starts for each prompt (`draw_seed`); without effect at temperature 0.
        decoding: How to write.
        max_tokens: Tokens of an answer at most, `Decoding.max_tokens` or what the context leaves.
        reading: How what is thought is told from what is said.
    """
    import torch

    texts = padded(prompts, model.device)
    ends = end_tokens(model, tokenizer)
    drawn = [_Drawn(decoding.temperature, seeds, model.device)] if decoding.temperature > 0 else []
    with torch.inference_mode():
        written = model.generate(
            inputs=texts.ids,
            attention_mask=texts.mask,
            generation_config=_settings(ends, tokenizer, decoding, max_tokens),
            logits_processor=drawn,
            **({"tokenizer": tokenizer} if decoding.stop else {}),
        )
    new: list[list[int]] = written[:, texts.ids.shape[1] :].tolist()
    return [
        read_generation(tokenizer, len(prompt), ids, ends, decoding.stop, reading)
        for prompt, ids in zip(prompts, new, strict=True)
    ]


def draw_seeds(prompts: Sequence[str], samples: Sequence[int] | None, decoding: Decoding) -> list[int]:
    """Say where drawing starts for each prompt; see `protocols.Generator.generate` for the arguments."""
    draws = [0] * len(prompts) if samples is None else samples
    return [draw_seed(prompt, sample, decoding) for prompt, sample in zip(prompts, draws, strict=True)]


def draw_seed(prompt: str, sample: int, decoding: Decoding) -> int:
    """Say where drawing starts: a digest of prompt, draw and seed, so that nothing else decides an answer."""
    digest = hashlib.sha256(f"{decoding.seed}|{sample}|{prompt}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def end_tokens(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> list[int]:
    """The tokens that end a text: those of the model's generation settings, else the tokenizer's."""
    ends = getattr(model.generation_config, "eos_token_id", None)
    ends = tokenizer.eos_token_id if ends is None else ends
    return [] if ends is None else list(ends) if isinstance(ends, (list, tuple)) else [ends]


def _settings(
    ends: list[int], tokenizer: "PreTrainedTokenizerBase", decoding: Decoding, max_tokens: int
) -> "GenerationConfig":
    from transformers import GenerationConfig

    pad = tokenizer.pad_token_id
    return GenerationConfig(
        max_new_tokens=max_tokens,
        # Drawing is done by the processor: the library has one random state for a whole batch.
        do_sample=False,
        num_beams=1,
        use_cache=True,
        eos_token_id=ends or None,
        # Without a token for padding any will do: what is padded is masked before, and cut off after.
        pad_token_id=pad if pad is not None else ends[0] if ends else 0,
        stop_strings=list(decoding.stop) or None,
    )


class _Drawn:
    """Draws the next token of each text from a random state of its own.

    The largest of log-probability plus Gumbel noise is a draw from the distribution (Gumbel 1954; Maddison et
    al. 2014, https://arxiv.org/abs/1411.0030), so that a greedy choice afterwards draws.
    """

    def __init__(self, temperature: float, seeds: Sequence[int], device: Any) -> None:
        import torch

        self._temperature = temperature
        # On the CPU, where a seed gives the same numbers on every machine.
        self._states = [torch.Generator().manual_seed(seed) for seed in seeds]
        self._device = device

    def __call__(self, _ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        import torch

        noise = torch.stack([torch.rand(scores.shape[1], generator=state) for state in self._states])
        gumbel = -torch.log(-torch.log(noise.clamp(min=1e-30).to(self._device)))
        return scores.float() / self._temperature + gumbel


def read_generation(
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
    split = split_thought(text, reading.further, is_open=reading.is_open)
    return Generation(split.text, tokens_in, len(ids), finish, thought=split.thought)


def _decoded(tokenizer: "PreTrainedTokenizerBase", ids: list[int], kept: Mapping[int, str]) -> str:
    """The text of tokens without special ones, but for those that are kept."""
    # One by one, only where there are any: a tokenizer may write a token otherwise at the beginning of a text.
    return "".join(
        "".join(kept[token] for token in run) if is_kept else _plain(tokenizer, list(run))
        for is_kept, run in groupby(ids, key=kept.__contains__)
    )


def _plain(tokenizer: "PreTrainedTokenizerBase", ids: list[int]) -> str:
    text = tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    assert isinstance(text, str)
    return text
