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

_ONE = "since a template is the same in all regions"
_FIXES = {
    "topic": f"write what BLEnD has, {_ONE}",
    "source_locale": f"write what BLEnD has or leave the cell empty, {_ONE}",
    # Content words leave hints out.
    "answer_format": "ask {hinted!r}, in column en_question likewise, or give your question an id of its own",
}
"""What a template has the same value of in all locales of a release, and what to do where it does not."""


class _Wording(NamedTuple):
    template_id: str
    text: str
    content: str


def compared_with_blend(sources: Sequence[SourceTables], locales: Registry) -> list[SourceTables]:
    """Compare templates of one id in two sources, own ones with BLEnD's, and take over where these come from.

    Args:
        sources: All sources of a recipe.
        locales: Known locales.

    Returns:
        The sources; own questions with a BLEnD id have BLEnD's ``source_locale`` and ``source_label``. Findings
        tell of templates that ask in other words than BLEnD under the id, of those that ask what BLEnD does
        under another id, of questions that ask what another template does, and of each own topic that is
        another one spelt otherwise.

    Raises:
        RowError, RowErrors: If own templates of one id ask something else, if one of BLEnD's id or its question
            asks something else than BLEnD does, or such a template has another topic, source or format of
            answers; names all of them.
    """
    has_own = any(tables.info.kind in OWN_RESPONSES for tables in sources)
    published = [tables.questions for tables in sources if has_own and tables.info.kind == "blend"]
    usual = _usual_topics(sources)
    facts = pl.concat(published).unique("template_id", keep="first", maintain_order=True) if published else None
    wordings = _wordings(pl.concat(published), locales) if published else []
    of_all = Diagnostics()
    made, first = [], dict[str, dict[str, Any]]()
    for tables in sources:
        found = Diagnostics(of_all.problems)
        for row in tables.templates.to_dicts():
            one = first.setdefault(row["template_id"], row)
            like = fuzz.ratio(content(row["text"]), content(one["text"]))
            what = (
                f"template {row['template_id']!r} asks {row['text']!r}, and in {one['source']} {one['text']!r}"
            )
            if like < _ALIKE or row["answer_format"] != one["answer_format"]:
                found.problem(what, where=row["source"], fix="give one of them an id of its own")
            elif like < _SAME:
                detail = f"{what}; kept, look whether it asks the same"
                found.finding("reworded-template", row["source"], detail, template_id=row["template_id"])
        _find_like_topics(tables, usual, found)
        _find_exchanged(tables, locales, found)
        if facts is not None and tables.info.kind in OWN_RESPONSES:
            _check(tables, {row["template_id"]: row for row in facts.to_dicts()}, wordings, locales, found)
            tables = replace(tables, questions=_with_origin(tables.questions, facts))
        made.append(replace(tables, findings=pl.concat([tables.findings, found.findings_frame()])))
    of_all.raise_problems()
    return made


def _with_origin(questions: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """Own questions with BLEnD's source where BLEnD has the template."""
    origin = ("source_locale", "source_label")
    of_blend = facts.select("template_id", *origin)
    joined = questions.join(of_blend, on="template_id", how="left", suffix="_blend", maintain_order="left")
    taken = [pl.coalesce(f"{name}_blend", name).alias(name) for name in origin]
    return joined.with_columns(taken).select(questions.columns)


def _check(
    tables: SourceTables,
    facts: Mapping[str, Mapping[str, Any]],
    wordings: Sequence[_Wording],
    locales: Registry,
    found: Diagnostics,
) -> None:
    """Note what own templates and questions ask and say otherwise than BLEnD, which ``facts`` has by id."""
    by_content = {one.content: one.template_id for one in reversed(wordings)}
    asked = set(tables.questions["locale"])
    contents = {}
    for row in tables.templates.to_dicts():
        template_id, source_locale = row["template_id"], row["source_locale"]
        words = contents[template_id] = content(row["text"])
        if template_id in facts:
            if _asks_the_same(row, "text", row["text"], wordings, found):
                _check_facts(row, facts[template_id], wordings, found)
        elif (other := by_content.get(words)) is not None:
            what = f"template {template_id!r} asks what BLEnD asks under the id {other!r}"
            detail = f"{what}; kept apart, without BLEnD's answers as options"
            found.finding("asked-by-blend", row["source"], detail, template_id=template_id)
        elif source_locale is not None and source_locale not in asked:
            what = f"own template {template_id!r} comes from {source_locale}, where it is not asked"
            detail = f"column source_locale: {what}; kept"
            found.finding("other-source", row["source"], detail, template_id=template_id)
    for row in tables.questions.filter(pl.col("template_id").is_in(list(facts))).to_dicts():
        text = _slotted(row["en_question"], locales.get(row["locale"]))
        if content(text) != contents.get(row["template_id"]):
            _asks_the_same(row, "en_question", text, wordings, found)


def _check_facts(
    row: Mapping[str, Any], of_blend: Mapping[str, Any], wordings: Sequence[_Wording], found: Diagnostics
) -> None:
    """Note what a template says otherwise than BLEnD: its topic, its source, the form of its answers."""
    texts = [one.text for one in wordings if one.template_id == row["template_id"]]
    hinted = next((text for text in texts if format_of(text) == of_blend["answer_format"]), texts[0])
    for name, fix in _FIXES.items():
        if row[name] not in (None, of_blend[name]):
            column = "text" if name == "answer_format" else name
            has = "nothing" if of_blend[name] is None else repr(of_blend[name])
            found.problem(
                f"{name} {row[name]!r} of template {row['template_id']!r}, for which BLEnD has {has}",
                where=f"{row['source']}, column {column}",
                fix=fix.format(hinted=hinted),
            )


def _asks_the_same(
    row: Mapping[str, Any], column: str, text: str, wordings: Sequence[_Wording], found: Diagnostics
) -> bool:
    """Whether a text asks what BLEnD does under the id; a problem if it does not, a finding if words differ."""

    def nearest(among: Sequence[_Wording]) -> tuple[float, _Wording]:
        return max(((fuzz.ratio(words, one.content), one) for one in among), key=lambda pair: pair[0])

    template_id, words = row["template_id"], content(text)
    like, own = nearest([one for one in wordings if one.template_id == template_id])
    if like == _SAME:
        return True
    alike, other = nearest(wordings)
    what = f"template {template_id!r} asks {text!r}, but BLEnD's of this id {own.text!r}"
    if like >= _ALIKE and alike < _SAME:
        here, there = set(words.split()), set(own.content.split())
        differ = ", ".join(f"{word!r}" for word in [*sorted(here - there), *sorted(there - here)])
        detail = f"column {column}: {what}; kept, look whether it asks the same: it differs in {differ}"
        about = {"locale": row.get("locale"), "template_id": template_id}
        found.finding("reworded-template", row["source"], detail, **about)
        return True
    hint = f"did you mean {other.template_id!r}? " if alike >= _ALIKE else ""
    fix = f"{hint}correct the id, ask as BLEnD does, or give your question an id of its own"
    found.problem(what, where=f"{row['source']}, column {column}", fix=fix)
    return False


def _wordings(questions: pl.DataFrame, locales: Registry) -> list[_Wording]:
    """Every English wording of every template, its region as a slot; the commonest of an id first."""
    rows = questions.select("template_id", "locale", "en_question").iter_rows()
    n_rows = Counter((template_id, _slotted(text, locales.get(tag))) for template_id, tag, text in rows)
    ordered = sorted(n_rows, key=lambda key: (key[0], -n_rows[key], key[1]))
    return [_Wording(template_id, text, content(text)) for template_id, text in ordered]


def _slotted(text: str, locale: Locale) -> str:
    return slot_country(text, (*locale.names, *locale.nationalities))


def _usual_topics(sources: Sequence[SourceTables]) -> Mapping[str, str]:
    """The topic to write, by its bare form: that of a source without own responses, else of more templates."""
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
    return usual


def _find_like_topics(tables: SourceTables, usual: Mapping[str, str], found: Diagnostics) -> None:
    for row in tables.templates.unique("topic", keep="first", maintain_order=True).to_dicts():
        topic, other = row["topic"], usual[_bare(row["topic"])]
        if topic != other:
            what = f"{topic!r} beside the topic {other!r}; kept as two, write one of them throughout"
            detail = f"column topic: {what}"
            found.finding("like-topics", row["source"], detail, template_id=row["template_id"])


def _find_exchanged(tables: SourceTables, locales: Registry, found: Diagnostics) -> None:
    """Note questions whose English is another template's, as where texts were sorted without their ids."""
    contents = {row["template_id"]: content(row["text"]) for row in tables.templates.to_dicts()}
    others = {words: template_id for template_id, words in contents.items()}
    for row in tables.questions.to_dicts() if others else ():
        template_id = row["template_id"]
        words = content(_slotted(row["en_question"], locales.get(row["locale"])))
        if words in others and words != contents.get(template_id):
            what = f"{row['en_question']!r} is what template {others[words]!r} asks, not {template_id!r}"
            detail = f"column en_question: {what}; kept, look whether texts and ids were moved apart"
            found.finding(
                "other-template", row["source"], detail, locale=row["locale"], template_id=template_id
            )


def _bare(topic: str) -> str:
    return " ".join(word.removesuffix("s") for word in fold(topic).split())
