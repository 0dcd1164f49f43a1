"""Choices in texts: which letter a model's answer names, strictly and leniently."""

import polars as pl

from blend.schemas.choice_prompts import ANSWER_KEY
from blend.schemas.rows import LETTERS

_LETTER = f"[{LETTERS}]"
_ANY_CASE = f"[{LETTERS}{LETTERS.lower()}]"

_STRICT = rf'^\s*\{{\s*"{ANSWER_KEY}"\s*:\s*"({_LETTER})"\s*\}}\s*$'
_KEYED = rf"(?i){ANSWER_KEY}[\"'*`]*\s*[:=]\s*[\"'*`(\[]*\s*({_ANY_CASE})\b"
_ALONE = rf"^[\W_]*({_ANY_CASE})[\W_]*$"
# A letter before a blank may be the English article, so something else has to follow it.
_LEADING = rf"^[\s\"'*`(\[]*({_LETTER})[.):\]*]"
_SAID_LETTER = rf"\b(?i:answer|choice|option)(?i:\s+is)?\s*:?\s*[\"'*`(\[]*({_LETTER})"
_SAID = rf"{_SAID_LETTER}[\"'*`)\]]*\s*(?:[.,;:!\n]|$)"

# Several letters in a row are no choice, and the first of them is no better one than the second. A small letter
# counts only where it is quoted or in a list: behind a comma it can be an article. A key `"b":` is none.
_NEXT = (
    r"[\"'*`)\]]*\s*(?:[,;/&+]|\b(?i:and|or)\b)+\s*[\"'*`(\[]*"
    rf"(?:{_ANY_CASE}[\"'*`)\]]+\s*(?:[,;.)\]}}\n]|$)|(?-i:{_LETTER})(?:[\s,;.)\]}}]|$))"
)
_KEYED_SEVERAL = _KEYED + _NEXT
_SAID_SEVERAL = _SAID_LETTER + _NEXT

_READ_CHARACTERS = 20_000
"""What is read of an answer: a model that repeats itself for a megabyte says nothing new behind it."""


def strict_choice(text: pl.Expr) -> pl.Expr:
    """Index of the letter in an answer that is exactly what the published prompt asks for, else null.

    That is a JSON object with the one key ``answer_choice`` and a capital letter, white space around it
    allowed.
    """
    return _index(text.str.extract(_STRICT))


def lenient_choice(texts: pl.Series, option_texts: pl.Series) -> pl.Series:
    """Index of the one letter that an answer names, else null.

    The first of these rules that finds anything decides; where it finds different letters the answer names
    none, since a guess would be ours and not the model's:

    1. a letter behind ``answer_choice`` and a colon, anywhere, of either case; several in a row, such as
       ``"A, B"`` or ``["A", "B"]``, are no choice, neither here nor by rule 4;
    2. the whole answer is a letter, with punctuation around it;
    3. the answer starts with a capital letter and a full stop, a bracket or a colon (``B. tea``);
    4. ``answer is B``, ``Answer: B``, and the same with *choice* and *option*, a capital letter;
    5. the whole answer is the text of one option, whatever its case and with punctuation around it.

    Args:
        texts: The answers.
        option_texts: The options of each as shown, lists.
    """
    rows = pl.DataFrame({"text": texts, "options": option_texts}).with_row_index("_row")
    text = pl.col("text").str.slice(0, _READ_CHARACTERS)
    none = pl.lit(None, pl.String)
    rules = (
        (none, text.str.contains(_KEYED_SEVERAL)),
        _all_same(text, _KEYED),
        _one(text, _ALONE),
        _one(text, _LEADING),
        (none, text.str.contains(_SAID_SEVERAL)),
        _all_same(text, _SAID),
    )
    letter = pl.lit(None, pl.String)
    for found, decides in reversed(rules):
        letter = pl.when(decides).then(found).otherwise(letter)
    # Models repeat themselves: each distinct text is read once.
    read = (
        rows.select("text")
        .unique()
        .with_columns(letter=letter, decided=pl.any_horizontal(decides for _, decides in rules))
    )
    judged = rows.join(read, on="text", how="left", nulls_equal=True)
    by_letter = judged.filter("decided").select("_row", chosen=_index(pl.col("letter")))
    by_text = judged.filter(~pl.col("decided").fill_null(value=False)).select(
        "_row", chosen=_option_named(text, pl.col("options"))
    )
    return pl.concat([by_letter, by_text]).sort("_row")["chosen"]


def _one(text: pl.Expr, pattern: str) -> tuple[pl.Expr, pl.Expr]:
    letter = text.str.extract(pattern).str.to_uppercase()
    return letter, letter.is_not_null()


def _all_same(text: pl.Expr, pattern: str) -> tuple[pl.Expr, pl.Expr]:
    """The letter that every match of a pattern names, null if they differ; and whether there is any match."""
    letters = (
        text.str.extract_all(pattern)
        .list.eval(pl.element().str.extract(pattern).str.to_uppercase())
        .list.unique()
    )
    single = pl.when(letters.list.len() == 1).then(letters.list.first())
    return single, letters.list.len() > 0


def _option_named(text: pl.Expr, option_texts: pl.Expr) -> pl.Expr:
    bare = _bare(text)
    matches = [_bare(option_texts.list.get(i)) == bare for i in range(len(LETTERS))]
    count = pl.sum_horizontal(matches)
    index = pl.coalesce([pl.when(match).then(pl.lit(i, pl.Int64)) for i, match in enumerate(matches)])
    return pl.when((count == 1) & (bare != "")).then(index)


def _bare(text: pl.Expr) -> pl.Expr:
    return text.str.to_lowercase().str.replace_all(r"^[\s\p{P}]+|[\s\p{P}]+$", "")


def _index(letter: pl.Expr) -> pl.Expr:
    return letter.replace_strict(list(LETTERS), list(range(len(LETTERS))), default=None, return_dtype=pl.Int64)
