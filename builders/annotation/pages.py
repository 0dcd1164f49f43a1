"""Pages: labelling configurations in Label Studio's XML, filled in from the templates in ``pages``."""

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt

from blend.builders.annotation.ui_strings import PageTexts, is_english
from blend.schemas.locales import Locale

_FONTS = {
    "Arab": '"Noto Naskh Arabic", "Noto Sans Arabic", "Geeza Pro", Tahoma, ',
    "Ethi": '"Noto Sans Ethiopic", Kefa, Nyala, "Abyssinica SIL", ',
    "Beng": '"Noto Sans Bengali", "Nirmala UI", "Bangla MN", ',
    "Deva": '"Noto Sans Devanagari", "Nirmala UI", ',
    "Hans": '"Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", ',
    "Hant": '"Noto Sans CJK TC", "PingFang TC", "Microsoft JhengHei", ',
    "Jpan": '"Noto Sans CJK JP", "Hiragino Sans", "Yu Gothic", Meiryo, ',
    "Kore": '"Noto Sans CJK KR", "Apple SD Gothic Neo", "Malgun Gothic", ',
}
"""Fonts that draw a script well, where Latin fonts lack it or draw it badly, the free ones first."""

_TALL = frozenset({"Arab", "Beng", "Deva", "Ethi"})
"""Scripts whose marks above and below the letters need more room between lines."""


def page(template: str, locale: Locale, texts: PageTexts, **facts: Any) -> str:
    """A labelling configuration.

    Args:
        template: Name of its file in ``pages``, without endings.
        locale: Of those who work on it.
        texts: Of the page, in the locale's language.
        facts: What the template asks for besides.
    """
    return (
        _environment()
        .get_template(f"{template}.xml.j2")
        .render(
            w=texts.ui_strings,
            instruction=_html(texts.instruction),
            in_english=texts.in_english,
            # The line of English below a question; none where the question is English.
            english="" if is_english(locale.language) else "en_question",
            fonts=_FONTS.get(locale.script, "") + "system-ui, sans-serif",
            tall=locale.script in _TALL,
            rtl=locale.direction == "rtl",
            **facts,
        )
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("blend.builders.annotation", "pages"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _html(markdown: str) -> str:
    """The instruction as the open-source edition can show it: as HTML, which is part of the configuration.

    HTML in the Markdown is shown as it is written, and images are left out: nobody's page asks another server.
    """
    parser = MarkdownIt("commonmark", {"html": False, "xhtmlOut": True}).disable("image")
    return str(parser.render(markdown))
