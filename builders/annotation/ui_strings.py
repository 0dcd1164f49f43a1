"""Words and instructions: what people read in their own language while they work."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from blend.builders.annotation.project import ORDER, StageName
from blend.loaders.files.content import read_content
from blend.schemas.errors import RowError, UnknownNameError
from blend.schemas.models import toml_tables
from blend.schemas.texts import forbidden_in

PACKAGED = "words.toml"
FALLBACK = "en"

UNCHECKED = "<!-- not checked by native speakers -->"
"""First line of an instruction that no native speaker has read."""

UI_STRINGS = "words"
"""Heading below which a file of instructions has words of its own."""

TOPIC = "topic-"
"""What the names of words for topics begin with; they end with the topic as it stands in ids."""

_WORD = re.compile(r"[-*] ([\w-]+): *(\S.*)")
_HEADING = re.compile(r"^# (\S+)[ \t]*$", re.MULTILINE)

UiStrings = Mapping[str, str]
"""Short texts of the pages by what they are for."""


class PageTexts(NamedTuple):
    """All that a page says in the language of those who work on it."""

    instruction: str
    """Markdown."""
    ui_strings: UiStrings
    """Short texts."""
    in_english: bool = False
    """Whether they are English to people who speak another language."""


def texts_of(language: str, stage: StageName, own: Path | None = None) -> PageTexts:
    """The texts of a stage's page.

    Args:
        language: BCP 47 tag.
        stage: Name of the stage.
        own: File with instructions, and perhaps words, of one's own; ours in the language when absent, and for
            the words that it lacks.

    Raises:
        RowError: As `instruction_of` and `ui_strings_in`.
    """
    ui_strings = ui_strings_of(language)
    if own is not None:
        ui_strings = {**ui_strings, **ui_strings_in(own)}
    instruction = instruction_of(language, stage, own)
    return PageTexts(
        instruction, ui_strings, not is_english(language) and instruction == _ours(FALLBACK)[stage]
    )


class ShownStrings(dict[str, str]):
    """Words that remember which of them a page has asked for."""

    def __init__(self, ui_strings: UiStrings) -> None:
        super().__init__(ui_strings)
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return super().__getitem__(name)


def untranslated_strings(language: str, ui_strings: UiStrings) -> set[str]:
    """The names of words that are the English ones though the language is another, unless ours are the same."""
    ours = _tables().get(_known(language, _tables()), {})
    english = {} if is_english(language) else _tables()[FALLBACK]
    return {name for name, text in english.items() if ui_strings.get(name) == text != ours.get(name)}


def is_english(language: str) -> bool:
    """Whether a language is English, of whatever country."""
    return language.partition("-")[0] == FALLBACK


def ui_strings_in(path: Path) -> UiStrings:
    """The words in a file of instructions: lines ``- NAME: text`` below the heading ``# words``.

    Raises:
        RowError: If the file cannot be read, or a line is something else or has a name that no page has.
    """
    part = instructions_in(path).get(UI_STRINGS, "")
    ui_strings: dict[str, str] = {}
    for line in filter(None, map(str.strip, part.split("\n"))):
        found = _WORD.fullmatch(line)
        where = f"{path}, heading words"
        if found is None:
            raise RowError(f"{line!r} is not a word", where=where, fix="write lines like: - idk: I don't know")
        name = found[1]
        if name not in _tables()[FALLBACK] and not name.startswith(TOPIC):
            valid = UnknownNameError("word", name, _tables()[FALLBACK])
            what, _, fix = str(valid).partition("; ")
            raise RowError(what, where=where, fix=fix)
        ui_strings[name] = found[2]
    return ui_strings


def ui_strings_of(language: str) -> UiStrings:
    """The short texts in a language; English ones where ours lack it."""
    tables = _tables()
    return {**tables[FALLBACK], **tables.get(_known(language, tables), {})}


def languages() -> tuple[str, ...]:
    """The languages of our words and instructions, by tag."""
    return tuple(sorted(_tables()))


def own_texts(path: Path) -> Mapping[str, str]:
    """The instructions in a file, by stage, of which the words are correct as well.

    Raises:
        RowError: As `instructions_in` and `ui_strings_in`.
    """
    ui_strings_in(path)
    return instructions_in(path)


def instruction_of(language: str, stage: StageName, own: Path | None = None) -> str:
    """The instruction for a stage, in Markdown.

    Args:
        language: BCP 47 tag.
        stage: Name of the stage.
        own: File with instructions of one's own; ours in the language when absent, or in English where we have
            none for the stage.

    Raises:
        RowError: If the file cannot be read or says nothing about the stage; names the heading that it lacks.
    """
    if own is None:
        return {**_ours(FALLBACK), **_ours(_known(language, _tables()) or FALLBACK)}[stage]
    return instructions_in(own)[stage]


def instructions_in(path: Path) -> Mapping[str, str]:
    """The instructions in a file by stage: what stands below the heading ``# STAGE``.

    Raises:
        RowError: If the file cannot be read or is not text in UTF-8, if a heading occurs twice or names no
            stage, or if the text holds control characters.
    """
    content = read_content(path, what="instruction")
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        fix = "save the file with that encoding"
        raise RowError(f"byte {error.start} is not UTF-8", where=str(path), fix=fix) from None
    for number, line in enumerate(text.split("\n"), start=1):
        if found := next(forbidden_in(line.replace("\t", " ")), None):
            where, fix = f"{path}:{number}", "remove them: a page cannot hold them"
            raise RowError(found, where=where, fix=fix)
    return _parted(text, str(path))


def is_checked(language: str) -> bool:
    """Whether a native speaker has read our texts in a language."""
    known = _known(language, _tables()) or FALLBACK
    return not _text(known).startswith(UNCHECKED)


def is_known(language: str) -> bool:
    """Whether we have any texts in a language."""
    return bool(_known(language, _tables()))


def english_template(stages: Sequence[StageName]) -> str:
    """Our English texts as a file to be translated: the instructions of some stages, and every word."""
    parts = [f"# {stage}\n\n{_ours(FALLBACK)[stage]}\n" for stage in stages]
    ui_strings = "".join(f"- {name}: {text}\n" for name, text in _tables()[FALLBACK].items())
    return "\n".join([*parts, f"# {UI_STRINGS}\n\n{ui_strings}"])


def _known(language: str, tables: Mapping[str, object]) -> str:
    """The closest of our languages: ``es`` for ``es-419``; empty for none."""
    primary = language.partition("-")[0]
    return language if language in tables else primary if primary in tables else ""


@cache
def _tables() -> dict[str, dict[str, str]]:
    text = files("blend.builders.annotation").joinpath(PACKAGED).read_text(encoding="utf-8")
    return toml_tables(text, source=PACKAGED)


@cache
def _text(language: str) -> str:
    folder = files("blend.builders.annotation").joinpath("instructions")
    return folder.joinpath(f"{language}.md").read_text(encoding="utf-8")


@cache
def _ours(language: str) -> Mapping[str, str]:
    return _parted(_text(language), f"{language}.md")


def _parted(text: str, where: str) -> Mapping[str, str]:
    parts: dict[str, str] = {}
    found = list(_HEADING.finditer(text))
    for number, heading in enumerate(found):
        line = text.count("\n", 0, heading.start()) + 1
        name = heading[1]
        if name not in (*ORDER, UI_STRINGS):
            fix = f"the stages are {', '.join(ORDER)}; write smaller headings with ##"
            raise RowError(f"the heading {name!r} names no stage", where=f"{where}:{line}", fix=fix)
        if name in parts:
            raise RowError(
                f"the heading {name!r} occurs twice", where=f"{where}:{line}", fix="put both into one"
            )
        end = found[number + 1].start() if number + 1 < len(found) else len(text)
        parts[name] = text[heading.end() : end].strip()
    return _Parts(parts, where)


class _Parts(dict[str, str]):
    """Instructions by stage that know their file."""

    def __init__(self, parts: Mapping[str, str], where: str) -> None:
        super().__init__(parts)
        self._where = where

    def __missing__(self, stage: str) -> str:
        fix = f"write it below a line '# {stage}', or leave the language out to use ours"
        raise RowError(f"no instruction for the stage {stage!r}", where=self._where, fix=fix)
