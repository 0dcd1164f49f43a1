"""Own templates beside others: one with an id of BLEnD's asks what BLEnD asks, and like topics are found."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl
from rapidfuzz import fuzz

from blend.builders.templates import content
from blend.builders.templates.localise import slot_country
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.recipes.sources import SourceTables
from blend.schemas.formats import format_of
from blend.schemas.locales import Locale, Registry
from blend.schemas.recipe import OWN_RESPONSES
from blend.schemas.texts import fold

_ALIKE = 60
"""Similarity of content words, in percent, below which a text asks something else.

Of the 23 questions that BLEnD's teams reworded for a region, all but one are 74 or more like what the other
regions are asked; *Gu-ch-38* of Indonesia (49) is another question, and passes since it is published. Of pairs
of templates 0.4 % are 60 or more alike.
"""
_SAME = 100

_FACTS = ("topic", "source_locale", "source_label")
"""What a template has the same value of in all locales of a release."""


class _Wording(NamedTuple):
    template_id: str
    text: str
    content: str


def as_blend_has_them(sources: Sequence[SourceTables], locales: Registry) -> list[SourceTables]:
    """Compare own templates with those of BLEnD that have the same id, and take over where they come from.

    Args:
        sources: All sources of a recipe.
        locales: Known locales.

    Returns:
        The sources; own questions with a BLEnD id have BLEnD's ``source_locale`` and ``source_label``. Findings
        tell of templates that ask in other words than BLEnD under the id, and of those that ask what BLEnD does
        under another id.

    Raises:
        RowError, RowErrors: If such a template or question asks something else than BLEnD does, or such a
            template has another topic, source or format of answers; names all of them.
    """
    published = [tables.questions for tables in sources if tables.info.kind == "blend"]
    if not published or not any(tables.info.kind in OWN_RESPONSES for tables in sources):
        return list(sources)
    blend = pl.concat(published)
    known = blend.select("template_id", *_FACTS, "answer_format")
    known = known.unique("template_id", keep="first", maintain_order=True)
    by_id = {row["template_id"]: row for row in known.to_dicts()}
    facts = known.drop("answer_format")
    wordings = _wordings(blend, locales)
    diagnostics = Diagnostics()
    made = []
    for tables in sources:
        if tables.info.kind in OWN_RESPONSES:
            own = Diagnostics(diagnostics.problems)
            _check(tables, by_id, wordings, locales, own)
            findings = pl.concat([tables.findings, own.findings_frame()])
            made.append(replace(tables, questions=_with_origin(tables.questions, facts), findings=findings))
        else:
            made.append(tables)
    diagnostics.raise_problems()
    return made


def _with_origin(questions: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """Own questions with BLEnD's source where BLEnD has the template; topics are the same by now."""
    joined = questions.join(
        facts.drop("topic"), on="template_id", how="left", suffix="_blend", maintain_order="left"
    )
    taken = [pl.coalesce(f"{name}_blend", name).alias(name) for name in ("source_locale", "source_label")]
    return joined.with_columns(taken).select(questions.columns)


def _check(
    tables: SourceTables,
    facts: Mapping[str, Mapping[str, str | None]],
    wordings: Sequence[_Wording],
    locales: Registry,
    diagnostics: Diagnostics,
) -> None:
    contents = dict[str, str]()
    by_content = {one.content: one.template_id for one in reversed(wordings)}
    asked = set(tables.questions["locale"])
    for row in tables.templates.to_dicts():
        words = contents[row["template_id"]] = content(row["text"])
        if row["template_id"] in facts:
            if _check_text(row, "text", row["text"], wordings, diagnostics):
                _check_facts(row, facts[row["template_id"]], wordings, diagnostics)
        elif (other := by_content.get(words)) is not None:
            what = f"template {row['template_id']!r} asks what BLEnD asks under the id {other!r}"
            detail = f"{what}; kept apart, without BLEnD's answers as options"
            diagnostics.finding("asked-by-blend", row["source"], detail, template_id=row["template_id"])
        elif row["source_locale"] is not None and row["source_locale"] not in asked:
            detail = (
                f"column source_locale: own template {row['template_id']!r} comes from {row['source_locale']}, "
                "where it is not asked; kept"
            )
            diagnostics.finding("other-source", row["source"], detail, template_id=row["template_id"])
    for row in tables.questions.filter(pl.col("template_id").is_in(list(facts))).to_dicts():
        text = _slotted(row["en_question"], locales.get(row["locale"]))
        if content(text) != contents.get(row["template_id"]):
            _check_text(row, "en_question", text, wordings, diagnostics)


def _check_facts(
    row: Mapping[str, Any],
    of_blend: Mapping[str, str | None],
    wordings: Sequence[_Wording],
    diagnostics: Diagnostics,
) -> None:
    """Note what a template says otherwise than BLEnD: its topic, its source, the form of its answers."""
    texts = [one.text for one in wordings if one.template_id == row["template_id"]]
    hinted = next((text for text in texts if format_of(text) == of_blend["answer_format"]), texts[0])
    fixes = {
        "topic": "write what BLEnD has, since a template is the same in all regions",
        "source_locale": "write what BLEnD has or leave the cell empty, since a template is the same in all "
        "regions",
        # Content words leave hints out.
        "answer_format": f"ask {hinted!r}, in column en_question likewise, or give your question an id of its "
        "own",
    }
    for name, fix in fixes.items():
        if row[name] not in (None, of_blend[name]):
            column = "text" if name == "answer_format" else name
            has = "nothing" if of_blend[name] is None else repr(of_blend[name])
            diagnostics.problem(
                f"{name} {row[name]!r} of template {row['template_id']!r}, for which BLEnD has {has}",
                where=f"{row['source']}, column {column}",
                fix=fix,
            )


def _check_text(
    row: Mapping[str, Any], column: str, text: str, wordings: Sequence[_Wording], diagnostics: Diagnostics
) -> bool:
    """Whether a text asks what BLEnD does under the id; an error if it does not, a finding if words differ."""
    template_id, words = row["template_id"], content(text)
    like, own = _nearest(words, [one for one in wordings if one.template_id == template_id])
    if like == _SAME:
        return True
    alike, other = _nearest(words, wordings)
    what = f"template {template_id!r} asks {text!r}, but BLEnD's of this id {own.text!r}"
    if like >= _ALIKE and alike < _SAME:
        here, there = set(words.split()), set(own.content.split())
        differ = ", ".join(f"{word!r}" for word in [*sorted(here - there), *sorted(there - here)])
        detail = f"column {column}: {what}; kept, look whether it asks the same: it differs in {differ}"
        diagnostics.finding(
            "reworded-template", row["source"], detail, locale=row.get("locale"), template_id=template_id
        )
        return True
    hint = f"did you mean {other.template_id!r}? " if alike >= _ALIKE else ""
    diagnostics.problem(
        what,
        where=f"{row['source']}, column {column}",
        fix=f"{hint}correct the id, ask as BLEnD does, or give your question an id of its own",
    )
    return False


def _nearest(words: str, wordings: Sequence[_Wording]) -> tuple[float, _Wording]:
    return max(((fuzz.ratio(words, one.content), one) for one in wordings), key=lambda found: found[0])


def _wordings(questions: pl.DataFrame, locales: Registry) -> list[_Wording]:
    """Every English wording of every template, its region as a slot; the commonest of an id first."""
    n_rows: dict[tuple[str, str], int] = {}
    for template_id, tag, text in questions.select("template_id", "locale", "en_question").iter_rows():
        key = (template_id, _slotted(text, locales.get(tag)))
        n_rows[key] = n_rows.get(key, 0) + 1
    ordered = sorted(n_rows, key=lambda key: (key[0], -n_rows[key], key[1]))
    return [_Wording(template_id, text, content(text)) for template_id, text in ordered]


def _slotted(text: str, locale: Locale) -> str:
    return slot_country(text, (*locale.names, *locale.nationalities))


def with_like_topics_found(sources: Sequence[SourceTables]) -> list[SourceTables]:
    """The sources of a recipe, with a finding for each own topic that is another one spelt otherwise.

    The topic of a source without own responses is the right one, and else the one of more templates.
    """
    others = {
        topic
        for tables in sources
        if tables.info.kind not in OWN_RESPONSES
        for topic in tables.questions["topic"].unique()
    }
    n_own = Counter(topic for tables in sources for topic in tables.templates["topic"])
    usual: dict[str, str] = {}
    for topic in sorted({*others, *n_own}, key=lambda one: (one not in others, -n_own[one], one)):
        usual.setdefault(_bare(topic), topic)
    return [replace(tables, findings=_found(tables, usual)) for tables in sources]


def _found(tables: SourceTables, usual: dict[str, str]) -> pl.DataFrame:
    diagnostics = Diagnostics()
    noted = set[str]()
    for row in tables.templates.to_dicts():
        topic, other = row["topic"], usual[_bare(row["topic"])]
        if topic not in (other, *noted):
            noted.add(topic)
            detail = (
                f"column topic: {topic!r} beside the topic {other!r}; kept as two, write one of them throughout"
            )
            diagnostics.finding("like-topics", row["source"], detail, template_id=row["template_id"])
    return pl.concat([tables.findings, diagnostics.findings_frame()]) if noted else tables.findings


def _bare(topic: str) -> str:
    return " ".join(word.removesuffix("s") for word in fold(topic).split())
