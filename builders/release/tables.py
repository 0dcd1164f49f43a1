"""Tables: everything that a release will hold, built from a recipe's inputs, before anything is written."""

from dataclasses import dataclass

import polars as pl

from blend.builders.cultural_prompts import CulturalPrompts, build_prompts
from blend.builders.judges.chat import make_judges, shipped_for
from blend.builders.mcq import build_mcq
from blend.builders.mcq.published_mcqs import given_rows
from blend.builders.mcq.result import (
    STAGE,
    UNREAD,
    McqBuild,
    unread_findings,
    unread_summary,
    with_given,
)
from blend.builders.mcq.verdicts import ON_NOTHING, VOID
from blend.builders.release.inputs import Inputs, read_inputs
from blend.builders.release.verdict_agreement import model_report
from blend.builders.saq import Aggregation, aggregate
from blend.builders.stages import Stage, rows_by
from blend.builders.triples.tables import TripleTables, triple_tables
from blend.loaders.recipes import RecipeInPlace
from blend.loaders.recipes.sources import load_snapshot, load_topics
from blend.loaders.responses.verdicts import decisions_in
from blend.schemas.frames import FINDINGS, KEY, votes_known
from blend.schemas.locales import Locale, Registry
from blend.schemas.manifest import SourceInfo
from blend.schemas.recipe import Recipe
from blend.schemas.reports import ModelReport
from blend.schemas.texts import pluralise


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
    sources: tuple[SourceInfo, ...]
    """What was read."""
    stages: tuple[Stage, ...]
    """The steps, in order."""
    locales: Registry
    """The known locales."""

    @property
    def held(self) -> list[Locale]:
        """The locales of the questions, in order."""
        held = {*self.inputs.questions["locale"], *self.mcqs.given["locale"]}
        return [locale for locale in self.locales if locale.tag in held]

    @property
    def tags(self) -> list[str]:
        """Their tags."""
        return [locale.tag for locale in self.held]

    def annotation_rows(self) -> pl.DataFrame:
        """Annotations as `published_rows.Annotation` has them: question texts, language and topic joined in."""
        return self.inputs.questions.drop("source").join(
            self.annotations.drop("source"), on=KEY, how="inner", validate="1:1", maintain_order="left"
        )

    def findings(self) -> pl.DataFrame:
        """Every oddity and every row left out, with the step that met it."""
        return pl.concat(
            stage.findings.select(pl.lit(stage.name).alias("stage"), *FINDINGS.names()) for stage in self.stages
        )

    def figures(self) -> pl.DataFrame:
        """One row per locale: ``questions``, ``answered``, ``votes``, ``proposed``, ``mcqs``.

        ``votes`` is null where those of any question are unknown.
        """
        of_group = pl.element().struct.field
        # Figures first, so that answers are not copied to be grouped by locale.
        of_questions = self.annotations.select(
            "locale",
            "grouping",
            groups=pl.col("annotations").list.len(),
            votes=pl.col("annotations").list.eval(of_group("count")).list.sum(),
            is_known=votes_known(),
        )
        by_locale = of_questions.group_by("locale").agg(
            questions=pl.len(),
            answered=(pl.col("groups") > 0).sum(),
            # Null where those of any question are unknown.
            votes=pl.when(pl.col("is_known").all()).then(pl.col("votes").sum()),
            proposed=(pl.col("grouping") == "proposed").sum(),
        )
        mcqs = self.mcqs.summary.select("locale", "mcqs").filter(pl.col("mcqs") > 0)
        return (
            by_locale.join(mcqs, on="locale", how="full", coalesce=True)
            # A locale may have multiple choice alone: nobody voted, which is not an unknown number of votes.
            .with_columns(votes=pl.when(pl.col("questions").is_not_null()).then("votes").otherwise(0))
            .with_columns(pl.col("questions", "answered", "proposed", "mcqs").fill_null(0))
            .sort("locale")
        )


def build_tables(placed: RecipeInPlace) -> BuiltTables:
    """Build everything that a recipe describes, except files.

    Raises:
        BlendError: If an input is not as it must be.
    """
    recipe, inputs = placed.recipe, read_inputs(placed)
    snapshot, topics = load_snapshot(placed), load_topics(placed)
    annotations, aggregated = annotate(inputs, recipe)
    verdicts = placed.verdicts()
    mcqs = build_mcq(
        inputs.questions,
        with_votes(annotations),
        options=recipe.mcq,
        seed=recipe.seed,
        judges=make_judges(
            recipe.mcq.judge,
            decisions=() if verdicts is None else decisions_in(verdicts),
            shipped=shipped_for(recipe.mcq),
            record=placed.recorder(),
        ),
        verdicts=verdicts,
        locales=placed.locales,
    )
    if not inputs.mcqs.is_empty():
        rebalance = recipe.mcq.rebalance
        given = given_rows(inputs.mcqs, rebalance=rebalance, seed=recipe.seed, locales=placed.locales)
        mcqs = with_given(mcqs, given)
    stages, infos = [*inputs.stages], [*inputs.infos]
    if aggregated is not None:
        stages.append(Stage("aggregate responses", rows_by(aggregated.annotations), aggregated.findings))
    if inputs.infos:  # a release without questions says nothing of them
        placed.on_progress("build tables", 1, 1)
        stages.append(_mcq_stage(mcqs, annotations, warn=recipe.mcq.unread == "warn"))
    triples = cultural = None
    if snapshot is not None:
        info, facts, domain, templates = snapshot
        triples = triple_tables(facts, domain, recipe.food, templates=templates, source=info.files[0].path)
        infos.append(info)
        stages.append(triples.stage())
    if topics is not None:
        info, tables, forms = topics
        cultural = build_prompts(tables, recipe.cultural, forms=forms)
        infos.append(info)
        stages.append(cultural.stage(info.location))
    read = {(info.kind, info.location): {"sha256": info.sha256, "revision": info.revision} for info in infos}
    pinned = (one.model_copy(update=read[one.kind, one.location]) for one in recipe.sources)
    return BuiltTables(
        recipe=recipe.model_copy(update={"sources": tuple(pinned)}),
        inputs=inputs,
        annotations=annotations,
        aggregated=aggregated,
        mcqs=mcqs,
        triples=triples,
        cultural=cultural,
        model_report=None if verdicts is None else model_report(mcqs.beside_models, verdicts, recipe.mcq),
        sources=tuple(infos),
        stages=tuple(stages),
        locales=placed.locales,
    )


def annotate(inputs: Inputs, recipe: Recipe) -> tuple[pl.DataFrame, Aggregation | None]:
    """Annotations of all questions, and what was aggregated of responses for them, where there was anything."""
    asked = inputs.questions.join(inputs.annotations, on=KEY, how="anti")
    if asked.is_empty():
        return inputs.annotations, None
    result = aggregate(asked, inputs.responses, inputs.reviews, options=recipe.saq, profiles=inputs.profiles)
    return pl.concat([inputs.annotations, result.annotations]).sort(KEY), result


def with_votes(annotations: pl.DataFrame) -> pl.DataFrame:
    """Annotations whose votes are known; mostly all, of which a filter would make a copy."""
    is_known = annotations.select(votes_known()).to_series().fill_null(value=False)
    return annotations if is_known.all() else annotations.filter(is_known)


def _mcq_stage(mcqs: McqBuild, annotations: pl.DataFrame, *, warn: bool) -> Stage:
    """The account of multiple-choice questions, and of answers with unknown votes, of which none are made."""
    unread = unread_findings(mcqs.reading) if warn else []
    found = pl.concat([mcqs.found, mcqs.dropped]).select("reason", "locale", "template_id", "detail")
    unknown = annotations.filter(~votes_known()).group_by("locale").agg(n=pl.len()).sort("locale")
    votes = "votes of {} questions are unknown; no multiple-choice question is made of them"
    rows = [
        *((kind, None, tag, template_id, detail) for kind, tag, template_id, detail in found.iter_rows()),
        *(("unknown-votes", None, tag, None, votes.format(n)) for tag, n in unknown.iter_rows()),
        *((UNREAD, None, tag, None, detail) for tag, detail in unread),
    ]
    notes: dict[str, int | str] = {
        f"{row['judge']}, {verdict}": row[verdict]
        for row in mcqs.deciders.iter_rows(named=True)
        for verdict in ("same", "different")
    }
    if unread:
        notes[UNREAD] = unread_summary(mcqs.reading)
    if n_void := mcqs.found.filter(reason=VOID).height:
        notes[VOID] = f"verdicts on {pluralise(n_void, 'question')} do not count: the words are others now"
    if n_idle := mcqs.found.filter(reason=ON_NOTHING).height:
        what = "verdicts are on what is not there, and do not count"
        notes[ON_NOTHING] = f"{pluralise(n_idle, 'finding')}: {what}"
    made = mcqs.summary.select("locale", rows="mcqs")
    return Stage(STAGE, made, pl.DataFrame(rows, FINDINGS, orient="row"), notes)
