"""Prompts with a gap: what stands before it, and what after."""

from typing import NamedTuple

from blend.schemas.errors import InputError
from blend.schemas.probing import GAP


class Gapped(NamedTuple):
    """A prompt, divided at its gap."""

    before: str
    """What stands before the gap."""
    after: str
    """What stands after it."""

    @property
    def after_blank(self) -> bool:
        """Whether a blank stands before the gap, as in English and not in Chinese."""
        return self.before[-1:].isspace()

    @property
    def opening(self) -> str:
        """What a model that reads from left to right is given: the text before the gap, stripped."""
        return self.before.strip()

    def said(self, candidate: str) -> str:
        """The candidate as it continues the opening, with the blank before it where the prompt has one."""
        return f" {candidate}" if self.after_blank else candidate


def divided(prompt: str) -> Gapped:
    """A prompt, divided at its gap.

    Raises:
        InputError: If it has none or several.
    """
    parts = prompt.split(GAP)
    if len(parts) != 2:
        count = "no gap" if len(parts) == 1 else f"{len(parts) - 1} gaps"
        raise InputError(f"the prompt {prompt!r} has {count} {GAP}; it must have one")
    return Gapped(*parts)
