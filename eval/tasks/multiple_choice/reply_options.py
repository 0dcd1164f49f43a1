"""Reply options: which option a written reply chooses, by its letter or by the text of the option.

The words for it are those of `answer_phrases`. Where a reply names letters is read without the options
(`_read_letters`), so that each distinct reply is read once; then what stands behind a letter is compared with
them.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import polars as pl

from blend.eval.tasks.multiple_choice.answer_phrases import (
    AnswerPhrases,
    answer_phrases,
    ends_as_word,
    folded,
    letters_in,
    starts_as_word,
    without_denied,
)
from blend.schemas.rows import LETTERS

_SENTENCE_END = re.compile(r"[.!?;\n。！？；؛؟।።]")
_AROUND = frozenset("PSZC")
"""Unicode's categories of what stands around a text: punctuation, symbols, blanks, control characters."""

_MENTIONS = 50
"""Places of one option that are looked at: a reply that says it more often repeats itself."""


class _NamedLetter(NamedTuple):
    """A letter that a reply names as its choice."""

    option: int
    """Index of the letter from 0."""
    certain: bool
    """Whether the letter counts by itself; if not, only where the text of its option follows."""
    tail: str
    """What is said behind the letter in its line, folded and in lower case, without the marks before it."""
    denied: bool
    """Whether that denies the letter, unless it begins with the text of the option."""


class _Reading(NamedTuple):
    """What can be known of a reply without the options."""

    text: str
    """The reply, folded and in lower case."""
    final: tuple[_NamedLetter, ...]
    """Letters of final answers: in a box, behind ``answer_choice`` or *final answer*."""
    announced: tuple[_NamedLetter, ...]
    """Letters with words that choose them."""
    line: tuple[_NamedLetter, ...]
    """Letters that begin the reply, or are a line by themselves."""
    names_none: bool
    """Whether it names no letter for sure, whatever the options say: several, joined, or taken back."""


class _Occurrence(NamedTuple):
    """A letter in a reply, with what surrounds it."""

    option: int
    at: int
    before: str
    """Folded, up to the letter."""
    after: str
    """Folded, from behind the letter and what closes it."""
    line: int
    """Where its line begins."""
    plain: bool
    """Whether it is a Latin capital."""
    leads: bool
    """Whether nothing but marks and a word for *option* stands before it in its line."""
    opens: bool
    """Whether its line is the first."""


_Mention = tuple[int, int, int]
"""The text of an option in a reply: which option, where it starts and ends."""


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
    reading, phrases = _read_letters(text), answer_phrases()
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


def _holds(letter: _NamedLetter, options: Sequence[str], phrases: AnswerPhrases) -> bool:
    """Whether what stands behind a letter agrees with it: nothing, the text of its option, or of none."""
    named = [index for index, option in enumerate(options) if letter.tail.startswith(option) and option]
    own = options[letter.option]
    if letter.option in named and _begins(letter.tail, own, phrases):
        return not _is_denied(letter.tail[len(own) :], phrases)
    if not letter.certain or letter.denied:
        return False
    return not any(_begins(letter.tail, options[index], phrases) for index in named)


def _begins(text: str, option: str, phrases: AnswerPhrases) -> bool:
    """Whether an option that begins a text is a word of its own there, or has an ending such as *입니다*."""
    after = text[len(option) : len(option) + WINDOW]
    return ends_as_word(option, after) or phrases.ends.without_start(after) is not None


def _by_text(text: str, options: Sequence[str], phrases: AnswerPhrases) -> int | None:
    if phrases.retract.within(text):
        text = text[phrases.retract.last(text)[1] :]
    places = sorted((start, end) for _, start, end in _mentions(text, options, phrases))
    text = without_denied(text, places, phrases)
    mentions = _mentions(text, options, phrases)
    entire = _trimmed(text)
    if entire in options:
        # Two options can be alike once punctuation is off; then neither is named.
        return options.index(entire) if options.count(entire) == 1 else None
    alone = len({option for option, _, _ in mentions}) == 1
    return _only(
        {
            option
            for option, start, end in mentions
            if _is_named(text, start, end, phrases) or (alone and _is_sentence(text, start, end, phrases))
        }
    )


def _mentions(text: str, options: Sequence[str], phrases: AnswerPhrases) -> list[_Mention]:
    """Where options stand in a text as words, those inside of a longer one left out."""
    found: list[_Mention] = []
    for option in sorted(range(len(options)), key=lambda option: -len(options[option])):
        matches = re.finditer(re.escape(options[option]), text) if options[option] else ()
        for start, end in (match.span() for match in islice(matches, _MENTIONS)):
            inside = any(first <= start and end <= last for _, first, last in found)
            before, after = text[max(0, start - 1) : start], text[start : end + WINDOW]
            if (
                not inside
                and starts_as_word(options[option], before)
                and _begins(after, options[option], phrases)
            ):
                found.append((option, start, end))
    return found


def _is_named(text: str, start: int, end: int, phrases: AnswerPhrases) -> bool:
    """Whether words announce or choose an option that is mentioned."""
    before = text[max(0, start - WINDOW) : start]
    after = _closed_off(text[end : end + WINDOW])
    if _is_doubted(before, phrases):
        return False
    announced = announces(before, phrases) is not None and is_closed(after, phrases)
    return announced or _is_chosen_behind(after, phrases)


def _is_sentence(text: str, start: int, end: int, phrases: AnswerPhrases) -> bool:
    """Whether a text is a sentence without a negation that ends in *is* or *eat* and an option, or no more."""
    after = _closed_off(text[end:]).lstrip()
    rest = phrases.ends.without_start(after)
    if _trimmed(after if rest is None else rest) or "?" in after:
        return False
    before = text[:start].rstrip(OPENING)
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


READ_CHARACTERS = 20_000
"""What is read of a reply: a model that repeats itself for a megabyte says nothing new behind it."""

WINDOW = 100
"""Characters before and behind a letter in which its words are looked for."""

_TAKEN_BACK = 2_000
"""Characters behind the first choice in which it can be taken back."""

_NEAR = 12
"""Characters between which two letters are joined."""

_STEPS = 8
"""Words that may stand between the noun for the answer and the letter."""

_ALPHABETS = (
    "ΑΒΓΔ",
    # The letters shown are Latin, so the Cyrillic letters that look like them are they; Б and Г look like none.
    "АВС ",
    " Б Г",
    "أبجد",
    "ا   ",
    "कखगघ",
    "अबसद",
    "কখগঘ",
    "அஆஇஈ",
    "ሀለሐመ",
    "กขคง",
    "가나다라",
    "甲乙丙丁",
    "アイウエ",
)
"""Letters of other scripts, in the positions of A, B, C and D."""

_LOCAL = {
    letter: position for letters in _ALPHABETS for position, letter in enumerate(letters) if letter != " "
}

_CANDIDATE = re.compile(rf"[{LETTERS}{LETTERS.lower()}](?<![A-Za-z0-9].)(?![A-Za-z0-9])")
_ANY_CANDIDATE = re.compile(rf"[{LETTERS}{LETTERS.lower()}{''.join(_LOCAL)}](?<![A-Za-z0-9].)(?![A-Za-z0-9])")
# A small letter can be an article: only where it is quoted or bracketed, or the line ends.
_SMALL = re.compile(r"[)\]\"'*”}]|\.?[ \t]*(?:\n|$)")
_PERSIAN_A = "الف"

OPENING = " \t\n\"'*_`([{“”„«「『【《<>$~#"
_CLOSING = re.compile(r"(?:[)\]}*_`”»」』】》>$~]|[\"'](?![A-Za-z]))*")
_BEFORE_TEXT = OPENING + ".):-–—、,。，：‘]}"
# "B, not C" and "B. It is not …" are about something else, "B. is not correct" is not.
_OTHER_CLAUSE = re.compile(r"\s*(?:[,，、،。]|\.(?!\s*[a-z]))")
_COLON = ":=፡፦ঃ–—→-】]"
_STOP = re.compile(
    r"\s*(?:\n|$)|\s*[!;:,。！；，、：،؛।።]|\s*\.(?![A-Za-z])|\s+[-–—→]|\s*\(|\s*[^\w\s?？؟'\"/&+|.-]"
)
_QUESTION = re.compile(r"\s*[?？؟]|\s*吗")
_SENTENCE = re.compile(r"[A-D][).:]?[^.!?\n。！？]{4,200}[.!?。！？]\s")
CLAUSE_END = re.compile(r"[.!?;,\n。！？；，،؛؟।።]")
_LETTER_BEFORE = re.compile(rf"(?<![A-Za-z])[{LETTERS}][)\]\"'*,，]*$")
_LETTER_NEXT = re.compile(rf"[\"'*(\[]*[{LETTERS}](?![A-Za-z0-9])")
# Behind a comma a small letter can be an article; a key `"b":` is none.
_SEVERAL_NEXT = re.compile(
    rf"\s*[,、，;/&+|]+\s*[\"'*(\[]*(?:[{LETTERS}]|[{LETTERS.lower()}](?=[\"'*)\]]))(?![A-Za-z0-9])(?![\"'*)\]]*\s*:)"
)
_NEXT_ITEM = re.compile(rf"(?<![A-Za-z])([{LETTERS}])[).:]\s*\w")

_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{")
_COMMAND = re.compile(r"\\(?:text|textbf|mathrm|mathbf|textrm|mbox)?(?=[{([\])])|\$+")
_ANSWER_TAG = re.compile(r"<(?:answer|final_answer|choice)>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z_]{1,20}>")


# Models repeat themselves: a reply to many questions is read once.
@lru_cache(maxsize=1 << 10)
def _read_letters(reply: str) -> _Reading:
    """The letters that a reply names, and how; `reply_options.lenient_choice` says what follows from them.

    Of a reply that corrects itself, what stands behind the correction counts, if it names a letter.
    """
    phrases = answer_phrases()
    full = folded(_in_words(reply[:READ_CHARACTERS]))
    text = without_denied(full, letters_in(full), phrases)
    takes_back = phrases.retract.within(low := text.lower())
    if takes_back:
        start, end = phrases.retract.last(low)
        corrected = _read(text[end:], phrases, takes_back=True)
        if any(letter.certain for letter in (*corrected.final, *corrected.announced, *corrected.line)):
            return corrected
        if letters_in(full[end:]) and not any(character.isalnum() for character in text[end:]):
            # "B. No, not A." takes nothing back.
            text = text[:start]
    return _read(text, phrases, takes_back=takes_back)


def _read(text: str, phrases: AnswerPhrases, *, takes_back: bool) -> _Reading:
    occurrences = list(_occurrences(text, phrases))
    heads = [occurrence for occurrence in occurrences if occurrence.leads]
    is_list = len({occurrence.option for occurrence in heads if not _is_bare(occurrence, phrases)}) > 1
    chosen = [
        (occurrence, kind)
        for occurrence in occurrences
        if (kind := _chosen(occurrence, phrases))
        and not _begins_list(occurrence, is_list=is_list, phrases=phrases)
    ]
    final = tuple(_named(occurrence, phrases) for occurrence, kind in chosen if kind == "final")
    announced = tuple(_named(occurrence, phrases) for occurrence, kind in chosen if kind == "announced")
    line = _line_letters(text, occurrences, heads, is_list=is_list, phrases=phrases)
    first = min(
        [occurrence.at for occurrence, _ in chosen] + [occurrence.at for occurrence in heads if line],
        default=len(text),
    )
    low = text.lower()
    names_none = (
        len({letter.option for letter in final}) > 1
        or any(_is_joined(occurrence, phrases) for occurrence, _ in chosen)
        or (takes_back and not final and phrases.retract.within(low[first + 1 : first + _TAKEN_BACK]))
    )
    return _Reading(low, final, announced, line, names_none)


def announces(before: str, phrases: AnswerPhrases) -> str | None:
    """How the text before a letter or an option announces it: ``final``, ``announced``, or not at all.

    Args:
        before: Folded and in lower case.
        phrases: The phrases of all languages.
    """
    rest = before[-WINDOW:].rstrip(OPENING)
    endings = phrases.before.of(rest)
    if not endings and "choose" in (opinion := phrases.before.of(rest.rstrip(",،，、"))):
        endings = opinion
    if "answer" in endings:
        return "final" if "final" in endings else "announced"
    linked = worded = False
    for step in range(_STEPS):
        if "final" in endings:
            return "final"
        if (
            ("answer" in endings and step)
            or ("option" in endings and linked)
            or ("choose" in endings and not worded)
        ):
            return "announced"
        marked = rest.rstrip(_COLON)
        if "option" in endings:
            rest = endings["option"]
        elif marked != rest:
            rest, linked = marked, True
        elif "is" in endings or "described" in endings:
            rest, linked, worded = endings.get("is", endings.get("described", "")), True, True
        else:
            return None
        rest = rest.rstrip(OPENING)
        endings = phrases.before.of(rest)
    return None


def _is_doubted(before: str, phrases: AnswerPhrases) -> bool:
    """Whether a negation or hedge stands in the clause before a letter or an option."""
    window = before[-WINDOW:].rstrip(OPENING + _COLON)
    ends = [found.end() for found in CLAUSE_END.finditer(window)]
    return phrases.doubt.within(window[ends[-1] if ends else 0 :])


def is_closed(after: str, phrases: AnswerPhrases) -> bool:
    """Whether what follows a letter or an option lets it stand: nothing, a mark, *입니다*, *because*.

    Args:
        after: Folded and in lower case, from behind the marks that close a quotation.
        phrases: The phrases of all languages.
    """
    if _STOP.match(after):
        return True
    rest = phrases.ends.without_start(after.lstrip())
    if rest is None or _QUESTION.match(rest):
        return False
    word = rest.split(maxsplit=1)[:1]
    return not (word and phrases.doubt.within(word[0]))


def _is_chosen_behind(after: str, phrases: AnswerPhrases) -> bool:
    """Whether what follows a letter or an option chooses it: *is the correct answer*."""
    rest = phrases.chosen.without_start(after.lstrip())
    return rest is not None and is_closed(rest, phrases)


def _is_denied(after: str, phrases: AnswerPhrases) -> bool:
    """Whether a negation or hedge stands in the clause behind a letter or an option."""
    return phrases.doubt.within(CLAUSE_END.split(after, maxsplit=1)[0])


def _closed_off(after: str) -> str:
    """What stands behind the marks that close a bracket, a quotation or bold type."""
    return _CLOSING.sub("", after, count=1)  # what it finds first is at the start, if only nothing


def _in_words(text: str) -> str:
    """A text in which the marks of TeX and HTML that tell of an answer are words."""
    if "\\" in text or "$" in text:
        text = _COMMAND.sub("", _BOXED.sub(" final answer: {", text))
    if "<" in text:
        text = _TAG.sub("", _ANSWER_TAG.sub(" final answer: ", text))
    return text


def _occurrences(text: str, phrases: AnswerPhrases) -> Iterator[_Occurrence]:
    for found in (_CANDIDATE if text.isascii() else _ANY_CANDIDATE).finditer(text):
        start, letter = found.start(), found[0]
        end = start + (len(_PERSIAN_A) if text.startswith(_PERSIAN_A, start) else 1)
        if letter in LETTERS:
            index = LETTERS.index(letter)
        elif letter in _LOCAL and _stands_alone(
            text[max(0, start - 1) : start], text[end : end + WINDOW], phrases
        ):
            index = _LOCAL[letter]
        elif letter.upper() in LETTERS and _SMALL.match(text, end):
            index = LETTERS.index(letter.upper())
        else:
            continue
        line = text.rfind("\n", 0, start) + 1
        yield _Occurrence(
            option=index,
            at=start,
            before=text[max(0, start - WINDOW) : start],
            after=_closed_off(text[end : end + 3 * WINDOW]),
            line=line,
            plain=letter in LETTERS,
            opens=not text[:line].strip(),
            leads=start - line < WINDOW and _is_mark_or_option(text[line:start].lower(), phrases),
        )


def _stands_alone(before: str, after: str, phrases: AnswerPhrases) -> bool:
    """Whether a letter of another script is not part of a word: vowel signs belong to it, *입니다* does not."""
    if unicodedata.category(before or " ")[0] in "LMN":
        return False
    is_word = unicodedata.category(after[:1] or " ")[0] in "LMN"
    return not is_word or phrases.ends.without_start(after.lower()) is not None


def _is_mark_or_option(before: str, phrases: AnswerPhrases) -> bool:
    rest = before.rstrip(OPENING + ".:")
    return not any(character.isalnum() for character in phrases.before.of(rest).get("option", rest))


def _chosen(occurrence: _Occurrence, phrases: AnswerPhrases) -> str | None:
    """Whether the words around a letter choose it, and how; see `announces`."""
    before, after = occurrence.before.lower(), occurrence.after.lower()
    kind = announces(before, phrases)
    if kind is None and _is_chosen_behind(after, phrases):
        kind = "announced"
    if kind is None or _QUESTION.match(after) or _is_doubted(before, phrases):
        return None
    return kind


def _named(occurrence: _Occurrence, phrases: AnswerPhrases) -> _NamedLetter:
    after = occurrence.after.lower()
    certain = is_closed(after, phrases) or _is_chosen_behind(after, phrases)
    line = after.partition("\n")[0]
    tail = line.lstrip(_BEFORE_TEXT)
    goes_on = _OTHER_CLAUSE.match(occurrence.after) or phrases.ends.without_start(tail) is not None
    denied = bool(tail) and not goes_on and _is_denied(tail, phrases)
    return _NamedLetter(occurrence.option, certain, tail, denied)


def _is_bare(occurrence: _Occurrence, phrases: AnswerPhrases) -> bool:
    """Whether nothing is said behind a letter in its line."""
    line = occurrence.after.partition("\n")[0].lower().strip()
    behind = phrases.ends.without_start(line)
    return not any(character.isalnum() for character in (line if behind is None else behind))


def _begins_list(occurrence: _Occurrence, *, is_list: bool, phrases: AnswerPhrases) -> bool:
    """Whether a letter is the first of options that are listed, below each other or in one line."""
    if occurrence.leads and is_list and not _is_bare(occurrence, phrases):
        return True
    items = _NEXT_ITEM.findall(occurrence.after.partition("\n")[0])
    return any(LETTERS.index(letter) == occurrence.option + 1 for letter in items)


def _is_joined(occurrence: _Occurrence, phrases: AnswerPhrases) -> bool:
    """Whether another letter stands directly before or behind a letter, joined to it."""
    if _SEVERAL_NEXT.match(occurrence.after):
        return True
    before = occurrence.before.rstrip(OPENING)
    rest = phrases.before.of(before.lower()).get("join", "").rstrip()
    if _LETTER_BEFORE.search(before[max(0, len(rest) - _NEAR) : len(rest)]):
        return True
    after = occurrence.after.lstrip(" ,")
    joined = phrases.join.without_start(after.lower())
    if joined is None:
        return False
    # "or maybe C" as well.
    doubted = phrases.doubt.without_start(joined.lstrip())
    rest = joined if doubted is None else doubted
    return _LETTER_NEXT.match(after[len(after) - len(rest) :].lstrip()) is not None


def _line_letters(
    text: str,
    occurrences: list[_Occurrence],
    heads: list[_Occurrence],
    *,
    is_list: bool,
    phrases: AnswerPhrases,
) -> tuple[_NamedLetter, ...]:
    """The letters that are lines by themselves; if there are none, the one with which the reply begins.

    A list of options begins with no choice, nor does a line that names another letter.
    """
    bare = [occurrence for occurrence in heads if _is_bare(occurrence, phrases)]
    if bare:
        return tuple(_named(occurrence, phrases) for occurrence in (bare if is_list else heads))
    if is_list or not heads:
        return ()
    (head, *_) = heads
    others = [other.at for other in occurrences if other.line == head.line and other.option != head.option]
    # Other letters belong to an explanation where a sentence with the text of the option comes first.
    sentence = _SENTENCE.match(text, head.at)
    if others and not (sentence and sentence.end() <= min(others)):
        return ()
    named = _named(head, phrases)
    # Letters of other scripts are words as well, and one in a later line can belong to anything.
    return (named._replace(certain=named.certain and head.plain and head.opens),)
