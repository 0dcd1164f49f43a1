"""Encodings: the text of a file that somebody saved, and never a guess which one it is in."""

import codecs
from pathlib import Path

from blend.loaders.files.content import check_no_nulls, location_of, read_content, utf8_text
from blend.loaders.files.diagnostics import Diagnostics
from blend.schemas.errors import InputError, RowError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UTF_8 = "utf-8"
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How files in UTF-16 begin."""


def read_text(path: Path, root: Path, diagnostics: Diagnostics, *, encoding: str | None = None) -> str:
    """The text of a file; line ends stay as they are.

    Args:
        path: The file.
        root: Folder that places are relative to.
        diagnostics: Takes a finding for a byte order mark, which is left out, and for a file in UTF-8 where
            another encoding is given, which may be that of the files beside it: it is read as UTF-8.
        encoding: Of a file that has no byte order mark; UTF-8 when absent. A mark says UTF-8 or UTF-16.

    Raises:
        RowError: If the file is not in that encoding (names the first wrong byte and its line), has a null
            beside every character, or has nulls in a row, as a file that was not saved to its end.
    """
    location = location_of(path, root)
    return decoded(read_content(path, where=location), location, diagnostics, encoding=encoding)


def decoded(
    content: bytes,
    location: str,
    diagnostics: Diagnostics,
    *,
    encoding: str | None = None,
    can_be_said: bool = False,
) -> str:
    """The text of a file's content; arguments and errors as of `read_text`.

    ``can_be_said`` is whether it is a table, of which messages tell the user to say which encoding it has, and
    whose byte order mark for UTF-8 is what spreadsheets write.
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            content, encoding = content.removeprefix(mark), name
            if name != _UTF_8 or not can_be_said:
                diagnostics.finding(
                    "byte-order-mark", location, "the file starts with a byte order mark; it is left out"
                )
            break
    else:
        if encoding is not None and _is_utf_8_instead(content, encoding):
            detail = f"the file is UTF-8, not {encoding}; read as UTF-8"
            diagnostics.finding("other-encoding", location, detail)
            encoding = _UTF_8
    text = _decoded(content, encoding or _UTF_8, location, can_be_said=can_be_said)
    check_no_nulls(text, location)
    return text


def known_encoding(name: str) -> str:
    """The name of an encoding, as given.

    Raises:
        InputError: If nobody knows it, or it is not one of text.
    """
    try:
        if codecs.lookup(name)._is_text_encoding:  # what `bytes.decode` itself asks
            return name
    except (LookupError, ValueError):
        pass
    raise InputError(
        f"unknown encoding {name!r}; write one that Python knows: cp1252 (western Windows), cp1250 (central "
        "European), cp1251 (Cyrillic), cp1254 (Turkish), cp1256 (Arabic), cp932 (Japanese), cp949 (Korean), "
        "gb18030 (Chinese) …"
    )


def _is_utf_8_instead(content: bytes, encoding: str) -> bool:
    """Whether a file is UTF-8 where another encoding is given: read in that one, it would be other letters."""
    if codecs.lookup(encoding).name == _UTF_8 or content.isascii():
        return False
    try:
        content.decode(_UTF_8)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(content: bytes, encoding: str, location: str, *, can_be_said: bool) -> str:
    if encoding == _UTF_8:
        return utf8_text(content, location, can_be_said=can_be_said)
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = (
            f"byte 0x{content[error.start]:02X} at offset {error.start} (line {line}) is not {encoding.upper()}"
        )
        fix = "say which encoding the file has, or save it with UTF-8"
        raise RowError(what, where=location, fix=fix) from None
