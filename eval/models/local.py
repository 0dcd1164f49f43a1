"""Local models: causal language models of transformers, on a CPU or one GPU."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from blend.eval.models.alone import Twice, check_alone, explained_trial, plain_logprob, spread
from blend.eval.models.answer_tables import ScoreTable, TextTable
from blend.eval.models.batches import CPU_TOKENS, GPU_TOKENS, Batches, equal_groups, written_tokens
from blend.eval.models.checkpoint import Checkpoint, find_checkpoint
from blend.eval.models.encoding import Encoder, Question
from blend.eval.models.loading import (
    Dtype,
    Place,
    check_causal,
    choose_place,
    library_versions,
    load_model,
    load_tokenizer,
    read_limits,
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
from blend.eval.models.sharing import Shared, shared
from blend.eval.models.threads import fitting_threads
from blend.eval.models.writing import draw_seeds, write

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
    limits = read_limits(checkpoint)
    return LocalModel(
        checkpoint,
        load_tokenizer(checkpoint),
        place,
        chat=chat,
        decoding=decoding or Decoding(),
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
        place: Place,
        *,
        chat: bool | None,
        decoding: Decoding,
        batch_size: int | None,
        context: int | None,
        cache_bytes: int,
    ) -> None:
        self._checkpoint = checkpoint
        self._tokenizer = tokenizer
        self._place = place
        self._encoder = Encoder(tokenizer, chat=chat)
        self._decoding = decoding
        self._context = context
        on_cpu = place.device == "cpu"
        self._batches = Batches(CPU_TOKENS if on_cpu else GPU_TOKENS, batch_size=batch_size)
        written = written_tokens(cache_bytes) if on_cpu else GPU_TOKENS
        self._writing = Batches(written, batch_size=batch_size)
        self._loaded: PreTrainedModel | None = None
        self._tried = False

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

    def _try(self, questions: Sequence[Question]) -> None:
        """Compute the longest question and the shortest as the run will, and compare; once for a model.

        Raises:
            InputError: If options have other scores alone (`models.alone`).
        """
        if self._tried or not questions:
            return
        ordered = sorted(questions, key=lambda question: question.length)
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
        keep: KeepGenerations | None = None,
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
            if (problem := self._problem(len(ids), len(ids) + 1))
        }
        table.put(list(problems), list(problems.values()))
        fine = [item for item in range(len(prompts)) if item not in problems]
        # Texts with less room than others have batches of their own, or they would cut the others short.
        for room, group in equal_groups([self._room(len(encoded[item])) for item in fine]):
            items = [fine[position] for position in group]

            def compute(batch: list[int], room: int = room) -> None:
                asked, starts = [encoded[item] for item in batch], [seeds[item] for item in batch]
                table.put(
                    batch, write(self._model, self._tokenizer, asked, starts, self._decoding, max_tokens=room)
                )

            self._run(self._writing, items, [len(encoded[item]) + room for item in items], compute, failed)
        return table.all()

    @property
    def _model(self) -> "PreTrainedModel":
        if self._loaded is None:
            self._loaded = load_model(self._checkpoint, self._place)
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
        """Why an item cannot be asked, if so."""
        if tokens_in == 0:
            return "the prompt is empty: there is nothing after which the model could answer"
        if self._context is not None and needed > self._context:
            return f"prompt and answer need at least {needed} tokens, but the model sees {self._context}"
        return None

    def _too_large(self, tokens: int) -> str:
        return f"out of memory: {tokens} tokens do not fit into that of {self._place.device} even on their own"
