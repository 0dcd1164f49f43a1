"""Yes or no: what a written reply says, by the rules by which replies to multiple choice are read."""

import polars as pl

from blend.eval.tasks.multiple_choice.reply_options import lenient_choice

_AS_LETTERS = {
    r"\bA\b": "a",
    r"\bB\b": "b",
    r"(?i)\bno (?:one|doubt)\b": "people",
    r"(?i)\b(?:yes|true)\b": "A",
    r"(?i)\b(?:no|false)\b": "B",
}
"""Words in a reply, and what stands for them: yes and no are options A and B, and no other words are."""


def read_yes_no(answers: pl.DataFrame) -> pl.DataFrame:
    """Read what written replies say.

    Args:
        answers: With ``text``, null where there is none.

    Returns:
        0 for yes, 1 for no, null for neither, by two rules: ``strict``, by which a reply is the word asked for
        and no more, and ``default``, the rules of `reply_options.lenient_choice` with yes and no as letters.
    """
    replies = answers["text"]
    alone = replies.str.to_lowercase().str.extract(r"^\s*(yes|no)[.!]?\s*$")
    for words, letter in _AS_LETTERS.items():
        replies = replies.str.replace_all(words, letter)
    named = lenient_choice(replies, pl.Series([["yes", "no", "", ""]]).new_from_index(0, len(replies)))
    return pl.DataFrame(
        {
            "strict": alone.replace_strict(["yes", "no"], [0, 1], default=None, return_dtype=pl.Int64),
            "default": named.replace_strict([0, 1], [0, 1], default=None, return_dtype=pl.Int64),
        }
    )
