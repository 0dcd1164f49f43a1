"""Templates of pages: one HTML file that needs no network, with texts of others that cannot break it."""

import base64
import json
import re
import unicodedata
import zlib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from blend.loaders.files.atomic import PAGE_MARK, check_own_file, replace_own_file, storage_errors
from blend.schemas.errors import DISTRIBUTION, InputError
from blend.schemas.summaries import written
from blend.version import __version__

_A_PAGE = "a page"

_SHOWN_CHARACTERS = 600
"""Characters of a prompt or an answer that are shown."""

# Characters that reorder the text around them: embeddings, overrides and isolates. The page isolates every text
# itself. Joiners and marks of direction stay: Persian and Assamese words are spelled with them.
# ``questions.js`` has the same rule.
_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_KEPT_CONTROLS = frozenset("\n\t")


def shortened(text: str, characters: int) -> str:
    """A text, or its beginning and how long it was."""
    return text if len(text) <= characters else f"{text[:characters]}… ({len(text):,} characters)"


def visible(text: str, characters: int = _SHOWN_CHARACTERS) -> str:
    """A text of others as the page shows it; the template escapes what HTML would read as markup.

    Control characters and those that would turn the text around them stand as their code; a long text is cut
    and says how long it is.
    """
    cut = shortened(text, characters).strip("\n")
    return "".join(f"\\u{ord(c):04x}" if _is_unsafe(c) else c for c in cut)


def _is_unsafe(character: str) -> bool:
    if character in _KEPT_CONTROLS:
        return False
    return character in _REORDERING or unicodedata.category(character) in ("Cc", "Cs")


def for_script(text: str) -> str:
    """JavaScript or JSON that neither ends its script element nor opens another, whatever strings it holds."""
    return re.sub(r"<(?=/?script|!--)", r"\\x3c", text, flags=re.IGNORECASE)


_RAW_DEFLATE = -15
"""zlib's parameter for a stream without header, which browsers call ``deflate-raw``."""


def packed(data: Any) -> str:
    """Data as a page holds it: JSON, compressed (RFC 1951), in base64, which needs no escaping in HTML."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9, wbits=_RAW_DEFLATE)).decode("ascii")


def packaged(name: str) -> str:
    """The text of a file beside the templates."""
    return (files("blend.eval.report") / name).read_text(encoding="utf-8")


def save_page(build: Callable[[], str], out: Path, *, name: str = "out") -> None:
    """Write a page; the file appears whole or not at all.

    Args:
        build: Makes the page.
        out: The file; a page of ours that is there is replaced, since the next scores make a new one.
        name: Name of the parameter that names the file, for messages.

    Raises:
        InputError: If it is a directory, or anything but a page of ours.
        StorageError: If it cannot be written.
    """
    if out.is_dir():
        raise InputError(f"{out}: is a directory; `{name}` names an HTML file")
    with storage_errors(out):
        check_own_file(out, mark=PAGE_MARK, what=_A_PAGE, parameter=name)
    replace_own_file(out, build(), mark=PAGE_MARK, what=_A_PAGE, parameter=name)


@cache
def page_environment() -> Environment:
    """The templates, and what all of them use."""
    environment = Environment(
        loader=FunctionLoader(packaged),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"visible": visible, "written": written}
    environment.globals |= {"sdk": DISTRIBUTION, "version": __version__, "packaged": packaged}
    return environment
