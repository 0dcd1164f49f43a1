"""Analysis of one topic: everything that needs all of its texts, and nothing that needs another topic.

A topic is the unit that is sent to a worker. What comes back is small beside the texts: a few matrices of
groups and the counts of words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import polars as pl

from blend.eval.statistics.clusters import FloatArray
from blend.eval.tasks.cultural_prompts import Bleu
from blend.eval.tasks.cultural_prompts.bleu import directed_bleu, undirected
from blend.eval.tasks.cultural_prompts.coded_topics import Definition, IntArray, Tokenise, code_topic
from blend.eval.tasks.cultural_prompts.lexical_variance import (
    Variances,
    published_variances,
    unbiased_variances,
)
from blend.eval.tasks.cultural_prompts.survey_agreement import Agreement, CulturalDistances, agreement
from blend.eval.tasks.cultural_prompts.tfidf_words import WordCounts, stop_words, word_counts
from blend.eval.tasks.cultural_prompts.word_edit_distance import pair_sums, wed
from blend.eval.text.nltk_tokens import nltk_tokens

Measure = Literal["bleu", "wed"]
"""What says how alike two groups' texts are: BLEU, or the word edit distance with its sign turned."""

MEASURES: tuple[Measure, ...] = ("bleu", "wed")


@dataclass(frozen=True, slots=True)
class TopicKey:
    """Place of a topic in the data set."""

    split: str
    """Kind of text, for example ``qa``; empty where there are no kinds."""
    category: str
    """Category of topics; empty where there are none."""
    topic: str
    """Name of the topic."""

    @property
    def path(self) -> str:
        """The parts that there are, joined by ``/``."""
        return "/".join(part for part in (self.split, self.category, self.topic) if part)


@dataclass(frozen=True, slots=True)
class TopicTexts:
    """The texts of a topic as they were written."""

    key: TopicKey
    """Which topic."""
    number: int
    """Its number in the order of the data set."""
    groups: Sequence[int]
    """Number of every text's group; texts of one group in the order of their samples."""
    texts: Sequence[str]
    """The texts; empty where a model wrote nothing."""
    is_english: bool = True
    """Whether the texts should be English, so that those that are not can be counted."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings that decide the figures of every topic."""

    groups: tuple[str, ...]
    """Names of the groups, in the order of the data set."""
    cultures: tuple[CulturalDistances, ...] = ()
    """Their distances in each survey."""
    definition: Definition = "paper"
    """Whose definitions."""
    bleu: Bleu = "multi-reference"
    """How the samples of a group are combined in BLEU."""
    stop_words: frozenset[str] = frozenset()
    """Words that are not counted."""
    seed: int = 0
    """Seed of the intervals."""
    tokenise: Tokenise = field(default=nltk_tokens)
    """Parts a text into tokens."""


@dataclass(frozen=True, slots=True, eq=False)
class TopicFigures:
    """Figures that a topic adds."""

    key: TopicKey
    """Which topic."""
    number: int
    """Its number."""
    samples: IntArray
    """Texts of every group."""
    published: Variances
    """Lexical variance as the definitions have it."""
    unbiased: Variances
    """Lexical variance without their bias."""
    likeness: dict[Measure, FloatArray]
    """How alike two groups' texts are, higher for more; shape ``(n_groups, n_groups)``."""
    directed_bleu: FloatArray
    """BLEU of the row's texts measured against the column's; shape ``(n_groups, n_groups)``."""
    agreements: dict[tuple[Measure, str], Agreement]
    """Rank correlation of each likeness with each survey's closeness."""
    words: WordCounts
    """How often every group's texts hold each word."""
    texts: pl.DataFrame
    """One row per text, in the order given: ``tokens`` and a column per name of `topic_analysis.ODDITIES`."""


def analyse_topic(topic: TopicTexts, settings: Settings) -> TopicFigures:
    """Every figure of a topic; each text is parted into tokens once.

    Raises:
        MissingExtraError: If there is a survey and SciPy is not installed.
    """
    tokens = [settings.tokenise(text) for text in topic.texts]
    coded = code_topic(tokens, topic.groups, len(settings.groups))
    pairs = pair_sums(coded)
    directed = directed_bleu(coded, kind=settings.bleu)
    likeness: dict[Measure, FloatArray] = {
        "bleu": undirected(directed, definition=settings.definition),
        "wed": np.negative(wed(pairs, definition=settings.definition)),
    }
    odd = [
        oddities(text, of, is_english=topic.is_english) + (("repeated",) if again else ())
        for text, of, again in zip(topic.texts, tokens, _are_repeated(topic), strict=True)
    ]
    return TopicFigures(
        topic.key,
        topic.number,
        coded.samples,
        published_variances(pairs, definition=settings.definition, seed=settings.seed),
        unbiased_variances(pairs, seed=settings.seed),
        likeness,
        directed,
        {
            (measure, culture.survey): agreement(
                likeness[measure],
                settings.groups,
                culture,
                definition=settings.definition,
                least_first=measure == "bleu",
            )
            for measure in MEASURES
            for culture in settings.cultures
        },
        word_counts(coded, settings.stop_words, position=topic.number),
        pl.DataFrame(
            {"tokens": [len(of) for of in tokens], **{name: [name in one for one in odd] for name in ODDITIES}},
            schema={"tokens": pl.Int64, **dict.fromkeys(ODDITIES, pl.Boolean)},
        ),
    )


ODDITIES = ("empty", "refusal", "other-language", "unparted", "repeated")
"""What a text can be counted as."""

REFUSAL = re.compile(
    r"\b(?:i(?:['’]m| am) (?:very |so |truly )?sorry,? (?:but|as|i)\b"
    r"|i(?:['’]m| am) (?:unable|not able) to\b"
    r"|i (?:can(?:no|['’])t|can not|won['’]t|will not|am not going to|must decline to|decline to)"
    r" (?:help|assist|fulfil|fulfill|comply|provide|write|create|generate|answer|do|continue|engage|discuss)\b"
    r"|as an? (?:ai|artificial intelligence|(?:large )?language model)\b)",
    re.IGNORECASE,
)
"""What a refusal says at its beginning: an apology, that the writer cannot or will not, or that it is a
machine."""

REFUSAL_WITHIN = 200
"""Characters at the beginning of a text in which a refusal is looked for."""

_FEWEST_TOKENS = 20
"""Tokens from which on the share of stop words says something."""

_STOP_WORD_SHARE = 0.15
"""Share of tokens that are English stop words below which a text is not English: English prose has 0.3 to 0.5,
texts in other languages hardly any."""

_LATIN_END = "\u024f"

# Thai, Lao, Tibetan, Burmese, Khmer, kana and ideographs.
_WITHOUT_BLANKS = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Characters of scripts that write no blanks between words."""

_LONGEST_WORD = 6
"""Letters per token above which tokens are more than words, in scripts without blanks: a word has two of them
on average in Chinese, and four in Thai."""


def oddities(text: str, tokens: Sequence[str], *, is_english: bool = True) -> tuple[str, ...]:
    """Tell what a text is counted as by itself, of `ODDITIES`.

    Args:
        text: As it was written.
        tokens: Its tokens.
        is_english: Whether it should be English; texts that should be in another language are not judged.
    """
    if not text.strip():
        return ("empty",)
    found = []
    if not text.isascii():
        letters = sum(map(str.isalpha, "".join(_WITHOUT_BLANKS.findall(text))))
        if letters > _LONGEST_WORD * len(tokens):
            found.append("unparted")
    if REFUSAL.search(text, 0, REFUSAL_WITHIN):
        found.append("refusal")
    if is_english and _is_other_language(text, tokens):
        found.append("other-language")
    return tuple(found)


def _are_repeated(topic: TopicTexts) -> list[bool]:
    """Whether the same group has each text already, character by character; empty ones are none."""
    seen: set[tuple[int, str]] = set()
    found = []
    for written in zip(topic.groups, topic.texts, strict=True):
        found.append(written in seen and bool(written[1].strip()))
        seen.add(written)
    return found


def _is_other_language(text: str, tokens: Sequence[str]) -> bool:
    """Whether most letters are not Latin, or too few words are those that no English text goes without."""
    if not text.isascii():
        letters = [character for character in text if character.isalpha()]
        if sum(character > _LATIN_END for character in letters) * 2 > len(letters):
            return True
    words = [token for token in tokens if token[:1].isalpha()]
    if len(words) < _FEWEST_TOKENS:
        return False
    known = stop_words()
    return sum(word in known for word in words) < _STOP_WORD_SHARE * len(words)
