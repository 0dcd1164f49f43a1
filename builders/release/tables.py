"""Tables: everything that a release will hold, built from a recipe's inputs, before anything is written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import polars as pl

from blend.builders.cultural_prompts import CulturalPrompts, build_prompts
from blend.builders.judges import make_judges, shipped_for
from blend.builders.judges.panel import Judge
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
from blend.builders.release.inputs import Inputs, domain_file, known_domain, read_inputs, read_snapshot
from blend.builders.release.verdict_agreement import model_report
from blend.builders.saq import Aggregation, aggregate
from blend.builders.stages import Stage, rows_by
from blend.builders.triples.tables import TripleTables, triple_tables
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.recipes.ready import domain_templates
from blend.loaders.recipes.sources import load_topics
from blend.loaders.responses.verdicts import (
    GivenVerdict,
    append_verdicts,
    decisions_in,
    models_in,
    read_verdicts,
)
from blend.loaders.topics import read_forms
from blend.schemas.errors import InputError
from blend.schemas.frames import (
    FINDINGS,
    KEY,
    votes_known,
)
from blend.schemas.locales import Locale, Registry, registry
from blend.schemas.manifest import SourceInfo
from blend.schemas.personal_data import MODEL_PREFIX
from blend.schemas.recipe import McqOptions, Recipe
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
        """One row per locale: ``questions``, ``answered``, ``groups``, ``votes``, ``proposed``, ``mcqs``.

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
            groups=pl.col("groups").sum(),
            # Null where those of any question are unknown.
            votes=pl.when(pl.col("is_known").all()).then(pl.col("votes").sum()),
            proposed=(pl.col("grouping") == "proposed").sum(),
        )
        mcqs = self.mcqs.summary.select("locale", "mcqs").filter(pl.col("mcqs") > 0)
        return (
            by_locale.join(mcqs, on="locale", how="full", coalesce=True)
            # A locale may have multiple choice alone: nobody voted, which is not an unknown number of votes.
            .with_columns(votes=pl.when(pl.col("questions").is_not_null()).then("votes").otherwise(0))
            .with_columns(pl.col("questions", "answered", "groups", "proposed", "mcqs").fill_null(0))
            .sort("locale")
        )


def build_tables(
    recipe: Recipe,
    *,
    base: Path = Path(),
    source_paths: Mapping[str, Path] | None = None,
    locales: Registry | None = None,
    on_progress: ProgressCallback = silent,
) -> BuiltTables:
    """Build everything that a recipe describes, except files.

    Args:
        recipe: What to build.
        base: Folder to which the recipe's relative locations refer.
        source_paths: Directories by location, for sources that lie elsewhere than the recipe says.
        locales: The known locales; those of the package when absent.
        on_progress: Told about progress.

    Raises:
        BlendError: If an input is not as it must be.
    """
    known = registry() if locales is None else locales
    inputs = read_inputs(recipe, base=base, source_paths=source_paths, locales=known, on_progress=on_progress)
    annotations, aggregated = _annotations(inputs, recipe)
    verdicts = verdicts_of(recipe.mcq, base)
    mcqs = _mcqs(inputs, annotations, recipe, base, verdicts, known)
    if inputs.infos:
        on_progress("build tables", 1, 1)
    triples, snapshots = _triples(recipe, base, source_paths, on_progress)
    cultural, topics = _cultural(recipe, base, source_paths or {})
    infos = [*inputs.infos, *snapshots, *topics]
    stages = [*inputs.stages]
    if aggregated is not None:
        made = rows_by(aggregated.annotations)
        stages.append(Stage("aggregate responses", made, aggregated.findings))
    # A release without questions says nothing of them.
    stages += [_mcq_stage(mcqs, annotations, warn=recipe.mcq.unread == "warn")] if inputs.infos else []
    stages += [] if triples is None else [triples.stage()]
    stages += [cultural.stage(info.location) for info in topics if cultural is not None]
    models = [] if verdicts is None or recipe.mcq.mode == "paper" else models_in(verdicts)
    confidence = recipe.mcq.model_confidence
    return BuiltTables(
        recipe=_pinned(recipe, infos),
        inputs=inputs,
        annotations=annotations,
        aggregated=aggregated,
        mcqs=mcqs,
        triples=triples,
        cultural=cultural,
        model_report=model_report(mcqs.beside_models, models, model_confidence=confidence) if models else None,
        sources=tuple(infos),
        stages=tuple(stages),
        locales=known,
    )


def _triples(
    recipe: Recipe, base: Path, source_paths: Mapping[str, Path] | None, on_progress: ProgressCallback
) -> tuple[TripleTables | None, list[SourceInfo]]:
    """The tables made from the snapshot that the recipe names, if it names one, and what was read."""
    if all(source.kind != "wikidata" for source in recipe.sources):
        return None, []
    on_progress("build from Wikidata", 0, 1)
    domain = known_domain(recipe, base=base)
    # Before the snapshot, which takes longer to read.
    templates = domain_templates(domain, (domain_file(recipe, base=base) or base).parent)
    read = read_snapshot(recipe, domain, base=base, source_paths=source_paths)
    made = triple_tables(read.facts, domain, recipe.food, templates=templates, source=read.info.files[0].path)
    on_progress("build from Wikidata", 1, 1)
    return made, [read.info]


def _cultural(
    recipe: Recipe, base: Path, source_paths: Mapping[str, Path]
) -> tuple[CulturalPrompts | None, list[SourceInfo]]:
    """The cultural prompts of the source of topics, if the recipe names one, and what was read."""
    sources = [source for source in recipe.sources if source.kind == "topics"]
    if not sources:
        return None, []
    if len(sources) > 1:
        raise InputError(
            f"the recipe has {len(sources)} sources of kind 'topics', which would make the same configuration; "
            "keep one, with a folder for each kind of text"
        )
    read = load_topics(sources[0], base, folder=source_paths.get(sources[0].location))
    forms = None if recipe.cultural.forms is None else read_forms(base / recipe.cultural.forms)
    return build_prompts(read.tables, recipe.cultural, forms=forms), [read.info]


def _mcqs(
    inputs: Inputs,
    annotations: pl.DataFrame,
    recipe: Recipe,
    base: Path,
    verdicts: pl.DataFrame | None,
    known: Registry,
) -> McqBuild:
    """Questions made of answers whose votes are known, and those that a source has with their options."""
    made = build_mcq(
        inputs.questions,
        _with_votes(annotations),
        options=recipe.mcq,
        seed=recipe.seed,
        judges=judges_of(recipe.mcq, base, verdicts),
        verdicts=verdicts,
        locales=known,
    )
    if not inputs.mcqs.is_empty():
        given = given_rows(inputs.mcqs, rebalance=recipe.mcq.rebalance, seed=recipe.seed, locales=known)
        made = with_given(made, given)
    return made


def _pinned(recipe: Recipe, infos: Sequence[SourceInfo]) -> Recipe:
    read = {(info.kind, info.location): info for info in infos}
    sources = []
    for source in recipe.sources:
        info = read[source.kind, source.location]
        sources.append(source.model_copy(update={"sha256": info.sha256, "revision": info.revision}))
    return recipe.model_copy(update={"sources": tuple(sources)})


def annotations_of(inputs: Inputs, recipe: Recipe) -> pl.DataFrame:
    """Annotations of all questions whose votes are known: as read, or as responses and reviews make them."""
    return _with_votes(_annotations(inputs, recipe)[0])


def _with_votes(annotations: pl.DataFrame) -> pl.DataFrame:
    """Annotations whose votes are known; mostly all, of which a filter would make a copy."""
    is_known = annotations.select(votes_known()).to_series().fill_null(value=False)
    return annotations if is_known.all() else annotations.filter(is_known)


def _annotations(inputs: Inputs, recipe: Recipe) -> tuple[pl.DataFrame, Aggregation | None]:
    """Annotations of all questions, and what was aggregated of them, where there was anything."""
    asked = inputs.questions.join(inputs.annotations, on=KEY, how="anti")
    if asked.is_empty():
        return inputs.annotations, None
    result = aggregate(asked, inputs.responses, inputs.reviews, options=recipe.saq, profiles=inputs.profiles)
    return pl.concat([inputs.annotations, result.annotations]).sort(KEY), result


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


def judges_of(mcq: McqOptions, base: Path, verdicts: pl.DataFrame | None = None) -> Sequence[Judge]:
    """The judges of a recipe; what a chat model says is added to its table of verdicts at once.

    Args:
        mcq: The recipe's options of multiple-choice questions.
        base: Folder to which its paths refer.
        verdicts: `frames.VERDICTS`; what they say of pairs of answers is decided.

    Raises:
        BlendError: If the options or the table of verdicts are not as they must be.
    """
    decided = () if verdicts is None else decisions_in(verdicts)
    return make_judges(mcq.judge, decisions=decided, shipped=shipped_for(mcq), record=_record(mcq, base))


def _record(mcq: McqOptions, base: Path) -> Callable[[Sequence[GivenVerdict]], None] | None:
    """What keeps verdicts of a chat model in the recipe's table; null without such a model or table."""
    if mcq.judge.model is None or mcq.verdicts is None:
        return None
    reader, today = f"{MODEL_PREFIX}{mcq.judge.model}", datetime.now(UTC).date()
    return partial(append_verdicts, base / mcq.verdicts, reader=reader, when=today)


def verdicts_of(options: McqOptions, base: Path) -> pl.DataFrame | None:
    """The verdicts of a recipe, `frames.VERDICTS`, or null when it names none.

    A table to which a chat model adds need not be there yet, and loses a row that a killed build cut off.
    """
    if options.verdicts is None:
        return None
    path = base / options.verdicts
    if (record := _record(options, base)) is not None:
        if not path.exists():
            return None
        record(())
    return read_verdicts(path)
