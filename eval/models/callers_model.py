"""A caller's own model: any object that answers, taken as a model of ours.

Nothing has to be inherited; each task asks with one method. What an object gives back is checked, and an error
says what it has to give.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, Literal, Protocol

import numpy as np

from blend.eval.models.candidates.candidate_protocol import Tokenised
from blend.eval.models.protocols import (
    AnswerTable,
    Generation,
    Likelihoods,
    ModelDescription,
    OnGenerations,
    OnLikelihoods,
)
from blend.eval.models.thoughts import split_thought
from blend.schemas.errors import ArgumentError
from blend.schemas.texts import pluralise

PROMPTS_AT_A_TIME = 64
"""Prompts that an object is handed at a time; what it answered until it stops is kept so many at a time."""


class TextModel(Protocol):
    """Any object that writes."""

    def generate(self, prompts: list[str], /) -> Sequence[str | Generation]:
        """Texts, one per prompt, in order."""
        ...


class OptionModel(Protocol):
    """Any object that says how likely each of some options is."""

    def option_logprobs(self, prompts: list[str], options: list[list[str]], /) -> Sequence[Sequence[float]]:
        """Log-probabilities of each prompt's options after it, in order."""
        ...


class CandidateModel(Protocol):
    """Any object that says how well each of many candidates fits a gap."""

    def candidate_logprobs(
        self, prompts: list[str], candidates: list[list[str]], /
    ) -> Sequence[Sequence[float | None]]:
        """Scores of each prompt's candidates in its gap ``[Y]``; null for one that it cannot rank."""
        ...


OwnModel = TextModel | OptionModel | CandidateModel
"""An object of a caller's; runs know it by its attribute ``name``, if it has one, else by its class's name."""


_METHODS = {"text": "generate", "logprobs": "option_logprobs", "candidates": "candidate_logprobs"}
"""The method by which each kind of answer is asked for."""


def callers_model(model: OwnModel, asked_for: Literal["text", "logprobs", "candidates"]) -> Any:
    """An object as a model that writes, chooses, or scores candidates.

    Args:
        model: The object; one that describes itself, as a `protocols.Model` does, is used as it is.
        asked_for: What it will be asked for.

    Raises:
        ArgumentError: If it lacks the method that the task asks with.
    """
    if isinstance(model, type):
        raise ArgumentError(
            f"`model`: {model.__name__} is a class; hand over an object of it, {model.__name__}(…)"
        )
    if not callable(getattr(model, _METHODS[asked_for], None)):
        raise ArgumentError(
            f"`model`: an object of type {type(model).__name__} has no method {_METHODS[asked_for]}, which "
            "this task asks with; add it, or name a model"
        )
    return model if hasattr(model, "describe") else _CallersModel(model)


def writes_alone(model: object) -> bool:
    """Whether an object writes and does not tell how likely options are."""
    return callable(getattr(model, "generate", None)) and not callable(getattr(model, "option_logprobs", None))


class _CallersModel:
    """See `protocols.Model` and `candidate_protocol.CandidateScorer`; every option counts as one token."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def describe(self) -> ModelDescription:
        """See `protocols.Described.describe`."""
        name = str(getattr(self._model, "name", None) or type(self._model).__name__)
        return ModelDescription(backend="python", id=name, chat=False, delimiter="")

    def generate(
        self, prompts: Sequence[str], *, keep: OnGenerations | None = None, **_: Any
    ) -> Sequence[Generation]:
        """See `protocols.Generator.generate`; the object hears of prompts alone."""
        table = AnswerTable[Generation](len(prompts), keep)
        for items in _blocks(len(prompts)):
            texts = _listed("generate", self._model.generate([prompts[i] for i in items]), len(items))
            table.put(items, list(map(_generation, texts)))
        return table.all()

    def option_logprobs(
        self,
        prompts: Sequence[str],
        options: Sequence[Sequence[str]],
        *,
        keep: OnLikelihoods | None = None,
    ) -> Sequence[Likelihoods]:
        """See `protocols.OptionScorer.option_logprobs`."""
        return self._scored(self._model.option_logprobs, prompts, options, keep)

    def candidate_logprobs(
        self,
        prompts: Sequence[str],
        sets: Sequence[int],
        candidates: Sequence[Sequence[str]],
        *,
        keep: OnLikelihoods | None = None,
    ) -> Sequence[Likelihoods]:
        """See `candidate_protocol.CandidateScorer.candidate_logprobs`."""
        offered = [candidates[which] for which in sets]
        return self._scored(self._model.candidate_logprobs, prompts, offered, keep, may_be_null=True)

    def tokenised(self, candidates: Sequence[str], *, after_blank: bool) -> list[Tokenised]:
        """Nothing: how the object divides a text is not known."""
        del candidates, after_blank
        return []

    def _scored(
        self,
        method: Any,
        prompts: Sequence[str],
        options: Sequence[Sequence[str]],
        keep: OnLikelihoods | None,
        *,
        may_be_null: bool = False,
    ) -> Sequence[Likelihoods]:
        """What the object gives for the options of each prompt; NaN for null."""
        table = AnswerTable[Likelihoods](len(prompts), keep)
        for items in _blocks(len(prompts)):
            name, some = method.__name__, [list(options[i]) for i in items]
            found = _listed(name, method([prompts[i] for i in items], some), len(items))
            rows = zip(found, map(len, some), strict=True)
            table.put(items, [_row(name, values, n, may_be_null=may_be_null) for values, n in rows])
        return table.all()


def _blocks(n_prompts: int) -> list[range]:
    """Positions of the prompts that an object is handed at a time."""
    every = range(n_prompts)
    return [every[start : start + PROMPTS_AT_A_TIME] for start in every[::PROMPTS_AT_A_TIME]]


def _row(method: str, values: Any, n_options: int, *, may_be_null: bool) -> Likelihoods:
    try:
        row = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        row = np.empty(0)
    is_number = ~np.isinf(row) if may_be_null else np.isfinite(row)
    if row.shape != (n_options,) or not is_number.all():
        raise ArgumentError(
            f"`model`: {method} gave {values!r:.60} for a prompt with {n_options} options; give a finite "
            "number for each"
        )
    return Likelihoods(row, np.ones(n_options, dtype=np.int32), 0)


def _listed(method: str, found: Any, wanted: int) -> list[Any]:
    """Return what an object gave for some prompts, as a list of as many."""
    # What has no order, or is one text, would be taken apart without a word.
    is_listed = isinstance(found, Iterable) and not isinstance(found, str | bytes | Mapping | Set)
    answers = list(found) if is_listed else []
    if not is_listed or len(answers) != wanted:
        gave = pluralise(len(answers), "answer") if is_listed else f"an object of type {type(found).__name__}"
        raise ArgumentError(
            f"`model`: {method} gave {gave} to {pluralise(wanted, 'prompt')}; return a list with one answer "
            "per prompt, in their order"
        )
    return answers


def _generation(answer: Any) -> Generation:
    written = Generation(answer, None, None, "stop") if isinstance(answer, str) else answer
    try:
        written.text.encode()
    except (AttributeError, UnicodeEncodeError):
        raise ArgumentError(
            f"`model`: generate gave {answer!r:.60} in place of a text; return a text in valid Unicode per "
            "prompt, an empty one where the model says nothing"
        ) from None
    split = split_thought(written.text)
    thoughts = [thought for thought in (written.thought, split.thought) if thought]
    return replace(written, text=split.text, thought="\n".join(thoughts) or None)
