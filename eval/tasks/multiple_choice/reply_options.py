"""Reply options: which option a written reply chooses, by its letter or by the text of the option.

A reply is gone through once for the places that mention an option. The words around each, those of
`answer_phrases`, say whether it is chosen there.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

import polars as pl

from blend.eval.tasks.multiple_choice.answer_phrases import (
    answer_phrases,
    ends_as_word,
    folded,
    starts_as_word,
    without_denied,
)
from blend.schemas.rows import LETTERS


class _Mention(NamedTuple):
    """A letter, or the text of an option, in a reply."""

    option: int
    """Which option."""
    start: int
    end: int
    """Behind a letter that the text of an option follows, the end of that."""
    letter: str = ""
    """The letter as it is written; empty for the text of an option."""
    named: int | None = None
    """The option whose text follows the letter."""


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
    # Of a question that is asked several times, the same answer is read once.
    read = cache(option_chosen)
    chosen = [None if text is None else read(text, tuple(options)) for text, options in pairs]
    return pl.Series("chosen", chosen, pl.Int64)


def option_chosen(text: str, options: Sequence[str]) -> int | None:
    """Read one answer as `lenient_choice` reads many, with the options as shown."""
    retract, compared = answer_phrases().retract, [_compared(option) for option in options]
    reply = _Reply(folded(_in_words(text[:_READ_CHARACTERS])), compared)
    if (left := reply.without_denied()) != reply.text:
        reply = _Reply(left, compared)
    behind = left[retract.last(left.lower()) :] if retract.within(left.lower()) else None
    # "B. No, not A." takes nothing back: a colon stands for what is denied.
    if behind is None or (":" in behind and not _has_words(behind)):
        return reply.choice(takes_back=False)
    # Behind a correction the last choice counts.
    corrected = _Reply(behind, compared)
    return (corrected if corrected.is_certain or not reply.is_certain else reply).choice(takes_back=True)


class _Reply:
    """A reply with the places that mention an option."""

    def __init__(self, text: str, options: Sequence[str]) -> None:
        """Find them; the text is folded, the options are `_compared`."""
        self.text, self._low, self._options = text, text.lower(), options
        self._phrases = answer_phrases()
        texts = list(self._option_texts())
        self.letters = list(self._letters(texts))
        behind = {letter.end for letter in self.letters if letter.named is not None}
        self._texts = [one for one in texts if one.end not in behind]

    @cached_property
    def _heads(self) -> list[_Mention]:
        """Letters that begin their lines."""
        return [letter for letter in self.letters if self._leads(letter)]

    @cached_property
    def _is_list(self) -> bool:
        """Whether options are listed below each other."""
        return len({head.option for head in self._heads if not self._is_bare(head)}) > 1

    @cached_property
    def _ranks(self) -> tuple[list[_Mention], list[_Mention], list[_Mention]]:
        """Letters of final answers, letters that words announce, and letters of lines."""
        by_words: dict[str | None, list[_Mention]] = defaultdict(list)
        for letter in self.letters:
            if (how := self._chosen(letter)) and not self._begins_list(letter):
                by_words[how].append(letter)
        return by_words["final"], by_words["announced"], self._line_letters()

    @cached_property
    def is_certain(self) -> bool:
        """Whether any letter counts by itself, so that no text of an option is looked for."""
        return any(self._is_certain(letter) for rank in self._ranks for letter in rank)

    def without_denied(self) -> str:
        """The text without the options that it denies."""
        places = sorted((one.start, one.end) for one in (*self.letters, *self._texts))
        return without_denied(self.text, places, self._phrases)

    def choice(self, *, takes_back: bool) -> int | None:
        """The option chosen: by a letter of the first rank that has any, or by text."""
        if self._names_none(takes_back=takes_back):
            return None
        for rank in self._ranks:
            if named := {letter.option for letter in rank if self._holds(letter)}:
                return _only(named)
        return None if self.is_certain else self._by_text()

    def _option_texts(self) -> Iterator[_Mention]:
        """Texts of options that stand in the reply as words, those inside of a longer one left out."""
        found: list[_Mention] = []
        for option in sorted(range(len(self._options)), key=lambda option: -len(self._options[option])):
            text = self._options[option]
            for match in islice(re.finditer(re.escape(text), self._low) if text else (), _MENTIONS):
                start, end = match.span()
                inside = any(one.start <= start and end <= one.end for one in found)
                starts = starts_as_word(text, self._low[max(0, start - 1) : start])
                if not inside and starts and self._ends_as_word(text, end):
                    found.append(_Mention(option, start, end))
        return iter(found)

    def _ends_as_word(self, text: str, end: int) -> bool:
        """Whether an option ends as a word, or has an ending such as *입니다*."""
        after = self._low[end : end + _WINDOW]
        return ends_as_word(text, after) or self._phrases.ends.without_start(after) is not None

    def _letters(self, texts: Sequence[_Mention]) -> Iterator[_Mention]:
        """Letters, with the texts of options that stand behind them in their lines."""
        at = {text.start: text for text in texts}
        for found in (_CANDIDATE if self.text.isascii() else _ANY_CANDIDATE).finditer(self.text):
            start, letter = found.start(), found[0]
            if self.text.startswith(_PERSIAN_A, start):
                letter = _PERSIAN_A
            end = start + len(letter)
            if letter in LETTERS:
                index = LETTERS.index(letter)
            elif letter[0] in _LOCAL and self._stands_alone(start, end):
                index = _LOCAL[letter[0]]
            elif letter.upper() in LETTERS and _SMALL.match(self.text, end):
                index = LETTERS.index(letter.upper())
            else:
                continue
            marks = self._low[end : end + _WINDOW].partition("\n")[0]
            behind = at.get(end + len(marks) - len(marks.lstrip(_BEFORE_TEXT)))
            if behind is None:
                yield _Mention(index, start, end, letter)
            else:
                yield _Mention(index, start, behind.end, letter, behind.option)

    def _stands_alone(self, start: int, end: int) -> bool:
        """Whether a letter of another script is not part of a word, to which vowel signs belong."""
        if unicodedata.category(self.text[max(0, start - 1) : start] or " ")[0] in "LMN":
            return False
        return unicodedata.category(self.text[end : end + 1] or " ")[0] not in "LMN"

    def _before(self, mention: _Mention) -> str:
        return self._low[max(0, mention.start - _WINDOW) : mention.start]

    def _after(self, mention: _Mention) -> str:
        """What stands behind a letter or a text, and behind the marks that close a bracket or a quotation."""
        end = mention.start + len(mention.letter) if mention.letter else mention.end
        return _CLOSING.sub("", self.text[end : end + 3 * _WINDOW], count=1)

    def _leads(self, letter: _Mention) -> bool:
        """Whether nothing but marks and a word for *option* stands before a letter in its line."""
        line = self._low.rfind("\n", 0, letter.start) + 1
        before = self._low[line : letter.start].rstrip(_OPENING + ".:")
        rest = self._phrases.before.of(before).get("option", before)
        return letter.start - line < _WINDOW and not _has_words(rest)

    def _is_bare(self, letter: _Mention) -> bool:
        """Whether nothing is said behind a letter in its line."""
        line = self._after(letter).partition("\n")[0].lower().strip()
        behind = self._phrases.ends.without_start(line)
        return not _has_words(line if behind is None else behind)

    def _chosen(self, mention: _Mention) -> str | None:
        """How the words around an option choose it, ``final`` or ``announced``; null where they do not."""
        before, after = self._before(mention), self._after(mention).lower()
        how = self._announced(before) or ("announced" if self._is_chosen_behind(after) else None)
        return None if self._is_doubted(before) else how

    def _announced(self, before: str) -> str | None:
        """How the text before an option announces it: ``final``, ``announced``, or not at all."""
        rest = before[-_WINDOW:].rstrip(_OPENING)
        endings = self._phrases.before.of(rest) or self._phrases.before.of(rest.rstrip(",،，、"))
        linked = worded = False
        for _ in range(_STEPS):
            if "final" in endings:
                return "final"
            if "answer" in endings or ("option" in endings and linked) or ("choose" in endings and not worded):
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
            rest = rest.rstrip(_OPENING)
            endings = self._phrases.before.of(rest)
        return None

    def _is_doubted(self, before: str) -> bool:
        """Whether a negation or hedge stands in the clause before an option."""
        window = before.rstrip(_OPENING + _COLON)
        ends = [found.end() for found in _CLAUSE_END.finditer(window)]
        return self._phrases.doubt.within(window[ends[-1] if ends else 0 :])

    def _is_closed(self, after: str) -> bool:
        """Whether what follows an option lets it stand: nothing, a mark, *입니다*, *because*."""
        if _STOP.match(after):
            return True
        rest = self._phrases.ends.without_start(after.lstrip())
        if rest is None or _QUESTION.match(rest):
            return False
        word = rest.split(maxsplit=1)[:1]
        return not (word and self._phrases.doubt.within(word[0]))

    def _is_chosen_behind(self, after: str) -> bool:
        """Whether what follows an option chooses it: *is the correct answer*."""
        rest = self._phrases.chosen.without_start(after.lstrip())
        return rest is not None and self._is_closed(rest)

    def _is_certain(self, mention: _Mention) -> bool:
        """Whether an option counts by itself, whatever stands behind it."""
        after = self._after(mention).lower()
        return self._is_closed(after) or self._is_chosen_behind(after)

    def _holds(self, letter: _Mention) -> bool:
        """Whether what stands behind a letter agrees with it: nothing, or the text of its own option."""
        if letter.named is not None:
            return letter.named == letter.option and not self._denies(self._low[letter.end :])
        after = self._after(letter)
        tail = after.partition("\n")[0].lower().lstrip(_BEFORE_TEXT)
        goes_on = _OTHER_CLAUSE.match(after) or self._phrases.ends.without_start(tail) is not None
        return self._is_certain(letter) and (bool(goes_on) or not self._denies(tail))

    def _denies(self, after: str) -> bool:
        """Whether a negation or hedge stands in the clause behind an option."""
        return self._phrases.doubt.within(_CLAUSE_END.split(after[: 3 * _WINDOW], maxsplit=1)[0])

    def _begins_list(self, letter: _Mention) -> bool:
        """Whether a letter is the first of options that are listed, below each other or in one line."""
        if self._is_list and self._leads(letter) and not self._is_bare(letter):
            return True
        items = _NEXT_ITEM.findall(self._after(letter).partition("\n")[0])
        return any(LETTERS.index(item) == letter.option + 1 for item in items)

    def _is_joined(self, letter: _Mention) -> bool:
        """Whether another letter stands directly before or behind a letter, joined to it."""
        after = self._after(letter)
        if _SEVERAL_NEXT.match(after):
            return True
        before = self.text[max(0, letter.start - _WINDOW) : letter.start].rstrip(_OPENING)
        rest = self._phrases.before.of(before.lower()).get("join", "").rstrip()
        if _LETTER_BEFORE.search(before[: len(rest)]):
            return True
        after = after.lstrip(" ,")
        joined = self._phrases.join.without_start(after.lower())
        if joined is None:
            return False
        # "or maybe C" as well.
        doubted = self._phrases.doubt.without_start(joined.lstrip())
        rest = joined if doubted is None else doubted
        return _LETTER_NEXT.match(after[len(after) - len(rest) :].lstrip()) is not None

    def _line_letters(self) -> list[_Mention]:
        """The letters that are lines by themselves; if there are none, the one with which the reply begins.

        A list of options begins with no choice, nor does a line that names another letter.
        """
        bare = [head for head in self._heads if self._is_bare(head)]
        if bare:
            return bare if self._is_list else self._heads
        if self._is_list or not self._heads:
            return []
        head = self._heads[0]
        end = head.start + len(self.text[head.start :].partition("\n")[0])
        others = [one.start for one in self.letters if one.start < end and one.option != head.option]
        if others:
            return []
        # Letters of other scripts are words as well, and one in a later line can belong to anything.
        opens = head.letter in LETTERS and not self.text[: head.start].strip(_OPENING)
        return [head] if opens or head.named == head.option else []

    def _names_none(self, *, takes_back: bool) -> bool:
        """Whether it names no option, whatever else it says: several, joined, or taken back."""
        final, announced, line = self._ranks
        if len({letter.option for letter in final}) > 1 or any(map(self._is_joined, (*final, *announced))):
            return True
        if final or not takes_back:
            return False
        first = min((letter.start for letter in (*announced, *line)), default=len(self.text))
        return self._phrases.retract.within(self._low[first + 1 : first + _TAKEN_BACK])

    def _by_text(self) -> int | None:
        """The one option whose text is the whole reply, is chosen by words, or is all that a sentence says."""
        entire = _trimmed(self._low)
        if entire in self._options:
            # Two options can be alike once punctuation is off; then neither is named.
            return self._options.index(entire) if self._options.count(entire) == 1 else None
        alone = len({text.option for text in self._texts}) == 1
        return _only(
            {
                text.option
                for text in self._texts
                if (self._chosen(text) and self._is_certain(text)) or (alone and self._is_sentence(text))
            }
        )

    def _is_sentence(self, mention: _Mention) -> bool:
        """Whether a sentence without a negation ends in *is* or *eat* and an option, or is no more."""
        after = self._after(mention).lower().lstrip()
        rest = self._phrases.ends.without_start(after)
        if _has_words(after if rest is None else rest) or "?" in after:
            return False
        before = self._low[: mention.start].rstrip(_OPENING)
        if self._phrases.doubt.within(before) or self._phrases.doubt.within(after):
            return False
        before = self._phrases.before.of(before).get("option", before).rstrip()
        return not _trimmed(before) or not {"is", "do"}.isdisjoint(self._phrases.before.of(before))


def _only(named: set[int]) -> int | None:
    return next(iter(named)) if len(named) == 1 else None


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


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


def _in_words(text: str) -> str:
    """A text in which the marks of TeX and HTML that tell of an answer are words."""
    if "\\" in text or "$" in text:
        text = _COMMAND.sub("", _BOXED.sub(" final answer: {", text))
    if "<" in text:
        text = _TAG.sub(" ", text)
    return text


_AROUND = frozenset("PSZC")
"""Unicode's categories of what stands around a text: punctuation, symbols, blanks, control characters."""

_MENTIONS = 50
"""Places of one option that are looked at: a reply that says it more often repeats itself."""

_READ_CHARACTERS = 20_000
"""What is read of a reply: a model that repeats itself for a megabyte says nothing new behind it."""

_WINDOW = 100
"""Characters before and behind a letter in which its words are looked for."""

_TAKEN_BACK = 2_000
"""Characters behind the first choice in which it can be taken back."""

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

_OPENING = " \t\n\"'*_`([{“”„«「『【《<>$~#"
_CLOSING = re.compile(r"(?:[)\]}*_`”»」』】》>$~]|[\"'](?![A-Za-z]))*")
_BEFORE_TEXT = _OPENING + ".):-–—、,。，：‘]}"
# "B, not C" and "B. It is not …" are about something else, "B. is not correct" is not.
_OTHER_CLAUSE = re.compile(r"\s*(?:[,，、،。]|\.(?!\s*[a-z]))")
_COLON = ":=፡፦ঃ–—→-】]"
_STOP = re.compile(
    r"\s*(?:\n|$)|\s*[!;:,。！；，、：،؛।።]|\s*\.(?![A-Za-z])|\s+[-–—→]|\s*\(|\s*[^\w\s?？؟'\"/&+|.-]"
)
_QUESTION = re.compile(r"\s*[?？؟]|\s*吗")
_CLAUSE_END = re.compile(r"[.!?;,\n。！？；，،؛؟।።]")
_LETTER_BEFORE = re.compile(rf"(?<![A-Za-z])[{LETTERS}][)\]\"'*,，]*$")
_LETTER_NEXT = re.compile(rf"[\"'*(\[]*[{LETTERS}](?![A-Za-z0-9])")
# Behind a comma a small letter can be an article; a key `"b":` is none.
_SEVERAL_NEXT = re.compile(
    rf"\s*[,、，;/&+|]+\s*[\"'*(\[]*(?:[{LETTERS}]|[{LETTERS.lower()}](?=[\"'*)\]]))(?![A-Za-z0-9])(?![\"'*)\]]*\s*:)"
)
_NEXT_ITEM = re.compile(rf"(?<![A-Za-z])([{LETTERS}])[).:]\s*\w")

_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{")
_COMMAND = re.compile(r"\\(?:text|textbf|mathrm|mathbf|textrm|mbox)?(?=[{([\])])|\$+")
_TAG = re.compile(r"<(?:answer|final_answer|choice)>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z_]{1,20}>")
