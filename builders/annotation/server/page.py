"""The page: how far a project is, as one HTML file that needs no network and names nobody."""

from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from blend.builders.annotation.server.progress import ProjectStatus
from blend.loaders.files.atomic import replace_own_file
from blend.loaders.files.own_folders import PAGE_MARK
from blend.schemas.distribution import DISTRIBUTION
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
    return environment.get_template(template).render(facts, sdk=DISTRIBUTION)


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
    """Write the page, see `write_page`.

    Raises:
        InputError, StorageError: If it cannot be written.
    """
    write_page(status_page(status), path)


def write_page(page: str, path: Path) -> None:
    """Write a page; one of ours that is there is replaced.

    Raises:
        InputError: If something else is there.
        StorageError: If it cannot be written.
    """
    replace_own_file(path, page, mark=PAGE_MARK, what="a page", parameter="html")
