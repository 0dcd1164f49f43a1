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
    """Location of a text, as findings name it."""

    location: str
    locale: str | None
    template_id: str
    language: str


@dataclass(frozen=True, slots=True)
class Tidy:
    """Reports what is odd about texts and, when asked to, removes it."""

    diagnostics: Diagnostics
    clean: bool
    """Whether texts are changed; otherwise they are reported and stay as published."""

    def text(self, text: str, what: str, origin: Origin) -> str:
        """The text, normalised if asked for; each oddity becomes a finding.

        Control characters and line feeds become blanks, outer white space goes, Unicode is composed (NFC).
        Invisible characters such as the zero-width space stay: in many scripts they change what is read.
        """
        if is_tidy(text):
            return text
        self._report(text, what, origin)
        return normalize("NFC", _CONTROL.sub(" ", text)).strip() if self.clean else text

    def _report(self, text: str, what: str, origin: Origin) -> None:
        stripped = text.strip()
        if not stripped:
            return  # blank: the caller knows what that means
        if controls := _CONTROL.findall(stripped):
            self.finding(
                "control-character", f"{what} {text!r} holds {_codes(controls)}", "now a blank", origin
            )
        if stripped != text:
            self.finding("outer-white-space", f"{what} {text!r} has outer white space", "removed", origin)
        if not is_normalized("NFC", text):
            self.finding("not-nfc", f"{what} {text!r} is not in Unicode NFC", "composed", origin)
        ordinary = _ORDINARY_INVISIBLE.get(origin.language, "")
        if invisible := [char for char in text if category(char) == "Cf" and char not in ordinary]:
            detail = f"{what} {text!r} holds the invisible {_codes(invisible)}; kept"
            self.note("invisible-character", detail, origin)

    def finding(self, kind: str, found: str, done: str, origin: Origin) -> None:
        """Note an oddity and what was done about it, which is nothing when texts stay as published."""
        self.note(kind, f"{found}; {done if self.clean else 'kept'}", origin)

    def note(self, kind: str, detail: str, origin: Origin) -> None:
        """Note an oddity that is treated the same way whether texts are changed or not."""
        self.diagnostics.finding(
            kind, origin.location, detail, locale=origin.locale, template_id=origin.template_id
        )


def is_tidy(text: str) -> bool:
    """Whether there is nothing to report of a text, as of nearly all; a blank one may be empty."""
    # No control, format or private character is printable.
    return text.isprintable() and text == text.strip() and is_normalized("NFC", text)


def _codes(chars: list[str]) -> str:
    return ", ".join(f"U+{ord(char):04X}" for char in dict.fromkeys(chars))
