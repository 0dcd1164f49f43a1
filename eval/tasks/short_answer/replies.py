"""Replies: what a model wrote, read once for every rule: what it asserts, and how many answers it lists.

Answers are listed behind bullets or numbers, on lines of their own, between commas and other marks, by *and*
and *or*, or in sentences that have few words or begin alike. A mark inside a number parts nothing, and neither
does a single *and* inside an answer (*fish and chips*). What has many words is part of a sentence, whatever
commas that has.

What a reply denies, declines to say or repeats of its question is no answer of its own.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple
from unicodedata import normalize

from blend.schemas.formats import AnswerFormat
from blend.schemas.models import packaged_tables

ENGLISH = "en"

_UNSPACED = ("ja", "zh")
"""Languages that write no blanks: their words are found inside others as well."""


# Vowel signs and non-joiners belong to the word, though Python's \w leaves them out; a danda does not.
LETTER = r"[\w\u0300-\u036f\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u200c\u200d]"
"""A character of a word, as a pattern."""


ReplyWords = Mapping[str, re.Pattern[str]]
"""Words of a language, and of English, as a pattern for each of `LISTS`; one of no words matches nothing.

Texts are to be in NFC.
"""

LISTS = (
    *("joins", "but", "negates_next", "negates_previous", "negates_word", "negates_clause", "not_negations"),
    *("guesses", "turns", "refusals", "beside_refusals"),
)
"""Keys of a language in ``reply_words.toml``, which says what each means."""


@lru_cache(maxsize=64)
def reply_words(language: str) -> ReplyWords:
    """The words of a language (primary subtag) and of English; English ones alone where the table has none."""
    tables = packaged_tables("reply_words.toml", __package__)
    used = {tag: tables[tag] for tag in (language, ENGLISH) if tag in tables}
    return {name: _any_of(name, used) for name in LISTS}


def _any_of(name: str, tables: Mapping[str, Mapping[str, Iterable[str]]]) -> re.Pattern[str]:
    write = _join if name == "joins" else _word
    found = {
        write(word, spaced=language not in _UNSPACED): len(word)
        for language, table in tables.items()
        for word in table.get(name, ())
    }
    # Longer words first: "rather than" is to be found before "rather".
    patterns = sorted(found, key=lambda pattern: -found[pattern])
    return re.compile("|".join(patterns) or r"(?!)", re.IGNORECASE)


def _word(word: str, *, spaced: bool) -> str:
    """A pattern for a word; a star stands for further letters of it, an ellipsis for words between others."""
    plain = re.escape(word.strip("*")).replace(r"\*", f"{LETTER}*").replace(r"\ …\ ", ".{1,40}?")
    plain = plain.replace("'", "['’]").replace(r"\ ", r"\s+")
    if not spaced:
        return plain
    before = "" if word.startswith("*") else f"(?<!{LETTER})"
    after = "" if word.endswith("*") else f"(?!{LETTER})"
    return f"{before}{plain}{after}"


def _join(word: str, *, spaced: bool) -> str:
    """A pattern for what stands between two entries, or is written onto one of them (with a star)."""
    plain = re.escape(word.strip("*"))
    if not spaced:
        # Hiragana beside it belongs to the same word more often than not: もやし is no list.
        return rf"(?<=[^\W\u3041-\u3096]){plain}(?=[^\W\u3041-\u3096])"
    if word.startswith("*"):
        return rf"(?<={LETTER}){plain}\s+(?=\w)"
    if word.endswith("*"):
        return rf"(?<={LETTER})\s+{plain}(?=\w\w)"
    return rf"(?<!{LETTER}){plain}(?!{LETTER})"


GAP = "\ufffc"
"""What stands for a character that is left out: part of no word, so that what is beside a gap stays apart."""

MAX_ANSWERS = 3
"""Answers of a reply that count: the questions allow annotators three."""

MAX_LISTED = 10
"""Answers up to which the first ones of a list count; a reply that lists more answers no question."""

_QUOTED_WORDS = 3
"""Words in a row from which on a reply repeats its question: "the most popular fruit"."""

_CHOICE_WORDS = 4
"""Words up to which a reply that is nothing but words of the question is a choice between what it offers."""

_SUBJECT_WORDS = 3
"""Words before "is not" up to which they are what is denied: "Rice is not the answer"."""

_ENTRY_WORDS = 5
"""Words up to which a text between two marks is an entry of a list by itself."""

_SAME_BEGINNING = 3
"""Words that two sentences begin with if they list answers: "The answer is tea. The answer is coffee."."""

_RUN_ON_WORDS = 50
"""Words from which on a text without a mark is no sentence but a list without marks."""

_TURN = 80
"""Characters behind a guess of others in which the reply turns from it: "many would guess apples, but …"."""

_IDEOGRAPHS = r"\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff\uf900-\ufaff"
_IDEOGRAPH = re.compile(f"[{_IDEOGRAPHS}]")
_WORD = re.compile(f"[{_IDEOGRAPHS}]|(?:(?![{_IDEOGRAPHS}]){LETTER})+")
"""A word, or a single character of a script that writes no blanks."""

# A word and a colon, not a time: "18:30" would lose its hour wherever the question shows a time as an example.
_LABEL = re.compile(r"\s*([^\W\d]\w*)\s*[:：]\s*")
# A published prompt asks for thoughts and then {'question': …, 'answer': […]}: the key holds the answer.
_ANSWER_KEY = re.compile(r"[\"'“”]answers?[\"'“”]\s*:(?!\s*(?:null|None)\b)(?=[\s\[\"'“”{]*\w)", re.IGNORECASE)
_KEY = r"\s*[\"'“”][^\"'“”{}\n]{1,40}[\"'“”]\s*:"
_VALUE_END = re.compile(rf",{_KEY}|\}}")
_OBJECT = re.compile(rf"\{{{_KEY}[^{{}}]*\}}?")

# Marks inside numbers and times do not end a clause.
_CLAUSE_END = re.compile(r"[;!?\n\r。！？；،，、؛؟।॥።፣፤፥…()（）\[\]]|[,.:](?!\d)|\s[-–—]\s|—")
# What stands in brackets is no part of the clause around it, which goes on behind them.
_BRACKETED = re.compile(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]")

_LINE_BULLET = re.compile(r"^[ \t]*(?:[-*+•·▪◦‣–—](?=\s)|\(?\d{1,3}[.)、．])[ \t]*(?=[^\s\d])", re.MULTILINE)
_NUMBER = re.compile(r"(?:(?<=\s)|^)\(?(\d{1,2})[.)、．]\s*(?=[^\s\d])")
_REMARK = re.compile(r"\([^(),;،、，；\n]{0,60}\)|（[^（）、，；\n]{0,60}）")
_MARK = re.compile(
    r"(?P<sentence>[.!?؟।॥።](?=[\s\"'”’)\]*]|$)|[。！？…\n\r])|(?P<colon>[:：](?!\d))"
    r"|[;；؛|\t•·・፣፤፥，、]|(?<!\d)[,،/]|[,،/](?!\d)|\s[-–—]\s|—"
)
_NUMBERS_WITH_COMMAS = re.compile(r"(?<!\d)\d+(?:[,،]\d+){2,}")
_THOUSANDS = re.compile(r"\d{1,3}(?:[,،]\d{2,3})*[,،]\d{3}")

_Span = tuple[int, int]


class Reply(NamedTuple):
    """Reply of a model to a question."""

    response: str
    """What the model wrote."""
    prompt: str
    """The exact text that it was asked."""
    text: str
    """The response in NFC, without the prompt that it repeats and a label at its start; of JSON with a key
    ``answer``, what that holds."""
    asserts: str
    """What it asserts of what holds its first answers, with a `GAP` for every character that it does not."""
    own: str
    """Of that, what does not repeat the prompt in part, likewise."""
    n_answers: int
    """Count of the entries of its lists; of a reply without a list, 1 or a few."""
    refused: bool
    """Whether it says that it does not answer, and asserts nothing."""

    @property
    def hedged(self) -> bool:
        """Whether it lists more answers than can be meant."""
        return self.n_answers > MAX_LISTED


class AnswerMatch(NamedTuple):
    """Group of answers that a reply matches, and by what."""

    group: int
    """Index of the group, from 0."""
    answer: str
    """The variant that matched, as written."""
    why: str
    """Name of the step that decided."""


Variant = tuple[int, bool, str]
"""Index of a group of answers, whether the variant is English, and the variant."""

Rule = Callable[[Reply, Iterable[Variant], AnswerFormat], AnswerMatch | None]
"""A rule for one locale: the first variant that a reply matches, in their order; null for none. The format is
the shape of the answer that the question asks for."""


def read_reply(response: str, prompt: str, words: ReplyWords) -> Reply:
    """Read a reply.

    Args:
        response: What the model wrote.
        prompt: The exact text that it was asked.
        words: The words of the language that it was asked in.
    """
    text = _without_prompt(normalize("NFC", response), normalize("NFC", prompt))
    clauses = list(_clauses(text, words))
    refusing = [bool(words["refusals"].search(*clause)) for clause in clauses]
    asserts = _with_gaps(
        text,
        [
            (start, end) if refuses else _denied(read, start, end, words)
            for (read, start, end), refuses in zip(clauses, refusing, strict=True)
        ],
    )
    own = _with_gaps(asserts, _quotes(text, prompt))
    refused = any(refusing) and not any(
        _WORD.search(own, start, end) and not words["beside_refusals"].search(plain, start, end)
        for plain, start, end in clauses
    )
    n_answers, end = _listed(own.replace(GAP, " "), words)
    return Reply(response, prompt, text, asserts[:end], own[:end], n_answers, refused)


def _n_words(text: str, start: int, end: int) -> float:
    """Count the words of a part of a text; a character of a script without blanks is half a word."""
    return sum(0.5 if _IDEOGRAPH.match(word) else 1 for word in _WORD.findall(text, start, end))


@lru_cache(maxsize=1 << 16)
def denies(text: str, language: str) -> bool:
    """Whether a text denies something: ``no religion``."""
    words = reply_words(language)
    return any(start < end for start, end in (_denied(*clause, words) for clause in _clauses(text, words)))


def _without_prompt(text: str, prompt: str) -> str:
    """The response without the prompt that it may repeat, and without a label at its start."""
    text = text.replace(prompt, " ") if prompt else text
    *before, text = _ANSWER_KEY.split(text)
    text = _VALUE_END.split(text, maxsplit=1)[0] if before else _OBJECT.sub(" ", text)
    label = _LABEL.match(text)
    return text[label.end() :] if label and label[1].casefold() in prompt.casefold() else text


def _with_gaps(text: str, gaps: Iterable[_Span]) -> str:
    left = list(text)
    for start, end in gaps:
        left[start:end] = GAP * (end - start)
    return "".join(left)


def _quotes(text: str, prompt: str) -> Iterator[_Span]:
    """Where a text repeats what was asked, word by word and in its order."""
    asked = set(_in_a_row([word.casefold() for word in _WORD.findall(prompt)]))
    found = list(_WORD.finditer(text))
    rows = _in_a_row([word[0].casefold() for word in found])
    firsts = [number for number, row in enumerate(rows) if row in asked]
    repeated = {first + further for first in firsts for further in range(_QUOTED_WORDS)}
    for is_repeated, numbers in groupby(range(len(found)), repeated.__contains__):
        if not is_repeated:
            continue
        words = [found[number] for number in numbers]
        start, end = words[0].start(), words[-1].end()
        size = _n_words(text, start, end)
        if size >= _QUOTED_WORDS and not (len(words) == len(found) and size <= _CHOICE_WORDS):
            yield start, end


def _in_a_row(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Every `_QUOTED_WORDS` words that stand next to each other."""
    return list(zip(*(words[start:] for start in range(_QUOTED_WORDS)), strict=False))


def _clauses(text: str, words: ReplyWords) -> Iterator[tuple[str, int, int]]:
    """The clauses of a text and those in its brackets, as patterns take them: a text, start and end.

    They stand between punctuation, and from words like *but* on.
    """
    bracketed = [(text, aside.start() + 1, aside.end() - 1) for aside in _BRACKETED.finditer(text)]
    plain = _BRACKETED.sub(lambda aside: " " * len(aside[0]), text)
    for read, start, end in [(plain, 0, len(text)), *bracketed]:
        marks = [*_CLAUSE_END.finditer(read, start, end), *words["but"].finditer(read, start, end)]
        for at, behind in [*sorted(mark.span() for mark in marks), (end, end)]:
            if at > start:
                yield read, start, at
            start = max(start, behind)


def _denied(text: str, start: int, end: int, words: ReplyWords) -> _Span:
    """What a clause denies, or others guess from whom the reply turns; empty where it denies nothing."""
    if words["guesses"].search(text, start, end) and (turn := words["turns"].search(text, end, end + _TURN)):
        return start, turn.start()
    following = words["negates_next"].search(text, start, end)
    preceding = words["negates_previous"].search(text, start, end)
    of_clause = words["negates_clause"].search(text, start, end)
    ending = words["negates_word"].search(text, start, end)
    denied = []
    if following:
        # Behind a few words that nothing follows it denies these: "apples no, strawberries yes".
        is_last = not _WORD.search(text, following.end(), end)
        few = _n_words(text, start, following.start()) <= _SUBJECT_WORDS
        denied.append((start if is_last and few else following.start(), end))
    if preceding:
        denied.append((start, preceding.end()))
    if ending and _WORD.match(text, ending.start() - 1):
        # The word that the ending is written onto, if there is one.
        denied += [(word.start(), ending.end()) for word in _WORD.finditer(text, start, ending.start())][-1:]
    if of_clause:
        few = _n_words(text, start, of_clause.start()) <= _SUBJECT_WORDS
        denied.append((start if few else of_clause.start(), end))
    if not denied or words["not_negations"].search(text, start, end):
        return start, start
    return min(denied)[0], max(last for _, last in denied)


class _Passage(NamedTuple):
    """Text between two marks."""

    start: int
    end: int
    mark: str
    """Name of the mark after it: ``sentence``, or ``list`` for any other."""


def _listed(text: str, words: ReplyWords) -> tuple[int, int]:
    """How many answers a reply lists, and where the first `MAX_ANSWERS` end; its length if it lists no more."""
    bulleted = _bulleted(text)
    if not bulleted:
        return _between_marks(text, words)
    inside = [_between_marks(text[start:end], words)[0] for start, end in bulleted]
    # An explanation behind a bullet has commas too; a list of its own is one.
    n_answers = sum(n if n > MAX_ANSWERS else 1 for n in inside)
    return n_answers, bulleted[MAX_ANSWERS - 1][1] if len(bulleted) > MAX_ANSWERS else len(text)


def _bulleted(text: str) -> list[_Span]:
    """What stands behind bullets or numbers, if there are several."""
    bullets = [bullet.span() for bullet in _LINE_BULLET.finditer(text)]
    numbers = list(_NUMBER.finditer(text))
    if [int(number[1]) for number in numbers] == list(range(1, len(numbers) + 1)):
        bullets = max(bullets, [number.span() for number in numbers], key=len)
    if len(bullets) < 2:
        return []
    ends = [*(start for start, _ in bullets[1:]), len(text)]
    return [(behind, end) for (_, behind), end in zip(bullets, ends, strict=True)]


def _between_marks(text: str, words: ReplyWords) -> tuple[int, int]:
    """Like `_listed`, of a text without bullets."""
    plain = _REMARK.sub(lambda remark: " " * len(remark[0]), text)
    marked = list(_marked(plain))
    sizes = (_n_words(plain, part.start, part.end) for part in marked)
    n_run_on = sum(int(size) for size in sizes if size >= _RUN_ON_WORDS)
    runs: list[list[int]] = [[]]
    beginnings: set[tuple[str, ...]] = set()
    for part in _passages(plain, marked, words):
        found = _WORD.findall(plain, part.start, part.end)
        beginning = tuple(word.casefold() for word in found[:_SAME_BEGINNING])
        is_entry = _n_words(plain, part.start, part.end) <= _ENTRY_WORDS or beginning in beginnings
        beginnings.add(beginning)
        if is_entry:
            runs[-1].append(part.end)
        else:
            # The end of a long part may be the first entry: "People in most places eat rice, bread …"
            runs.append([part.end] if part.mark == "list" else [])
    long_ones = [run for run in runs if len(run) > MAX_ANSWERS]
    n_listed = sum(map(len, long_ones)) or max(map(len, runs))
    return max(1, n_listed + n_run_on), long_ones[0][MAX_ANSWERS - 1] if long_ones else len(text)


def _marked(text: str) -> Iterator[_Passage]:
    """The parts of a text between its marks."""
    marks = [(*mark.span(), mark.lastgroup or "list") for mark in _MARK.finditer(text)]
    for numbers in _NUMBERS_WITH_COMMAS.finditer(text):
        # Commas part numbers that are written without blanks: "1,2,3", but not "1,000,000".
        if not _THOUSANDS.fullmatch(numbers[0]):
            commas = [numbers.start() + i for i, character in enumerate(numbers[0]) if character in ",،"]
            marks += [(at, at + 1, "list") for at in commas]
    start = 0
    for at, behind, name in [*sorted(marks), (len(text), len(text), "sentence")]:
        # What a colon ends announces answers.
        if name != "colon" and _WORD.search(text, start, at):
            yield _Passage(start, at, name)
        start = behind


def _passages(text: str, parts: Sequence[_Passage], words: ReplyWords) -> Iterator[_Passage]:
    """The parts of a text, parted further at words like *and* where these stand between entries."""
    inside_answers = False
    for number, part in enumerate(parts):
        pieces = _parted_at_joins(text, part, words)
        is_last = part.mark == "sentence" or number == len(parts) - 1
        # One "and" is that of an answer (fish and chips), or stands before the last entry of a list.
        before_last = is_last and number > 0 and parts[number - 1].mark == "list" and not inside_answers
        if len(pieces) > 2 or (len(pieces) == 2 and before_last):
            yield from pieces
        else:
            inside_answers = inside_answers or len(pieces) == 2
            yield part
        if is_last:
            inside_answers = False


def _parted_at_joins(text: str, part: _Passage, words: ReplyWords) -> Sequence[_Passage]:
    """A part, parted at every word like *and*; the one that begins it stands before the last entry already."""
    pieces: list[_Passage] = []
    start, begins = part.start, False
    for join in words["joins"].finditer(text, part.start, part.end):
        if _WORD.search(text, start, join.start()):
            pieces.append(_Passage(start, join.start(), "list"))
        else:
            begins = True
        start = join.end()
    if _WORD.search(text, start, part.end):
        pieces.append(_Passage(start, part.end, part.mark))
    return [part] if begins and len(pieces) == 2 else pieces
