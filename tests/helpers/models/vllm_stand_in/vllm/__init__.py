"""A stand-in for vLLM: the part of its interface that we use, computed by transformers, one text at a time.

It takes nothing that ``LLM``, ``SamplingParams`` and ``LLM.generate`` of vLLM do not take (version 0.10), and
gives back what they give. It shows that we speak that interface, and not that vLLM computes the same. Of the
asynchronous engine it has what `ray.data.llm` (version 2.60) asks for.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from vllm import outputs

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
    structured_outputs: None = None


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


class AsyncEngineArgs:
    """Options of an engine."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def create_engine_config(self) -> Any:
        """What an engine settles."""
        return SimpleNamespace(
            scheduler_config=SimpleNamespace(max_num_seqs=64),
            parallel_config=SimpleNamespace(pipeline_parallel_size=1),
        )


class AsyncLLMEngine:
    """A loaded model that is asked one prompt at a time."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @classmethod
    def from_engine_args(cls, args: AsyncEngineArgs, *, stat_loggers: None) -> "AsyncLLMEngine":
        """Load a model."""
        known = ("model", "dtype", "trust_remote_code", "max_model_len", "seed")
        backend = {"distributed_executor_backend": "uni", "runner": "generate", "enable_log_requests": False}
        assert args.options.items() >= backend.items()
        assert args.options.keys() == {*known, *backend}
        return cls(LLM(**{name: args.options[name] for name in known}, tensor_parallel_size=1))

    async def generate(
        self, *, request_id: str, prompt: Any, sampling_params: SamplingParams, lora_request: None
    ) -> AsyncIterator[Any]:
        """The output of one prompt."""
        ids = list(prompt["prompt_token_ids"])
        (found,) = self._llm.generate([{"prompt_token_ids": ids}], [sampling_params], use_tqdm=False)
        written = SimpleNamespace(token_ids=list(found.outputs[0].token_ids), text="", logprobs=None)
        yield outputs.RequestOutput(ids, [written])

    async def do_log_stats(self) -> None:
        """Say how it goes."""
