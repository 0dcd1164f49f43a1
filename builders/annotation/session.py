"""A session: the pull folder of a project, its events and the server, held by one command at a time."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from blend.builders.annotation.forgotten import (
    ever_given,
    forgotten,
    rewrite_own_reviews,
    shown_in,
    unnamed,
    without_answers,
    without_lines,
    without_people,
)
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import Account, People, key_line, project_key
from blend.builders.annotation.stages import stage_of
from blend.builders.annotation.stages.model import Stage
from blend.loaders.label_studio.client import Studio, label_studio
from blend.loaders.label_studio.events import (
    Draft,
    Folder,
    Held,
    Line,
    ProjectState,
    append_events,
    held,
    held_in,
    news,
    read_events,
    rewrite_events,
)
from blend.loaders.label_studio.export import ExportedTask
from blend.loaders.label_studio.plan import Inventory
from blend.loaders.label_studio.push import settle
from blend.schemas.locales import Locale


class StageLocale(NamedTuple):
    """A stage in a locale."""

    stage: Stage
    locale: Locale
    name: str
    """``PROJECT/STAGE/LOCALE``, by which the server's project is found again."""
    title: str

    @property
    def slug(self) -> str:
        """What the events call it."""
        return f"{self.stage.name}.{self.locale.tag}"


def stage_locales(file: ProjectFile) -> Iterator[StageLocale]:
    """The stages of all locales, in the order of the project file."""
    project = file.project
    for settings in project.locales:
        tag = settings.locale
        for name in project.stages_of(tag):
            stage = stage_of(name)
            yield StageLocale(
                stage, file.locale(tag), f"{project.name}/{name}/{tag}", stage.title(project, tag)
            )


class Log:
    """The events, without those who are forgotten; another lead may have forgotten somebody meanwhile.

    The answers that nobody else gave leave the reviews as well, also those in files that no pull writes.

    Args:
        file: The project.
        folder: Its pull folder.

    Raises:
        InputError: If there is no key, or another one, or the events are damaged.
    """

    def __init__(self, file: ProjectFile, folder: Folder) -> None:
        self.file, self.folder = file, folder
        self.key, self.gone = project_key(file), forgotten(file)
        self.lines = read_events(folder.events)
        if not self.lines:
            self.add([key_line(self.key)])
        self.before = self.lines
        state = folder.state
        # With other events than at the last pull, as git brings them, nothing is known of what is new.
        self.projects: Mapping[str, ProjectState] = state.projects if state.events == self.digest() else {}
        self.lines, answers = without_lines(file, self.lines, self.gone, self.key)
        # Before the lines go: whatever stops it, they tell the next run which answers these are.
        self.own_reviews = rewrite_own_reviews(file, answers)
        if self.lines != self.before:
            rewrite_events(folder.events, self.lines)

    def digest(self) -> str:
        """Digest of the file."""
        return sha256(self.folder.events.read_bytes()).hexdigest()

    def held(self, stage_locale: StageLocale) -> dict[str, Held]:
        """The annotations of a stage in a locale."""
        return held_in(self.lines, stage_locale.slug)

    def add(self, lines: Sequence[Line]) -> None:
        """Write lines down, before anything else happens with them."""
        append_events(self.folder.events, lines)
        self.lines = [*self.lines, *lines]

    def take(
        self, stage_locale: StageLocale, project: int, tasks: Sequence[ExportedTask], people: People
    ) -> tuple[Sequence[Line], list[Draft]]:
        """Write down what is new in an export; returns these lines, and what is begun and not sent."""
        tasks = [without_people(task, people, self.gone) for task in tasks]
        drafts = [
            Draft(task=task["id"], annotator=people.of(draft.get("user")))
            for task in tasks
            for draft in task["drafts"]
        ]
        if self.gone and stage_locale.stage.name == "review":
            # Pages may show answers of the forgotten still.
            given = ever_given(self.file, self.lines, self.gone)
            left = (
                without_answers(task, shown_in(task["data"]) - given) for task in tasks if task["annotations"]
            )
            tasks = [task for task in left if task is not None]
        lines = news(self.held(stage_locale), stage_locale.slug, project, tasks, people.of, people.account)
        lines = [unnamed(line, self.gone) for line in lines]
        self.add(lines)
        return lines, drafts


@dataclass
class Session:
    """The pull folder, held for this process alone, and the server."""

    file: ProjectFile
    folder: Folder
    studio: Studio
    there: Inventory
    """What the server had when the session began; whoever removes anything looks again."""

    @cached_property
    def accounts(self) -> dict[int, Account]:
        """The accounts of the server by their number, asked for once."""
        return {number: Account(*found) for number, found in self.studio.accounts().items()}


@contextmanager
def session(file: ProjectFile) -> Iterator[Session]:
    """Hold the pull folder, ask the server who it is, and look what it has of a project.

    Args:
        file: The project.

    Raises:
        InputError: If there is no token.
        ConflictError: If another process is at work with the pull folder.
        ServerError: If the server fails.
    """
    with held(file.pulled) as folder, label_studio(file.project.server.url) as studio:
        settle(studio, folder)
        yield Session(file, folder, studio, studio.inventory({one.name for one in stage_locales(file)}))
