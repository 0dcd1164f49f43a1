"""Keyness: what locales answer to other templates, and what that says about an option.

Who knows which words a region uses can guess: among answers of four regions, the one that sounds like the
region asked about is mostly the correct one. So some distractors should sound like it even more. How much one
does is its keyness: corpus linguists' measure of how much more one text uses a word than another does.

What people gave elsewhere they may well have meant here: five annotators do not say everything that is right.
Who answers soccer and volleyball to one question about sports and soccer alone to the next would hardly call
volleyball wrong there; and who says chicken to one question about food may eat it on other occasions.

Both follow from what two locales answer, the one asked about and the one that offers the option: a further
locale changes nothing between them.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.builders.mcq.options import LocaleText, shown
from blend.builders.mcq.overlap import base_forms
from blend.schemas.language.text_comparison import words
from blend.schemas.rows.frame_columns import in_slices

_PRIOR_VOTES = 2.0
"""Votes that a word is taken to have beside the counted ones, as often as in both locales together: a word that
one person used once is not yet telling."""
_DIGITS = 9
"""Decimal places that count: sums of the same numbers in another order may differ in the last ones."""

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

ANSWER_INDEX = pl.Schema(
    {"template_id": pl.String(), "locale": pl.String(), "text": pl.String(), "votes": pl.Int64()}
)
"""Who gave which English texts: one row per template, locale and text as typed, in this order, and its
votes."""


def answer_index(annotations: pl.DataFrame) -> pl.DataFrame:
    """Make `ANSWER_INDEX` of `ANNOTATIONS`."""
    return in_slices(annotations, _index_of)


def _index_of(annotations: pl.DataFrame) -> pl.DataFrame:
    of_group = pl.element().struct.field
    return (
        annotations.select(
            "template_id",
            "locale",
            text=pl.col("annotations").list.eval(of_group("en_answers")),
            votes=pl.col("annotations").list.eval(of_group("count")),
        )
        .explode("text", "votes")
        .explode("text")
        .drop_nulls("text")
        .group_by("template_id", "locale", "text")
        .agg(pl.col("votes").sum())
        .sort("template_id", "locale", "text")
        .select(list(ANSWER_INDEX))
        .cast(ANSWER_INDEX)
    )


class Keyness:
    """Keyness of words, by the votes of all answers of the locales.

    References:
        Monroe, Colaresi, Quinn (2008), Fightin' Words, https://doi.org/10.1093/pan/mpn018: the log-odds ratio
        of a word between two groups with a prior drawn from both together, so that rare words do not lead. Here
        it is the logarithm of a ratio of shares, one locale's over both locales', without a standard error.

    Args:
        index: `ANSWER_INDEX`.
    """

    def __init__(self, index: pl.DataFrame) -> None:
        self._locales = {tag: i for i, tag in enumerate(index["locale"].unique().sort())}
        self._words, votes_of_words = _votes_of_words(_coded(index, "template_id", "locale"))
        """All words, numbered in no particular order; and votes for them."""
        # One entry more is for locales of which nobody has heard.
        self._totals = np.zeros(len(self._locales) + 1)
        """Votes for all words, by number of the locale."""
        self._n_words = np.zeros(len(self._locales) + 1)
        """Different words that a locale uses."""
        of_locales = votes_of_words.group_by("word", "locale").agg(pl.col("votes").sum()).sort("word", "locale")
        lengths = of_locales.group_by("word", maintain_order=True).len()
        self._ends = np.concatenate([[0], np.cumsum(lengths["len"], dtype=np.int64)])
        """By word, where its votes begin among those of all, and behind the last one where they end."""
        self._by_word = _Counted.of(of_locales)
        np.add.at(self._totals, self._by_word.locale, self._by_word.votes)
        np.add.at(self._n_words, self._by_word.locale, 1)
        by_template = votes_of_words.sort("template_id")
        all_votes = _Counted.of(by_template)
        lengths = by_template.group_by("template_id", maintain_order=True).len()
        bounds = pairwise([0, *np.cumsum(lengths["len"], dtype=np.int64).tolist()])
        self._of_template = {
            template_id: all_votes.part(start, end)
            for template_id, (start, end) in zip(lengths["template_id"], bounds, strict=True)
        }

    def compared(self, template_id: str, golds: Sequence[LocaleText], options: Sequence[LocaleText]) -> Numbers:
        """Tell which options have more keyness for a correct answer's locale than the correct answer has.

        Of a word: the logarithm of its share of the locale's votes over its share of the votes of both
        locales, with `_PRIOR_VOTES` added; of a text, the mean over its words. Votes of the template itself do
        not count.

        Args:
            template_id: The template.
            golds: Correct answers with the locales asked about; each has a word.
            options: Options with the locales that offer them; each has a word.

        Returns:
            1 for more, 0 for equal and -1 for less; shape ``(n_golds, n_options)``.
        """
        words_of_golds = [self._known_words(text) for text, _ in golds]
        words_of_options = [self._known_words(text) for text, _ in options]
        number = {word: i for i, word in enumerate(sorted(set().union(*words_of_golds, *words_of_options)))}
        votes = self._without(template_id, number)
        here, there = (np.array([self._number(tag) for _, tag in some], np.int64) for some in (golds, options))
        of_options, of_golds = _Words.of(words_of_options, number), _Words.of(words_of_golds, number)
        # Options for a correct answer's locale, against the locale that offers them: (n_golds, n_options).
        theirs = of_options.means(
            votes.keyness(here[:, None], there.repeat(of_options.lengths), of_options.words)
        )
        # How the correct answer compares depends on the locale that it is compared with: (n_golds, n_locales).
        everywhere = np.arange(len(self._locales) + 1)[:, None]
        ours = of_golds.means(votes.keyness(here.repeat(of_golds.lengths), everywhere, of_golds.words)).T
        signs: Numbers = np.sign(np.round(theirs - ours[:, there], _DIGITS)).astype(np.int64)
        return signs

    def typicality(self, template_id: str, tags: Sequence[str], texts: Sequence[str]) -> tuple[Floats, Floats]:
        """Tell how typical texts are of locales beside all locales, and how much their words are used at all.

        Of a word: the logarithm of its share of the locale's votes over its share of all votes, with
        `_PRIOR_VOTES` added; and the logarithm of its votes, and one more. Of a text the means over its words.
        Votes of the template itself do not count.

        Args:
            template_id: The template.
            tags: The locales.
            texts: The texts; each has a word.

        Returns:
            The first of shape ``(n_tags, n_texts)``, the second ``(n_texts,)``.
        """
        split = [sorted(self._known_words(text)) for text in texts]
        number = {word: i for i, word in enumerate(sorted(set().union(*split)))}
        votes, here = self._without(template_id, number), [self._number(tag) for tag in tags]
        of_all = votes.votes.sum(axis=0)
        # One vote more for every word, so that no share is 0.
        expected = (of_all + 1) / (votes.totals.sum() + len(self._words))
        of_locales = votes.totals[here, None] + _PRIOR_VOTES
        ratios = np.log((votes.votes[here] + _PRIOR_VOTES * expected) / (of_locales * expected))
        of_texts = _Words.of(split, number)
        typical, used = (
            np.round(of_texts.means(of_words[..., of_texts.words]), _DIGITS)
            for of_words in (ratios, np.log1p(of_all))
        )
        return typical, used

    def _number(self, tag: str) -> int:
        return self._locales.get(tag, len(self._locales))

    def _known_words(self, text: str) -> set[str]:
        """Take a text apart; all words that nobody has used are one, the empty one."""
        # The empty word has no votes anywhere, and so the keyness of any word that nobody has used.
        return {word if word in self._words else "" for word in words(text)}

    def _without(self, template_id: str, number: Mapping[str, int]) -> "_Votes":
        """Count votes for some words in all other templates; an unknown locale or word has none."""
        votes, totals = np.zeros((len(self._totals), len(number))), self._totals
        known = {word: column for word, column in number.items() if word in self._words}
        column = np.array(list(known.values()), np.int64)
        numbers = np.array([self._words[word] for word in known], np.int64)
        columns = np.full(len(self._words), -1)
        columns[numbers] = column
        # Entries of a word follow each other; those of all words, one word after the other.
        starts, lengths = self._ends[numbers], self._ends[numbers + 1] - self._ends[numbers]
        entries = np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        votes[self._by_word.locale[entries], np.repeat(column, lengths)] = self._by_word.votes[entries]
        # The template's own votes are taken off the sums instead of summing all others anew for every template.
        if template_id in self._of_template:
            own = self._of_template[template_id]
            totals = totals - np.bincount(own.locale, own.votes, len(totals))
            looked_up = columns[own.word]
            counts = looked_up >= 0
            # Each word of a locale stands there once.
            votes[own.locale[counts], looked_up[counts]] -= own.votes[counts]
        return _Votes(votes, totals, self._n_words)


class _Counted(NamedTuple):
    """Votes for words, by number of the word and of the locale; arrays of one length."""

    word: Codes
    locale: Codes
    votes: Numbers

    @classmethod
    def of(cls, rows: pl.DataFrame) -> "_Counted":
        """Take the columns of `_votes_of_words`."""
        locale = rows["locale"].to_physical().to_numpy().astype(np.int32)
        return cls(rows["word"].to_numpy(), locale, rows["votes"].to_numpy())

    def part(self, start: int, end: int) -> "_Counted":
        """Some of the votes, by position."""
        return _Counted(self.word[start:end], self.locale[start:end], self.votes[start:end])


class _Words(NamedTuple):
    """Words of texts, side by side; every text has one."""

    words: Numbers
    """Shape ``(n_words,)``."""
    lengths: Numbers
    """Words of each text, shape ``(n_texts,)``."""

    @classmethod
    def of(cls, texts: Sequence[Collection[str]], number: Mapping[str, int]) -> "_Words":
        """Number the words of texts."""
        words = [number[word] for found in texts for word in found]
        return cls(np.array(words, np.int64), np.array([len(found) for found in texts], np.int64))

    def means(self, of_words: Floats) -> Floats:
        """Average over the words of each text, along the last axis."""
        if not len(self.lengths):
            return of_words
        starts = np.cumsum(self.lengths) - self.lengths
        means: Floats = np.add.reduceat(of_words, starts, axis=-1) / self.lengths
        return means


class _Votes(NamedTuple):
    """Votes for words."""

    votes: Floats
    """Shape ``(n_locales, n_words)``."""
    totals: Floats
    """Votes for all words, shape ``(n_locales,)``."""
    n_words: Floats
    """Different words that a locale uses, shape ``(n_locales,)``."""

    def keyness(self, here: Numbers, there: Numbers, word: Numbers) -> Floats:
        """Compute the keyness of words for a locale beside others, by number; arrays broadcast."""
        votes, other = self.votes[here, word], self.votes[there, word]
        # One word more than the locales use: the one that nobody has used yet.
        n_words = self.n_words[here] + self.n_words[there] + 1
        # Share of both locales' votes, with one vote more for every word, so that no share is 0.
        expected = (votes + other + 1) / (self.totals[here] + self.totals[there] + n_words)
        keyness: Floats = np.log(
            (votes + _PRIOR_VOTES * expected) / ((self.totals[here] + _PRIOR_VOTES) * expected)
        )
        return keyness


def _votes_of_words(index: pl.DataFrame) -> tuple[dict[str, int], pl.DataFrame]:
    """Number all words, and count votes for them: ``template_id``, ``locale``, ``word`` (number), ``votes``."""
    index, texts = _by_number(index)
    numbers: dict[str, int] = {}
    # Flat: nested lists would become a series each.
    of_texts: list[int] = []
    lengths: list[int] = []
    for text in texts:
        found = dict.fromkeys(words(text))
        of_texts.extend(numbers.setdefault(word, len(numbers)) for word in found)
        lengths.append(len(found))
    text = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    cut = pl.DataFrame({"text": text, "word": pl.Series(of_texts, dtype=pl.Int32)})
    single = index.join(cut, on="text").select("template_id", "locale", "word", "votes")
    return numbers, single.group_by("template_id", "locale", "word").agg(pl.col("votes").sum())


def _coded(rows: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Keep names that stand in many rows as numbers: as texts they take several times the memory."""
    return rows.with_columns(
        pl.col(name).cast(pl.Enum(rows[name].unique().drop_nulls().sort())) for name in columns
    )


def _by_number(index: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Rows of `ANSWER_INDEX`, texts by number, and the texts."""
    texts = index["text"].unique()
    return index.with_columns(pl.col("text").cast(pl.Enum(texts)).to_physical().cast(pl.UInt32)), texts


Form = tuple[str, ...]
"""A text by its `base_forms`."""

_NOWHERE = slice(0)


class Cooccurrence:
    """Answers that locales gave elsewhere, on the same topic or beside the same answer, and may mean here.

    Answers are numbers of forms in flat arrays: as sets and tuples they would take ten times the memory.

    Args:
        questions: `QUESTIONS`.
        index: `ANSWER_INDEX`.
    """

    def __init__(self, questions: pl.DataFrame, index: pl.DataFrame) -> None:
        topics = questions.group_by("template_id").agg(pl.col("topic").min())
        self._topics: dict[str, str | None] = dict(topics.iter_rows())
        index, texts = _by_number(index.select("template_id", "locale", "text"))
        self._numbers: dict[str, int] = {}
        """All forms, numbered; as texts, since tuples take twice the memory."""
        forms = (" ".join(base_forms(shown(text))) for text in texts)
        numbers = [self._numbers.setdefault(form, len(self._numbers)) if form else None for form in forms]
        question = ("locale", "topic", "template_id")
        given = index.with_columns(form=pl.Series(numbers, dtype=pl.Int32).gather(index["text"]))
        answers = (
            _coded(given.join(topics, on="template_id", how="left"), *question)
            .drop_nulls("form")
            .select(*question, "form")
            .unique()
            .sort(question)
        )
        self._forms = answers["form"].to_numpy()
        """What was given, question after question, those of a locale and topic side by side."""
        numbered = answers.select("locale", "form", question=pl.struct(question).rle_id())
        lengths = numbered["question"].rle().struct.field("len")
        self._ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        """By question, where its answers begin among those of all, and behind the last one where they end."""
        self._on_topic = _slices(answers, "locale", "topic")
        self._of_locale = _slices(answers, "locale")
        by_form = numbered.sort("locale", "form")
        self._sorted_forms, self._with_form = by_form["form"].to_numpy(), by_form["question"].to_numpy()
        """By locale, its forms in order, and the question to which it gave each."""

    def possibly_correct(
        self, template_id: str, golds: Sequence[LocaleText], options: Sequence[Form]
    ) -> list[set[int]]:
        """Find what the locale of a correct answer gave on its topic, or beside that answer to any question.

        Args:
            template_id: The template of the correct answers.
            golds: Correct answers with the locales asked about.
            options: The options, by `base_forms`.

        Returns:
            By correct answer, the numbers of the options that may well be right as well.
        """
        # What nobody gave has the number behind all others, which no locale has.
        unknown = len(self._numbers)
        numbers = np.array([self._numbers.get(" ".join(form), unknown) for form in options], np.int64)
        is_given = np.zeros(unknown + 1, np.bool_)
        topic, found = self._topics.get(template_id), list[set[int]]()
        for text, tag in golds:
            beside = (self._forms[self._ends[i] : self._ends[i + 1]] for i in self._with(tag, text))
            given = np.concatenate([self._forms[self._on_topic.get((tag, topic), _NOWHERE)], *beside])
            is_given[given] = True
            found.append(set(np.flatnonzero(is_given[numbers]).tolist()))
            is_given[given] = False
        return found

    def gave(self, tag: str, text: str) -> bool:
        """Whether a locale gave a text to any template."""
        return bool(self._with(tag, text))

    def _with(self, tag: str, text: str) -> list[int]:
        """List the questions, by number, to which a locale gave a text."""
        number, of_locale = self._numbers.get(" ".join(base_forms(text))), self._of_locale.get((tag,), _NOWHERE)
        if number is None:
            return []
        forms = self._sorted_forms[of_locale]
        # NumPy's own search would make an array of the number first, and of all forms another one.
        first, last = bisect_left(forms, number), bisect_right(forms, number)
        questions: list[int] = self._with_form[of_locale][first:last].tolist()
        return questions


def _slices(rows: pl.DataFrame, *by: str) -> dict[tuple[str | None, ...], slice]:
    """Find where rows with the same values of some columns lie, which stand side by side."""
    lengths = rows.group_by(by, maintain_order=True).len()
    ends = lengths["len"].cast(pl.Int64).cum_sum()
    starts = ends - lengths["len"].cast(pl.Int64)
    return dict(zip(lengths.select(by).iter_rows(), map(slice, starts, ends), strict=True))
