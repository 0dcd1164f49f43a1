"""The stage *mcq-review*: natives look at a multiple-choice question about their region.

Is the marked option right; is another one right too; does another one mean the same; is one silly? Decisions,
exclusions and reviewed fillers come out, with reasons.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from blend.builders.annotation.project import Project
from blend.builders.annotation.stages import layout
from blend.builders.annotation.stages.answer import english_of
from blend.builders.annotation.stages.model import Material, Reading, Stage, StageContext, Task, blend_id
from blend.builders.annotation.stages.reading import Done, Reader
from blend.builders.annotation.ui_strings import PageTexts
from blend.loaders.responses.decisions import pair_key
from blend.schemas.errors import UnknownNameError
from blend.schemas.language.locales import Locale
from blend.schemas.language.text_comparison import clean, pluralise
from blend.schemas.rows.published_rows import LETTERS

MARKED, RIGHT, SAME, SILLY = "marked", "also_right", "same_as_marked", "silly"
FILLER, REGION, WHY = "filler", "filler_region", "why"
"""Names of the controls."""

_CONTROLS = {
    **dict.fromkeys((MARKED, RIGHT, SAME, SILLY), "choices"),
    **dict.fromkeys((FILLER, REGION, WHY), "textarea"),
}
_VERDICTS = ("right", "wrong", "unsure")
_KEYS = {RIGHT: "qwer", SAME: "asdf", SILLY: "zxcv"}
"""A row of the keyboard for each question about the four options."""

_KINDS = {RIGHT: "also-right", SILLY: "silly"}
"""Why an option is not to be offered again, by control."""


def config(_project: Project, locale: Locale, texts: PageTexts) -> str:
    """Question and options with the right one marked; keys 1 to 3 for it, and a row of keys per further one."""
    ui_strings = texts.ui_strings
    root = layout.page(locale, texts)
    layout.restyle(root, _STYLE)
    layout.question(root, english=english_of(locale))
    shown = {"name": "options", "value": "$options", "selectionEnabled": "false"}
    layout.add(layout.block(root, "options"), "Text", shown)
    marked = layout.block(root, "part")
    layout.header(marked, ui_strings["is_marked_right"])
    required = {"required": "true", "requiredMessage": ui_strings["is_marked_right"]}
    layout.choices(marked, MARKED, {name: ui_strings[f"marked_{name}"] for name in _VERDICTS}, **required)
    for control in (RIGHT, SAME, SILLY):
        part = layout.block(root, "part")
        layout.header(part, ui_strings[control])
        letters = {letter: letter for letter in LETTERS}
        layout.choices(part, control, letters, keys=_KEYS[control], choice="multiple", showInline="true")
    filler = layout.block(root, "part")
    layout.header(filler, ui_strings["filler"])
    layout.text_field(filler, FILLER, placeholder=ui_strings["filler_text"])
    layout.text_field(filler, REGION, placeholder=ui_strings["filler_region"])
    why = layout.block(root, "part")
    layout.header(why, ui_strings["why"])
    layout.text_field(why, WHY, placeholder=ui_strings["type_reason"])
    return layout.xml(root, texts)


_STYLE = """\
.blend-options { font-size: 1.3rem; direction: ltr; text-align: left; margin: 0.5rem 0; }
.blend-options pre { font: inherit; white-space: pre-wrap; margin: 0; }
"""


def tasks(project: Project, locale: Locale, material: Material) -> list[Task]:
    """One task per multiple-choice question about the locale's region."""
    if material.mcqs is None:
        return []
    questions = material.mcqs.filter(locale=locale.tag).sort("mcq_id")
    answered = material.answered.filter(locale=locale.tag)
    local = dict(zip(answered["template_id"], answered["question"], strict=True))
    wordings = _Wordings(answered)
    return [
        _task(row, local.get(row["template_id"]) or row["question"], wordings)
        for row in questions.iter_rows(named=True)
        if project.templates is None or row["template_id"] in project.templates
    ]


class _Wordings:
    """Local wordings of options that stand in English.

    Args:
        answered: Of the locale; see `Material.answered`.
    """

    def __init__(self, answered: pl.DataFrame) -> None:
        self._of_question: dict[tuple[str, str], list[str]] = {}
        self._of_any: dict[str, list[str]] = {}
        for row in answered.sort("template_id").iter_rows(named=True):
            for group in row["annotations"]:
                for english in map(str.casefold, group["en_answers"]):
                    self._of_question.setdefault((row["template_id"], english), group["answers"])
                    self._of_any.setdefault(english, group["answers"])

    def of(self, template_id: str, option: str) -> str:
        """The option, and behind it how people answered it to this question, or else to another one.

        What comes from another country and nobody here has ever answered stays English alone.
        """
        english = option.casefold()
        answers = self._of_question.get((template_id, english)) or self._of_any.get(english, [])
        local = [text for text in answers if text.casefold() != english]
        return f"{option} ({', '.join(local[:_WORDINGS])})" if local else option


_WORDINGS = 2
"""Local wordings that are shown of one option."""


def _task(row: Mapping[str, Any], local: str, wordings: _Wordings) -> Task:
    shown = [
        f"{'→ ' if number == row['answer'] else ''}{letter}. {wordings.of(row['template_id'], option)}"
        for number, (letter, option) in enumerate(zip(LETTERS, row["options"], strict=True))
    ]
    return Task(
        {
            "blend_id": blend_id("mcq-review", row["locale"], row["mcq_id"]),
            "locale": row["locale"],
            "template_id": row["template_id"],
            "question": local,
            "en_question": row["question"],
            "options": "\n".join(shown),
            "texts": list(row["options"]),
            "answer": row["answer"],
        }
    )


def read(exported: Sequence[Mapping[str, Any]], context: StageContext) -> Reading:
    """Decisions (options that mean the same as the marked one), fillers, and exclusions.

    An exclusion is one option of a template that is not to be offered, or asked about, in the locale:
    ``template_id``, ``locale``, ``option``, ``kind`` (``also-right``, ``silly``, or ``wrong`` for a marked
    one), ``reviewer``, ``why``. What several people say is there once, by the first of them.
    """
    reader = Reader("mcq-review", _CONTROLS, context)
    rows: dict[str, dict[tuple[str, ...], dict[str, Any]]] = {"decisions": {}, "exclusions": {}, "fillers": {}}
    for done in sorted(reader.last_of_each(exported, by="blend_id"), key=lambda done: done.order):
        verdict = reader.choice(done, MARKED, _VERDICTS)
        if verdict is None:
            reader.leave_out(done, "empty-annotation", "nothing is said about the marked option; left out")
            continue
        why = clean("; ".join(reader.texts(done, WHY)))
        for kind, key, row in [*_statements(done, reader, verdict, why), *_fillers(done, reader, context, why)]:
            rows[kind].setdefault(key, row)
    return reader.reading(**{kind: list(found.values()) for kind, found in rows.items()})


_Row = tuple[str, tuple[str, ...], dict[str, Any]]


def _statements(done: Done, reader: Reader, verdict: str, why: str) -> Iterator[_Row]:
    """Collect the statements about options: decisions and exclusions, with what makes each of them one."""
    texts, answer = done.data["texts"], done.data["answer"]
    if verdict == "wrong":
        yield _exclusion(done, texts[answer], "wrong", why)
    others = {control: reader.letters(done, control, LETTERS) for control in (RIGHT, SAME, SILLY)}
    for control, letters in others.items():
        for letter in letters:
            option = texts[LETTERS.index(letter)]
            if LETTERS.index(letter) == answer:
                detail = f"{control} names the marked option {letter} itself; that is left out"
                reader.note(done, "unknown-choice", detail)
            elif control == SAME:
                row = {"answer_a": texts[answer], "answer_b": option, "verdict": "same", "who": done.annotator}
                yield (
                    "decisions",
                    pair_key(texts[answer], option),
                    {**row, "when": reader.day(done), "why": why},
                )
            else:
                yield _exclusion(done, option, _KINDS[control], why)


def _exclusion(done: Done, option: str, kind: str, why: str) -> _Row:
    row = {
        "template_id": done.data["template_id"],
        "locale": done.data["locale"],
        "option": option,
        "kind": kind,
        "reviewer": done.annotator,
        "why": why,
    }
    return "exclusions", (row["template_id"], option, kind), row


def _fillers(done: Done, reader: Reader, context: StageContext, why: str) -> Iterator[_Row]:
    """The wrong option that was proposed, if any, with the region that it comes from."""
    options, regions = (list(map(clean, reader.texts(done, name))) for name in (FILLER, REGION))
    if not options and not regions:
        return
    if len(options) != 1 or len(regions) != 1:
        proposed = f"{pluralise(len(options), 'proposed option')} and {pluralise(len(regions), 'region')}"
        detail = f"{proposed}, not one of each; left out"
        reader.note(done, "incomplete-filler", detail)
        return
    try:
        region = context.locales.called(regions[0])[0].split
    except UnknownNameError:
        detail = f"{reader.shown(options[0])} from the unknown region {reader.shown(regions[0])}; left out"
        reader.note(done, "incomplete-filler", detail)
        return
    row = {
        "template_id": done.data["template_id"],
        "option": options[0],
        "region": region,
        "reviewer": done.annotator,
        "locale": done.data["locale"],
        "why": why,
    }
    yield "fillers", (row["template_id"], options[0]), row


STAGE = Stage(
    "mcq-review",
    config,
    tasks,
    read,
    does=(
        "say of a multiple-choice question whether the marked option is correct, another one too, one "
        "means the same, one is silly; propose a better wrong one"
    ),
    gives=(
        "`decisions.tsv`, `exclusions.jsonl`, `fillers.jsonl`, which the recipe names "
        "([mcq.md](mcq.md#options-that-people-excluded))"
    ),
    by_reviewers=True,
    needs_recipe=True,
    renewed=True,
)
