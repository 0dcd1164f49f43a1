"""Odd texts: empty ones, refusals, texts in another language, without blanks or there twice.

They are counted and kept.
"""

import re
from collections.abc import Sequence

import polars as pl

from blend.eval.tasks.cultural_prompts.tfidf_words import stop_words

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


def odd_texts(
    texts: Sequence[str], tokens: Sequence[Sequence[str]], groups: Sequence[int], *, is_english: bool = True
) -> pl.DataFrame:
    """What the texts of a topic are counted as.

    Args:
        texts: As they were written.
        tokens: Their tokens.
        groups: The number of each text's group.
        is_english: Whether they should be English; texts that should be in another language are not judged.

    Returns:
        One row per text with a column per name of `ODDITIES`; what is empty is nothing else.
    """
    seen: set[tuple[int, str]] = set()
    rows = []
    for text, parts, group in zip(texts, tokens, groups, strict=True):
        is_empty = not text.strip()
        found = {
            "empty": is_empty,
            "refusal": bool(REFUSAL.search(text, 0, REFUSAL_WITHIN)),
            "other-language": is_english and _is_other_language(text, parts),
            "unparted": _is_unparted(text, parts),
            "repeated": (group, text) in seen,
        }
        rows.append([is_empty == (name == "empty") and holds for name, holds in found.items()])
        seen.add((group, text))
    return pl.DataFrame(rows, schema=dict.fromkeys(ODDITIES, pl.Boolean), orient="row")


def _is_unparted(text: str, tokens: Sequence[str]) -> bool:
    """Whether tokens are more than words, in a script that writes no blanks between them."""
    if text.isascii():
        return False
    return sum(map(str.isalpha, "".join(_WITHOUT_BLANKS.findall(text)))) > _LONGEST_WORD * len(tokens)


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
