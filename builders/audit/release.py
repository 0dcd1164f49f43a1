"""Audit of a release: its multiple-choice questions, and what its annotations tell those who know them."""

from pathlib import Path

import polars as pl

from blend.builders.audit import Audit, audit_questions
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_config, release_locales
from blend.schemas.configs import ANNOTATIONS, MULTIPLE_CHOICE_QUESTIONS
from blend.schemas.errors import InputError


def audit_release(release: Path | str, *, examples: int = 3) -> Audit:
    """Audit the multiple-choice questions of a release directory.

    Groups are its locales. What is typical of a region, which answers count as right and what people say in
    their own languages comes from its annotations.

    Args:
        release: The directory.
        examples: Most telling questions to keep per baseline.

    Raises:
        InputError: If it is not a release, or has no multiple-choice questions.
    """
    folder = Path(release)
    held = {table.config: table.rows for table in read_manifest(folder).tables}
    if not held.get(MULTIPLE_CHOICE_QUESTIONS):
        raise InputError(f"{folder}: no multiple-choice questions in this release; audit one that has some")
    rows = read_config(folder, MULTIPLE_CHOICE_QUESTIONS)
    questions = rows.select("question", "options", "answer", "topic", group="locale", template="template_id")
    if ANNOTATIONS not in held:
        return audit_questions(questions, locales=release_locales(folder), examples=examples)
    groups = _answer_groups(read_config(folder, ANNOTATIONS))
    english = groups.explode("en_answers").rename({"en_answers": "text", "count": "votes"}).drop_nulls("text")
    return audit_questions(
        questions,
        evidence=english.group_by("template", "group", "text").agg(pl.col("votes").sum()),
        accepted=english.select("template", "group", "text"),
        said=_said(groups),
        locales=release_locales(folder),
        examples=examples,
    )


def _answer_groups(annotations: pl.DataFrame) -> pl.DataFrame:
    """One row per answer: ``template``, ``group``, ``language``, ``answers``, ``en_answers``, ``count``."""
    rows = annotations.select("language", "annotations", template="template_id", group="locale")
    return rows.explode("annotations").drop_nulls("annotations").unnest("annotations")


def _said(groups: pl.DataFrame) -> pl.DataFrame:
    """`SAID`; an answer with several English texts is left out, since they may be parts of one local answer."""
    alone = groups.filter(pl.col("en_answers").list.len() == 1).explode("en_answers").explode("answers")
    local = pl.format("{} {}", "language", "answers")
    return alone.select(local.alias("local"), text="en_answers").drop_nulls()
