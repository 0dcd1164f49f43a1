"""Audit of a release: its multiple-choice questions, and what its annotations tell those who know them."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from blend.builders.audit import Audit, audit_of, audit_questions, known_answers
from blend.builders.audit.question_arrays import FloatArray, QuestionArrays, question_arrays
from blend.builders.audit.solvers import SOLVERS, Known
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_config, release_locales
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.frames import votes_known
from blend.schemas.locales import Registry
from blend.schemas.rows import ANNOTATIONS, LETTERS, MULTIPLE_CHOICE_CONFIGS, MULTIPLE_CHOICE_QUESTIONS, RUNGS


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
    return audit_true_false(rows, annotations=annotations, locales=locales)


def audit_rows(
    rows: pl.DataFrame,
    *,
    annotations: pl.DataFrame | None,
    locales: Registry,
    examples: int,
) -> Audit:
    """Audit published multiple-choice questions, `frame_columns.MCQ_ROWS`; see `audit_questions`."""
    return audit_questions(
        rows.select("question", "options", "answer", "topic", group="locale", template="template_id"),
        annotations=annotations,
        option_sources=_option_sources(rows, locales),
        locales=locales,
        examples=examples,
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


TRUE_FALSE: Mapping[str, str] = {
    "frequent": "yes to what is right in other templates most often: sees the option alone",
    "typical": "yes to what is most typical of the region's other answers: sees no question",
    "classifier": "yes by a classifier of option and region, trained on other templates: sees no question",
    "widespread": "yes to what people of most other regions gave to the question: sees no region",
}
"""Solvers of true-false questions, and what they see; each says yes above the score that serves it best."""

_YES_WEIGHT = len(LETTERS) - 1
"""How often a row with yes counts, so that yes and no weigh alike: the accuracy is the balanced one."""


def audit_true_false(rows: pl.DataFrame, *, annotations: pl.DataFrame, locales: Registry) -> Audit:
    """Audit true-false questions.

    Args:
        rows: `frame_columns.TRUE_FALSE_ROWS`, the four of a question side by side.
        annotations: `frame_columns.ANNOTATIONS`.
        locales: Registry that knows the locales.

    Returns:
        The figures of the solvers alone. Accuracies are balanced: the mean of those where yes and where no is
        correct.
    """
    evidence = known_answers(annotations)
    is_yes = (rows["answer"] == "yes").to_numpy()
    fours = rows.group_by("mcq_id", maintain_order=True).agg(
        pl.col("question", "topic", "locale", "template_id").first(),
        options="option",
        answer=(pl.col("answer") == "yes").arg_max().cast(pl.Int64),
    )
    four, known = _asked(fours), Known(evidence, evidence, locales)
    repeated = np.repeat(np.arange(len(rows)), np.where(is_yes, _YES_WEIGHT, 1))
    single = rows.with_columns(options=pl.lit(["no", "yes"]), answer=is_yes.astype(np.int64))
    scores = {}
    for name in TRUE_FALSE:
        above = _above_best(SOLVERS[name].scores(four, known), is_yes)
        scores[name] = np.stack([np.zeros(len(repeated)), above[repeated]], axis=1).ravel()
    return _counting_rows_once(audit_of(_asked(single[repeated]), scores, TRUE_FALSE))


def _counting_rows_once(audit: Audit) -> Audit:
    """Count each row once, as the table holds it: of four rows one is *yes*, and stood there three times."""
    once = pl.col("questions") * len(LETTERS) // (len(LETTERS) - 1 + _YES_WEIGHT)
    frames = {name: frame.with_columns(once) for name, frame in audit.frames().items() if "questions" in frame}
    return replace(audit, **frames)


def _asked(rows: pl.DataFrame) -> QuestionArrays:
    columns = ["question", "options", "answer", "topic"]
    return question_arrays(rows.select(*columns, group="locale", template="template_id"))


def _above_best(scores: FloatArray, is_yes: np.ndarray) -> FloatArray:
    """Compare scores with the one above which yes is right most often, yes and no weighed alike."""
    order = np.argsort(-scores, kind="stable")
    gain = np.cumsum(np.where(is_yes[order], 1 / is_yes.sum(), -1 / (~is_yes).sum()))
    # Equal scores are all above or none.
    last = np.flatnonzero(np.diff(scores[order], append=-np.inf))
    return np.where(scores >= scores[order][last[np.argmax(gain[last])]], 1.0, -1.0)
