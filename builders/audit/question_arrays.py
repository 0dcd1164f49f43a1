"""Question arrays: multiple-choice questions as flat arrays, for solvers that look at all options at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.schemas.formats import AnswerFormat, magnitude
from blend.schemas.texts import fold, words

IntArray = NDArray[np.int64]
"""An array of codes, indices or counts."""
FloatArray = NDArray[np.float64]
"""An array of numbers."""

QUESTIONS = pl.Schema(
    {
        "question": pl.String(),
        "options": pl.List(pl.String()),
        "answer": pl.Int64(),
        "group": pl.String(),
        "template": pl.String(),
        "topic": pl.String(),
    }
)
"""What an audit takes: the question as asked, its options, the index of the right one from 0, whom it is about
(a locale, a region), what it is a variant of, its topic. Options are two or more."""

EVIDENCE = pl.Schema({"template": pl.String(), "group": pl.String(), "text": pl.String(), "votes": pl.Int64()})
"""What groups are known to answer: one row per template, group and text."""


@dataclass(frozen=True, eq=False)
class QuestionArrays:
    """Questions and all of their options, flat: the options of a question follow each other."""

    questions: pl.DataFrame
    """`QUESTIONS`."""
    texts: tuple[str, ...]
    """The different texts of options, in code-point order."""
    text: IntArray
    """Code of every option's text, shape ``(n_options,)``."""
    owner: IntArray
    """Row of the question that has the option, same shape, ascending."""
    starts: IntArray
    """Index of the first option of every question, shape ``(n_questions,)``."""
    correct: IntArray
    """Index of the right option of every question, same shape."""
    groups: tuple[str, ...]
    """The different groups, in code-point order."""
    group: IntArray
    """Code of every question's group, same shape as ``starts``."""
    templates: tuple[str, ...]
    """The different templates, in code-point order."""
    template: IntArray
    """Code of every question's template, same shape."""

    @cached_property
    def sizes(self) -> IntArray:
        """Number of options of every question."""
        return np.diff(self.starts, append=len(self.text)).astype(np.int64)

    @cached_property
    def pair(self) -> IntArray:
        """Code of every question's template and group together, same shape as ``starts``: variants share it."""
        pairs: IntArray = np.unique(self.template * len(self.groups) + self.group, return_inverse=True)[1]
        return pairs

    @cached_property
    def key(self) -> IntArray:
        """Code of every text as compared (folded), shape ``(n_texts,)``: two spellings of one text share it."""
        return _codes([fold(text) for text in self.texts])[1]

    @cached_property
    def cells(self) -> "Cells":
        """The different options of the different questions: variants of a question share most of them."""
        shape = (len(self.templates), len(self.groups), len(self.texts))
        # Template, group and text in one number, so that one pass finds the different cells.
        numbers = np.ravel_multi_index((self.template[self.owner], self.group[self.owner], self.text), shape)
        found, cell = np.unique(numbers, return_inverse=True)
        template, group, text = np.unravel_index(found, shape)
        is_correct = np.zeros(len(found), dtype=bool)
        is_correct[cell[self.correct]] = True
        return Cells(template, group, text, is_correct, cell.astype(np.int64))

    @cached_property
    def numbers(self) -> FloatArray:
        """Every option as a number: an integer, minutes of the day, or days of the year.

        Shape ``(n_options,)``; NaN where the options of a question are not all of one format.
        """
        formats = (AnswerFormat.INTEGER, AnswerFormat.TIME, AnswerFormat.DATE)
        found: FloatArray = np.full(len(self.text), np.nan)
        for answer_format in formats:
            values = np.array([magnitude(text, answer_format) for text in self.texts], dtype=np.float64)
            of_options = values[self.text]
            all_have_it = np.logical_and.reduceat(~np.isnan(of_options), self.starts)
            found = np.where(all_have_it[self.owner], of_options, found)
        return found

    @cached_property
    def lengths(self) -> IntArray:
        """Number of characters of every option, shape ``(n_options,)``."""
        return np.array([len(text) for text in self.texts], dtype=np.int64)[self.text]

    @cached_property
    def words(self) -> "Words":
        """The words of every text."""
        return words_of(self.texts)


@dataclass(frozen=True, eq=False)
class Cells:
    """The different options of the different questions, each once."""

    template: IntArray
    """Code of the template, shape ``(n_cells,)``."""
    group: IntArray
    """Code of the group."""
    text: IntArray
    """Code of the text."""
    is_correct: NDArray[np.bool_]
    """Whether it is right in a question of that template and group."""
    cell: IntArray
    """The cell of every option, shape ``(n_options,)``."""


@dataclass(frozen=True, eq=False)
class Words:
    """The different words of texts, as codes one text after the other."""

    known: tuple[str, ...]
    """The different words, in code-point order."""
    word: IntArray
    """Codes of words, shape ``(n_words_of_texts,)``; each word once per text."""
    text: IntArray
    """Index of the text that has the word, same shape, ascending."""

    def of(self, texts: IntArray) -> tuple[IntArray, IntArray]:
        """The words of some texts.

        Args:
            texts: Codes of texts, in any order, each as often as one likes.

        Returns:
            Positions in ``texts`` and codes of words, of one length; a text without words has no entry.
        """
        n_words = np.bincount(self.text, minlength=int(texts.max(initial=0)) + 1)
        starts, lengths = (np.cumsum(n_words) - n_words)[texts], n_words[texts]
        positions = np.repeat(np.arange(len(texts)), lengths)
        # Runs 0, 1, … for each text: added to the run's start it reads the text's words one after the other.
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return positions, self.word[np.repeat(starts, lengths) + within]


def question_arrays(questions: pl.DataFrame) -> QuestionArrays:
    """The flat form of questions, `QUESTIONS`, in their order."""
    sizes = questions["options"].list.len().cast(pl.Int64).to_numpy()
    texts, text = _codes(questions["options"].explode(empty_as_null=False).to_list())
    groups, group = _codes(questions["group"].to_list())
    templates, template = _codes(questions["template"].to_list())
    starts = np.cumsum(sizes) - sizes
    return QuestionArrays(
        questions,
        texts,
        text,
        np.repeat(np.arange(len(sizes)), sizes),
        starts,
        starts + questions["answer"].to_numpy(),
        groups,
        group,
        templates,
        template,
    )


def rounded(scores: FloatArray) -> FloatArray:
    """Scores without their last digits, in which sums of the same numbers in another order may differ."""
    return np.round(scores, 9)


def words_of(texts: Sequence[str], known: tuple[str, ...] | None = None) -> Words:
    """The folded words of texts, see `blend.schemas.texts.words`; those known, if given."""
    if known is None:
        known = tuple(sorted({word for text in texts for word in words(text)}))
    code = {word: number for number, word in enumerate(known)}
    found = ((text, code.get(word)) for text, split in enumerate(map(words, texts)) for word in split)
    # Text and word in one number, so that one pass leaves each word once per text.
    numbers = [text * len(code) + word for text, word in found if word is not None]
    text, word = np.divmod(np.unique(np.array(numbers, dtype=np.int64)), max(len(code), 1))
    return Words(known, word, text)


def _codes(values: list[str]) -> tuple[tuple[str, ...], IntArray]:
    """The different values in code-point order, and the code of each."""
    series = pl.Series(values, dtype=pl.String)
    known = series.unique().sort()
    ranks = pl.DataFrame({"value": known}).with_row_index("code")
    codes = pl.DataFrame({"value": series}).join(ranks, on="value", how="left", maintain_order="left")["code"]
    return tuple(known.to_list()), codes.to_numpy().astype(np.int64)
