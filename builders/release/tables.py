"""Tables: everything that a release will hold, before it is written."""

from dataclasses import dataclass

import polars as pl

from blend.builders.cultural_prompts import CulturalPrompts, build_prompts
from blend.builders.judges.chat import make_judges
from blend.builders.mcq import build_mcq
from blend.builders.mcq.published_mcqs import given_rows
from blend.builders.mcq.result import McqBuild, with_given
from blend.builders.release.inputs import Inputs, read_inputs
from blend.builders.release.verdict_agreement import model_report
from blend.builders.saq import Aggregation, aggregate
from blend.builders.stats import build_stats
from blend.builders.stats.measures import Stats
from blend.builders.triples.tables import TripleTables, triple_tables
from blend.loaders.recipes import RecipeInPlace
from blend.loaders.recipes.sources import load_snapshot, load_topics
from blend.schemas.frames import (
    KEY,
    Stage,
    rows_by,
    votes_known,
)
from blend.schemas.locales import Locale, Registry
from blend.schemas.manifest import SourceInfo
from blend.schemas.recipe import Recipe
from blend.schemas.reports import ModelReport


@dataclass(frozen=True, slots=True)
class BuiltTables:
    """The tables of a release and the account of how they came about."""

    recipe: Recipe
    """The recipe, every source pinned to what was read."""
    inputs: Inputs
    """What was read of questions: themselves, prompts, contributions."""
    annotations: pl.DataFrame
    """`ANNOTATIONS`, one row per question."""
    aggregated: Aggregation | None
    """What was made of responses, with how far people agree; null where none were aggregated."""
    mcqs: McqBuild
    """Multiple-choice questions, made when they are written."""
    triples: TripleTables | None
    """What a snapshot adds; its tables are made when they are written. Null without one."""
    cultural: CulturalPrompts | None
    """What a source of topics adds; null without one."""
    model_report: ModelReport | None
    """How models that read options compare with people; null without verdicts of any."""
    stats: Stats | None
    """Agreement and overlap of the questions; null without any."""
    sources: tuple[SourceInfo, ...]
    """What was read."""
    stages: tuple[Stage, ...]
    """The steps, in order."""
    locales: Registry
    """The known locales."""
    held: tuple[Locale, ...]
    """Those of the questions, in order."""


def build_tables(placed: RecipeInPlace) -> BuiltTables:
    """Build everything that a recipe describes, except files.

    Raises:
        BlendError: If an input is not as it must be.
    """
    recipe, inputs = placed.recipe, read_inputs(placed)
    of_kind = {source.kind: source for source in recipe.sources}
    snapshot = load_snapshot(placed, of_kind["wikidata"]) if "wikidata" in of_kind else None
    topics = triples = cultural = stats = None
    if (source := of_kind.get("topics")) is not None:
        topics, told, forms = load_topics(placed, source)
        cultural = build_prompts(told, recipe.cultural, forms=forms)
    annotations, aggregated = annotate(inputs, recipe)
    mcqs, compared, stage = _mcqs(placed, inputs, annotations)
    stages, infos = [*inputs.stages], [*inputs.infos]
    if aggregated is not None:
        stages.append(Stage("aggregate responses", rows_by(aggregated.annotations), aggregated.findings))
    if inputs.infos:  # a release without questions says nothing of them
        placed.on_progress("build tables", 1, 1)
        stages.append(stage)
    if snapshot is not None:
        info, facts, domain, templates = snapshot
        triples = triple_tables(facts, domain, recipe.food, templates=templates, source=info.files[0].path)
        infos.append(info)
        stages.append(triples.stage())
    if topics is not None and cultural is not None:
        infos.append(topics)
        stages.append(cultural.stage(topics.location))
    if not inputs.questions.is_empty():
        stats = build_stats(
            inputs.questions,
            annotations,
            options=recipe.saq,
            agreement=None if aggregated is None else aggregated.agreement,
            groups=None if aggregated is None else aggregated.groups,
            locales=placed.locales,
            with_overlap=False,  # The card does not show it.
        )
    read = {(info.kind, info.location): {"sha256": info.sha256, "revision": info.revision} for info in infos}
    pinned = (one.model_copy(update=read[one.kind, one.location]) for one in recipe.sources)
    held = {*inputs.questions["locale"], *mcqs.given["locale"]}
    return BuiltTables(
        recipe=recipe.model_copy(update={"sources": tuple(pinned)}),
        inputs=inputs,
        annotations=annotations,
        aggregated=aggregated,
        mcqs=mcqs,
        triples=triples,
        cultural=cultural,
        model_report=compared,
        stats=stats,
        sources=tuple(infos),
        stages=tuple(stages),
        locales=placed.locales,
        held=tuple(locale for locale in placed.locales if locale.tag in held),
    )


def annotate(inputs: Inputs, recipe: Recipe) -> tuple[pl.DataFrame, Aggregation | None]:
    """Annotations of all questions, and what was aggregated of responses for them, where there was anything."""
    asked = inputs.questions.join(inputs.annotations, on=KEY, how="anti")
    annotations, result = inputs.annotations, None
    if not asked.is_empty():
        given = (asked, inputs.responses, inputs.reviews)
        result = aggregate(*given, options=recipe.saq, profiles=inputs.profiles)
        annotations = pl.concat([annotations, result.annotations]).sort(KEY)
    return annotations, result


def _mcqs(
    placed: RecipeInPlace, inputs: Inputs, annotations: pl.DataFrame
) -> tuple[McqBuild, ModelReport | None, Stage]:
    """Multiple-choice questions, how models that read options compare with people, and the account of it.

    Of answers with unknown votes none are made, which the account says.
    """
    options, seed, (verdicts, record) = placed.recipe.mcq, placed.recipe.seed, placed.verdicts()
    mcqs = build_mcq(
        inputs.questions,
        annotations.filter(votes_known()),
        options=options,
        seed=seed,
        judges=make_judges(options.judge, verdicts=verdicts, record=record),
        verdicts=verdicts,
        locales=placed.locales,
    )
    if not inputs.mcqs.is_empty():
        rebalance = options.rebalance
        given = given_rows(inputs.mcqs, rebalance=rebalance, seed=seed, locales=placed.locales)
        mcqs = with_given(mcqs, given)
    unknown = annotations.filter(~votes_known()).group_by("locale").agg(n=pl.len()).sort("locale")
    compared = None if verdicts is None else model_report(mcqs.beside_models, verdicts, options)
    return mcqs, compared, mcqs.stage(unknown, with_unread=options.unread == "warn")
