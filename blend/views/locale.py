"""The locale registry as a table for a terminal."""

from collections.abc import Sequence

from rich.table import Table

from blend.builders.cards.fields import plain
from blend.schemas.docstrings import field_sentences
from blend.schemas.locales import Locale
from blend.schemas.text import counted


def locale_table(locales: Sequence[Locale]) -> Table:
    """One line per locale, with a column per dataset that says whether it holds the locale."""
    collections = list(dict.fromkeys(name for locale in locales for name in locale.collections))
    table = Table(title=counted(len(locales), "locale"), title_justify="left")
    for heading in ("locale", "split"):
        table.add_column(heading, no_wrap=True)
    for heading in ("language", "region", "in a question"):
        table.add_column(heading, overflow="fold")
    for name in collections:
        # Broken behind its first hyphen: the heading would otherwise be far wider than what stands below it.
        table.add_column(name.replace("-", "-\n", 1), justify="center")
    for locale in locales:
        table.add_row(
            locale.tag,
            locale.split,
            locale.language_name,
            locale.region_name,
            locale.prompt_name,
            *("yes" if name in locale.collections else "" for name in collections),
        )
    return table


def locale_details(locale: Locale) -> Table:
    """Every field of one locale with what it means."""
    table = Table(title=locale.tag, title_justify="left")
    table.add_column("field", no_wrap=True)
    table.add_column("value", overflow="fold")
    table.add_column("meaning", overflow="fold")
    for name, meaning in field_sentences(Locale).items():
        value = getattr(locale, name)
        shown = ", ".join(value) if isinstance(value, tuple) else "" if value is None else str(value)
        table.add_row(name, shown, plain(meaning))
    return table
