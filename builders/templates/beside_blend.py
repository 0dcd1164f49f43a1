"""Templates of several sources: one id asks one thing, and an id of BLEnD's what BLEnD asks."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl
from rapidfuzz import fuzz

from blend.builders.templates import content
from blend.builders.templates.localise import slot_country
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.recipes.sources import SourceTables
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
_FACTS = ("topic", "source_locale", "answer_format")
"""What a template of BLEnD's has the same value of in all locales of a release."""


class _Asked(NamedTuple):
    """What the template of an id asks."""

    texts: Sequence[str]
    """Its wordings, with slots, the commonest first."""
    facts: Mapping[str, Any]
    """What else must be the same, by column."""
    where: str


def compared_with_blend(sources: Sequence[SourceTables], locales: Registry) -> list[SourceTables]:
    """Compare templates of one id in two sources, own ones with BLEnD's, and take over where these come from.

    Args:
        sources: All sources of a recipe.
        locales: Known locales.

    Returns:
        The sources; own questions with a BLEnD id have BLEnD's ``source_locale`` and ``source_label``. Findings
        tell of texts that ask in other words than the template of their id, of those that ask what BLEnD does
        under another id or another template does, and of each own topic that is another one spelt otherwise.

    Raises:
        RowError, RowErrors: If a template, or a question with an id of BLEnD's, asks something else than the id
            does already, or has another topic, source or format of answers; names all of them.
    """
    has_own = any(tables.info.kind in OWN_RESPONSES for tables in sources)
    published = [tables.questions for tables in sources if has_own and tables.info.kind == "blend"]
    of_blend = pl.concat(published) if published else None
    blend = {} if of_blend is None else _asked_by_blend(of_blend, locales)
    ids = {content(text): template_id for template_id, one in blend.items() for text in one.texts}
    asked, usual = dict(blend), _usual_topics(sources)
    of_all = Diagnostics()
    made = []
    for tables in sources:
        found = Diagnostics(of_all.problems)
        for row in tables.templates.to_dicts():
            form = {"answer_format": row["answer_format"]}
            there = asked.setdefault(row["template_id"], _Asked([row["text"]], form, row["source"]))
            if _asks_the_same(row, "text", row["text"], there, ids, found):
                _check_facts(row, there, found)
            if row["template_id"] not in blend and (meant := ids.get(content(row["text"]))):
                what = f"template {row['template_id']!r} asks what BLEnD asks under the id {meant!r}"
                detail = f"{what}; kept apart, without BLEnD's answers as options"
                found.finding("asked-by-blend", row["source"], detail, template_id=row["template_id"])
        _find_like_topics(tables, usual, found)
        if tables.info.kind in OWN_RESPONSES:
            _check_questions(tables, blend, ids, locales, found)
            if of_blend is not None:
                tables = replace(tables, questions=_with_origin(tables.questions, of_blend))
        made.append(replace(tables, findings=pl.concat([tables.findings, found.findings_frame()])))
    of_all.raise_problems()
    return made


def _asked_by_blend(questions: pl.DataFrame, locales: Registry) -> dict[str, _Asked]:
    """What BLEnD asks under each id, in every English wording, its region as a slot."""
    texts = defaultdict[str, Counter[str]](Counter)
    for template_id, tag, text in questions.select("template_id", "locale", "en_question").iter_rows():
        texts[template_id][_slotted(text, locales.get(tag))] += 1
    first = questions.unique("template_id", keep="first", maintain_order=True).select("template_id", *_FACTS)
    facts = first.rows_by_key("template_id", named=True, unique=True)
    return {
        template_id: _Asked([text for text, _ in counts.most_common()], facts[template_id], "BLEnD")
        for template_id, counts in texts.items()
    }


def _slotted(text: str, locale: Locale) -> str:
    return slot_country(text, (*locale.names, *locale.nationalities))


def _asks_the_same(
    row: Mapping[str, Any], column: str, text: str, asked: _Asked, ids: Mapping[str, str], found: Diagnostics
) -> bool:
    """Whether a text asks what its id does; a problem if it does not, a finding if words differ.

    Args:
        row: With its ``template_id`` and ``source``.
        column: Where the text stands.
        text: With slots.
        asked: What the id asks.
        ids: Those of BLEnD's templates, by `content`.
        found: Takes problem and finding.
    """
    template_id, words = row["template_id"], content(text)
    likeness = {one: fuzz.ratio(words, content(one)) for one in asked.texts}
    nearest = max(likeness, key=lambda one: likeness[one])
    what = f"template {template_id!r} asks {text!r}, and in {asked.where} {nearest!r}"
    if likeness[nearest] == _SAME:
        return True
    meant = ids.get(words)
    if meant is not None or likeness[nearest] < _ALIKE:
        hint = "" if meant is None else f"did you mean {meant!r}? "
        fix = f"{hint}correct the id, ask the same, or give your question an id of its own"
        found.problem(what, where=f"{row['source']}, column {column}", fix=fix)
        return False
    detail = f"column {column}: {what}; kept, look whether it asks the same"
    about = {"locale": row.get("locale"), "template_id": template_id}
    found.finding("reworded-template", row["source"], detail, **about)
    return True


def _check_facts(row: Mapping[str, Any], asked: _Asked, found: Diagnostics) -> None:
    """Note what a template says otherwise than its id does already."""
    for name, there in asked.facts.items():
        if row[name] not in (None, there):
            has = "nothing" if there is None else repr(there)
            what = f"{name} {row[name]!r} of template {row['template_id']!r}, for which {asked.where} has {has}"
            fix = "write the same, since a template is the same in all regions, or give yours an id of its own"
            column = name
            if name == "answer_format":
                column, fix = "text", f"ask {asked.texts[0]!r}, or give your question an id of its own"
            found.problem(what, where=f"{row['source']}, column {column}", fix=fix)


def _check_questions(
    tables: SourceTables,
    blend: Mapping[str, _Asked],
    ids: Mapping[str, str],
    locales: Registry,
    found: Diagnostics,
) -> None:
    """Note questions that ask in English what another template asks, or not what BLEnD does under their id.

    The first is found where texts were sorted without their ids.
    """
    own = {row["template_id"]: content(row["text"]) for row in tables.templates.to_dicts()}
    templates = {words: template_id for template_id, words in own.items()}
    for row in tables.questions.to_dicts():
        template_id, text = row["template_id"], _slotted(row["en_question"], locales.get(row["locale"]))
        words = content(text)
        if words == own.get(template_id):
            continue  # what there is to say is said of the template
        if words in templates:
            what = f"{row['en_question']!r} is what template {templates[words]!r} asks, not {template_id!r}"
            detail = f"column en_question: {what}; kept, look whether texts and ids were moved apart"
            about = {"locale": row["locale"], "template_id": template_id}
            found.finding("other-template", row["source"], detail, **about)
        if template_id in blend:
            _asks_the_same(row, "en_question", text, blend[template_id], ids, found)


def _with_origin(questions: pl.DataFrame, of_blend: pl.DataFrame) -> pl.DataFrame:
    """Own questions with BLEnD's source where BLEnD has the template."""
    origin = ("source_locale", "source_label")
    first = of_blend.select("template_id", *origin).unique("template_id", keep="first", maintain_order=True)
    joined = questions.join(first, on="template_id", how="left", suffix="_blend", maintain_order="left")
    taken = [pl.coalesce(f"{name}_blend", name).alias(name) for name in origin]
    return joined.with_columns(taken).select(questions.columns)


def _usual_topics(sources: Sequence[SourceTables]) -> Mapping[str, str]:
    """The topic to write, by its bare form: one of a source without own responses, else the commonest."""
    usual: dict[str, str] = {}
    for tables in sorted(sources, key=lambda tables: tables.info.kind in OWN_RESPONSES):
        for topic, _ in Counter(tables.questions["topic"]).most_common():
            usual.setdefault(_bare(topic), topic)
    return usual


def _bare(topic: str) -> str:
    return " ".join(word.removesuffix("s") for word in fold(topic).split())


def _find_like_topics(tables: SourceTables, usual: Mapping[str, str], found: Diagnostics) -> None:
    for row in tables.templates.unique("topic", keep="first", maintain_order=True).to_dicts():
        topic, other = row["topic"], usual.get(_bare(row["topic"]), row["topic"])
        if topic != other:
            what = f"{topic!r} beside the topic {other!r}; kept as two, write one of them throughout"
            detail = f"column topic: {what}"
            found.finding("like-topics", row["source"], detail, template_id=row["template_id"])
