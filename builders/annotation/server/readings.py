"""Readings: what was pulled so far, as rows and findings, each stage read after those that it is about."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl

from blend.builders.annotation.beside import Beside, beside, that_counts, without_lost_answers
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People, project_key
from blend.builders.annotation.server.projects import StageLocale, stage_locales
from blend.builders.annotation.stages.answer import REWORDED, words_of
from blend.builders.annotation.stages.model import Reading
from blend.builders.annotation.stages.reading import location_of
from blend.loaders.files.new_files import EVENTS
from blend.loaders.label_studio.events import Held, Line, held_in, read_events, tasks_of
from blend.loaders.label_studio.export import Task
from blend.schemas.frames import FINDINGS
from blend.schemas.sheets import digest_of
from blend.schemas.texts import clean


class StageReading(NamedTuple):
    """What the events say of a stage in a locale."""

    stage_locale: StageLocale
    held: Mapping[str, Held]
    tasks: Sequence[Task]
    """With the annotations that count."""
    reading: Reading

    @property
    def gone(self) -> list[Held]:
        """Annotations that count although the server has them no more, or only in an older version."""
        return [held for held in self.held.values() if held.is_gone]


def readings(file: ProjectFile) -> list[StageReading]:
    """Read what was pulled so far, with what a project file says of people now.

    Stages of which nothing was seen are left out.

    Raises:
        InputError: If there is no key, or the events are damaged.
    """
    return counting(file, read_events(file.pulled / EVENTS), beside(file))


def counting(
    file: ProjectFile, lines: Sequence[Line], others: Beside, *, also: Collection[str] = ()
) -> list[StageReading]:
    """Responses, reviews and all other rows, made of the events: the only rule of what counts.

    Reviews decide only on answers that are still given.

    Args:
        file: The project.
        lines: Of the events.
        others: What is beside the pull.
        also: Names of stages to read even where nothing was seen of them.
    """
    found = list(_read_stages(file, lines, others, also))
    given = responses_in(found)
    found = [
        one._replace(reading=that_counts(one.reading, one.stage_locale.locale.tag, others, given))
        for one in found
    ]
    given = responses_in(found)
    return [
        one._replace(reading=without_lost_answers(one.reading, one.stage_locale.locale.tag, given))
        for one in found
    ]


def responses_in(found: Sequence[StageReading]) -> dict[str, list[dict[str, Any]]]:
    """The responses of readings, by locale."""
    return {
        one.stage_locale.locale.tag: one.reading.rows["responses"]
        for one in found
        if "responses" in one.reading.rows
    }


def _read_stages(
    file: ProjectFile, lines: Sequence[Line], others: Beside, also: Collection[str]
) -> Iterator[StageReading]:
    people, asked = People(project_key(file)), _words_now(others)
    before: list[StageReading] = []
    for stage_locale in stage_locales(file):
        held = held_in(lines, stage_locale.slug)
        if held or stage_locale.name in also:
            tasks, tag = tasks_of(held), stage_locale.locale.tag
            context = stage_locale.stage.context(file.project, stage_locale.locale, people, file.locales)
            given = _given_in(stage_locale, before) or None
            context = replace(context, given=given, asked=asked.get(tag, {}))
            reading = stage_locale.stage.read(tasks, context)
            findings = pl.concat([reading.findings, _changed_by_others(held, tasks, tag)])
            before.append(StageReading(stage_locale, held, tasks, reading._replace(findings=findings)))
            yield before[-1]


def _given_in(stage_locale: StageLocale, found: Sequence[StageReading]) -> Mapping[str, int]:
    """Count the people behind each answer in the locale of a stage, by the id that reviews show."""
    tag = stage_locale.locale.tag
    return Counter(
        digest_of(row["template_id"], tag, answer)
        for one in found
        if one.stage_locale.locale.tag == tag
        for row in one.reading.rows.get("responses", ())
        for answer in {clean(typed) for typed in row.get("answers", ())}
    )


def reworded_questions(file: ProjectFile) -> list[str]:
    """Say which questions were answered in other words than they have now, as of the last pull."""
    return reworded_in(readings(file))


def reworded_in(found: Sequence[StageReading]) -> list[str]:
    """The same, by what was read."""
    return [detail for one in found for detail in one.reading.findings.filter(kind=REWORDED)["detail"]]


def _words_now(others: Beside) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """The words of all questions that are asked now, by locale; see `StageContext.asked`."""
    asked: dict[str, dict[str, Mapping[str, str]]] = {}
    for question in others.questions:
        asked.setdefault(question.locale, {})[question.template_id] = words_of(question.model_dump())
    return asked


def _changed_by_others(held: Mapping[str, Held], tasks: Sequence[Task], locale: str) -> pl.DataFrame:
    """Annotations whose version that counts another account has made, which everybody on a server can do."""
    editors = {
        (one.version["task"], one.version["annotation"]): one.version
        for one in held.values()
        if one.counts and one.version["changed_by"] is not None
    }
    findings = [
        {
            "kind": "changed-by-another",
            "source": f"{location_of(task)}, annotation {annotation['id']}",
            "locale": locale,
            "template_id": task["data"].get("template_id"),
            "detail": (
                f"{line['annotator']} gave it, and {line['changed_by']} has changed it since; what it says now "
                f"counts. {EVENTS} holds the versions that were pulled: ask both"
            ),
        }
        for task in tasks
        for annotation in task["annotations"]
        if (line := editors.get((task["id"], annotation["id"]))) is not None
    ]
    return pl.DataFrame(findings, schema=FINDINGS)
