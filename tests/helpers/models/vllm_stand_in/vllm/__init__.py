"""A stand-in for vLLM: the part of its interface that we use, computed by transformers, one text at a time.

It takes nothing that ``LLM``, ``SamplingParams`` and ``LLM.generate`` of vLLM do not take (version 0.10), and
gives back what they give. It shows that we speak that interface, and not that vLLM computes the same.
"""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

__version__ = "0.0.stand-in"


@dataclass
class SamplingParams:
    """Settings of one text."""

    max_tokens: int
    temperature: float
    seed: int | None = None
    stop: list[str] | None = None
    stop_token_ids: list[int] = field(default_factory=list)
    prompt_logprobs: int | None = None


class LLM:
    """A loaded model."""

    def __init__(
        self,
        *,
        model: str,
        dtype: str,
        tensor_parallel_size: int,
        trust_remote_code: bool,
        max_model_len: int | None,
        seed: int,
    ) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        assert (tensor_parallel_size, trust_remote_code, seed) == (1, False, 0)
        self._longest = max_model_len
        self._tokenizer = AutoTokenizer.from_pretrained(model)
        self._model = AutoModelForCausalLM.from_pretrained(model, dtype=getattr(torch, dtype)).eval()

    def generate(
        self, prompts: list[dict[str, list[int]]], sampling_params: list[SamplingParams], *, use_tqdm: bool
    ) -> list[Any]:
        """One output per prompt, in order."""
        assert not use_tqdm
        return [
            self._output(prompt["prompt_token_ids"], settings)
            for prompt, settings in zip(prompts, sampling_params, strict=True)
        ]

    def _output(self, prompt: list[int], settings: SamplingParams) -> Any:
        import torch

        longest = len(prompt) + settings.max_tokens
        assert self._longest is None or longest <= self._longest, "longer than max_model_len"
        state = None if settings.seed is None else torch.Generator().manual_seed(settings.seed)
        ids = list(prompt)
        with torch.no_grad():
            of_prompt = torch.log_softmax(self._model(torch.tensor([ids])).logits[0].float(), dim=-1)
            while len(ids) < longest:
                logits = self._model(torch.tensor([ids])).logits[0, -1].float()
                if settings.temperature > 0:
                    odds = torch.softmax(logits / settings.temperature, dim=-1)
                    ids.append(int(torch.multinomial(odds, 1, generator=state)))
                else:
                    ids.append(int(logits.argmax()))
                text = self._tokenizer.decode(ids[len(prompt) :])
                if ids[-1] in settings.stop_token_ids or any(mark in text for mark in settings.stop or ()):
                    break
        known = None
        if settings.prompt_logprobs is not None:
            pairs = enumerate(prompt[1:])
            known = [None, *({t: SimpleNamespace(logprob=float(of_prompt[i, t]))} for i, t in pairs)]
        return SimpleNamespace(
            prompt_logprobs=known, outputs=[SimpleNamespace(token_ids=tuple(ids[len(prompt) :]))]
        )
