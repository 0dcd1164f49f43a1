"""The locale registry as a table for a terminal."""

from collections.abc import Sequence

from rich.table import Table

from blend.schemas.locales import Locale


def locale_table(locales: Sequence[Locale]) -> Table:
    """One line per locale."""
    table = Table(title=f"{len(locales)} locales", title_justify="left")
    for heading in ("locale", "split", "language", "region", "in a question", "upstream", "in"):
        table.add_column(heading, overflow="fold")
    for locale in locales:
        table.add_row(
            locale.tag,
            locale.split,
            locale.language_name,
            locale.region_name,
            locale.prompt_name,
            locale.upstream,
            " ".join(locale.collections),
        )
    return table


def locale_details(locale: Locale) -> Table:
    """Every field of one locale with what it means."""
    table = Table(title=locale.tag, title_justify="left")
    table.add_column("field")
    table.add_column("value", overflow="fold")
    table.add_column("meaning", overflow="fold")
    for name, field in Locale.model_fields.items():
        value = getattr(locale, name)
        shown = ", ".join(value) if isinstance(value, tuple) else str(value)
        table.add_row(name, shown, field.description)
    return table
