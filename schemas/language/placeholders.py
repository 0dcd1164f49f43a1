"""Placeholders: what people type where they have no answer, or no text yet."""

import re

from blend.schemas.language.text_comparison import words

_PLACEHOLDERS = frozenset(
    words(text)
    for text in (
        "none", "x", "n/a", "not applicable", "not available", "nothing", "nothing special", "no answer",
        "idk", "i don't know", "i do not know", "don't know", "do not know", "not sure", "unknown", "null",
        "nil", "any", "anything", "it depends", "depends", "no such thing", "there is no", "there is none",
    )
)  # fmt: skip


_UNWRITTEN = re.compile(
    r"\W+|to ?do|tb[acd]|fix ?me|n/a|xxx+|ditto|(?:see|same as|as) above|see below|lorem ipsum.*"
    r"|loading|(?:no |missing )?translation(?: missing| needed)?|untranslated|not translated"
    r"|placeholder",
    re.IGNORECASE,
)


def is_placeholder(text: str) -> bool:
    """Whether an answer only says that there is none, such as ``none``, ``X``, ``n/a`` or ``NA``."""
    return words(text) in _PLACEHOLDERS or text.strip() == "NA"


def is_unwritten(text: str) -> bool:
    """Whether a text only stands for one that is still to be written, such as ``TODO`` or ``???``."""
    plain = text.strip().replace("…", "...")
    return plain.isascii() and any(_UNWRITTEN.fullmatch(one) for one in (plain, plain.rstrip(".")))
