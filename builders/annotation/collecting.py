"""Collecting: which questions have enough responses, where more are asked for, and which are dropped."""

from typing import TYPE_CHECKING

import polars as pl

from blend.builders.annotation.project import Project
from blend.builders.saq.collection import NEEDS_RESPONSES, collection_status
from blend.schemas.frames import KEY

if TYPE_CHECKING:
    from blend.builders.annotation.stages.model import Material

PLAN = ("blend_id", "template_id", "locale", "state", "valid", "idk", "rejected", "still_needed", "open")
"""One row per question: its task, its state (`saq.collection`), the counts of valid responses, *I don't know*,
and responses of which a review declared every answer invalid; valid ones ``still_needed``; and whether it is
``open``: still asked."""


def collected_so_far(project: Project, material: "Material") -> pl.DataFrame:
    """Say how far every question has come: `saq.collection.CollectionStatus.questions`.

    Raises:
        RowError, RowErrors: See `builders.saq.ballots.cast_ballots`.
    """
    return collection_status(
        material.questions, material.responses, material.reviews, project.saq_options()
    ).questions


def collection_plan(project: Project, material: "Material") -> pl.DataFrame:
    """Plan where more responses are asked for, by the five-valid rule, and which questions are dropped.

    A question is open until it has ``wanted`` valid responses, or more than ``max_idk`` people do not know. An
    open one wants one further annotation for every valid response that is missing, above all that were given,
    whatever they were.

    Args:
        project: Its ``wanted`` and ``max_idk``, its locales, templates and topics.
        material: Questions, responses and reviews.

    Returns:
        `PLAN`, by locale and template: the questions that the project asks.

    Raises:
        RowError, RowErrors: See `builders.saq.ballots.cast_ballots`.

    References:
        Myung et al. (2024), BLEnD, section 3, https://arxiv.org/abs/2406.09948.
    """
    return (
        collected_so_far(project, material)
        .join(_asked(project, material), on=KEY, how="semi")
        .with_columns(
            open=pl.col("state") == NEEDS_RESPONSES,
            blend_id=pl.format("answer/{}/{}", "locale", "template_id"),
        )
        .select(PLAN)
        .sort("locale", "template_id")
    )


def _asked(project: Project, material: "Material") -> pl.DataFrame:
    """The questions that the project asks."""
    tags = [settings.locale for settings in project.locales if "answer" in project.stages_of(settings.locale)]
    asked = material.questions.filter(pl.col("locale").is_in(tags))
    if project.templates is not None:
        asked = asked.filter(pl.col("template_id").is_in(list(project.templates)))
    if project.topics is not None:
        asked = asked.filter(pl.col("topic").is_in(list(project.topics)))
    return asked.select(KEY)
