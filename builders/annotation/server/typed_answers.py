"""Typed answers: all that a person ever answered, as far as the pull folder holds it."""

from collections.abc import Iterable, Iterator
from typing import Any

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People
from blend.builders.annotation.server.exports import kept_tasks
from blend.builders.annotation.server.projects import StageLocale, stage_locales
from blend.builders.annotation.stages.answer import ANSWERS
from blend.loaders.label_studio.history import HISTORY, versions
from blend.schemas.language.text_comparison import clean
from blend.schemas.sheets.answer_sheets import digest_of


def typed_answers(file: ProjectFile, people: People, annotator: str) -> frozenset[str]:
    """Ids of all answers that a person ever gave, corrected ones included."""
    return frozenset(
        answer
        for stage_locale in stage_locales(file)
        for answer in _in_stage(file, stage_locale, people, annotator)
    )


def _in_stage(file: ProjectFile, stage_locale: StageLocale, people: People, annotator: str) -> Iterator[str]:
    if stage_locale.stage.name != "answer":
        return
    kept = kept_tasks(file.pulled, stage_locale)
    for task in (*kept.there, *kept.vanished):
        for one in task["annotations"]:
            if people.of(one.get("completed_by")) == annotator:
                yield from _ids(str(task["data"].get("blend_id")), one.get("result") or ())
    for version in versions(file.pulled / HISTORY / f"{stage_locale.slug}.jsonl"):
        if version["annotator"] == annotator:
            yield from _ids(version["blend_id"], version["result"])


def _ids(blend_id: str, results: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Ids of the answers in the results of an annotation, as reviews show them."""
    _, _, rest = blend_id.partition("/")
    tag, _, template_id = rest.partition("/")
    for result in results:
        texts = (result.get("value") or {}).get("text") if result.get("from_name") == ANSWERS else None
        for text in [texts] if isinstance(texts, str) else texts or ():
            yield digest_of(template_id, tag, clean(str(text)))
