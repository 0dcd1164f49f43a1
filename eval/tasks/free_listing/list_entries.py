"""Parsing lists: the entries that a model wrote, however it set them out.

Entries stand one per line, between commas of any script, or in the rows of a Markdown table; bullets, numbers
and amounts before them, remarks in brackets, *to taste* and emphasis do not belong to them. A line that ends in
a colon announces a list, and what is said around one is no entry: lines between and after bullets,
exclamations, questions, and sentences on lines of their own.
"""

import re
import unicodedata
from itertools import takewhile

from blend.schemas.prompts import listing_prompts

_BULLET = re.compile(
    r"^\s*(?:[-*•·–—▪◦‣+]+|\(?\d{1,3}\s*[.)、．:：]|[a-zA-Z][.)])\s+|^\s*\(?\d{1,3}[.)、．]\s*(?=\D)"
)
_SEPARATOR = re.compile(r"(?<!\d)[,،]|[,،](?!\d)|[，、؛;；/\t]|\s[-–—•·]\s|\s+\(?\d{1,2}[.)、．]\s*(?=\D)")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）|【[^【】]*】")
_UNITS = (
    "kg|g|gr|mg|ml|cl|dl|l|oz|lb|lbs|cups?|tbsps?|tsps?|tablespoons?|teaspoons?|cloves?|pieces?|slices?|pinch(?:es)?|"
    "cans?|bunch(?:es)?|handfuls?|grams?|liters?|litres?|克|公克|毫升|千克|斤|个|片|勺|杯|그램|개|컵|큰술|작은술|جرام|كوب|"
    "ملعقة|г|гр|кг|мл|л|шт|גרם|כוס|כף|כפית"
)
_AMOUNT = re.compile(
    rf"^\s*(?:ca\.?\s*|about\s+)?\d+(?:\s*[.,/–-]\s*\d+)*\s*(?:[½¼¾⅓⅔])?\s*(?:(?:{_UNITS})\b\.?)?\s*(?:of\s+)?|^[½¼¾⅓⅔]\s*",
    re.IGNORECASE,
)
_AS_MUCH = (
    "to taste|as needed|as desired|as required|if needed|if desired|optional|for garnish(?:ing)?|for serving|"
    "for frying|al gusto|a gusto|opcional|quanto basta|q\\.\\s?b\\.|nach geschmack|nach bedarf|au goût|"
    "selon le goût|facultatif|по вкусу|по желанию|за смаком|適量|适量|少許|少许|お好みで|약간|적당량|"
    "حسب الرغبة|حسب الذوق|حسب الحاجة|לפי הטעם|به میزان لازم|به مقدار لازم|secukupnya|efter smak"
)
_AS_MUCH_AS = re.compile(rf"(?:^|(?<=[\s,，、،]))(?:{_AS_MUCH})[\s.!。！]*$", re.IGNORECASE)
_TABLE_RULE = re.compile(r"^\s*\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?)?\s*$")
_EXCLAIMED = re.compile(r"[!?！？؟][\s*_\"”»]*$")
_LAST_EXCLAIMED = re.compile(r"(?<=[.。])\s+[^.。,،，、]*[!！][\s*_]*$")
_SENTENCE = re.compile(r"[.。][\s*_]*$")
_MARKS = re.compile(r"\*\*|__|`|[\"“”„«»「」『』]")
_ENDS = re.compile(r"^[\s.。!！…:：;،,，、*_–—-]+|[\s.。!！…:：;،,，、*_–—-]+$")


def listed(text: str, language: str) -> list[str]:
    """The entries of a list, each once, in the order of the text.

    Args:
        text: What a model wrote.
        language: Tag of the language, whose words for *and* part the last two entries.
    """
    lines = [line for line in unicodedata.normalize("NFC", text).splitlines() if line.strip()]
    entries = _cells(lines)
    if not entries:
        entries = [entry for line in _rows(lines) for entry in _entries(line, language)]
    return list(dict.fromkeys(entry for entry in entries if any(c.isalpha() for c in entry)))


def _cells(lines: list[str]) -> list[str]:
    """List what the rows of a Markdown table name: of each the first cell that is more than an amount."""
    rule = next((i for i, line in enumerate(lines) if i and _TABLE_RULE.match(line)), None)
    if rule is None:
        return []
    rows = takewhile(lambda line: "|" in line, lines[rule + 1 :])
    named = ([_bare(_BRACKETS.sub(" ", _MARKS.sub("", cell))) for cell in row.split("|")] for row in rows)
    return [next((cell for cell in cells if any(c.isalpha() for c in cell)), "") for cells in named]


def _rows(lines: list[str]) -> list[str]:
    """The lines that hold entries; all of them where none would be left."""
    rows = [line for line in lines if not line.rstrip().rstrip("*").endswith((":", "："))] or lines
    bulleted = [i for i, line in enumerate(rows) if _BULLET.match(line)]
    if len(bulleted) > 1:
        # The first entry often has no bullet: the prompt can end with it.
        rows = [*rows[: bulleted[0]], *(rows[i] for i in bulleted)]
    return [line for line in rows if not _is_remark(line)] or rows


def _is_remark(line: str) -> bool:
    """Whether a line says something instead of listing: it exclaims, asks, or is a sentence without commas."""
    if _SEPARATOR.search(_SENTENCE.sub("", line)):
        return False
    return bool(_EXCLAIMED.search(line)) or (bool(_SENTENCE.search(line)) and len(line.split()) > _PAIR_WORDS)


def _entries(line: str, language: str) -> list[str]:
    plain = _BRACKETS.sub(" ", _MARKS.sub("", line))
    plain = _BULLET.sub("", plain)
    plain = _AS_MUCH_AS.sub("", _LAST_EXCLAIMED.sub("", _after_colon(plain)))
    parts = [part for part in _SEPARATOR.split(plain) if part.strip()]
    if len(parts) > 1 or _is_short_pair(plain, language):
        parts = [*parts[:-1], *_unjoined(parts[-1], language)]
    return [_bare(part) for part in parts]


def _bare(part: str) -> str:
    """An entry without what says how much of it."""
    return _ENDS.sub("", _AS_MUCH_AS.sub("", _AMOUNT.sub("", _ENDS.sub("", part))))


def _after_colon(line: str) -> str:
    """Find what follows an announcement on its own line: ``Ingredients: egg, milk``."""
    announcement, colon, rest = line.replace("：", ":").partition(":")
    return rest if colon and rest.strip() and not _SEPARATOR.search(announcement) else line


def _joins(language: str) -> tuple[str, ...]:
    known = listing_prompts().get(language.partition("-")[0])
    return () if known is None else known.joins


def _unjoined(part: str, language: str) -> list[str]:
    """The last entries of a list, parted at the word between them, or without the word before the last."""
    for word in _joins(language):
        if re.match(rf"\s*{word}\s", part, re.IGNORECASE):
            return [re.sub(rf"^\s*{word}\s+", "", part, flags=re.IGNORECASE)]
        between = rf"(?<=\w){word}(?=\w)" if language.partition("-")[0] in _WITHOUT_BLANKS else rf"\s{word}\s"
        halves = re.split(between, part, maxsplit=1, flags=re.IGNORECASE)
        if len(halves) == 2:
            return halves
    return [part]


def _is_short_pair(line: str, language: str) -> bool:
    return len(line.split()) <= _PAIR_WORDS and any(
        re.search(rf"\s{word}\s", line, re.IGNORECASE) for word in _joins(language)
    )


_WITHOUT_BLANKS = ("zh", "ja")

ATTACHED = {"ar": "و", "he": "ו"}
"""Languages whose *and* is written onto the next word: nothing tells it from the word's own first letter."""

_PAIR_WORDS = 5
"""Words up to which a line without commas is two entries joined by *and*, and no sentence."""
