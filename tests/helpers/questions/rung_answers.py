"""Answers that people of regions gave, as region questions show them."""

import polars as pl

from blend.schemas.language.locales import Registry, registry


def gave_it(rows: pl.DataFrame, annotations: pl.DataFrame, locales: Registry | None = None) -> list[list[bool]]:
    """Of every region question, whether somebody of each region gave the answer, as it was typed."""
    code = {locale.tag: locale.region for locale in locales or registry()}
    groups = (
        annotations.select("template_id", "locale", "annotations").explode("annotations").unnest("annotations")
    )
    given = {
        (template_id, code[tag], text.lower())
        for template_id, tag, texts in groups.select("template_id", "locale", "en_answers").iter_rows()
        for text in texts or ()
    }
    asked = rows.select("template_id", "option_regions", "given_answer").iter_rows()
    return [[(template_id, of, text) in given for of in regions] for template_id, regions, text in asked]
