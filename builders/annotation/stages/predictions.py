"""The stage *predictions*: people say which predicted ingredients belong to a dish, blind to the model.

The sheet comes from ``blend eval judge-sheet``; what people say goes back to ``blend eval judged``.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, tostring

import polars as pl

from blend.builders.annotation.project import Project
from blend.builders.annotation.stages import layout
from blend.builders.annotation.stages.model import Material, Reading, Stage, StageContext, Task, blend_id
from blend.builders.annotation.stages.reading import Done, Reader
from blend.builders.annotation.ui_strings import PageTexts
from blend.schemas.language.locales import Locale

PREDICTIONS = pl.Schema(
    {"id": pl.String(), "dish": pl.String(), "image": pl.String(), "ingredients": pl.List(pl.String())}
)
"""One row per dish and model, which is not named: what the model predicts, in an order that says nothing."""

CORRECT, NONE = "correct", "none"
"""Names of the controls."""

_CONTROLS = {CORRECT: "choices", NONE: "choices"}
_NONE = ("none", "unknown-dish")


def config(_project: Project, locale: Locale, texts: PageTexts) -> str:
    """The dish, where a picture of it is, and every predicted ingredient to tick; or none of them, by key."""
    ui_strings = texts.ui_strings
    root = layout.page(locale, texts)
    layout.restyle(root, _STYLE)
    layout.question(root, local="$dish", english=None)
    layout.add(layout.block(root, "image"), "HyperText", {"name": "image", "value": "$image", "inline": "true"})
    unless = layout.unless_chosen(NONE)
    correct = layout.block(root, "part", **unless)
    layout.header(correct, ui_strings["correct"])
    fixed = {"name": CORRECT, "toName": "question", "choice": "multiple", "value": "$ingredients"}
    required = {"required": "true", "requiredMessage": ui_strings["ticks_needed"]}
    layout.add(correct, "Choices", {**fixed, **required, **unless})
    layout.note(root, ui_strings["ticks_put_aside"], **layout.while_chosen(NONE))
    none = layout.block(root, "part")
    names = {name: ui_strings[name.replace("-", "_")] for name in _NONE}
    layout.choices(none, NONE, names, keys="90", choice="single")
    return layout.xml(root, texts)


_STYLE = """\
.blend-image img { max-width: 100%; max-height: 20rem; }
"""


def tasks(_project: Project, locale: Locale, material: Material) -> list[Task]:
    """One task per row of the sheet."""
    if material.predictions is None:
        return []
    return [
        Task(
            {
                "blend_id": blend_id("predictions", locale.tag, row["id"]),
                "locale": locale.tag,
                "dish": row["dish"],
                "image": _shown(row["image"], row["dish"]),
                "ingredients": [{"value": text} for text in dict.fromkeys(row["ingredients"])],
            },
        )
        for row in material.predictions.sort("id").iter_rows(named=True)
    ]


def _shown(image: str | None, dish: str) -> str:
    """The HTML of an image, which the annotator's browser gets from where it lies; empty for none."""
    # The page's address is nobody's business there.
    fixed = {"alt": dish, "referrerpolicy": "no-referrer"}
    return tostring(Element("img", {"src": image, **fixed}), encoding="unicode") if image else "<p></p>"


def read(exported: Sequence[Mapping[str, Any]], context: StageContext) -> Reading:
    """Judgements, one per person, dish and ingredient: ``id``, ``annotator``, ``ingredient``, ``correct``.

    Of a dish that somebody does not know there is none.
    """
    reader = Reader("predictions", _CONTROLS, context)
    rows = []
    for done in reader.last_of_each(exported, by="blend_id"):
        rows += _judgements(done, reader)
    return reader.reading(judgements=rows)


def _judgements(done: Done, reader: Reader) -> list[dict[str, Any]]:
    shown = [entry["value"] for entry in done.data.get("ingredients") or []]
    ticked = reader.letters(done, CORRECT, shown)
    none = reader.choice(done, NONE, _NONE)
    if bool(ticked) == (none is not None):
        what = "ingredients and 'none of them'" if ticked else "neither an ingredient nor 'none of them'"
        reader.leave_out(done, "empty-annotation", f"{what}; left out")
        return []
    if none == _NONE[1]:
        return []
    name = str(done.data["blend_id"]).split("/", 2)[2]
    return [
        {"id": name, "annotator": done.annotator, "ingredient": text, "correct": text in ticked}
        for text in shown
    ]


STAGE = Stage(
    "predictions",
    config,
    tasks,
    read,
    does="tick which of a model's predicted ingredients belong into a dish, without knowing the model",
    gives="`judgements.jsonl` ([probing.md](probing.md))",
    readers=lambda project: project.wanted,
)
