"""Local models of transformers, on a CPU, a GPU or several: how they are opened, and those that write."""

from collections.abc import Mapping, Sequence
from copy import copy
from itertools import groupby
from typing import Self

import numpy as np

from blend.eval.models import (
    AnswerTable,
    ChatOptions,
    Decoding,
    Generation,
    Likelihoods,
    ModelDescription,
    OnGenerations,
    OnLikelihoods,
    draw_seeds,
)
from blend.eval.models.batches import (
    ANOTHER,
    CPU_TOKENS,
    CPU_WRITTEN_TOKENS,
    GPU_TOKENS,
    GPU_WRITTEN_TOKENS,
    Batches,
    check_alone,
    plain_logprob,
    short_and_usual,
    spread,
)
from blend.eval.models.candidates import KindScorer
from blend.eval.models.candidates.causal import CausalScorer
from blend.eval.models.candidates.gap_filling import MaskedScorer, SpanScorer
from blend.eval.models.checkpoint import KINDS, readable
from blend.eval.models.chosen import Local
from blend.eval.models.encoding import EncodedQuestion, Encoder
from blend.eval.models.model_loading import OpenCheckpoint
from blend.eval.models.next_tokens import as_one, option_logprobs, write
from blend.schemas.errors import InputError
from blend.schemas.prompts import MAX_MASKS, Causal


def open_local(
    model: Local, *, decoding: Decoding | None = None, options: ChatOptions | None = None
) -> "LocalModel":
    """Find a model and check that it can be used; its weights are loaded with the first question.

    Args:
        model: The model.
        decoding: How texts are generated; the defaults of `Decoding` when absent.
        options: What is said besides the prompt, by the chat template.

    Raises:
        MissingExtraError: If the extra ``eval`` is not installed.
        BlendError: If there is no such model or device, or if the model cannot be used.
    """
    opened = OpenCheckpoint(model)
    if opened.kind != "causal":
        raise InputError(
            f"model {opened.checkpoint.id}: it is not a causal language model but "
            f"{opened.checkpoint.architecture}; texts and options need one that predicts the next token"
        )
    encoder = Encoder(opened.tokenizer, chat=model.chat, options=options)
    return LocalModel(opened, encoder, decoding or Decoding(), model.batch_size)


def open_candidate_scorer(
    model: Local, *, causal: Causal = "conditional", max_masks: int = MAX_MASKS
) -> KindScorer:
    """Find a model and check that it can be probed; its weights are loaded with the first prompt.

    Args:
        model: The model; on a CPU each prompt is computed on its own, whatever its ``batch_size``, so that no
            score depends on its neighbours.
        causal: How a causal model is asked.
        max_masks: Tokens that a candidate may have with a masked model.

    Raises:
        MissingExtraError: If the extra ``eval`` is not installed.
        InputError: If there is no such model or device, if it cannot be used, or if it is of another kind than
            an option is for; says which kind it is.
        BlendError: If the Hub does not hold the model or does not give it.
    """
    opened = OpenCheckpoint(model)
    name, kind = opened.checkpoint.id, opened.kind
    if kind is None:
        raise InputError(
            f"model {name}: it is neither {KINDS['masked']} nor {KINDS['encoder_decoder']} nor "
            f"{KINDS['causal']} but {opened.checkpoint.architecture}; probing needs a model with the "
            "head that predicts tokens"
        )
    for option, value, usual, wanted in (
        ("causal", causal, "conditional", KINDS["causal"]),
        ("max_masks", max_masks, MAX_MASKS, KINDS["masked"]),
    ):
        if value != usual and KINDS[kind] != wanted:
            raise InputError(
                f"`{option}={value}` makes sense only with {wanted}, and {name} is {KINDS[kind]}; leave one of "
                "the two out"
            )
    if kind == "masked":
        return MaskedScorer(opened, model.batch_size, max_masks)
    if kind == "causal":
        return CausalScorer(opened, model.batch_size, causal)
    return SpanScorer(opened, model.batch_size)


class LocalModel:
    """Causal model that writes, and chooses.

    Scores depend on neither batch nor order beyond the noise of the number type.
    """

    def __init__(
        self,
        opened: OpenCheckpoint,
        encoder: Encoder,
        decoding: Decoding,
        batch_size: int | None,
    ) -> None:
        self._opened = opened
        self._encoder = encoder
        self._decoding = decoding
        on_cpu = opened.device.on_cpu
        self._batches = Batches(CPU_TOKENS if on_cpu else GPU_TOKENS, batch_size=batch_size)
        self._writing = Batches(CPU_WRITTEN_TOKENS if on_cpu else GPU_WRITTEN_TOKENS, batch_size=batch_size)
        self._is_tried = False

    def thinks(self) -> bool:
        """Whether it thinks before it answers, as far as its chat template shows."""
        return self._encoder.thinks

    def with_decoding(self, decoding: Decoding) -> Self:
        """The same model, writing in another way."""
        # A shallow copy: both write with the same weights.
        other = copy(self)
        other._decoding = decoding
        return other

    def count_tokens(self, prompts: Sequence[str]) -> int:
        """Tokens of all prompts, with those that a chat template adds."""
        return sum(map(len, self._encoder.prompts(prompts)))

    def describe(self) -> ModelDescription:
        """See `models.Model.describe`."""
        return self._opened.describe(chat=self._encoder.chat, delimiter=self._encoder.delimiter)

    def option_logprobs(
        self,
        prompts: Sequence[str],
        options: Sequence[Sequence[str]],
        *,
        keep: OnLikelihoods | None = None,
    ) -> Sequence[Likelihoods]:
        """Say how likely each item's options are after its prompt, in order; one prompt's are asked as one.

        Args:
            prompts: As for `generate`.
            options: For each prompt its options as text, at least one each, none empty: ``A`` or
                ``Fried rice``, without a blank before it. What stands between prompt and option is the model's
                business: a blank, or nothing after a chat template or a prompt that ends in white space.
            keep: As for `generate`.

        Raises:
            BlendError: As for `generate`, and if the model cannot give log-probabilities.
        """
        table = AnswerTable[Likelihoods](len(prompts), keep)
        questions = list(self._encoder.questions(prompts, options))
        by_prompt: dict[tuple[int, ...], list[int]] = {}

        def fail(items: Sequence[int], why: str) -> None:
            table.put(items, [Likelihoods.failed(why, tokens_in=len(questions[item].prefix)) for item in items])

        for item, question in enumerate(questions):
            # The last token is not fed to the model: nothing is read after it.
            problem = self._problem(len(question.prefix), question.length - 1)
            if problem is None:
                by_prompt.setdefault(tuple(question.prefix), []).append(item)
            else:
                fail([item], problem)
        groups = list(by_prompt.values())
        together = [as_one([questions[item] for item in group]) for group in groups]

        def compute(batch: list[int]) -> None:
            sums = option_logprobs(self._opened.model, [together[i] for i in batch])
            for i, of_options in zip(batch, sums, strict=True):
                known = dict(zip(map(tuple, together[i].options), of_options, strict=True))
                table.put(groups[i], [_likelihoods(questions[item], known) for item in groups[i]])

        if groups:
            self._try([questions[item] for group in groups for item in group])
            sizes = [len(one.prefix) + sum(map(len, one.options)) for one in together]

            def failed(i: int) -> None:
                fail(groups[i], self._too_large(max(questions[item].length for item in groups[i])))

            self._batches.run(dict(enumerate(sizes)), compute, failed)
        return table.all()

    def _try(self, questions: Sequence[EncodedQuestion]) -> None:
        """Compute a short question and one of usual length as the run will, and compare; once for a model.

        Raises:
            InputError: If options have other scores alone (`batches.check_alone`).
        """
        if self._is_tried:
            return
        model, name = self._opened.model, self._opened.checkpoint.id
        tried = short_and_usual(questions, [question.length for question in questions])
        with readable(name, "it", cannot="be computed as scores need it", fix=ANOTHER):
            for question, sums in zip(tried, option_logprobs(model, tried), strict=True):
                some = spread(question.options)
                ids = [question.options[i] for i in some]
                check_alone(
                    model,
                    name,
                    [str(self._opened.tokenizer.decode(one)).strip() for one in ids],
                    np.array([len(one) for one in ids]),
                    np.array(sums)[some],
                    np.array([plain_logprob(model, question.prefix, one) for one in ids]),
                )
        self._is_tried = True

    def generate(
        self,
        prompts: Sequence[str],
        *,
        samples: Sequence[int] | None = None,
        keep: OnGenerations | None = None,
    ) -> Sequence[Generation]:
        """Write one answer per prompt, in order.

        Args:
            prompts: What a user would type; the chat template, if any, is the model's business.
            samples: Number of the draw of each prompt, for several answers to one prompt above temperature 0;
                0 when absent. An answer depends on prompt, draw and `Decoding` alone, not on its neighbours.
            keep: Takes answers as soon as they are there, in any order, never twice at a time, perhaps from
                another thread. An error that it raises stops the asking.

        Raises:
            BlendError: If no answer can be had at all, for example because the server is down. What was kept
                until then stays.
        """
        encoded = self._encoder.prompts(prompts)
        seeds = draw_seeds(prompts, samples, self._decoding)
        table = AnswerTable[Generation](len(prompts), keep)
        lengths: dict[int, int] = {}

        def fail(item: int, why: str) -> None:
            table.put([item], [Generation.failed(why, tokens_in=len(encoded[item]))])

        def room(item: int) -> int:
            """Tokens that an answer may have after a prompt."""
            context, wanted = self._opened.context_tokens, self._decoding.max_tokens
            return wanted if context is None else min(wanted, context - len(encoded[item]))

        def compute(batch: list[int]) -> None:
            written: dict[int, Generation] = {}
            # Texts with less room than others are written by themselves, or they would cut the others short.
            for max_tokens, group in groupby(sorted(batch, key=room), key=room):
                items = list(group)
                answers = write(
                    self._opened.model,
                    self._encoder,
                    [encoded[item] for item in items],
                    [seeds[item] for item in items],
                    self._decoding,
                    max_tokens=max_tokens,
                )
                written.update(zip(items, answers, strict=True))
            table.put(list(written), list(written.values()))

        for item, ids in enumerate(encoded):
            # Room for one token of an answer at least.
            problem = self._problem(len(ids), len(ids) + 1)
            if problem is None:
                lengths[item] = len(ids) + room(item)
            else:
                fail(item, problem)
        self._writing.run(lengths, compute, lambda item: fail(item, self._too_large(len(encoded[item]))))
        return table.all()

    def _problem(self, tokens_in: int, needed: int) -> str | None:
        """Say why an item cannot be asked, if so."""
        if tokens_in == 0:
            return "the prompt is empty: there is nothing after which the model could answer"
        context = self._opened.context_tokens
        if context is not None and needed > context:
            return f"prompt and answer need at least {needed} tokens, but the model sees {context}"
        return None

    def _too_large(self, tokens: int) -> str:
        return (
            f"out of memory: {tokens} tokens do not fit into that of {self._opened.device.device} even on "
            "their own; use another device or a smaller model"
        )


def _likelihoods(question: EncodedQuestion, known: Mapping[tuple[int, ...], float]) -> Likelihoods:
    """The scores of a question's options, of those of all questions with its prompt."""
    values = np.array([known[tuple(ids)] for ids in question.options])
    return Likelihoods(values, np.array([*map(len, question.options)], dtype=np.int32), len(question.prefix))
