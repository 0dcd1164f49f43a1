"""Reply options: which option a written reply chooses, by its letter or by the text of the option.

The words for it are those of `answer_phrases`; `reply_letters` finds the letters.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import polars as pl

from blend.eval.tasks.multiple_choice.answer_phrases import (
    AnswerPhrases,
    answer_phrases,
    ends_as_word,
    folded,
    starts_as_word,
    without_denied,
)
from blend.eval.tasks.multiple_choice.reply_letters import (
    OPENING,
    WINDOW,
    NamedLetter,
    announces,
    closed_off,
    is_chosen_behind,
    is_closed,
    is_denied,
    is_doubted,
    read_letters,
)

_SENTENCE_END = re.compile(r"[.!?;\n。！？；؛؟।።]")
_AROUND = frozenset("PSZC")
"""Unicode's categories of what stands around a text: punctuation, symbols, blanks, control characters."""

_MENTIONS = 50
"""Places of one option that are looked at: a reply that says it more often repeats itself."""


class _Mention(NamedTuple):
    """The text of an option in a reply."""

    option: int
    start: int
    end: int


def lenient_choice(texts: pl.Series, option_texts: pl.Series) -> pl.Series:
    r"""Index of the one option that an answer names, else null.

    The first of these rules that finds a letter decides; where it finds different ones the answer names none,
    since a guess would be ours and not the model's. The words are those of ``answer_phrases.toml``, in all its
    languages.

    1. A final answer: a letter in ``\boxed{}``, behind the key ``answer_choice`` or behind *final answer*.
    2. A letter that words announce or choose: *the answer is B*, *답: B*, *I choose B*, *B is correct*,
       ``"answer": "B"``.
    3. A letter that is a line by itself; without one, the letter with which the answer begins, where a mark or
       the text of its option follows (``B. tea``). A list of options is no choice.
    4. The text of one option: the whole answer, or announced or chosen by words as in 2, or said of something
       in an answer of one sentence that mentions no other option (*The most common snack is rice cakes*).

    What is denied is passed over (*not A but B*), and behind a correction the last choice counts (*A. No, C*):
    see `corrected_replies`. A letter does not count

    * in a question, or behind a negation or hedge in its clause (*not B*, *if B*, *the answer could be B*);
    * if several are joined (*A, B*, *either A or C*); where words announce them, the answer names none;
    * if it is taken back (*no*, *wait*) for no other; then the answer names none;
    * if the text of another option stands behind it, or a negation (*B. is wrong*).

    Small letters count where they are quoted, bracketed or at the end of a line, letters of other scripts (*ب*,
    *Β*, *나*) as those in their places of the alphabet. An answer is read up to its 20,000th character.

    Args:
        texts: The answers.
        option_texts: The options of each as shown, lists.
    """
    pairs = zip(texts.to_list(), option_texts.to_list(), strict=True)
    chosen = [None if text is None else option_chosen(text, options) for text, options in pairs]
    return pl.Series("chosen", chosen, pl.Int64)


def option_chosen(text: str, options: Sequence[str]) -> int | None:
    """Read one answer as `lenient_choice` reads many, with the options as shown."""
    reading, phrases = read_letters(text), answer_phrases()
    if reading.names_none:
        return None
    compared = [_compared(option) for option in options]
    for letters in (reading.final, reading.announced, reading.line):
        named = {letter.option for letter in letters if _holds(letter, compared, phrases)}
        if named:
            return _only(named)
    if any(letter.certain for letter in (*reading.final, *reading.announced, *reading.line)):
        return None
    return _by_text(reading.text, compared, phrases)


def _only(named: set[int]) -> int | None:
    return next(iter(named)) if len(named) == 1 else None


def _holds(letter: NamedLetter, options: Sequence[str], phrases: AnswerPhrases) -> bool:
    """Whether what stands behind a letter agrees with it: nothing, the text of its option, or of none."""
    if not letter.tail:
        return letter.certain
    named = [index for index, option in enumerate(options) if letter.tail.startswith(option) and option]
    own = options[letter.option]
    if letter.option in named and _begins(letter.tail, own, phrases):
        return not is_denied(letter.tail[len(own) :], phrases)
    if not letter.certain or letter.denied:
        return False
    return not any(_begins(letter.tail, options[index], phrases) for index in named)


def _begins(text: str, option: str, phrases: AnswerPhrases) -> bool:
    """Whether a text begins with an option, as a word of its own or with an ending such as *입니다*."""
    if not option or not text.startswith(option):
        return False
    after = text[len(option) : len(option) + WINDOW]
    return ends_as_word(option, after) or phrases.ends.without_start(after) is not None


def _by_text(text: str, options: Sequence[str], phrases: AnswerPhrases) -> int | None:
    if not any(option in text for option in options if option):
        return None
    if phrases.retract.within(text):
        text = text[phrases.retract.last(text)[1] :]
    places = sorted((mention.start, mention.end) for mention in _mentions(text, options, phrases))
    text = without_denied(text, places, phrases)
    mentions = _mentions(text, options, phrases)
    entire = _trimmed(text)
    if entire in options:
        # Two options can be alike once punctuation is off; then neither is named.
        return options.index(entire) if options.count(entire) == 1 else None
    alone = len({mention.option for mention in mentions}) == 1
    return _only(
        {
            mention.option
            for mention in mentions
            if _is_named(text, mention, phrases) or (alone and _is_sentence(text, mention, phrases))
        }
    )


def _mentions(text: str, options: Sequence[str], phrases: AnswerPhrases) -> list[_Mention]:
    """Where options stand in a text as words, those inside of a longer one left out."""
    found: list[_Mention] = []
    for option in sorted(range(len(options)), key=lambda option: -len(options[option])):
        matches = re.finditer(re.escape(options[option]), text) if options[option] else ()
        for start, end in (match.span() for match in islice(matches, _MENTIONS)):
            inside = any(other.start <= start and end <= other.end for other in found)
            before, after = text[max(0, start - 1) : start], text[start : end + WINDOW]
            if (
                not inside
                and starts_as_word(options[option], before)
                and _begins(after, options[option], phrases)
            ):
                found.append(_Mention(option, start, end))
    return found


def _is_named(text: str, mention: _Mention, phrases: AnswerPhrases) -> bool:
    """Whether words announce or choose an option that is mentioned."""
    before = text[max(0, mention.start - WINDOW) : mention.start]
    after = closed_off(text[mention.end : mention.end + WINDOW])
    if is_doubted(before, phrases):
        return False
    announced = announces(before, phrases) is not None and is_closed(after, phrases)
    return announced or is_chosen_behind(after, phrases)


def _is_sentence(text: str, mention: _Mention, phrases: AnswerPhrases) -> bool:
    """Whether a text is a sentence without a negation that ends in *is* or *eat* and an option, or no more."""
    after = closed_off(text[mention.end :]).lstrip()
    rest = phrases.ends.without_start(after)
    if _trimmed(after if rest is None else rest) or "?" in after:
        return False
    before = text[: mention.start].rstrip(OPENING)
    if phrases.doubt.within(before) or phrases.doubt.within(after):
        return False
    before = phrases.before.of(before).get("option", before).rstrip()
    if _SENTENCE_END.search(before):
        return False
    return not _trimmed(before) or not {"is", "do"}.isdisjoint(phrases.before.of(before))


@lru_cache(maxsize=1 << 14)
def _compared(text: str) -> str:
    """A text as it is compared: folded, in lower case, without punctuation around it."""
    return _trimmed(folded(text).lower())


def _trimmed(text: str) -> str:
    # Not a regular expression: to look for the end of a text takes one a time that grows with the square of it.
    start, end = 0, len(text)
    while start < end and unicodedata.category(text[start])[0] in _AROUND:
        start += 1
    while end > start and unicodedata.category(text[end - 1])[0] in _AROUND:
        end -= 1
    return text[start:end]
