"""Rung questions: what natives are asked of the rungs of a release, to see how well people answer them."""

from collections.abc import Sequence, Set
from hashlib import sha256
from pathlib import Path

import polars as pl

from blend.loaders.releases.references import resolve_release
from blend.loaders.releases.tables import read_config
from blend.schemas.language.locales import Registry
from blend.schemas.prompts.rung_prompts import TRUE_FALSE_PROMPT
from blend.schemas.rows.configs import MULTIPLE_CHOICE_QUESTIONS, REGION_QUESTIONS, TRUE_FALSE_QUESTIONS
from blend.schemas.rows.published_rows import LETTERS
from blend.schemas.rows.rung_rows import YesNo


def rung_questions(release: str | Path, locales: Registry) -> pl.DataFrame:
    """The questions of the rungs that people choose an answer to, one of each template and locale.

    Each template is dealt to one of the rungs that hold it, by its digest, so that no rung gives away what
    another one asks. A question about regions goes to people of one of its four regions, by its digest: asked
    of those who gave the answer, their own region would always be correct.

    Args:
        release: A directory, or ``org/name@v1.0.0`` on the Hub.
        locales: Known locales.

    Returns:
        ``id`` (task and item, ``true-false/ID``), ``locale`` whose people are asked, ``template_id``,
        ``question``, ``options`` and ``replies``, what a model would say for each option; in an order that says
        nothing, so that the options of a question, of which one is true, are apart.

    Raises:
        UnknownNameError: If the release lacks a rung.
        BlendError: If it cannot be read.
    """
    folder = resolve_release(release)
    choices, options, regions = (
        read_config(folder, config)
        for config in (MULTIPLE_CHOICE_QUESTIONS, TRUE_FALSE_QUESTIONS, REGION_QUESTIONS)
    )
    words = [word.value for word in YesNo]
    request = TRUE_FALSE_PROMPT.rpartition("?")[2]
    options = options.with_columns(
        question=pl.col("prompt").str.strip_suffix(request), options=pl.lit(pl.Series([words])).first()
    )
    asked = [
        locales.find(codes[_number(name) % len(codes)]).tag
        for name, codes in regions.select("region_question_id", "option_regions").iter_rows()
    ]
    regions = regions.with_columns(locale=pl.Series(asked, dtype=pl.String))
    rungs = (choices, options, regions)
    dealt = [
        rows.filter(pl.col("template_id").is_in(names))
        for rows, names in zip(rungs, _dealt([set(rows["template_id"]) for rows in rungs]), strict=True)
    ]
    found = pl.concat(
        [
            _rung(dealt[0], "multiple-choice", "mcq_id", LETTERS),
            _rung(dealt[1], "true-false", "true_false_id", words),
            _rung(dealt[2], "region-choice", "region_question_id", LETTERS),
        ]
    )
    digests = pl.Series([_digest(name) for name in found["id"]], dtype=pl.String)
    return found.sort(digests)


def _dealt(held: Sequence[Set[str]]) -> list[list[str]]:
    """The templates of each rung: every one goes to one of those that hold it, by its digest."""
    dealt: list[list[str]] = [[] for _ in held]
    for name in sorted(frozenset[str]().union(*held)):
        among = [number for number, names in enumerate(held) if name in names]
        dealt[among[_number(name) % len(among)]].append(name)
    return dealt


def _rung(rows: pl.DataFrame, task: str, key: str, replies: Sequence[str]) -> pl.DataFrame:
    """The questions of one rung: of each template and locale the first."""
    group = "mcq_id" if "mcq_id" in rows.columns else key
    return rows.filter(pl.col(group) == pl.col(group).min().over("template_id", "locale")).select(
        "locale",
        "template_id",
        "question",
        id=pl.format("{}/{}", pl.lit(task), key),
        options=pl.col("options").cast(pl.List(pl.String)),
        replies=pl.lit(pl.Series([list(replies)])).first(),
    )


def _number(text: str) -> int:
    return int(_digest(text), 16)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
