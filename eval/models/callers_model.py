"""A caller's own model: any object that answers, taken as a model of ours.

Nothing has to be inherited; each task asks with one method. What an object gives back is checked, and an error
says what it has to give.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from blend.eval.models.answer_tables import ScoreTable, TextTable
from blend.eval.models.candidates.candidate_protocol import (
    CandidateScorer,
    CandidateScores,
    OnCandidates,
    Tokenised,
)
from blend.eval.models.protocols import (
    Generation,
    Model,
    ModelDescription,
    OnGenerations,
    OnOptionScores,
    OptionScores,
)
from blend.eval.models.thoughts import Marks, split_thought
from blend.schemas.errors import ArgumentError
from blend.schemas.language.text_comparison import pluralise

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


def callers_model(
    model: OwnModel,
    asked_for: Literal["text", "logprobs"],
    *,
    at_a_time: int | None,
    thought_marks: Sequence[Marks] = (),
) -> Model:
    """An object as a model that writes or chooses.

    Args:
        model: The object; one whose method takes ``keep``, as those of `protocols.Model`, is used as it is.
        asked_for: What it will be asked for.
        at_a_time: Prompts that it is handed at a time; `PROMPTS_AT_A_TIME` when absent.
        thought_marks: Pairs of marks around thoughts in its texts besides the usual ones (`thoughts.MARKS`).

    Raises:
        ArgumentError: If it lacks the method that the task asks with.
    """
    is_ours = _takes_keep(model, "generate" if asked_for == "text" else "option_logprobs")
    adapted: Any = (
        model if is_ours else CallersModel(model, at_a_time or PROMPTS_AT_A_TIME, tuple(thought_marks))
    )
    found: Model = adapted
    return found


def callers_scorer(model: OwnModel, *, at_a_time: int | None) -> CandidateScorer:
    """An object as one that scores candidates; see `callers_model`."""
    is_ours = _takes_keep(model, "candidate_logprobs")
    adapted: Any = model if is_ours else CallersCandidateScorer(model, at_a_time or PROMPTS_AT_A_TIME)
    found: CandidateScorer = adapted
    return found


def writes_alone(model: object) -> bool:
    """Whether an object writes and does not tell how likely options are."""
    return callable(getattr(model, "generate", None)) and not callable(getattr(model, "option_logprobs", None))


def _takes_keep(model: Any, method: str) -> bool:
    """Whether an object's method hands its answers on itself, as those of our own models do.

    Raises:
        ArgumentError: If the object has no such method.
    """
    if isinstance(model, type):
        raise ArgumentError(
            f"`model`: {model.__name__} is a class; hand over an object of it, {model.__name__}(…)"
        )
    if not callable(getattr(model, method, None)):
        raise ArgumentError(
            f"`model`: {_indefinite(model)} has no method {method}, which this task asks with; add it, or name "
            "a model"
        )
    try:
        return "keep" in inspect.signature(getattr(model, method)).parameters
    except ValueError:  # of a method that is not written in Python
        return False


class _Caller:
    """An object of a caller's, and how it is described."""

    def __init__(self, model: Any, at_a_time: int) -> None:
        self._model = model
        self._at_a_time = at_a_time

    def describe(self) -> ModelDescription:
        """See `protocols.Described.describe`."""
        name = getattr(self._model, "name", None)
        return ModelDescription(
            backend="python",
            id=name if isinstance(name, str) and name else type(self._model).__name__,
            chat=False,
            delimiter="",
        )

    def _blocks(self, n: int) -> list[list[int]]:
        return [list(range(start, min(start + self._at_a_time, n))) for start in range(0, n, self._at_a_time)]


class CallersModel(_Caller):
    """See `protocols.Model`."""

    def __init__(self, model: Any, at_a_time: int, thought_marks: tuple[Marks, ...]) -> None:
        super().__init__(model, at_a_time)
        self._thought_marks = thought_marks

    def generate(
        self,
        prompts: Sequence[str],
        *,
        samples: Sequence[int] | None = None,
        keep: OnGenerations | None = None,
    ) -> Sequence[Generation]:
        """See `protocols.Generator.generate`; the object hears of prompts alone."""
        del samples
        table = TextTable(len(prompts), keep)
        for items in self._blocks(len(prompts)):
            texts = _listed("generate", self._model.generate([prompts[i] for i in items]), len(items))
            table.put(items, [_generation(text, self._thought_marks) for text in texts])
        return table.all()

    def option_logprobs(
        self,
        prompts: Sequence[str],
        options: Sequence[Sequence[str]],
        *,
        keep: OnOptionScores | None = None,
    ) -> OptionScores:
        """See `protocols.OptionScorer.option_logprobs`; every option counts as one token."""
        table = ScoreTable(options, keep)
        for items in self._blocks(len(prompts)):
            offered = [list(options[i]) for i in items]
            rows = _rows(self._model.option_logprobs, [prompts[i] for i in items], offered)
            for item, row in zip(items, rows, strict=True):
                if np.isnan(row).any():
                    raise ArgumentError(
                        f"`model`: option_logprobs gave no number for {_at(np.isnan(row), options[item])}; "
                        "give a finite number for each"
                    )
                table.put(item, row.tolist(), [1] * len(row), tokens_in=0)
            table.hand_on(items)
        return table.all()


class CallersCandidateScorer(_Caller):
    """See `candidate_protocol.CandidateScorer`."""

    def candidate_logprobs(
        self,
        prompts: Sequence[str],
        sets: Sequence[int],
        candidates: Sequence[Sequence[str]],
        *,
        keep: OnCandidates,
    ) -> None:
        """See `candidate_protocol.CandidateScorer.candidate_logprobs`; every candidate counts as one token."""
        for items in self._blocks(len(prompts)):
            offered = [list(candidates[sets[i]]) for i in items]
            rows = _rows(self._model.candidate_logprobs, [prompts[i] for i in items], offered)
            for item, row in zip(items, rows, strict=True):
                keep(item, CandidateScores(row, np.ones(len(row), dtype=np.int32), 0))

    def tokenised(self, candidates: Sequence[str], *, after_blank: bool) -> list[Tokenised]:
        """Nothing: how the object divides a text is not known."""
        del candidates, after_blank
        return []


def _rows(
    method: Callable[..., Any], prompts: list[str], offered: list[list[str]]
) -> list[NDArray[np.float64]]:
    """Return what an object gives for the options of each prompt, as numbers; NaN for null."""
    name = method.__name__
    rows = []
    for values, texts in zip(
        _listed(name, method(prompts, offered), len(prompts), each="row of numbers"), offered, strict=True
    ):
        try:
            row = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            row = np.empty(0)
        if row.shape != (len(texts),):
            what = f"{len(row)} numbers" if row.ndim == 1 and row.size else f"{_short(values)}"
            raise ArgumentError(
                f"`model`: {name} gave {what} for a prompt with {len(texts)} options; give a number for each"
            )
        if np.isinf(row).any():
            raise ArgumentError(
                f"`model`: {name} gave {row[np.isinf(row)][0]} for {_at(np.isinf(row), texts)}; "
                "give finite numbers"
            )
        rows.append(row)
    return rows


def _at(marked: NDArray[np.bool_], texts: Sequence[str]) -> str:
    """The first of some texts that is marked."""
    return repr(texts[int(np.argmax(marked))])


def _listed(method: str, found: Any, wanted: int, *, each: str = "text") -> list[Any]:
    """Return what an object gave for some prompts, as a list of as many."""
    # What has no order, or is one text, would be taken apart without a word.
    if isinstance(found, str | bytes | Mapping | Set) or not isinstance(found, Iterable):
        raise ArgumentError(
            f"`model`: {method} gave {_indefinite(found)} in place of a list; return a list with "
            f"one {each} per prompt, {wanted} here"
        )
    answers = list(found)
    if len(answers) != wanted:
        raise ArgumentError(
            f"`model`: {method} gave {pluralise(len(answers), 'answer')} to {pluralise(wanted, 'prompt')}; "
            f"return a list with one {each} per prompt, in their order"
        )
    return answers


def _generation(text: Any, further: Sequence[Marks]) -> Generation:
    if isinstance(text, Generation):
        split = split_thought(text.text, further)
        both = "\n".join(thought for thought in (text.thought, split.thought) if thought) or None
        return replace(text, text=split.text, thought=both)
    if not isinstance(text, str):
        raise ArgumentError(
            f"`model`: generate gave {_short(text)} in place of a text; return a text per prompt, an empty one "
            "where the model says nothing"
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(
            f"`model`: generate gave {_short(text)}, which is not valid Unicode ({error.reason}); decode what "
            "the model writes, for example with errors='replace'"
        ) from None
    split = split_thought(text, further)
    return Generation(split.text, None, None, "stop", thought=split.thought)


def _indefinite(value: Any) -> str:
    return "None" if value is None else f"an object of type {type(value).__name__}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
