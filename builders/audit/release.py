"""Audit of a release: its multiple-choice questions, and what its annotations tell those who know them."""

from pathlib import Path

from blend.builders.audit import Audit, audit_questions
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_config, release_locales
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.rows.configs import ANNOTATIONS, MULTIPLE_CHOICE_CONFIGS, MULTIPLE_CHOICE_QUESTIONS
from blend.schemas.rows.frame_columns import votes_known


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
        config: The configuration of questions: ``multiple-choice-questions`` or ``multiple-choice-hard``.
        examples: Most telling questions to keep per baseline.
        on_progress: Told about the rows read, by configuration.

    Raises:
        InputError: If it is not a release, has no multiple-choice questions, or the votes of answers are
            unknown.
        UnknownNameError: If the release has no such configuration of them; lists those it has.
    """
    folder = Path(release)
    held = {table.config: table.rows for table in read_manifest(folder).tables}
    if not held.get(MULTIPLE_CHOICE_QUESTIONS):
        raise InputError(f"{folder}: no multiple-choice questions in this release; audit one that has some")
    if config not in (ours := held.keys() & MULTIPLE_CHOICE_CONFIGS):
        raise UnknownNameError("configuration", config, ours)
    rows = read_config(folder, config, on_progress=on_progress)
    questions = rows.select("question", "options", "answer", "topic", group="locale", template="template_id")
    annotations = read_config(folder, ANNOTATIONS, on_progress=on_progress) if ANNOTATIONS in held else None
    if not (annotations is None or annotations.select(votes_known().all()).item()):
        raise InputError(
            f"{folder}: the votes of answers are unknown (null), and the audit weighs answers by votes; "
            "audit a release whose annotations have them"
        )
    return audit_questions(
        questions,
        annotations=annotations,
        locales=release_locales(folder),
        examples=examples,
    )
