"""Published data of others; and what is odd about their texts."""

import re
from dataclasses import dataclass
from unicodedata import category, is_normalized, normalize

from blend.loaders.files.diagnostics import Diagnostics

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

_ORDINARY_INVISIBLE = {"fa": "\u200c"}
"""Invisible characters that belong to a language's spelling: Persian parts suffixes with a non-joiner."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where published texts stand, as findings name it, and what becomes of their oddities."""

    diagnostics: Diagnostics
    """Takes the findings."""
    location: str
    template_id: str
    locale: str | None
    language: str
    clean: bool = True
    """Whether texts are changed; otherwise oddities are reported and stay as published."""

    def text(self, text: str, what: str) -> str:
        """The text, normalised if asked for; each oddity becomes a finding.

        Control characters and line feeds become blanks, outer white space goes, Unicode is composed (NFC).
        Invisible characters such as the zero-width space stay: in many scripts they change what is read.
        """
        stripped = text.strip()
        # No control, format or private character is printable; of nearly all texts there is nothing to report.
        if text.isprintable() and text == stripped and is_normalized("NFC", text):
            return text
        if stripped:  # of a blank the caller knows what it means
            if controls := _CONTROL.findall(stripped):
                self.finding("control-character", f"{what} {text!r} holds {_codes(controls)}", "now a blank")
            if stripped != text:
                self.finding("outer-white-space", f"{what} {text!r} has outer white space", "removed")
            if not is_normalized("NFC", text):
                self.finding("not-nfc", f"{what} {text!r} is not in Unicode NFC", "composed")
            ordinary = _ORDINARY_INVISIBLE.get(self.language, "")
            if invisible := [char for char in text if category(char) == "Cf" and char not in ordinary]:
                detail = f"{what} {text!r} holds the invisible {_codes(invisible)}; kept"
                self.note("invisible-character", detail)
        return normalize("NFC", _CONTROL.sub(" ", text)).strip() if self.clean else text

    def finding(self, kind: str, found: str, done: str) -> None:
        """Note an oddity and what was done about it, which is nothing when texts stay as published."""
        self.note(kind, f"{found}; {done if self.clean else 'kept'}")

    def note(self, kind: str, detail: str) -> None:
        """Note an oddity that is treated the same way whether texts are changed or not."""
        self.diagnostics.finding(kind, self.location, detail, locale=self.locale, template_id=self.template_id)


def _codes(chars: list[str]) -> str:
    return ", ".join(f"U+{ord(char):04X}" for char in dict.fromkeys(chars))
