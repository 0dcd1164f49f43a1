"""Cultural prompts: templates × topics × nationalities.

Topics, templates and the table of nationalities come in; one prompt for each of their combinations goes out.
The package knows nothing of models.

References:
    Bhatt and Diaz (2024), Extrinsic Evaluation of Cultural Competence in Large Language Models, Findings of
    EMNLP 2024, section 3.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from blend.loaders.topics import FORMS, TopicTables
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.frames import CULTURAL_PROMPT_ROWS, FINDINGS, Stage, rows_by
from blend.schemas.languages import Nationality, article_by_letter, article_by_sound, nationalities
from blend.schemas.prompts import filled
from blend.schemas.recipe import CulturalOptions
from blend.schemas.rows import (
    ARTICLE_SLOTS,
    NATIONALITY_SLOTS,
    TOPIC_SLOTS,
)

ENGLISH = "en"

_TOPIC = ("kind", "category", "topic")


@dataclass(frozen=True, slots=True)
class CulturalPrompts:
    """Tables that a source of topics adds to a release."""

    prompts: pl.DataFrame
    """`CULTURAL_PROMPT_ROWS`: by kind and template, topics in the order of their file, nationalities in that of
    the table."""
    findings: pl.DataFrame
    """`FINDINGS`: topics that were there twice, nationalities without a form in a language."""

    def stage(self, source: str) -> Stage:
        """The account of what was made and left out; ``locale`` is the kind of text."""
        notes: dict[str, int | str] = {
            "topics": self.prompts.select("kind", "category", "topic").n_unique(),
            "nationalities": self.prompts["nationality"].n_unique(),
        }
        return Stage(f"ask about topics of {source}", rows_by(self.prompts, "kind"), self.findings, notes)


def build_prompts(
    tables: TopicTables, options: CulturalOptions | None = None, *, forms: pl.DataFrame | None = None
) -> CulturalPrompts:
    """The prompts about topics for readers of every nationality.

    Args:
        tables: Topics and templates.
        options: Rules; the defaults when absent.
        forms: What nationalities are called in other languages, `loaders.topics.FORMS`; none when absent. A
            prompt in another language is made only for nationalities with a form in it.

    Returns:
        One prompt per template, topic and nationality. A topic that its category has twice counts once; two
        countries with one demonym are one nationality.

    Raises:
        UnknownNameError: If a nationality is asked for that the table does not know; lists those that it does.
        InputError: If there are no forms at all for the language of a template.
    """
    options = options or CulturalOptions()
    topics = tables.topics.unique(list(_TOPIC), keep="first", maintain_order=True)
    people = _people(_chosen(options))
    names = pl.concat(
        [_english(people, options), _others(people, pl.DataFrame(schema=FORMS) if forms is None else forms)]
    )
    _check_languages(tables.templates, names)
    parts = [_of_template(template, topics, names) for template in tables.templates.iter_rows(named=True)]
    # A source is file and line, so that these are the lines that were not kept.
    twice = tables.topics.join(topics.select("source"), on="source", how="anti")
    findings = pl.concat([_twice(twice), _without_form(tables.templates, names, people)])
    rows = pl.concat([pl.DataFrame(schema=CULTURAL_PROMPT_ROWS), *parts])
    return CulturalPrompts(rows, findings.sort("kind", "source", "detail"))


def _chosen(options: CulturalOptions) -> Sequence[Nationality]:
    """The nationalities that the options name, in the order of the table."""
    wanted = options.nationalities
    known = nationalities()
    if wanted == "all":
        return known
    if wanted == "un":
        return [one for one in known if one.un]
    names = {name for one in known for name in (one.demonym, one.code)}
    for name in wanted:
        if name not in names:
            raise UnknownNameError("nationality", name, names)
    return [one for one in known if {one.demonym, one.code} & {*wanted}]


def _people(chosen: Sequence[Nationality]) -> pl.DataFrame:
    """One row per demonym: ``nationality``, ``country_codes``, ``region`` and its place in the order."""
    rows = [(one.demonym, one.code, one.region) for one in chosen]
    return (
        pl.DataFrame(rows, schema=["nationality", "country_codes", "region"], orient="row")
        # Countries with one demonym are one nationality, at the place of the first.
        .group_by("nationality", maintain_order=True)
        .agg("country_codes", pl.col("region").first())
    )


def _english(people: pl.DataFrame, options: CulturalOptions) -> pl.DataFrame:
    rule = article_by_sound if options.article == "sound" else article_by_letter
    articles = {name: rule(name) for name in people["nationality"]}
    return people.with_columns(
        language=pl.lit(ENGLISH),
        form=pl.col("nationality"),
        article=pl.col("nationality").replace_strict(articles, return_dtype=pl.String),
    )


def _others(people: pl.DataFrame, forms: pl.DataFrame) -> pl.DataFrame:
    """Names in other languages, in the order of the table; those in English of one's own count there too."""
    found = forms.filter(pl.col("language") != ENGLISH).select(
        "language", "form", "article", nationality="demonym"
    )
    unknown = found.join(people, on="nationality", how="anti")["nationality"].to_list()
    known = {one.demonym for one in nationalities()}
    for name in unknown:
        if name not in known:
            raise UnknownNameError("nationality", name, known)
    return people.join(found, on="nationality", how="inner", maintain_order="left").select(
        *people.columns, "language", "form", "article"
    )


def _check_languages(templates: pl.DataFrame, names: pl.DataFrame) -> None:
    held = set(names["language"])
    for template in templates.iter_rows(named=True):
        if template["language"] not in held:
            raise InputError(
                f"{template['source']}: nothing says what people are called in {template['language']!r}; "
                "name a file with their forms in the recipe, key cultural.forms"
            )


def _of_template(template: dict[str, str], topics: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    slots = {
        # Languages without articles have null there, and one null would make the whole prompt null.
        slot: pl.col(column).fill_null("")
        for names_of_slot, column in (
            (TOPIC_SLOTS, "topic"),
            (ARTICLE_SLOTS, "article"),
            (NATIONALITY_SLOTS, "form"),
        )
        for slot in (name.strip("{}") for name in names_of_slot)
    }
    return (
        # Topic by topic with all nationalities inside, which is the order of `CulturalPrompts.prompts`.
        topics.filter(pl.col("kind") == template["kind"])
        .join(
            names.filter(pl.col("language") == template["language"]), how="cross", maintain_order="left_right"
        )
        .with_columns(
            template_id=pl.lit(template["template_id"]),
            prompt=filled(template["template"], slots),
        )
        .with_columns(prompt_id=pl.concat_str("template_id", "category", "topic", "nationality", separator="/"))
        .select(list(CULTURAL_PROMPT_ROWS))
        .cast(CULTURAL_PROMPT_ROWS)
    )


def _twice(rows: pl.DataFrame) -> pl.DataFrame:
    detail = pl.format("the topic '{}' is there before in the category '{}'; left out", "topic", "category")
    return _findings(rows, "topic-twice", pl.col("source"), detail)


def _without_form(templates: pl.DataFrame, names: pl.DataFrame, people: pl.DataFrame) -> pl.DataFrame:
    """Nationalities without a name in the language of a template."""
    used = templates.select("language").unique(maintain_order=True)
    # All nationalities in all languages that templates have, without those that have a name there.
    missing = used.join(people, how="cross").join(names, on=["language", "nationality"], how="anti")
    detail = pl.format("no name of '{}' in '{}'; not asked about there", "nationality", "language")
    return _findings(missing, "nationality-without-form", pl.lit(None), detail)


def _findings(rows: pl.DataFrame, kind: str, source: pl.Expr, detail: pl.Expr) -> pl.DataFrame:
    """A finding for each row, which no locale and no template stands behind."""
    nothing = {"locale": pl.lit(None), "template_id": pl.lit(None)}
    return rows.select(kind=pl.lit(kind), source=source, **nothing, detail=detail).cast(FINDINGS)
