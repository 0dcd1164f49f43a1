"""The log: the events of a project, in the pull folder that this process holds, and what is added to them."""

from collections.abc import Collection, Sequence
from hashlib import sha256

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People, key_line, project_key
from blend.builders.annotation.server.forgotten import (
    ever_given,
    forgotten,
    is_theirs,
    line_without,
    only_theirs,
    shown_in,
    unnamed,
    without_answers,
    without_people,
)
from blend.builders.annotation.server.projects import StageLocale
from blend.loaders.label_studio.events import (
    Held,
    Line,
    append_events,
    draft_news,
    drafts_in,
    held_in,
    news,
    read_events,
    rewrite_events,
)
from blend.loaders.label_studio.export import Task
from blend.loaders.label_studio.folder import Folder, ProjectState


class Log:
    """The events, without those who are forgotten; another lead may have forgotten somebody meanwhile.

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
        self.projects: dict[str, ProjectState] = state.projects if state.events == self.digest() else {}
        self.forget(self.gone)

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

    def forget(self, names: Collection[str]) -> None:
        """Remove what some people did, and from reviews the answers that nobody else gives."""
        if not names:
            return
        gone = only_theirs(self.file, self.lines, names, self.key)
        left = (unnamed(line, names) for line in self.lines if not is_theirs(line, names, self.key))
        kept = [line for line in (line_without(line, gone) for line in left) if line is not None]
        if kept != self.lines:
            rewrite_events(self.folder.events, kept)
        self.lines = kept

    def take(
        self, stage_locale: StageLocale, project: int, tasks: Sequence[Task], people: People
    ) -> Sequence[Line]:
        """Write down what is new in an export; returns the lines about annotations."""
        tasks, slug = [without_people(task, people, self.gone) for task in tasks], stage_locale.slug
        if self.gone and stage_locale.stage.name == "review":
            # Pages may show answers of the forgotten still.
            given = ever_given(self.file, self.lines, self.gone)
            left = (
                without_answers(task, shown_in(task["data"]) - given) for task in tasks if task["annotations"]
            )
            tasks = [task for task in left if task is not None]
        drafts = drafts_in(self.lines, slug)
        found = news(self.held(stage_locale), slug, project, tasks, people.of, people.account)
        found = [unnamed(line, self.gone) for line in found]
        self.add([*found, *draft_news(drafts, slug, tasks, people.of, people.account)])
        return found
