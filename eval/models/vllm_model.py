"""Models in vLLM, in this process: prompts, tokens and answers as of `local_model`, at the speed of vLLM.

vLLM makes its own batches and spreads a model over all GPUs that it sees (``CUDA_VISIBLE_DEVICES``).
"""

import math
from collections.abc import Iterator, Sequence
from copy import copy
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from blend.eval.models.answer_tables import ScoreTable, TextTable
from blend.eval.models.encoding import EncodedQuestion
from blend.eval.models.local_model import LocalModel
from blend.eval.models.protocols import (
    Generation,
    ModelDescription,
    OnGenerations,
    OnOptionScores,
    OptionScores,
)
from blend.eval.models.text_generation import draw_seeds, read_generation
from blend.schemas.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

EXTRA = "vllm"

AT_A_TIME = 1024
"""Items handed to vLLM before answers are kept; it computes as many of them at a time as memory allows."""


def check_vllm() -> None:
    """Check that vLLM is installed.

    Raises:
        MissingExtraError: If it is not.
    """
    try:
        import_module("vllm")
    except ImportError as error:
        raise MissingExtraError("the backend vllm", extra=EXTRA) from error


class TokenRequest(NamedTuple):
    """What the engine is asked for one prompt."""

    prompt: list[int]
    """Its tokens."""
    sampling: dict[str, Any]
    """Parameters of ``SamplingParams``."""
    problem: str | None
    """Why it cannot be asked, in words for a user; null where it can."""


class VllmModel(LocalModel):
    """See `protocols.Model`. Draws have a random state each, and other ones than those of `LocalModel`."""

    _engine: Any = None
    _described: ModelDescription | None = None

    def describe(self) -> ModelDescription:
        """See `protocols.Described.describe`."""
        if self._described is not None:
            return self._described
        import vllm

        described = super().describe()
        versions = {**described.versions, "vllm": str(vllm.__version__)}
        return described.model_copy(update={"backend": "vllm", "versions": versions})

    def described_here(self) -> Self:
        """The same model as this process describes it, wherever it is sent then."""
        other = copy(self)
        other._described = self.describe()
        return other

    def generate(
        self,
        prompts: Sequence[str],
        *,
        samples: Sequence[int] | None = None,
        keep: OnGenerations | None = None,
    ) -> Sequence[Generation]:
        """See `protocols.Generator.generate`."""
        requests = self.requests(prompts, samples)
        table = TextTable(len(prompts), keep)
        problems = {
            item: Generation.failed(request.problem, tokens_in=len(request.prompt))
            for item, request in enumerate(requests)
            if request.problem is not None
        }
        table.put(list(problems), list(problems.values()))
        for batch in _slices([item for item in range(len(prompts)) if item not in problems]):
            asked = [requests[item].sampling for item in batch]
            outputs = self._computed([requests[item].prompt for item in batch], asked)
            written = [
                self.read(requests[item], output.outputs[0].token_ids)
                for item, output in zip(batch, outputs, strict=True)
            ]
            table.put(batch, written)
        return table.all()

    def requests(self, prompts: Sequence[str], samples: Sequence[int] | None = None) -> list[TokenRequest]:
        """What the engine is asked for each prompt; arguments as of `generate`."""
        encoded = self._encoder.prompts(prompts)
        seeds = draw_seeds(prompts, samples, self._decoding)
        ends = _end_tokens(self._checkpoint.folder, self._tokenizer)
        return [
            TokenRequest(
                list(ids),
                {
                    "max_tokens": self._room(len(ids)),
                    "temperature": self._decoding.temperature,
                    "seed": seed if self._decoding.temperature > 0 else None,
                    "stop": list(self._decoding.stop) or None,
                    "stop_token_ids": ends,
                },
                self._problem(len(ids), len(ids) + 1),
            )
            for ids, seed in zip(encoded, seeds, strict=True)
        ]

    def read(self, request: TokenRequest, written: Sequence[int]) -> Generation:
        """The answer in the tokens that the engine wrote."""
        ends = request.sampling["stop_token_ids"]
        return read_generation(
            self._tokenizer, len(request.prompt), list(written), ends, self._decoding.stop, self._reading
        )

    @property
    def engine_options(self) -> dict[str, Any]:
        """Options of an engine that computes it on one device."""
        return {
            "dtype": self._device.dtype,
            "trust_remote_code": False,
            "max_model_len": self._context,
            "seed": 0,
        }

    @property
    def folder(self) -> str:
        """The folder of its files."""
        return str(self._checkpoint.folder)

    def option_logprobs(
        self,
        prompts: Sequence[str],
        options: Sequence[Sequence[str]],
        *,
        keep: OnOptionScores | None = None,
    ) -> OptionScores:
        """See `protocols.OptionScorer.option_logprobs`."""
        table = ScoreTable(options, keep)
        questions = list(self._encoder.questions(prompts, options))
        fine: list[int] = []
        for item, question in enumerate(questions):
            # vLLM computes a token more than is asked for.
            problem = self._problem(len(question.prefix), question.length + 1)
            if problem is None:
                fine.append(item)
            else:
                table.fail(item, problem, tokens_in=len(question.prefix))
                table.hand_on([item])
        for batch in _slices(fine):
            texts = [questions[item].prefix + ids for item in batch for ids in questions[item].options]
            settings = {"max_tokens": 1, "temperature": 0.0, "prompt_logprobs": 0}
            outputs = iter(self._computed(texts, [settings] * len(texts)))
            for item in batch:
                sums = [_sum(next(outputs), questions[item], ids) for ids in questions[item].options]
                tokens = list(map(len, questions[item].options))
                table.put(item, sums, tokens, tokens_in=len(questions[item].prefix))
            table.hand_on(batch)
        return table.all()

    def _computed(self, texts: Sequence[Sequence[int]], settings: Sequence[dict[str, Any]]) -> list[Any]:
        """Outputs of vLLM for texts in tokens, in order."""
        from vllm import SamplingParams

        prompts = [{"prompt_token_ids": list(ids)} for ids in texts]
        sampling = [SamplingParams(**one) for one in settings]
        return list(self._vllm.generate(prompts, sampling, use_tqdm=False))

    @property
    def _vllm(self) -> Any:
        if self._engine is None:
            import torch
            from vllm import LLM

            try:
                n_devices = max(1, torch.cuda.device_count())
                self._engine = LLM(model=self.folder, tensor_parallel_size=n_devices, **self.engine_options)
            except Exception as error:  # each of its parts fails in ways of its own
                reason = " ".join(str(error).split())[:300]
                raise InputError(
                    f"model {self._checkpoint.id}: vLLM cannot load it ({reason}); leave `backend` out, or "
                    "serve it elsewhere (`server`)"
                ) from error
        return self._engine


def _slices(items: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(items), AT_A_TIME):
        yield items[start : start + AT_A_TIME]


def _end_tokens(folder: Any, tokenizer: "PreTrainedTokenizerBase") -> list[int]:
    """The tokens that end a text, as `text_generation.end_tokens` has them of a loaded model."""
    from transformers import AutoConfig, GenerationConfig

    try:
        settings = GenerationConfig.from_pretrained(folder, local_files_only=True)
    except OSError:  # the file is optional
        settings = GenerationConfig.from_model_config(AutoConfig.from_pretrained(folder, local_files_only=True))
    ends = settings.eos_token_id
    ends = tokenizer.eos_token_id if ends is None else ends
    return [] if ends is None else list(ends) if isinstance(ends, (list, tuple)) else [ends]


def _sum(output: Any, question: EncodedQuestion, option: Sequence[int]) -> float:
    """The log-probability of an option, from those of its whole text."""
    values = output.prompt_logprobs[len(question.prefix) :]
    return math.fsum(by_token[token].logprob for by_token, token in zip(values, option, strict=True))
