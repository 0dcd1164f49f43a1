"""Relying: how far the people of a project agree, by what was pulled so far, and the page about it."""

from pathlib import Path

import polars as pl

from blend.builders.annotation.check import CheckedProject
from blend.builders.annotation.reliability import MIN_QUESTIONS, Reliability, reliability
from blend.builders.annotation.server.page import filled_page, write_page
from blend.builders.annotation.server.readings import readings
from blend.builders.annotation.stages.model import WORK, Material

TEMPLATE = "annotation_reliability.html.j2"


def project_reliability(checked: CheckedProject) -> Reliability:
    """The reliability of everybody who answers in a project.

    Args:
        checked: The project, read after the last pull.

    Raises:
        InputError, RowError, RowErrors: If there is no key, or what was pulled is damaged.
    """
    work = pl.concat([pl.DataFrame(schema=WORK), *(one.reading.work for one in readings(checked.file))])
    material: Material = checked.material
    tags = [settings.locale for settings in checked.file.project.locales]
    is_own = pl.col("locale").is_in(tags)
    return reliability(
        material.questions, material.responses.filter(is_own), material.reviews.filter(is_own), work
    )


def reliability_page(found: Reliability, name: str) -> str:
    """The page as text; every value of it is escaped, and made harmless."""
    by_locale = found.questions.sort("agreement", "template_id").partition_by("locale", as_dict=True)
    return filled_page(
        TEMPLATE,
        name=name,
        minimum=MIN_QUESTIONS,
        locales=found.locales.to_dicts(),
        people=found.annotators.to_dicts(),
        questions={tag: rows.to_dicts() for (tag,), rows in sorted(by_locale.items())},
    )


def write_reliability_page(found: Reliability, name: str, path: Path) -> None:
    """Write the page; one that is there is replaced.

    Raises:
        StorageError: If it cannot be written.
    """
    write_page(reliability_page(found, name), path)
