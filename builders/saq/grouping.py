"""Grouping: which answers are variants of one answer, and what they are in English.

Two answers are variants when they have the same key, so groups never depend on order and never chain. The rules
only put together; they never remove an answer. ``docs/aggregation.md`` says how often reviewers agree with
them.
"""

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from unicodedata import category, normalize

import polars as pl

from blend.builders.saq.ballots import Ballots, asked_units, cleaned, reviewed_groups
from blend.schemas.formats import AnswerFormat, canonical, understood
from blend.schemas.frames import KEY
from blend.schemas.texts import FRACTION_SIGN, FRACTION_SLASH, ZERO_WIDTH, clean, respell

_MEANINGFUL = frozenset("%&#@*")
"""Punctuation, by its Unicode category, that changes what an answer says."""

_MINUS = "\u2212"
_OPENING = frozenset({"Zs", "Ps", "Pi"})
"""Categories of what may stand before a minus sign: a blank, a bracket, a quotation mark."""

_BLANKS = re.compile(r"(?<!\d) | (?!\d)")
"""Blanks other than those between two digits."""

_LISTING = re.compile(r"[,،;؛、，；፣፤\n]|(?<=[^\W\d_]{2})\s*[/／]\s*(?=[^\W\d_]{2})")
"""What parts the answers of a list; a slash only between words."""
_LONGEST_PART = 3
"""Words of the longest part of a list; longer ones are parts of a sentence."""

_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf][\U0001f000-\U0001faff\u2600-\u27bf\ufe0e\ufe0f\u200d]*"
)
"""Pictures with what joins and styles them; signs that are text as well, such as ©, are none."""

_AMPERSAND = re.compile(r"(?<=\w) ?& ?(?=\w)")
_AND = {"de": "und", "en": "and", "es": "y", "fr": "et", "id": "dan", "ms": "dan", "sv": "och"}
"""The word that ``&`` between two words stands for."""

# "a" and "an" stay: A levels are not levels.
_ARTICLE = re.compile(r"the (?=\w)")

_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!,?\d)")
_COMMA_IS_THOUSANDS = frozenset({"en", "ha", "ja", "ko", "ms", "tl", "zh"})
"""Languages that write thousands with a comma wherever they are spoken; in Spanish it may be decimal."""


@lru_cache(maxsize=1 << 16)
def grouping_key(
    answer: str, language: str, answer_format: AnswerFormat = AnswerFormat.TEXT, unit: str | None = None
) -> str:
    """Return what an answer is compared by: equal keys, one group.

    Args:
        answer: The answer as typed.
        language: BCP 47 tag; decides which spellings are the same (`texts.respell`).
        answer_format: Format of the question. An answer in this format is compared by its canonical spelling
            (`formats.understood`), also where only punctuation around it is in the way (``7.``); every
            other answer is compared as text.
        unit: Unit of time in which the question wants its number (`formats.asked_unit`).

    Returns:
        For text its letters, marks, digits and symbols in the language's unified spelling. Punctuation and
        blanks count only inside numbers: ``hot dog``, ``hot-dog`` and ``hotdog`` are one answer, ``1.5`` and
        ``15`` are two. ``&`` between two words is the language's "and", an English "the" at the start is left
        out, and so are commas between thousands where the language has no other use for them. Emoji beside
        words do not count. An answer of punctuation or emoji alone is its own key.
    """
    key = _text_key(answer, language) or clean(normalize("NFKC", answer))
    if answer_format is AnswerFormat.TEXT:
        return key
    if answer_format is AnswerFormat.DATE and FRACTION_SIGN.search(answer):
        # ½ is 1/2 by now, and would be read as a day.
        return key.replace("/", FRACTION_SLASH)
    read = partial(understood, answer_format=answer_format, language=language, unit=unit)
    return read(answer) or read(key) or key


def several_answers(answer: str, lines: Sequence[str] = ()) -> list[str]:
    """The answers that one text lists: ``tea, coffee, milk`` are three; one, itself, where nothing lists any.

    So do the ``lines`` of its cell, if there are several.

    Parts of a list have a letter each and at most `_LONGEST_PART` words; those between slashes two letters, so
    that ``w/o`` and ``24/7`` are no lists. Only a suspicion: ``Paris, Texas`` is one place.
    """
    listed = "\n".join(filter(None, map(clean, lines))) if len(lines) > 1 else answer
    parts = [part.strip() for part in _LISTING.split(listed)]
    # What ends in a comma lists no empty answer.
    parts = parts[:-1] if len(parts) > 1 and not parts[-1] else parts
    is_list = all(any(map(str.isalpha, part)) and len(part.split()) <= _LONGEST_PART for part in parts)
    return parts if is_list else [answer]


def _untidiness(answer: str, answer_format: AnswerFormat) -> int:
    """Rank how far an answer is from the tidiest way to write it.

    The tidiest variant of a group is shown first.

    0 for ``tea``, and for an answer in the canonical spelling of its format; 1 for capitals throughout
    (``TEA``); 2 for punctuation or symbols around it, compatibility forms or characters without width
    (``tea.``, ``ｔｅａ``); 3 for both (``TEA.``).
    """
    if answer_format is not AnswerFormat.TEXT:
        return 0 if canonical(answer, answer_format) == answer else 2
    outer = category(answer[:1] or " ")[0] + category(answer[-1:] or " ")[0]
    framed = "P" in outer or normalize("NFKC", answer).translate(ZERO_WIDTH) != answer
    return 2 * framed + answer.isupper()


def _text_key(text: str, language: str) -> str:
    primary = language.partition("-")[0].lower()
    spelled = respell(text, language)
    if primary in _COMMA_IS_THOUSANDS:
        spelled = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), spelled)
    plain = "".join(_kept(char, spelled[i - 1 : i], spelled[i + 1 : i + 2]) for i, char in enumerate(spelled))
    if (without := _EMOJI.sub(" ", plain)).strip():
        plain = without
    worded = " ".join(plain.split())
    if primary in _AND:
        # Behind punctuation as well, which is gone by now: `1:&1` is `1&1`.
        worded = _AMPERSAND.sub(f" {_AND[primary]} ", worded)
    if primary == "en":
        worded = _ARTICLE.sub("", worded, count=1) if _ARTICLE.match(worded) else worded
    return normalize("NFC", _BLANKS.sub("", worded))


def _kept(char: str, before: str, after: str) -> str:
    """Return what a character between two others (or none) says: itself, or a blank where it only parts words.

    Punctuation between two digits says something (``1.5``, ``1-5``, ``7:30``). A hyphen that opens a number is
    a minus sign, and becomes one, so that it is told from a hyphen once blanks are gone.
    """
    if category(char)[0] not in "PZC" or char in _MEANINGFUL:
        return char
    if char == " " or not after.isdecimal():
        return " "
    if char == "-" and (not before or category(before) in _OPENING):
        return _MINUS
    return char if before.isdecimal() else " "


_GROUP = (*KEY, "group", "key")
"""What makes an answer group: an index within the review, or the key of a proposal; the other one is null."""


def grouped(ballots: Ballots) -> pl.DataFrame:
    """The valid answers with their group: ``group`` by the review, or ``key`` by the rules.

    Columns of `Ballots.answers`, and ``key`` and ``reviewed`` (whether the review mentions the answer).
    """
    answers = ballots.answers.with_columns(reviewed=pl.col("invalid").is_not_null())
    reviewed = answers.filter("reviewed", ~pl.col("invalid"))
    unreviewed = _with_keys(answers.filter(~pl.col("reviewed")).drop("group"))
    beside = _with_keys(reviewed.join(unreviewed, on=KEY, how="semi"))
    joinable = (
        beside.group_by(*KEY, "key")
        .agg(group=pl.col("group").first(), n_groups=pl.col("group").n_unique())
        # A key that the reviewer put into two groups does not say which of them an unreviewed answer joins.
        .filter(pl.col("n_groups") == 1)
        .drop("n_groups")
    )
    proposed = unreviewed.join(joinable, on=[*KEY, "key"], how="left").with_columns(
        key=pl.when(pl.col("group").is_null()).then("key")
    )
    no_key = pl.lit(None, pl.String).alias("key")
    return pl.concat([reviewed.with_columns(no_key), proposed], how="diagonal")


def _with_keys(answers: pl.DataFrame) -> pl.DataFrame:
    """The answers with the ``key`` that the rules of grouping compare them by."""
    typed = answers.select("answer", "language", "answer_format", "unit").iter_rows()
    keys = [grouping_key(text, language, AnswerFormat(form), unit) for text, language, form, unit in typed]
    return answers.with_columns(key=pl.Series(keys, dtype=pl.String))


def answer_groups(votes: pl.DataFrame, reviews: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """Every answer group: `_GROUP`, ``answers``, ``en_answers``, ``count``; in published order.

    Args:
        votes: The valid answers with their groups, of `grouped`.
        reviews: `frames.REVIEWS`, for the English of their groups.
        questions: `frames.QUESTIONS`.
    """
    # Reviewed variants in the reviewer's order, then by tidiness; proposed ones have no position, and come
    # last.
    forms = pl.col("position", "answer_format").first()
    typed = votes.group_by(*_GROUP, "answer").agg(forms, annotators=pl.len())
    found = [_untidiness(text, AnswerFormat(of)) for text, of in typed.select("answer", "answer_format").rows()]
    variants = (
        typed.with_columns(untidiness=pl.Series(found, dtype=pl.Int64))
        .sort(
            "position",
            "untidiness",
            "annotators",
            "answer",
            descending=[False, False, True, False],
            nulls_last=True,
        )
        .group_by(_GROUP, maintain_order=True)
        .agg(answers=pl.col("answer"))
    )
    counts = votes.group_by(_GROUP).agg(count=pl.col("annotator").n_unique().cast(pl.Int64))
    return (
        variants.join(counts, on=_GROUP, nulls_equal=True)
        .join(_translations(reviews), on=[*KEY, "group"], how="left")
        .join(_own_english(variants, questions), on=_GROUP, how="left", nulls_equal=True)
        .with_columns(en_answers=pl.coalesce("en_answers", "own", pl.lit([], pl.List(pl.String))))
        .sort(
            *KEY,
            "count",
            "group",
            pl.col("answers").list.first(),
            descending=[False, False, True, False, False],
            nulls_last=True,
        )
    )


def _own_english(groups: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """The groups whose answers are English as they stand: those in English, and times, dates and numbers."""
    of_question = questions.select(*KEY, "language", "answer_format", unit=asked_units(questions))
    asked = groups.join(of_question, on=KEY)
    is_english = pl.col("language").str.split("-").list.first() == "en"
    english = asked.filter(is_english).select(*_GROUP, own="answers")
    formatted = asked.filter(~is_english, pl.col("answer_format") != AnswerFormat.TEXT.value)
    own = [
        list(dict.fromkeys(filter(None, (understood(a, AnswerFormat(form), tag, unit=unit) for a in answers))))
        for answers, form, tag, unit in formatted.select("answers", "answer_format", "language", "unit").rows()
    ]
    values = formatted.select(*_GROUP, own=pl.Series(own, dtype=pl.List(pl.String)))
    return pl.concat([english, values.filter(pl.col("own").list.len() > 0)])


def _translations(reviews: pl.DataFrame) -> pl.DataFrame:
    """The English answers of reviewed groups that have some, cleaned, each once, in the review's order."""
    of_group = [*KEY, "group"]
    english = reviewed_groups(reviews).select(*of_group, "en_answers").explode("en_answers").drop_nulls()
    texts = cleaned(english, "en_answers").unique(maintain_order=True)
    return texts.group_by(of_group, maintain_order=True).agg("en_answers")
