"""Templates: from questions that natives wrote to a sheet that a person reviews.

A native writes about the own country, in English and in the own words. Asked everywhere, the question needs a
slot where the country stands, must not be asked twice, and must not be about something that only one country
has. This module proposes the first and tells the other two; it decides and deletes nothing. The reviewed sheet
becomes templates in `blend.builders.templates.sheet`.

References:
    Myung et al. (2024), BLEnD, section 3, https://arxiv.org/abs/2406.09948: duplicates and culture-specific
    questions are taken out, country names replaced.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from rapidfuzz import fuzz, process

from blend.builders.templates.country_names import Proposal, propose
from blend.builders.templates.slots import at_sentence_start
from blend.schemas.locales import Registry, registry
from blend.schemas.prompts import ANY_SLOT
from blend.schemas.sheets import PROPOSED_TEMPLATES, REASON_SEPARATOR
from blend.schemas.texts import words

# Questions that fit one country only: the words in a template that other countries may have nothing for.


_PARENTHESES = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
_HINT = re.compile(r"\be\.g\.|HH:MM|MM/DD|Arabic numerals?")
# A name: capitalised words, joined by small ones as in "Eid ul Fitr" and "Bank of Korea", or by a possessive.
_WORD = r"[^\W\d_a-z](?:[\w'’.&-]*\w)?(?:(?<=s)['’](?=\s))?"
_NAME = re.compile(rf"(?<![\w'’.-]){_WORD}(?:\s+(?:(?:of|the|and|de|la|al|ul|el|for)\s+){{0,2}}{_WORD})*")
# Capitals of English spelling that name nothing particular to a country.
_COMMON_CAPITALS = """
I Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August
September October November December TV DVD PC AM PM OK HH MM DD Internet COVID-19 ID CEO GDP PhD
"""
_COMMON = frozenset(_COMMON_CAPITALS.split())
# In small letters as well, these exist in some countries only.
_NATIONAL = re.compile(
    r"\b(?:king|queen|monarch|emperor|shah|sultan|royal(?:\s+family)?|prime minister|president|parliament"
    r"|congress|senate|national assembly|supreme court|governor|zip code|social security|conscription)\b"
)
_SPEAKER = re.compile(r"\b(?:we|us|our|ours|my|mine|here)\b", re.IGNORECASE)


def one_country_reasons(template: str) -> list[str]:
    """List why a template may fit one country only.

    Args:
        template: English text with slots for the author's own country.

    Returns:
        Reasons ``kind: what``, in the order of the text within each kind and none twice: ``name`` for
        capitalised words that start no sentence and for abbreviations, ``institution`` for national ones in
        small letters, ``script`` for words in other letters than Latin, ``speaker`` for words such as "we" and
        "here". Slots, format hints, weekdays and months do not count.
    """
    # What is left out still parts names and sentences, so it is blanked, not removed.
    text = _PARENTHESES.sub(_without_hint, ANY_SLOT.sub(_blanked, template))
    reasons = [reason for found in _NAME.finditer(text) for reason in _name_reasons(found)]
    reasons += [
        f"institution: {found[0]!r} is not found in every country" for found in _NATIONAL.finditer(text)
    ]
    reasons += [f"script: {word!r} is not in Latin letters" for word in _foreign_words(text)]
    reasons += [f"speaker: {found[0]!r} depends on who asks" for found in _SPEAKER.finditer(text)]
    return list(dict.fromkeys(reasons))


def _blanked(match: re.Match[str]) -> str:
    # A letter is no name by itself, and after it no sentence starts.
    return "x".ljust(len(match[0]), "_")


def _without_hint(match: re.Match[str]) -> str:
    return _blanked(match) if _HINT.search(match[0]) else match[0]


def _name_reasons(found: re.Match[str]) -> list[str]:
    name = found[0]
    if at_sentence_start(found.string[: found.start()]):
        # The first word is capitalised by its place; what follows it in capitals is a name.
        first, _, name = name.partition(" ")
        if not name:
            return _initial_reasons(first)
        name = _from_capital(name)
    words = [word for word in name.split() if word not in _COMMON and word.removesuffix("s") not in _COMMON]
    if not any(word[0].isupper() for word in words):
        return []
    return [f"name: {name!r}"]


def _initial_reasons(word: str) -> list[str]:
    """A word at the start of a sentence is told only when its letters show that it is a name."""
    abbreviation = word.isupper() and len(word) > 1 and word not in _COMMON
    return [f"name: {word!r}"] if abbreviation else []


def _from_capital(name: str) -> str:
    """The name without the small words that it starts with."""
    words = name.split()
    while words and words[0][0].islower():
        del words[0]
    return " ".join(words)


def _foreign_words(text: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", text) if any(ord(char) > 0x24F for char in word)]


THRESHOLD = 0.85
"""Similarity from which two questions are told as near-duplicates.

Of BLEnD's 500 published templates, from which duplicates had been taken out, 21 have another one that is this
similar (the same activity of men and of women, for instance); at 0.75 it would be 116.
"""


def review_sheet(
    questions: pl.DataFrame, *, locales: Registry | None = None, threshold: float = THRESHOLD
) -> pl.DataFrame:
    """The sheet on which a person turns natives' questions into templates.

    Args:
        questions: `frames.NATIVE_QUESTIONS`, one row per question, each id once.
        locales: Whose country names are known; the packaged registry when absent.
        threshold: Similarity, in (0, 1], from which two questions are near-duplicates; see
            `near_duplicates.near_duplicates` for what the number is.

    Returns:
        `sheets.PROPOSED_TEMPLATES`, one row per question: a proposed template, the reasons to look at it, its
        near-duplicates, and an empty decision. Groups stand together at the place of their first id, else
        rows are ordered by id.

    Raises:
        UnknownNameError: If a question's locale is not known.
    """
    known = registry() if locales is None else locales
    rows = questions.sort("template_id", "source").to_dicts()
    proposals = [
        propose(row["text"], known.get(row["source_locale"]) if row["source_locale"] else None, known)
        for row in rows
    ]
    matches = near_duplicates([proposal.text for proposal in proposals], threshold=threshold)
    sheet = [
        {
            **{name: row[name] for name in ("template_id", "topic", "source_locale", "source")},
            "question": row["text"],
            "template": proposal.text,
            "reasons": REASON_SEPARATOR.join(_reasons(proposal)),
            "group": None if match is None else rows[match.group]["template_id"],
            "nearest": None if match is None else rows[match.nearest]["template_id"],
            "similarity": None if match is None else round(match.similarity, 3),
            "decision": "",
            "merge_into": "",
        }
        for row, proposal, match in zip(rows, proposals, matches, strict=True)
    ]
    by_group = pl.coalesce("group", "template_id")
    return pl.DataFrame(sheet, schema=PROPOSED_TEMPLATES).sort(by_group, "template_id", "source")


def _reasons(proposal: Proposal) -> list[str]:
    """All reasons to look at a proposal; a country that is told as such is not told as a name again."""
    named = {_detail(reason) for reason in proposal.reasons}
    one_country = one_country_reasons(proposal.text)
    return [*proposal.reasons, *(reason for reason in one_country if _detail(reason) not in named)]


def _detail(reason: str) -> str:
    return reason.partition(": ")[2]


# Questions of a benchmark share their frame ("What is the most popular … in …?"); compared with it, all of
# them look alike, and only what they ask for tells them apart.
_FRAME = """
a an and any are as at be been by can common commonly country did do does during for from generally has have
if in is it its like many most much name nation normally of often on one or our people popular popularly s
that the their there they things to typical typically us usual usually was we were what which with would you
your
"""
_FRAME_WORDS = frozenset(_FRAME.split())
_HINT_OF_FORM = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)")
_BLOCK = 512


class Match(NamedTuple):
    """Question with which another is grouped; positions count from 0."""

    group: int
    """Position of the first question of the group."""
    nearest: int
    """Position of the most similar other question; of equally similar ones the first."""
    similarity: float
    """How similar that one is, in [threshold, 1]."""


def near_duplicates(texts: Sequence[str], *, threshold: float) -> list[Match | None]:
    """For every question the group of near-duplicates that it belongs to.

    The similarity of two questions is ``2 m / (a + b)``: ``a`` and ``b`` are the lengths in characters of their
    content words, folded and sorted, and ``m`` is the length of the longest common subsequence of the two (the
    normalised indel similarity; rapidfuzz's ``token_sort_ratio`` over 100). Slots, hints in parentheses and the
    words that most questions share do not count; where nothing else is left, all words do. 1 means the same
    content words, in whatever order.

    Args:
        texts: Questions or templates in English.
        threshold: Smallest similarity, in (0, 1], that joins two questions; a group holds all that are joined
            directly or through others.

    Returns:
        One match per text, in order; ``None`` where nothing is similar enough.
    """
    contents = [content(text) for text in texts]
    groups = list(range(len(texts)))
    nearest: list[tuple[int, float] | None] = [None] * len(texts)
    for start in range(0, len(contents), _BLOCK):
        block = contents[start : start + _BLOCK]
        similarities = process.cdist(
            block, contents, scorer=fuzz.ratio, score_cutoff=100 * threshold, dtype=np.float32
        )
        for row, position in enumerate(range(start, start + len(block))):
            similarities[row, position] = 0
            for other in np.flatnonzero(similarities[row]):
                _join(groups, position, int(other))
            best = int(similarities[row].argmax())
            if similarities[row, best] > 0:
                nearest[position] = (best, float(similarities[row, best]) / 100)
    return [
        None if found is None else Match(_first(groups, position), *found)
        for position, found in enumerate(nearest)
    ]


def content(text: str) -> str:
    """The content words of a question, folded and sorted, with single blanks."""
    bare = words(ANY_SLOT.sub(" ", _HINT_OF_FORM.sub(" ", text)))
    return " ".join(sorted([word for word in bare if word not in _FRAME_WORDS] or bare))


def _join(groups: list[int], a: int, b: int) -> None:
    first_a, first_b = _first(groups, a), _first(groups, b)
    groups[max(first_a, first_b)] = min(first_a, first_b)


def _first(groups: list[int], position: int) -> int:
    while groups[position] != position:
        position = groups[position]
    return position
