"""Yes or no: what a written reply says, by the rules by which replies to multiple choice are read."""

import re

import polars as pl

from blend.eval.tasks.multiple_choice.answer_phrases import AnswerPhrases, answer_phrases, folded
from blend.eval.tasks.multiple_choice.reply_letters import (
    OPENING,
    READ_CHARACTERS,
    TAKEN_BACK,
    WINDOW,
    announces,
    closed_off,
    in_words,
    is_closed,
    is_doubted,
)

_STRICT = re.compile(r"\s*(yes|no)[.!]?\s*", re.IGNORECASE)
_WORD = re.compile(r"\b(?:yes|no|true|false)\b")
_YES = frozenset({"yes", "true"})


def read_yes_no(answers: pl.DataFrame) -> pl.DataFrame:
    """Read what each ``text`` says, by the rules ``strict`` and ``default``: 0 is yes, 1 no, null neither."""
    # Models repeat themselves: each distinct text is read once.
    texts = answers.select(pl.col("text").drop_nulls().unique())
    read = {"strict": says_yes_strictly, "default": says_yes_leniently}
    said = texts.with_columns(
        pl.Series(rule, [of(text) for text in texts["text"]], pl.Boolean).not_().cast(pl.Int64)
        for rule, of in read.items()
    )
    return answers.select("text").join(said, on="text", how="left", maintain_order="left").drop("text")


def says_yes_strictly(reply: str) -> bool | None:
    """Whether a reply that is the word asked for and no more says yes; null for any other reply."""
    found = _STRICT.fullmatch(reply)
    return None if found is None else found[1].lower() == "yes"


def says_yes_leniently(reply: str) -> bool | None:
    r"""Whether a reply says yes; null where it says neither, or both.

    The first of these rules that finds a word decides, and where it finds different ones the reply says
    neither: a final answer (in ``\boxed{}``, behind *final answer*), a word that others announce (*the answer
    is no*, ``"answer": "no"``), a line that begins with the word and a mark behind it, or is no more than it.
    A word does not count behind a negation or hedge, or joined to another (*yes or no*); what is taken back
    before a final answer says neither. *True* and *false* are as yes and no.
    """
    phrases = answer_phrases()
    text = folded(in_words(reply[:READ_CHARACTERS])).lower()
    found: dict[str, list[tuple[int, bool]]] = {}
    for word in _WORD.finditer(text):
        kind = _kind(text, word.start(), word.end(), phrases)
        if kind is not None:
            found.setdefault(kind, []).append((word.start(), word[0] in _YES))
    for kind in ("final", "announced", "line"):
        if kind in found:
            words = {is_yes for _, is_yes in found[kind]}
            first = found[kind][0][0]
            is_taken_back = kind != "final" and phrases.retract.within(text[first + 1 : first + TAKEN_BACK])
            return words.pop() if len(words) == 1 and not is_taken_back else None
    return None


def _kind(text: str, start: int, end: int, phrases: AnswerPhrases) -> str | None:
    """How the words around a word make it the answer: ``final``, ``announced``, ``line``, or not at all."""
    before, after = text[max(0, start - WINDOW) : start], closed_off(text[end : end + WINDOW])
    if not is_closed(after, phrases):
        return None
    if not before.rpartition("\n")[2].strip(OPENING):
        return announces(before, phrases) or "line"
    return None if is_doubted(before, phrases) else announces(before, phrases)
