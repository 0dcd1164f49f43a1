"""Local models: causal language models of transformers, on a CPU or one GPU."""

from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Self

from blend.eval.models.alone import Twice, check_alone, explained_trial, plain_logprob, spread
from blend.eval.models.answer_tables import ScoreTable, TextTable
from blend.eval.models.batches import CPU_TOKENS, GPU_TOKENS, Batches, equal_groups, written_tokens
from blend.eval.models.chat_template import reading
from blend.eval.models.checkpoint import Checkpoint, find_checkpoint
from blend.eval.models.encoding import EncodedQuestion, Encoder
from blend.eval.models.model_loading import (
    Device,
    Dtype,
    check_causal,
    choose_device,
    fitting_threads,
    library_versions,
    load_model,
    load_tokenizer,
    read_limits,
)
from blend.eval.models.option_scoring import option_logprobs
from blend.eval.models.protocols import (
    ChatOptions,
    Decoding,
    Generation,
    ModelDescription,
    OnGenerations,
    OnOptionScores,
    OptionScores,
)
from blend.eval.models.shared_prompts import Shared, shared
from blend.eval.models.text_generation import draw_seeds, write
from blend.eval.models.thoughts import Marks

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
    options: ChatOptions | None = None,
    thought_marks: Sequence[Marks] = (),
    batch_size: int | None = None,
) -> "LocalModel":
    """Find a model and check that it can be used; its weights are loaded with the first question.

    Args:
        model: Directory, or Hub id.
        revision: Commit, tag or branch on the Hub.
        device: As torch names it, or ``auto`` for all GPUs together; a GPU if there is one, else the CPU, when
            absent.
        dtype: ``bfloat16`` on a GPU and ``float32`` elsewhere when absent.
        chat: Whether prompts go through the model's chat template; if it has one when absent.
        decoding: How texts are generated; the defaults of `Decoding` when absent.
        options: What is said besides the prompt, by the chat template.
        thought_marks: Pairs of marks around thoughts besides the usual ones (`thoughts.MARKS`).
        batch_size: Items computed at a time at most; as many as memory allows when absent.

    Raises:
        MissingExtraError: If the extra ``eval`` is not installed.
        BlendError: If there is no such model or device, or if the model cannot be used.
    """
    chosen_device = choose_device(device, dtype)
    checkpoint = find_checkpoint(model, revision=revision)
    check_causal(checkpoint)
    limits = read_limits(checkpoint)
    return LocalModel(
        checkpoint,
        load_tokenizer(checkpoint),
        chosen_device,
        chat=chat,
        decoding=decoding or Decoding(),
        options=options,
        thought_marks=thought_marks,
        batch_size=batch_size,
        context=limits.context_tokens,
        cache_bytes=limits.cache_bytes,
    )


class LocalModel:
    """See `protocols.Model`. Scores depend on neither batch nor order beyond the noise of the number type."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        tokenizer: "PreTrainedTokenizerBase",
        chosen_device: Device,
        *,
        chat: bool | None,
        decoding: Decoding,
        options: ChatOptions | None,
        thought_marks: Sequence[Marks],
        batch_size: int | None,
        context: int | None,
        cache_bytes: int,
    ) -> None:
        self._checkpoint = checkpoint
        self._tokenizer = tokenizer
        self._device = chosen_device
        self._encoder = Encoder(tokenizer, chat=chat, options=options, further=thought_marks)
        is_open = self._encoder.template is not None and self._encoder.template.is_open
        self._reading = reading(tokenizer, is_open=is_open, further=thought_marks)
        self._decoding = decoding
        self._context = context
        on_cpu = chosen_device.on_cpu
        self._batches = Batches(CPU_TOKENS if on_cpu else GPU_TOKENS, batch_size=batch_size)
        written = written_tokens(cache_bytes) if on_cpu else GPU_TOKENS
        self._writing = Batches(written, batch_size=batch_size)
        self._loaded: PreTrainedModel | None = None
        self._tried = False

    def thinks(self) -> bool:
        """See `protocols.OpenedModel.thinks`; the chat template tells."""
        return self._encoder.template is not None and self._encoder.template.thinks

    def with_decoding(self, decoding: Decoding) -> Self:
        """See `protocols.OpenedModel.with_decoding`."""
        other = copy(self)
        other._decoding = decoding
        return other

    def count_tokens(self, prompts: Sequence[str]) -> int:
        """See `protocols.TokenCounter.count_tokens`."""
        return sum(map(len, self._encoder.prompts(prompts)))

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
            dtype=self._device.dtype,
            device=self._device.shown(),
            versions=library_versions(),
        )

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

        def fail(items: Sequence[int], why: Callable[[int], str]) -> None:
            for item in items:
                table.fail(item, why(item), tokens_in=len(questions[item].prefix))
            table.hand_on(items)

        def ask(together: Sequence[Shared]) -> None:
            too_large: list[int] = []

            def compute(batch: list[int]) -> None:
                sums = option_logprobs(self._model, [together[i].question for i in batch])
                for i, of_options in zip(batch, sums, strict=True):
                    for item, own in together[i].values(of_options):
                        tokens = list(map(len, questions[item].options))
                        table.put(item, own, tokens, tokens_in=len(questions[item].prefix))
                table.hand_on([item for i in batch for item in together[i].items])

            lengths = [one.length for one in together]
            self._run(self._batches, range(len(together)), lengths, compute, too_large.append)
            # What does not fit together may fit one by one.
            apart = [item for i in too_large if len(together[i].items) > 1 for item in together[i].items]
            if apart:
                ask(shared(questions, apart, tokens=0))
            alone = [together[i].items[0] for i in too_large if len(together[i].items) == 1]
            fail(alone, lambda item: self._too_large(questions[item].length))

        # The last token is not fed to the model: nothing is read after it.
        problems = {
            item: problem
            for item, question in enumerate(questions)
            if (problem := self._problem(len(question.prefix), question.length - 1))
        }
        fail(list(problems), problems.__getitem__)
        fine = [item for item in range(len(questions)) if item not in problems]
        self._try([questions[item] for item in fine])
        ask(shared(questions, fine, tokens=self._batches.tokens))
        return table.all()

    def _try(self, questions: Sequence[EncodedQuestion]) -> None:
        """Compute the longest question and the shortest as the run will, and compare; once for a model.

        Raises:
            InputError: If options have other scores alone (`models.alone`).
        """
        if self._tried or not questions:
            return
        ordered = sorted(questions, key=lambda question: question.length)
        # The shortest and the longest, or the only one.
        tried = ordered[:1] + ordered[1:][-1:]

        def compute(batch: list[int]) -> None:
            chosen = [tried[i] for i in batch]
            for question, sums in zip(chosen, option_logprobs(self._model, chosen), strict=True):
                at = spread(question.options)
                check_alone(
                    self._model,
                    self._checkpoint.id,
                    [
                        Twice(
                            str(self._tokenizer.decode(question.options[i])).strip(),
                            len(question.options[i]),
                            sums[i],
                            plain_logprob(self._model, question.prefix, question.options[i]),
                        )
                        for i in at
                    ],
                )

        # One that does not fit into memory says so when it is asked.
        with explained_trial(self._model, self._checkpoint.id):
            self._run(self._batches, range(len(tried)), [one.length for one in tried], compute, lambda _: None)
        self._tried = True

    def generate(
        self,
        prompts: Sequence[str],
        *,
        samples: Sequence[int] | None = None,
        keep: OnGenerations | None = None,
    ) -> Sequence[Generation]:
        """See `protocols.Generator.generate`."""
        encoded = self._encoder.prompts(prompts)
        seeds = draw_seeds(prompts, samples, self._decoding)
        table = TextTable(len(prompts), keep)

        def failed(item: int) -> None:
            length = len(encoded[item])
            table.put([item], [Generation.failed(self._too_large(length), tokens_in=length)])

        problems = {
            item: Generation.failed(problem, tokens_in=len(ids))
            for item, ids in enumerate(encoded)
            # Room for one token of an answer at least.
            if (problem := self._problem(len(ids), len(ids) + 1))
        }
        table.put(list(problems), list(problems.values()))
        fine = [item for item in range(len(prompts)) if item not in problems]
        # Texts with less room than others have batches of their own, or they would cut the others short.
        for room, group in equal_groups([self._room(len(encoded[item])) for item in fine]):
            items = [fine[position] for position in group]

            # Bound as a default: a closure would read the loop's variable when it is called.
            def compute(batch: list[int], room: int = room) -> None:
                written = write(
                    self._model,
                    self._tokenizer,
                    [encoded[item] for item in batch],
                    [seeds[item] for item in batch],
                    self._decoding,
                    max_tokens=room,
                    reading=self._reading,
                )
                table.put(batch, written)

            self._run(self._writing, items, [len(encoded[item]) + room for item in items], compute, failed)
        return table.all()

    @property
    def _model(self) -> "PreTrainedModel":
        if self._loaded is None:
            self._loaded = load_model(self._checkpoint, self._device)
        return self._loaded

    def _run(
        self,
        batches: Batches,
        items: Sequence[int],
        lengths: Sequence[int],
        compute: Callable[[list[int]], None],
        failed: Callable[[int], None],
    ) -> None:
        """Batches over some of the items; lengths are theirs, in the same order."""
        if not items:
            return
        # The model is loaded here: one that does not fit into memory is not a batch that is too large.
        with fitting_threads(self._model):
            batches.run(
                lengths,
                lambda batch: compute([items[position] for position in batch]),
                lambda position: failed(items[position]),
            )

    def _room(self, tokens_in: int) -> int:
        """Tokens that an answer may have after a prompt."""
        wanted = self._decoding.max_tokens
        return wanted if self._context is None else min(wanted, self._context - tokens_in)

    def _problem(self, tokens_in: int, needed: int) -> str | None:
        """Say why an item cannot be asked, if so."""
        if tokens_in == 0:
            return "the prompt is empty: there is nothing after which the model could answer"
        if self._context is not None and needed > self._context:
            return f"prompt and answer need at least {needed} tokens, but the model sees {self._context}"
        return None

    def _too_large(self, tokens: int) -> str:
        return (
            f"out of memory: {tokens} tokens do not fit into that of {self._device.device} even on their own; "
            "use another device, a smaller model, or a server that spreads it over several"
        )
