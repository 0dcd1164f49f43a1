"""Audit of a release: its multiple-choice questions, and what its annotations tell those who know them."""

from pathlib import Path

import polars as pl

from blend.builders.audit import Audit, audit_questions
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_config, release_locales
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.frames import votes_known
from blend.schemas.locales import Registry
from blend.schemas.rows import ANNOTATIONS, MULTIPLE_CHOICE_CONFIGS, MULTIPLE_CHOICE_QUESTIONS, RUNGS


def audit_release(
    release: Path | str,
    *,
    config: str = MULTIPLE_CHOICE_QUESTIONS,
    examples: int = 3,
    on_progress: ProgressCallback = silent,
) -> Audit:
    """Audit the multiple-choice questions of a release directory.

    Groups are its locales. What is typical of a region, which answers count as right and what people say in
    their own languages comes from its annotations.

    Args:
        release: The directory.
        config: The configuration of questions: ``multiple-choice-questions``, ``compact`` or
            ``true-false-questions``.
        examples: Most telling questions to keep per baseline.
        on_progress: Told about the rows read, by configuration.

    Raises:
        InputError: If it is not a release, has no multiple-choice questions, the votes of answers are
            unknown, or there are no annotations to audit rungs with.
        UnknownNameError: If the release has no such configuration of them; lists those it has.
    """
    folder = Path(release)
    held = {table.config: table.rows for table in read_manifest(folder).tables}
    if not held.get(MULTIPLE_CHOICE_QUESTIONS):
        raise InputError(f"{folder}: no multiple-choice questions in this release; audit one that has some")
    if config not in (ours := held.keys() & {*MULTIPLE_CHOICE_CONFIGS, *RUNGS}):
        raise UnknownNameError("configuration", config, ours)
    rows = read_config(folder, config, on_progress=on_progress)
    annotations = read_config(folder, ANNOTATIONS, on_progress=on_progress) if ANNOTATIONS in held else None
    if not (annotations is None or annotations.select(votes_known().all()).item()):
        raise InputError(
            f"{folder}: the votes of answers are unknown (null), and the audit weighs answers by votes; "
            "audit a release whose annotations have them"
        )
    locales = release_locales(folder)
    if config not in RUNGS:
        return audit_rows(rows, annotations=annotations, locales=locales, examples=examples)
    if annotations is None:
        raise InputError(f"{folder}: no annotations in this release, and {config} is audited with them")
    from blend.builders.audit.rungs import audit_true_false

    return audit_true_false(rows, annotations=annotations, locales=locales)


def audit_rows(
    rows: pl.DataFrame,
    *,
    annotations: pl.DataFrame | None,
    locales: Registry,
    examples: int,
    synonyms: bool = True,
) -> Audit:
    """Audit published multiple-choice questions, `frame_columns.MCQ_ROWS`; see `audit_questions`."""
    return audit_questions(
        rows.select("question", "options", "answer", "topic", group="locale", template="template_id"),
        annotations=annotations,
        option_sources=_option_sources(rows, locales),
        locales=locales,
        examples=examples,
        synonyms=synonyms,
    )


def _option_sources(rows: pl.DataFrame, locales: Registry) -> pl.DataFrame:
    """Of which locale every option is an answer, by the region that the row says."""
    region_of = {locale.tag: locale.region for locale in locales}
    locale_of = {region: tag for tag, region in region_of.items()}
    options = rows.drop_nulls("option_regions").select(
        "locale", template="template_id", text="options", region="option_regions"
    )
    each = options.explode("text", "region").unique()
    # Two locales can share a region; an answer of the one asked about is its own.
    is_own = pl.col("region") == pl.col("locale").replace(region_of)
    group = pl.when(is_own).then("locale").otherwise(pl.col("region").replace(locale_of))
    return each.select("template", "text", group=group).unique()
