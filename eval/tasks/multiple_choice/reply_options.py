"""Reply options: which option a written reply chooses, by its letter or by the text of the option.

A reply is gone through once for the places that mention an option. The words around each, those of
``answer_phrases.toml``, say whether it is announced, doubted or taken back there.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, islice, pairwise
from typing import NamedTuple

from blend.schemas.models import packaged_tables
from blend.schemas.rows import LETTERS


def option_chosen(text: str, options: Sequence[str]) -> int | None:
    r"""Index of the one option that an answer names, else null.

    The first of these rules that finds a letter decides; where it finds different ones the answer names none,
    since a guess would be ours and not the model's. The words are those of ``answer_phrases.toml``, in all its
    languages.

    1. A final answer: a letter in ``\boxed{}``, behind the key ``answer_choice`` or behind *final answer*.
       Where a JSON object ends with it, nothing that is said around it counts but a correction.
    2. A letter that words announce or choose: *the answer is B*, *답: B*, *I choose B*, *B is correct*,
       ``"answer": "B"``.
    3. A letter that is a line by itself; without one, the letter with which the answer begins, where a mark or
       the text of its option follows (``B. tea``). A list of options is no choice.
    4. The text of one option: the whole answer, perhaps with its letter (*rice cakes (B)*), or announced or
       chosen by words as in 2, or said of something in an answer of one sentence that mentions no other option
       (*The most common snack is rice cakes*).

    Behind a correction only what follows counts (*A. No, C*); an answer that is taken back for no other names
    none, but a final one stands, since explanations have such words as well. A letter does not count

    * in a question, or behind a negation or hedge in its clause (*not B*, *if B*, *the answer could be B*);
    * if several are joined (*A, B*, *either A or C*); where words announce them, the answer names none;
    * if the text of another option stands behind it, or a negation (*B. is wrong*).

    Small letters count where they are quoted, bracketed or at the end of a line, letters of other scripts (*ب*,
    *Β*, *나*) as those in their places of the alphabet. An answer is read up to its 20,000th character.

    Args:
        text: The answer.
        options: The options as shown.
    """
    read = _folded(_in_words(text[:_READ_CHARACTERS]))
    compared = [_compared(option) for option in options]
    whole = _Reply(read, compared)
    taken_back = [end for _, end in _answer_phrases().spans("retract", whole.low)]
    if not taken_back:
        return whole.choice()
    corrected, final = _Reply(read[max(taken_back) :], compared), whole.final_choice()
    # {"answer_choice": "B", "reason": "They are actually …"}
    return corrected.choice() if final is None or corrected.is_certain else final


class _Mention(NamedTuple):
    """A letter, or the text of an option, in a reply."""

    option: int
    """Which option."""
    start: int
    end: int
    """Where the letter or the text ends."""
    letter: str = ""
    """The letter as it is written; empty for the text of an option."""
    text: "_Mention | None" = None
    """Behind a letter, the text of an option in the same line."""


class _Reply:
    """A reply with the places that mention an option."""

    def __init__(self, text: str, options: Sequence[str]) -> None:
        """Find them; the text is `_folded`, the options are `_compared`."""
        self.text, self.low, self._options, self._phrases = text, text.lower(), options, _answer_phrases()
        texts = {found.start: found for found in self._option_texts()}
        self.letters = list(self._letters(texts))
        labelled = {letter.text for letter in self.letters}
        self._texts = [found for found in texts.values() if found not in labelled]

    def _option_texts(self) -> Iterator[_Mention]:
        """Texts of options that stand in the reply as words, those inside of a longer one left out."""
        found: list[_Mention] = []
        for option in sorted(range(len(self._options)), key=lambda option: -len(self._options[option])):
            text = self._options[option]
            for match in islice(re.finditer(re.escape(text), self.low) if text else (), _MENTIONS):
                start, end = match.span()
                after = self.low[end : end + _WINDOW]
                inside = any(one.start <= start and end <= one.end for one in found)
                ends = _ends_there(text, after) or "ends" in self._phrases.after(after)
                if not inside and ends and _starts_there(text, self.low[max(0, start - 1) : start]):
                    found.append(_Mention(option, start, end))
        return iter(found)

    def _letters(self, texts: Mapping[int, _Mention]) -> Iterator[_Mention]:
        """Letters, with the texts of options that stand behind them in their lines."""
        for found in _CANDIDATE.finditer(self.text):
            start, letter = found.start(), found[0]
            if letter in LETTERS:
                option = LETTERS.index(letter)
            elif letter[0] in _LOCAL and _stands_alone(self.text, *found.span()):
                option = _LOCAL[letter[0]]
            elif letter.upper() in LETTERS and _SMALL.match(self.text, found.end()):
                option = LETTERS.index(letter.upper())
            else:
                continue
            marks = self.low[found.end() : found.end() + _WINDOW].partition("\n")[0]
            behind = texts.get(found.end() + len(marks) - len(marks.lstrip(_BEFORE_TEXT)))
            yield _Mention(option, start, found.end(), letter, behind)

    # What is chosen

    def choice(self) -> int | None:
        """The option chosen: by a letter of the first rank that has any, or by text."""
        for rank in self._ranks():
            if self._any_joined(rank):
                return None
            if named := {letter.option for letter in rank if self._holds(letter)}:
                return _only(named)
        return None if self.is_certain else self._by_text()

    @property
    def is_certain(self) -> bool:
        """Whether any letter counts by itself, so that no text of an option is looked for."""
        return any(self._is_certain(letter) for rank in self._ranks() for letter in rank)

    def final_choice(self) -> int | None:
        """The one option that final answers name."""
        final, _, _ = self._ranks()
        return _only({letter.option for letter in final if self._holds(letter)})

    def _ranks(self) -> tuple[list[_Mention], list[_Mention], list[_Mention]]:
        """Letters of final answers, letters that words announce, and letters of lines."""
        by_words: dict[str | None, list[_Mention]] = defaultdict(list)
        for letter in self.letters:
            # In a list of options the next one follows in the same line.
            items = _NEXT_ITEM.findall(self._after(letter).partition("\n")[0])
            if not any(LETTERS.index(item) == letter.option + 1 for item in items):
                by_words[self._chosen(letter)].append(letter)
        return by_words["final"], by_words["announced"], self._line_letters()

    def _line_letters(self) -> list[_Mention]:
        """The letters that are lines by themselves; if there are none, the one with which the reply begins.

        A list of options begins with no choice, nor does a line that names another letter.
        """
        heads = [letter for letter in self.letters if self._leads(letter)]
        bare = [head for head in heads if self._is_bare(head)]
        # Whether options are listed below each other.
        if len({head.option for head in heads if head not in bare}) > 1:
            return bare
        if bare or not heads:
            return heads
        head = heads[0]
        end = head.start + len(self.text[head.start :].partition("\n")[0])
        if any(one.start < end and one.option != head.option for one in self.letters):
            return []
        # Letters of other scripts are words as well, and one in a later line can belong to anything.
        opens = head.letter in LETTERS and not self.text[: head.start].strip(_OPENING)
        return [head] if opens or (head.text and head.text.option == head.option) else []

    def _leads(self, letter: _Mention) -> bool:
        """Whether nothing but marks and a word for *option* stands before a letter in its line."""
        line = self.low.rfind("\n", 0, letter.start) + 1
        before = self.low[line : letter.start].rstrip(_OPENING + ".:")
        rest = self._phrases.before(before).get("option", before)
        return letter.start - line < _WINDOW and not _has_words(rest)

    def _is_bare(self, letter: _Mention) -> bool:
        """Whether nothing is said behind a letter in its line."""
        line = self._after(letter).partition("\n")[0].lower().strip()
        return not _has_words(self._phrases.after(line).get("ends", line))

    def _by_text(self) -> int | None:
        """The one option whose text is the whole reply, is chosen by words, or is all that a sentence says."""
        # The bracket at its end is trimmed off, and the option may be bold.
        entire = _trimmed(self.low).replace("*", "")
        forms = (
            (text, f"{text} ({letter}") for text, letter in zip(self._options, LETTERS.lower(), strict=False)
        )
        if whole := {option for option, of_option in enumerate(forms) if entire in of_option}:
            # Two options can be alike once punctuation is off; then neither is named.
            return _only(whole)
        alone = len({text.option for text in self._texts}) == 1
        return _only(
            {
                text.option
                for text in self._texts
                if (self._chosen(text) and self._is_certain(text)) or (alone and self._is_sentence(text))
            }
        )

    # What the words around an option say

    def _after(self, mention: _Mention) -> str:
        """What stands behind a letter or a text, and behind the marks that close a bracket or a quotation."""
        return _CLOSING.sub("", self.text[mention.end : mention.end + 3 * _WINDOW], count=1)

    def _chosen(self, mention: _Mention) -> str | None:
        """How the words around an option choose it, ``final`` or ``announced``; null where they do not."""
        before = self.low[max(0, mention.start - _WINDOW) : mention.start].rstrip(_OPENING)
        clause = _CLAUSE_END.split(before.rstrip(_OPENING + _COLON))[-1]
        if not self._ends_object(mention) and self._phrases.within("doubt", clause):
            return None
        behind = self._is_chosen_behind(self._after(mention).lower())
        return self._announced(before) or ("announced" if behind else None)

    def _announced(self, rest: str) -> str | None:
        """How the text before an option announces it: ``final``, ``announced``, or not at all."""
        linked = worded = False
        for _ in range(_STEPS):
            found = self._phrases.before(rest.rstrip(_OPENING + ",،，、"))
            if "final" in found:
                return "final"
            if "answer" in found or ("option" in found and linked) or ("choose" in found and not worded):
                return "announced"
            marked = rest.rstrip(_COLON)
            if "option" in found:
                rest = found["option"]
            elif marked != rest:
                rest, linked = marked, True
            elif "is" in found or "described" in found:
                rest, linked, worded = found.get("is", found.get("described", "")), True, True
            else:
                return None
            rest = rest.rstrip(_OPENING)
        return None

    def _is_closed(self, after: str) -> bool:
        """Whether what follows an option lets it stand: nothing, a mark, *입니다*, *because*."""
        rest = self._phrases.after(after.lstrip()).get("ends", after)
        if _STOP.match(after) or _STOP.match(rest):
            return True
        if rest == after or _QUESTION.match(rest):
            return False
        if rest[0].isalnum():
            # The word goes on: "B번이 아니라".
            return not self._denies(rest)
        return not self._phrases.within("doubt", rest.split(maxsplit=1)[0])

    def _is_chosen_behind(self, after: str) -> bool:
        """Whether what follows an option chooses it: *is the correct answer*."""
        rest = self._phrases.after(after.lstrip()).get("chosen")
        return rest is not None and self._is_closed(rest)

    def _is_certain(self, mention: _Mention) -> bool:
        """Whether an option counts by itself, whatever stands behind it."""
        after = self._after(mention).lower()
        return self._ends_object(mention) or self._is_closed(after) or self._is_chosen_behind(after)

    def _ends_object(self, mention: _Mention) -> bool:
        """Whether a JSON object ends behind an option, so that what follows says nothing of it."""
        return _OBJECT_END.match(self.text, mention.end) is not None

    def _holds(self, letter: _Mention) -> bool:
        """Whether what stands behind a letter agrees with it: nothing, or the text of its own option."""
        said = letter.text or letter
        if said.option != letter.option or self._ends_object(said):
            return said.option == letter.option
        after = self._after(said)
        tail = after.partition("\n")[0].lower().lstrip(_BEFORE_TEXT)
        goes_on = _OTHER_CLAUSE.match(after) or "ends" in self._phrases.after(tail)
        return (said is not letter or self._is_certain(letter)) and (bool(goes_on) or not self._denies(tail))

    def _denies(self, after: str) -> bool:
        """Whether a negation or hedge stands in the clause behind an option."""
        return self._phrases.within("doubt", _CLAUSE_END.split(after[: 3 * _WINDOW], maxsplit=1)[0])

    def _any_joined(self, letters: Sequence[_Mention]) -> bool:
        """Whether another letter stands directly before or behind any of these letters, joined to it."""
        joined = (pair for pair in pairwise(self.letters) if self._joins(*pair))
        return not set(chain.from_iterable(joined)).isdisjoint(letters)

    def _joins(self, one: _Mention, other: _Mention) -> bool:
        """Whether nothing but marks such as a comma, or a word such as *or*, stands between two letters."""
        between = self.low[one.end : other.start].strip(_QUOTING)
        found = self._phrases.after(between.strip(_QUOTING + _JOINING))
        rest = found.get("join")
        if rest is None:
            return between != "" and not between.strip(_JOINING) and not _KEY_END.match(self.text, other.end)
        # Spanish denies by "A, no B"; without its accent the Irish "or" is the same word.
        if found.get("doubt") == rest and between[0] in _JOINING:
            return False
        # "or maybe C" as well.
        return not self._phrases.after(rest.lstrip()).get("doubt", rest).strip()

    def _is_sentence(self, mention: _Mention) -> bool:
        """Whether a sentence without a negation ends in *is* or *eat* and an option, or is no more."""
        after = self._after(mention).lower().lstrip()
        before = self.low[: mention.start].rstrip(_OPENING)
        if _has_words(self._phrases.after(after).get("ends", after)) or "?" in after:
            return False
        if self._phrases.within("doubt", before):
            return False
        before = self._phrases.before(before).get("option", before).rstrip()
        return not _trimmed(before) or not {"is", "do"}.isdisjoint(self._phrases.before(before))


def _only(named: set[int]) -> int | None:
    return next(iter(named)) if len(named) == 1 else None


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


@lru_cache(maxsize=1 << 14)
def _compared(text: str) -> str:
    """A text as it is compared: folded, in lower case, without punctuation around it."""
    return _trimmed(_folded(text).lower())


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
    return _TAG.sub(" ", _COMMAND.sub("", _BOXED.sub(" final answer: {", text)))


class _AnswerPhrases:
    """The words with which replies choose an option, by kind, found where a text begins or ends, or in it.

    ``answer_phrases.toml`` holds them by language. A reply may be in any, whatever that of the question, so all
    are one table. Texts are `_folded` and in lower case. A phrase counts as words, where its script has blanks
    between them.
    """

    def __init__(self) -> None:
        self._kinds: dict[str, set[str]] = defaultdict(set)
        for table in packaged_tables("answer_phrases.toml", __package__).values():
            for kind, phrases in table.items():
                for phrase in phrases:
                    self._kinds[_folded(phrase.lower())].add(kind)
        self._of_kind: dict[str, list[str]] = defaultdict(list)
        for phrase, kinds in self._kinds.items():
            for kind in kinds:
                self._of_kind[kind].append(phrase)
        self._longest_first = sorted({len(phrase) for phrase in self._kinds}, reverse=True)

    def before(self, text: str) -> dict[str, str]:
        """The text before the longest phrase of every kind that it ends with, by kind."""
        parted = ((text[-length:], text[:-length]) for length in self._longest_first)
        return self._rests(parted, _starts_there)

    def after(self, text: str) -> dict[str, str]:
        """The text behind the longest phrase of every kind that it starts with, by kind."""
        parted = ((text[:length], text[length:]) for length in self._longest_first)
        return self._rests(parted, _ends_there)

    def _rests(self, parted: Iterable[tuple[str, str]], is_word: Callable[[str, str], bool]) -> dict[str, str]:
        """Of phrases and what is left without them, longest first, the first that is left by each kind."""
        found: dict[str, str] = {}
        for phrase, rest in parted:
            if phrase in self._kinds and is_word(phrase, rest):
                found = dict.fromkeys(self._kinds[phrase], rest) | found
        return found

    def spans(self, kind: str, text: str) -> Iterator[tuple[int, int]]:
        """Where phrases of a kind stand in a text."""
        for phrase in [phrase for phrase in self._of_kind[kind] if phrase in text]:
            for found in re.finditer(re.escape(phrase), text):
                if _BEFORE_ENDING.match(phrase) or _stands_alone(text, *found.span()):
                    yield found.span()

    def within(self, kind: str, text: str) -> bool:
        """Whether a phrase of a kind stands in a text."""
        return any(True for _ in self.spans(kind, text))


_answer_phrases = cache(_AnswerPhrases)


def _starts_there(phrase: str, before: str) -> bool:
    """Whether a phrase does not begin within a word; a prefix may stand before it in scripts that have them."""
    return bool(_AFTER_PREFIX.match(phrase)) or not (phrase[0].isalpha() and before[-1:].isalpha())


def _ends_there(phrase: str, after: str) -> bool:
    """Whether a phrase does not end within a word; an ending may follow it in scripts that have them."""
    return bool(_BEFORE_ENDING.match(phrase)) or not (phrase[-1].isalpha() and after[:1].isalpha())


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a part of a text is not part of a word, to which vowel signs belong."""
    beside = text[max(0, start - 1) : start], text[end : end + 1]
    return not any(unicodedata.category(one or " ")[0] in "LMN" for one in beside)


def _folded(text: str) -> str:
    """A text in the form in which it is compared: compatibility forms, accents and invisible characters off.

    Full-width letters become ordinary ones. Case stays, as it tells *B* from *b*. A capital letter and its
    small one are one character each, so places in the text and in its lower case are the same.
    """
    if text.isascii():
        return text
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", plain).translate(_ALIKE)


_UNSEEN = re.compile(
    "[\u0300-\u036f\u00ad\u200b-\u200f\u061c\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufe0e\ufe0f\u0640]"
)
_ALIKE = str.maketrans("ıيىك’‘ʼ＇", "iییک''''")
# Scripts without blanks between words, or whose words take endings; and with those whose words take prefixes
# (in Arabic the article).
_BEFORE_ENDING = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\u1200-\u137f\uac00-\ud7af]")
_AFTER_PREFIX = re.compile("[\u0600-\u06ff\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\u1200-\u137f\uac00-\ud7af]")

_AROUND = frozenset("PSZC")
"""Unicode's categories of what stands around a text: punctuation, symbols, blanks, control characters."""

_MENTIONS = 50
"""Places of one option that are looked at: a reply that says it more often repeats itself."""

_READ_CHARACTERS = 20_000
"""What is read of a reply: a model that repeats itself for a megabyte says nothing new behind it."""

_WINDOW = 100
"""Characters before and behind a letter in which its words are looked for."""

_STEPS = 8
"""Words that may stand between the noun for the answer and the letter."""

_ALPHABETS = (
    # The letters shown are Latin, so the Cyrillic letters that look like them are they; Б and Г look like none.
    "ΑΒΓΔ", "АВС ", " Б Г", "أبجد", "ا   ", "कखगघ", "अबसद", "কখগঘ", "அஆஇஈ", "ሀለሐመ", "กขคง", "가나다라",
    "甲乙丙丁", "アイウエ",
)  # fmt: skip
"""Letters of other scripts, in the positions of A, B, C and D."""

_LOCAL = {
    letter: position for letters in _ALPHABETS for position, letter in enumerate(letters) if letter != " "
}

# Persian writes its first letter out.
_CANDIDATE = re.compile(rf"الف|[{LETTERS}{LETTERS.lower()}{''.join(_LOCAL)}](?<![A-Za-z0-9].)(?![A-Za-z0-9])")
# A small letter can be an article: only where it is quoted or bracketed, or the line ends.
_SMALL = re.compile(r"[)\]\"'*”}]|\.?[ \t]*(?:\n|$)")

_OPENING = " \t\n\"'*_`([{“”„«「『【《<>$~#"
_CLOSING = re.compile(r"(?:[)\]}*_`”»」』】》>$~]|[\"'](?![A-Za-z]))*")
_BEFORE_TEXT = _OPENING + ".):-–—、,。，：‘]}"
_QUOTING = " \t\"'*_`([{“”„«»「」『』【】)]}"
_JOINING = ",،、，;/&+| "
# "B, not C" and "B. It is not …" are about something else, "B. is not correct" is not.
_OTHER_CLAUSE = re.compile(r"\s*(?:[,，、،。]|\.(?!\s*[a-z]))")
_COLON = ":=፡፦ঃ–—→-】]"
_STOP = re.compile(
    r"\s*(?:\n|$)|\s*[!;:,。！；，、：،؛।።]|\s*\.(?![A-Za-z])|\s+[-–—→]|\s*\(|\s*[^\w\s?？؟'\"/&+|.-]"
)
# Behind a letter, the text of its option may stand in other words than it has: {"answer_choice": "C) squid"}.
_OBJECT_END = re.compile(r"(?:\)[^\"”{}]*|[\].])?[\"'”’]?\s*\}")
_QUESTION = re.compile(r"\s*[?？؟]|\s*吗")
_CLAUSE_END = re.compile(r"[.!?;,\n。！？；，،؛؟।።]")
_KEY_END = re.compile(r"[\"'*)\]]*\s*:")
_NEXT_ITEM = re.compile(rf"(?<![A-Za-z])([{LETTERS}])[).:]\s*\w")
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{")
_COMMAND = re.compile(r"\\(?:text|textbf|mathrm|mathbf|textrm|mbox)?(?=[{([\])])|\$+")
_TAG = re.compile(r"</?[A-Za-z_]{1,20}>")
