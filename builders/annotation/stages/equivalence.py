"""The stage *equivalence*: people say whether two answers mean the same; decisions come out."""

from collections.abc import Mapping, Sequence
from typing import Any

from blend.builders.annotation.project import Project
from blend.builders.annotation.stages import layout
from blend.builders.annotation.stages.model import Material, Reading, Stage, StageContext, Task, blend_id
from blend.builders.annotation.stages.reading import Done, Reader
from blend.builders.annotation.ui_strings import PageTexts
from blend.loaders.responses.decisions import pair_key
from blend.schemas.language.locales import Locale
from blend.schemas.language.text_comparison import clean

VERDICT, WHY = "verdict", "why"
"""Names of the controls."""

_CONTROLS = {VERDICT: "choices", WHY: "textarea"}
_VERDICTS = ("same", "different")


def config(_project: Project, locale: Locale, texts: PageTexts) -> str:
    """Two English answers, the question that they answer, and two keys."""
    ui_strings = texts.ui_strings
    root = layout.page(locale, texts)
    layout.restyle(root, layout.ENGLISH)
    layout.question(root, local="$pair")
    verdict = layout.block(root, "part")
    required = {"required": "true", "requiredMessage": ui_strings["same_or_different"]}
    layout.choices(verdict, VERDICT, {name: ui_strings[name] for name in _VERDICTS}, **required)
    why = layout.block(root, "part")
    layout.header(why, ui_strings["why"])
    layout.text_field(why, WHY, placeholder=ui_strings["type_reason"])
    return layout.xml(root, texts)


def tasks(_project: Project, locale: Locale, material: Material) -> list[Task]:
    """One task per pair of answers about which nobody has decided.

    Pairs are English and belong to no locale: every locale with this stage is shown all of them, so that one,
    of people who read English well, is enough.
    """
    if material.pairs is None:
        return []
    return [
        Task(
            {
                "blend_id": blend_id("equivalence", locale.tag, row["check"]),
                "locale": locale.tag,
                "template_id": row["template_id"],
                "pair": f"{row['answer_a']}  |  {row['answer_b']}",
                "answer_a": row["answer_a"],
                "answer_b": row["answer_b"],
                "en_question": row["question"],
            }
        )
        for row in material.pairs.sort("check").iter_rows(named=True)
    ]


def read(exported: Sequence[Mapping[str, Any]], context: StageContext) -> Reading:
    """Decisions (`loaders.responses.decisions.Decision`), one per pair on which no two people contradict.

    Of several people who agree, the first is named. A pair on which they do not agree stays undecided.
    """
    reader = Reader("equivalence", _CONTROLS, context)
    pairs: dict[tuple[str, str], list[tuple[Done, dict[str, Any]]]] = {}
    for done in reader.last_of_each(exported, by="blend_id"):
        if (row := _decision(done, reader)) is not None:
            key = pair_key(row["answer_a"], row["answer_b"])
            pairs.setdefault(key, []).append((done, row))
    decided = []
    for given in pairs.values():
        first = min(given, key=lambda one: one[0].order)
        if len({row["verdict"] for _, row in given}) > 1:
            for done, row in given:
                detail = (
                    f"{row['verdict']!r} on {_pair(row, reader)}, on which others say the opposite; left out"
                )
                reader.leave_out(done, "contradicting-verdicts", detail)
        else:
            decided.append(first[1])
    return reader.reading(decisions=decided)


def _decision(done: Done, reader: Reader) -> dict[str, Any] | None:
    verdict = reader.choice(done, VERDICT, _VERDICTS)
    if verdict is None:
        reader.leave_out(done, "empty-annotation", "neither 'same' nor 'different'; left out")
        return None
    return {
        "answer_a": done.data["answer_a"],
        "answer_b": done.data["answer_b"],
        "verdict": verdict,
        "who": done.annotator,
        "when": reader.day(done),
        "why": clean("; ".join(reader.texts(done, WHY))),
    }


def _pair(row: Mapping[str, Any], reader: Reader) -> str:
    return f"{reader.shown(row['answer_a'])} and {reader.shown(row['answer_b'])}"


STAGE = Stage(
    "equivalence",
    config,
    tasks,
    read,
    does="say whether two English answers mean the same",
    gives="`decisions.tsv` ([judges.md](judges.md))",
    by_reviewers=True,
    needs_recipe=True,
)
