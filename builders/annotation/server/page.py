"""The page: how far a project is, as one HTML file that needs no network and names nobody."""

from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined

from blend.builders.annotation.reliability import MIN_QUESTIONS
from blend.builders.annotation.server.status import ProjectStatus
from blend.loaders.files.atomic import PAGE_MARK, replace_own_file
from blend.schemas.errors import DISTRIBUTION
from blend.schemas.frames import KEY
from blend.schemas.texts import escape_controls

TEMPLATE = "annotation_status.html.j2"


def status_page(status: ProjectStatus) -> str:
    """The page as text, with pseudonyms alone; every value of it is escaped, and made harmless."""
    environment = Environment(
        loader=FunctionLoader(lambda name: (files("blend.dataset_cards") / name).read_text(encoding="utf-8")),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: escape_controls(value) if isinstance(value, str) else value,
    )
    agreed = status.reliability
    questions = status.questions.join(
        agreed.questions.drop("answers"), on=KEY, how="left", maintain_order="left"
    )
    return environment.get_template(TEMPLATE).render(
        name=status.name,
        today=status.today,
        wanted=status.wanted,
        minimum=MIN_QUESTIONS,
        links=status.links,
        locales=status.locales.to_dicts(),
        people=status.people.to_dicts(),
        agreement=agreed.annotators.to_dicts(),
        questions={
            tag: rows.to_dicts() for (tag,), rows in questions.partition_by("locale", as_dict=True).items()
        },
        verdicts=status.verdicts.to_dicts(),
        sdk=DISTRIBUTION,
    )


def write_status_page(status: ProjectStatus, path: Path) -> None:
    """Write the page; one of ours that is there is replaced.

    Raises:
        InputError: If something else is there.
        StorageError: If it cannot be written.
    """
    replace_own_file(path, status_page(status), mark=PAGE_MARK, what="a page", parameter="html")
