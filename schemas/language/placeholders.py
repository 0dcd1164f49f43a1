"""Placeholders: what people type where they have no answer."""

from blend.schemas.language.text_comparison import words

_PLACEHOLDERS = frozenset(
    words(text)
    for text in (
        "none", "x", "n/a", "not applicable", "not available", "nothing", "nothing special", "no answer",
        "idk", "i don't know", "i do not know", "don't know", "do not know", "not sure", "unknown", "null",
        "nil", "any", "anything", "it depends", "depends", "no such thing", "there is no", "there is none",
    )
)  # fmt: skip


def is_placeholder(text: str) -> bool:
    """Whether an answer only says that there is none, such as ``none``, ``X`` or ``n/a``."""
    return words(text) in _PLACEHOLDERS
