"""Readings: what was pulled so far, as rows and findings, each stage read after those that it is about."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from blend.builders.annotation.beside import Beside, beside
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People
from blend.builders.annotation.server.accounts import accounts
from blend.builders.annotation.server.exports import kept_exports, kept_tasks
from blend.builders.annotation.server.project_key import project_key
from blend.builders.annotation.server.projects import StageLocale, stage_locales
from blend.builders.annotation.server.restored import as_given
from blend.builders.annotation.stages.answer import REWORDED, words_of
from blend.builders.annotation.stages.model import Reading, StageContext
from blend.loaders.label_studio.export import Task
from blend.schemas.language.text_comparison import clean
from blend.schemas.sheets.answer_sheets import digest_of

Words = Mapping[str, Mapping[str, Mapping[str, str]]]
"""See `StageContext.asked`, by locale."""


def words_now(held: Beside) -> Words:
    """The words of all questions that are asked now."""
    asked: dict[str, dict[str, Mapping[str, str]]] = {}
    for question in held.questions:
        asked.setdefault(question.locale, {})[question.template_id] = words_of(question.model_dump())
    return asked


def context_of(
    file: ProjectFile,
    stage_locale: StageLocale,
    people: People,
    before: Sequence[tuple[StageLocale, Reading]],
    asked: Words,
) -> StageContext:
    """Who works on a stage, after the stages before it, whose answers it may be about, were read."""
    context = stage_locale.stage.context(file.project, stage_locale.locale, people, file.locales)
    given = given_in(stage_locale, before) or None
    return replace(context, given=given, asked=asked.get(stage_locale.locale.tag, {}))


def given_in(stage_locale: StageLocale, found: Sequence[tuple[StageLocale, Reading]]) -> Mapping[str, int]:
    """Count the people behind each answer in the locale of a stage, by the id that reviews show."""
    tag = stage_locale.locale.tag
    return Counter(
        digest_of(row["template_id"], tag, answer)
        for at, reading in found
        if at.locale.tag == tag
        for row in reading.rows.get("responses", ())
        for answer in {clean(typed) for typed in row.get("answers", ())}
    )


def reworded_questions(file: ProjectFile) -> list[str]:
    """Say which questions were answered in other words than they have now, as of the last pull."""
    read = [reading.findings.filter(kind=REWORDED) for _, _, reading in readings(file).values()]
    return [detail for findings in read for detail in findings["detail"]]


def readings(file: ProjectFile) -> dict[str, tuple[StageLocale, list[Task], Reading]]:
    """Read what was pulled so far, by `StageLocale.slug`, with what a project file says of people now."""
    people, asked = People(project_key(file), accounts(file.pulled)), words_now(beside(file))
    found: dict[str, tuple[StageLocale, list[Task], Reading]] = {}
    for stage_locale in stage_locales(file):
        if kept_exports(file.pulled, stage_locale):
            kept = kept_tasks(file.pulled, stage_locale)
            tasks = as_given(file.pulled, [*kept.there, *kept.vanished])
            before = [(at, reading) for at, _, reading in found.values()]
            context = context_of(file, stage_locale, people, before, asked)
            found[stage_locale.slug] = stage_locale, tasks, stage_locale.stage.read(tasks, context)
    return found
