"""English tokens: words as spaCy's rules part them, without spaCy.

The published scorer tokenises English with spaCy, which would bring dozens of packages for a few rules. These
are the rules of its English tokenizer that everyday answers meet: punctuation before, behind and inside words,
contractions, numbers with units. ``test_short_answers_golden.py`` holds them to the
decisions that spaCy's tokens lead to.

References:
    Honnibal et al., spaCy 3.7, https://spacy.io/usage/linguistic-features#tokenization.
"""

import re
from functools import lru_cache

_QUOTES = "'\"”“`‘´’‚„»«「」『』（）〔〕【】《》〈〉⟦⟧"
_PUNCTUATION = r"…,:;!?¿؟¡()\[\]{}<>_#*&。？！，、；：～·।،۔؛٪"
_CURRENCY = r"$£€¥฿₽﷼₴₠₡₢₣₤₥₦₧₨₩₪₫€₭₮₯₰₱₲₳₴₵₸₹₺₻₼₽₾₿"
_UNITS = (
    "km/h|kmh|km²|km³|km|dm²|dm³|dm|cm²|cm³|cm|mm²|mm³|mm|m²|m³|m/s|m|ha|µm|nm|yd|in|ft|kg|mg|µg|g|t|lb|oz|mph"
    "|hPa|Pa|mbar|mb|MB|kb|KB|gb|GB|tb|TB|T|G|M|K|%"
)

_PREFIX = re.compile(
    rf"§|%|=|—|–|\+(?![0-9])|\.\.+|[{_PUNCTUATION}]|[{re.escape(_QUOTES)}]|[{re.escape(_CURRENCY)}]"
)
# A full stop leaves a digit, a quote, a small letter and two capitals; behind one capital it is an initial's,
# and stays.
_SUFFIX = re.compile(
    rf"(?:[{_PUNCTUATION}]|[{re.escape(_QUOTES)}]|'s|'S|’s|’S|—|–|(?<=[0-9])\+"
    rf"|(?<=[0-9])(?:[{re.escape(_CURRENCY)}])|(?<=[0-9])(?:{_UNITS})"
    rf"|(?<=[0-9%²\-+{re.escape(_QUOTES)}]|[^\W\dA-Z_])\.|(?<=[A-Z][A-Z])\.)$"
)
_LETTER = r"[^\W\d_]"
_INFIX = re.compile(
    rf"\.\.+|…|(?<=[0-9])[+\-*^](?=[0-9-])|(?<={_LETTER}),(?={_LETTER})"
    rf"|(?:(?<={_LETTER})|(?<=[0-9]))(?:---|--|——|[-–—~])(?={_LETTER})"
    rf"|(?:(?<={_LETTER})|(?<=[0-9]))[:<>=/](?={_LETTER})"
)

# What ``n't`` stands behind; "ca", "sha" and "wo" are what it leaves of can't, shan't and won't.
_NEGATED = [
    "ai",
    "are",
    "ca",
    "can",
    "could",
    "dare",
    "did",
    "do",
    "does",
    "had",
    "has",
    "have",
    "is",
    "may",
    "might",
    "must",
    "need",
    "ought",
    "sha",
    "should",
    "was",
    "were",
    "wo",
    "would",
]
_SUBJECTS = [
    "i",
    "you",
    "he",
    "she",
    "it",
    "we",
    "they",
    "who",
    "what",
    "when",
    "where",
    "why",
    "how",
    "there",
    "that",
    "this",
]
_ENDINGS = {"'m", "'re", "'s", "'ve", "'d", "'ll"}
_CLOCK = re.compile(r"(\d{1,2})(am|pm|a\.m\.|p\.m\.)", re.IGNORECASE)
_WHOLE = {
    "cannot": ("can", "not"),
    "gonna": ("gon", "na"),
    "gotta": ("got", "ta"),
    "let's": ("let", "'s"),
}
_ABBREVIATIONS = frozenset(
    [
        "a.m.",
        "p.m.",
        "e.g.",
        "E.g.",
        "i.e.",
        "I.e.",
        "vs.",
        "v.s.",
        "co.",
        "Co.",
        "Inc.",
        "Corp.",
        "Ltd.",
        "Bros.",
        "Mr.",
        "Mrs.",
        "Ms.",
        "Messrs.",
        "Dr.",
        "Prof.",
        "Ph.D.",
        "Rev.",
        "Gen.",
        "Gov.",
        "Rep.",
        "Sen.",
        "Jr.",
        "St.",
        "Mt.",
        "D.C.",
        "Jan.",
        "Feb.",
        "Mar.",
        "Apr.",
        "Jun.",
        "Jul.",
        "Aug.",
        "Sep.",
        "Sept.",
        "Oct.",
        "Nov.",
        "Dec.",
    ]
)
"""As they are written: in lower case most of them are a word and a full stop."""


@lru_cache(maxsize=1 << 16)
def english_tokens(text: str) -> tuple[str, ...]:
    """The tokens of an English text, in order; punctuation is a token of its own."""
    return tuple(token for chunk in text.split() for token in _tokens(chunk))


def _tokens(chunk: str) -> list[str]:
    """A chunk without blanks: its ends are peeled off one by one, what is left is split inside.

    The chunk is never copied and only looked at near its ends, so that a megabyte of quotes takes no longer
    than a megabyte of words.
    """
    before: list[str] = []
    behind: list[str] = []
    start, end = 0, len(chunk)
    special: tuple[str, ...] | None = None
    while start < end:
        special = _special(chunk[start:end]) if end - start <= _LONGEST_SPECIAL else None
        if special is not None:
            break
        if prefix := _PREFIX.match(chunk, start, end):
            before.append(prefix[0])
            start = prefix.end()
        elif (cut := _suffix_start(chunk, start, end)) is not None:
            behind.append(chunk[cut:end])
            end = cut
        else:
            special = tuple(_inside(chunk[start:end]))
            break
    return [*before, *(special or ()), *reversed(behind)]


def _suffix_start(chunk: str, start: int, end: int) -> int | None:
    """Find where a suffix of ``chunk[start:end]`` begins."""
    if chunk.endswith("..", start, end):
        while end > start and chunk[end - 1] == ".":
            end -= 1
        return end
    suffix = _SUFFIX.search(chunk, max(start, end - _LONGEST_SUFFIX), end)
    return None if suffix is None else suffix.start()


_LONGEST_SPECIAL = 16
"""Characters of the longest chunk that has a rule of its own, and some."""

_LONGEST_SUFFIX = 4
"""Characters of the longest suffix, ``km/h`` and ``mbar``; full stops in a row are looked at for themselves."""


def _special(chunk: str) -> tuple[str, ...] | None:
    """The tokens of a chunk that has a rule of its own."""
    plain = chunk.lower().replace("’", "'")
    if plain in _WHOLE:
        cut = len(_WHOLE[plain][0])
        return chunk[:cut], chunk[cut:]
    if chunk in _ABBREVIATIONS:
        return (chunk,)
    if clock := _CLOCK.fullmatch(chunk):
        return clock[1], clock[2]
    if plain.endswith("n't") and plain[:-3] in _NEGATED:
        return chunk[:-3], chunk[-3:]
    head, mark, tail = plain.rpartition("'")
    if mark and f"'{tail}" in _ENDINGS and head in _SUBJECTS:
        return chunk[: len(head)], chunk[len(head) :]
    return None


def _inside(chunk: str) -> list[str]:
    tokens: list[str] = []
    start = 0
    for infix in _INFIX.finditer(chunk):
        tokens += [chunk[start : infix.start()], infix[0]]
        start = infix.end()
    return [token for token in (*tokens, chunk[start:]) if token]
