"""Yes or no: what a written reply says, by the rules by which replies to multiple choice are read."""

import re

import polars as pl

from blend.eval.tasks.multiple_choice.reply_options import option_chosen

_AS_LETTERS = (
    (re.compile(r"\bA\b"), "a"),
    (re.compile(r"\bB\b"), "b"),
    (re.compile(r"\bno (?:one|doubt)\b", re.IGNORECASE), "people"),
    (re.compile(r"\b(?:yes|true)\b", re.IGNORECASE), "A"),
    (re.compile(r"\b(?:no|false)\b", re.IGNORECASE), "B"),
)
"""Words in a reply, and what stands for them: yes and no are options A and B, and no other words are."""

_OPTIONS = ("yes", "no", "", "")


def read_yes_no(answers: pl.DataFrame) -> pl.DataFrame:
    """Read what written replies say.

    Args:
        answers: With ``text``, null where there is none.

    Returns:
        0 for yes, 1 for no, null for neither, by two rules: ``strict``, by which a reply is the word asked for
        and no more, and ``default``, that of `yes_or_no`.
    """
    replies = answers["text"]
    alone = replies.str.to_lowercase().str.extract(r"^\s*(yes|no)[.!]?\s*$")
    # Models repeat themselves: each distinct text is read once.
    readings = {text: yes_or_no(text) for text in replies.drop_nulls().unique().to_list()}
    return pl.DataFrame(
        {
            "strict": alone.replace_strict(["yes", "no"], [0, 1], default=None, return_dtype=pl.Int64),
            "default": pl.Series([readings.get(text) for text in replies.to_list()], dtype=pl.Int64),
        }
    )


def yes_or_no(reply: str) -> int | None:
    """Read one reply by the rules of `reply_options.lenient_choice`, with yes and no as letters.

    Returns:
        0 for yes, 1 for no, null for neither.
    """
    for words, letter in _AS_LETTERS:
        reply = words.sub(letter, reply)
    chosen = option_chosen(reply, _OPTIONS)
    return chosen if chosen in (0, 1) else None
