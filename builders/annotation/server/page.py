"""The page: how far a project is, as one HTML file that needs no network and names nobody."""

from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from blend.builders.annotation.server.progress import ProjectStatus
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.storage import storage_errors
from blend.schemas.language.text_comparison import escape_controls

TEMPLATE = "annotation_status.html.j2"


def filled_page(template: str, **facts: Any) -> str:
    """A page as text; every value of it is escaped, and made harmless.

    Args:
        template: Name of its file.
        facts: What it shows.
    """
    environment = Environment(
        loader=FunctionLoader(lambda name: (files("blend.dataset_cards") / name).read_text(encoding="utf-8")),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: escape_controls(value) if isinstance(value, str) else value,
    )
    return environment.get_template(template).render(facts)


def status_page(status: ProjectStatus) -> str:
    """The page as text."""
    questions = {
        tag: rows.to_dicts() for (tag,), rows in status.questions.partition_by("locale", as_dict=True).items()
    }
    return filled_page(
        TEMPLATE,
        name=status.name,
        today=status.today,
        wanted=status.wanted,
        locales=status.locales.to_dicts(),
        people=status.people.to_dicts(),
        questions=questions,
        verdicts=status.verdicts.to_dicts(),
    )


def write_status_page(status: ProjectStatus, path: Path) -> None:
    """Write the page; one that is there is replaced.

    Raises:
        StorageError: If it cannot be written.
    """
    write_page(status_page(status), path)


def write_page(page: str, path: Path) -> None:
    """Write a page; one that is there is replaced.

    Raises:
        StorageError: If it cannot be written.
    """
    with storage_errors(path, fix="choose another file or change the permissions"):
        atomic_write(path, page)
