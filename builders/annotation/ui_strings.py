"""What people read in their own language while they work: words, instructions, and pages in XML."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from markdown_it import MarkdownIt

from blend.builders.annotation.project import ORDER, StageName
from blend.loaders.files.content import read_content, utf8_text
from blend.loaders.files.diagnostics import unknown_name
from blend.schemas.errors import RowError
from blend.schemas.locales import Locale
from blend.schemas.models import packaged_tables, packaged_templates, packaged_text
from blend.schemas.texts import forbidden_in

_FALLBACK = "en"

UNCHECKED = "<!-- not checked by native speakers -->"
"""First line of an instruction that no native speaker has read."""

_UI_STRINGS = "words"
"""Heading below which a file of instructions has words of its own."""

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
        own: File with instructions or words of one's own. What it lacks, and all when absent, is ours in the
            closest language, or in English where we have none.

    Raises:
        RowError: As `own_texts`.
    """
    english, (instructions, words) = _ours(_FALLBACK), ({}, {}) if own is None else own_texts(own)
    instruction = {**english, **_ours(_known(language) or _FALLBACK), **instructions}[stage]
    is_foreign = not is_english(language) and instruction == english[stage]
    return PageTexts(instruction, {**ui_strings_of(language), **words}, is_foreign)


def own_texts(path: Path) -> tuple[Mapping[str, str], UiStrings]:
    """The texts in a file: instructions below headings ``# STAGE``, words below ``# words``: ``- NAME: text``.

    Returns:
        The instructions, by stage, and the words.

    Raises:
        RowError: If the file cannot be read or is not text in UTF-8, if a heading occurs twice or names no
            stage, if the text holds control characters, or if a word is none or no page has it.
    """
    content = read_content(path, what="instruction")
    text = utf8_text(content, str(path), fix="save the file as UTF-8").replace("\r\n", "\n")
    for number, line in enumerate(text.split("\n"), start=1):
        if found := next(forbidden_in(line.replace("\t", " ")), None):
            where, fix = f"{path}:{number}", "remove them: a page cannot hold them"
            raise RowError(found, where=where, fix=fix)
    parts = _parted(text, str(path))
    return parts, dict(_words_in(parts.get(_UI_STRINGS, ""), f"{path}, heading words"))


def _words_in(part: str, where: str) -> Iterator[tuple[str, str]]:
    for line in filter(None, map(str.strip, part.split("\n"))):
        found = _WORD.fullmatch(line)
        if found is None:
            raise RowError(f"{line!r} is not a word", where=where, fix="write lines like: - idk: I don't know")
        if found[1] not in _tables()[_FALLBACK]:
            raise unknown_name("word", found[1], _tables()[_FALLBACK], where=where)
        yield found[1], found[2]


def _parted(text: str, where: str) -> dict[str, str]:
    """What stands below each heading."""
    parts: dict[str, str] = {}
    found = list(_HEADING.finditer(text))
    # Each heading with the next one, at which its part ends; behind the last there is none.
    for heading, following in zip_longest(found, found[1:]):
        line = f"{where}:{text.count(chr(10), 0, heading.start()) + 1}"
        name = heading[1]
        if name not in (*ORDER, _UI_STRINGS):
            fix = f"the stages are {', '.join(ORDER)}; write smaller headings with ##"
            raise RowError(f"the heading {name!r} names no stage", where=line, fix=fix)
        if name in parts:
            raise RowError(f"the heading {name!r} occurs twice", where=line, fix="put both into one")
        parts[name] = text[heading.end() : following.start() if following else len(text)].strip()
    return parts


def english_template(stages: Sequence[StageName]) -> str:
    """Our English texts as a file to be translated: the instructions of some stages, and every word."""
    parts = [f"# {stage}\n\n{_ours(_FALLBACK)[stage]}\n" for stage in stages]
    ui_strings = "".join(f"- {name}: {text}\n" for name, text in _tables()[_FALLBACK].items())
    return "\n".join([*parts, f"# {_UI_STRINGS}\n\n{ui_strings}"])


# What we have, and what of it is English.


def ui_strings_of(language: str) -> UiStrings:
    """The short texts in a language; English ones where ours lack it."""
    return {**_tables()[_FALLBACK], **_tables().get(_known(language), {})}


def is_english(language: str) -> bool:
    """Whether a language is English, of whatever country."""
    return language.partition("-")[0] == _FALLBACK


def is_checked(language: str) -> bool:
    """Whether a native speaker has read our texts in a language."""
    return not _text(_known(language) or _FALLBACK).startswith(UNCHECKED)


def is_known(language: str) -> bool:
    """Whether we have any texts in a language."""
    return bool(_known(language))


def _known(language: str) -> str:
    """The closest of our languages: ``es`` for ``es-419``; empty for none."""
    return next((tag for tag in (language, language.partition("-")[0]) if tag in _tables()), "")


def _tables() -> dict[str, dict[str, str]]:
    return packaged_tables("words.toml", __package__)


def _text(language: str) -> str:
    return packaged_text(f"instructions/{language}.md", __package__)


@cache
def _ours(language: str) -> Mapping[str, str]:
    return _parted(_text(language), f"{language}.md")


# The pages, filled in from the templates in ``pages``.


def page(stage: str, locale: Locale, texts: PageTexts, **facts: Any) -> str:
    """A labelling configuration.

    Args:
        stage: Name of its file in ``pages``, without endings; stages that judge share one.
        locale: Of those who work on it.
        texts: Of the page, in the locale's language.
        facts: What the template asks for besides.
    """
    templates = packaged_templates("blend.builders.annotation", "pages")
    return templates.select_template([f"{stage}.xml.j2", "judge.xml.j2"]).render(
        w=texts.ui_strings,
        instruction=_html(texts.instruction),
        in_english=texts.in_english,
        # The line of English below a question; none where the question is English.
        english="" if is_english(locale.language) else "en_question",
        script=locale.script,
        rtl=locale.direction == "rtl",
        **facts,
    )


def _html(markdown: str) -> str:
    """The instruction as the open-source edition can show it: as HTML, which is part of the configuration.

    HTML in the Markdown is shown as it is written, and images are left out: nobody's page asks another server.
    """
    parser = MarkdownIt("commonmark", {"html": False, "xhtmlOut": True}).disable("image")
    return str(parser.render(markdown))
