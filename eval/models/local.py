"""Local models: causal language models of transformers, on a CPU or one GPU."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from blend.eval.models.batches import CPU_TOKENS, GPU_TOKENS, Batches, equal_groups
from blend.eval.models.checkpoint import Checkpoint, find_checkpoint
from blend.eval.models.encoding import Encoder
from blend.eval.models.loading import (
    Dtype,
    Place,
    check_causal,
    choose_place,
    context_tokens,
    library_versions,
    load_model,
    load_tokenizer,
)
from blend.eval.models.options import option_logprobs
from blend.eval.models.protocols import (
    Decoding,
    Generation,
    KeepGenerations,
    KeepOptionScores,
    ModelDescription,
    OptionScores,
)
from blend.eval.models.score_table import ScoreTable
from blend.eval.models.writing import draw_seed, write

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def open_local(
    model: str,
    *,
    revision: str | None = None,
    device: str | None = None,
    dtype: Dtype | None = None,
    chat: bool | None = None,
    decoding: Decoding | None = None,
    batch_size: int | None = None,
) -> "LocalModel":
    """Find a model and check that it can be used; its weights are loaded with the first question.

    Args:
        model: Directory, or Hub id.
        revision: Commit, tag or branch on the Hub.
        device: As torch names it; a GPU if there is one, else the CPU, when absent.
        dtype: ``bfloat16`` on a GPU and ``float32`` elsewhere when absent.
        chat: Whether prompts go through the model's chat template; if it has one when absent.
        decoding: How texts are generated; the defaults of `Decoding` when absent.
        batch_size: Items computed at a time at most; as many as memory allows when absent.

    Raises:
        MissingExtraError: If the extra ``eval`` is not installed.
        BlendError: If there is no such model or device, or if the model cannot be used.
    """
    place = choose_place(device, dtype)
    checkpoint = find_checkpoint(model, revision=revision)
    check_causal(checkpoint)
    return LocalModel(
        checkpoint,
        load_tokenizer(checkpoint),
        place,
        chat=chat,
        decoding=decoding or Decoding(),
        batch_size=batch_size,
        context=context_tokens(checkpoint),
    )


class LocalModel:
    """See `protocols.Model`. Scores depend on neither batch nor order beyond the noise of the number type."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        tokenizer: "PreTrainedTokenizerBase",
        place: Place,
        *,
        chat: bool | None,
        decoding: Decoding,
        batch_size: int | None,
        context: int | None,
    ) -> None:
        self._checkpoint = checkpoint
        self._tokenizer = tokenizer
        self._place = place
        self._encoder = Encoder(tokenizer, chat=chat)
        self._decoding = decoding
        self._context = context
        tokens = CPU_TOKENS if place.device == "cpu" else GPU_TOKENS
        self._batches = Batches(tokens, batch_size=batch_size)
        self._loaded: PreTrainedModel | None = None

    def describe(self) -> ModelDescription:
        """See `protocols.Described.describe`."""
        return ModelDescription(
            backend="transformers",
            id=self._checkpoint.id,
            revision=self._checkpoint.revision,
            config_digest=self._checkpoint.config_digest,
            weights_digest=self._checkpoint.weights_digest,
            tokenizer_digest=self._checkpoint.tokenizer_digest,
            chat=self._encoder.chat,
            delimiter=self._encoder.delimiter,
            context_tokens=self._context,
            dtype=self._place.dtype,
            device=self._place.shown(),
            versions=library_versions(),
        )

    def option_logprobs(
        self,
        prompts: Sequence[str],
        options: Sequence[Sequence[str]],
        *,
        keep: KeepOptionScores | None = None,
    ) -> OptionScores:
        """See `protocols.OptionScorer.option_logprobs`."""
        table = ScoreTable(options)
        questions = list(self._encoder.questions(prompts, options))

        def kept(items: Sequence[int]) -> None:
            if keep is not None and items:
                keep(items, table.rows(items))

        def compute(batch: list[int]) -> None:
            asked = [questions[item] for item in batch]
            for item, question, sums in zip(batch, asked, option_logprobs(self._model, asked), strict=True):
                table.put(item, sums, list(map(len, question.options)), tokens_in=len(question.prefix))
            kept(batch)

        def failed(item: int) -> None:
            table.fail(item, self._too_large(questions[item].length), tokens_in=len(questions[item].prefix))
            kept([item])

        # The last token is not fed to the model: nothing is read after it.
        problems = {
            item: problem
            for item, question in enumerate(questions)
            if (problem := self._problem(len(question.prefix), question.length - 1))
        }
        for item, problem in problems.items():
            table.fail(item, problem, tokens_in=len(questions[item].prefix))
        kept(list(problems))
        fine = [item for item in range(len(questions)) if item not in problems]
        lengths = [sum(map(len, questions[item].options)) + len(questions[item].prefix) for item in fine]
        self._run(fine, lengths, compute, failed)
        return table.all()

    def generate(
        self,
        prompts: Sequence[str],
        *,
        samples: Sequence[int] | None = None,
        keep: KeepGenerations | None = None,
    ) -> Sequence[Generation]:
        """See `protocols.Generator.generate`."""
        encoded = self._encoder.prompts(prompts)
        draws = [0] * len(prompts) if samples is None else samples
        seeds = [
            draw_seed(prompt, sample, self._decoding) for prompt, sample in zip(prompts, draws, strict=True)
        ]
        answers: dict[int, Generation] = {}

        def put(items: Sequence[int], generations: Sequence[Generation]) -> None:
            answers.update(zip(items, generations, strict=True))
            if keep is not None and items:
                keep(items, generations)

        def failed(item: int) -> None:
            length = len(encoded[item])
            put([item], [Generation.failed(self._too_large(length), tokens_in=length)])

        problems = {
            item: Generation.failed(problem, tokens_in=len(ids))
            for item, ids in enumerate(encoded)
            if (problem := self._problem(len(ids), len(ids) + 1))
        }
        put(list(problems), list(problems.values()))
        fine = [item for item in range(len(prompts)) if item not in problems]
        # Texts with less room than others have batches of their own, or they would cut the others short.
        for room, group in equal_groups([self._room(len(encoded[item])) for item in fine]):
            items = [fine[position] for position in group]

            def compute(batch: list[int], room: int = room) -> None:
                asked, starts = [encoded[item] for item in batch], [seeds[item] for item in batch]
                put(batch, write(self._model, self._tokenizer, asked, starts, self._decoding, max_tokens=room))

            self._run(items, [len(encoded[item]) + room for item in items], compute, failed)
        return [answers[item] for item in range(len(prompts))]

    @property
    def _model(self) -> "PreTrainedModel":
        if self._loaded is None:
            self._loaded = load_model(self._checkpoint, self._place)
        return self._loaded

    def _run(
        self,
        items: list[int],
        lengths: list[int],
        compute: Callable[[list[int]], None],
        failed: Callable[[int], None],
    ) -> None:
        """Batches over some of the items; lengths are theirs, in the same order."""
        if items:
            # Loaded here: a model that does not fit into memory is not a batch that is too large.
            assert self._model is not None
        self._batches.run(
            lengths,
            lambda batch: compute([items[position] for position in batch]),
            lambda position: failed(items[position]),
        )

    def _room(self, tokens_in: int) -> int:
        """Tokens that an answer may have after a prompt."""
        wanted = self._decoding.max_tokens
        return wanted if self._context is None else min(wanted, self._context - tokens_in)

    def _problem(self, tokens_in: int, needed: int) -> str | None:
        """Why an item cannot be asked, if so."""
        if tokens_in == 0:
            return "the prompt is empty: there is nothing after which the model could answer"
        if self._context is not None and needed > self._context:
            return f"prompt and answer need at least {needed} tokens, but the model sees {self._context}"
        return None

    def _too_large(self, tokens: int) -> str:
        return f"out of memory: {tokens} tokens do not fit into that of {self._place.device} even on their own"
