"""Tables: what all sources of a recipe hold, and everything that a release will hold, before it is written."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import polars as pl

from blend.builders.cultural_prompts import CulturalPrompts, build_prompts
from blend.builders.judges.chat import make_judges, shipped_for
from blend.builders.mcq import build_mcq
from blend.builders.mcq.published_mcqs import given_rows
from blend.builders.mcq.result import STAGE, UNREAD, McqBuild, unread_findings, unread_summary, with_given
from blend.builders.mcq.verdicts import ON_NOTHING, VOID
from blend.builders.release.verdict_agreement import model_report
from blend.builders.saq import Aggregation, aggregate
from blend.builders.stats import build_stats
from blend.builders.stats.measures import Stats
from blend.builders.templates.published import compared_with_blend
from blend.builders.triples.tables import TripleTables, triple_tables
from blend.loaders.contributions.contributors import terms_problems
from blend.loaders.recipes import RecipeInPlace
from blend.loaders.recipes.sources import SourceTables, find_source, load_snapshot, load_source
from blend.loaders.responses.verdicts import decisions_in
from blend.loaders.topics import read_forms, read_topics
from blend.schemas.errors import InputError, RowError, raise_all
from blend.schemas.frames import (
    ANNOTATIONS,
    FINDINGS,
    GIVEN_MCQS,
    KEY,
    PROFILES,
    PROMPT_KEY,
    PROMPTS,
    QUESTIONS,
    RESPONSES,
    REVIEWS,
    Stage,
    empty,
    rows_by,
    votes_known,
)
from blend.schemas.locales import Locale, Registry
from blend.schemas.manifest import SourceInfo
from blend.schemas.personal_data import Contributed
from blend.schemas.recipe import Recipe
from blend.schemas.reports import ModelReport
from blend.schemas.texts import pluralise


@dataclass(frozen=True, slots=True)
class _Inputs:
    """Rows of all sources of a recipe, one frame per kind of row (`frames`)."""

    questions: pl.DataFrame
    """`QUESTIONS`, ordered by template and locale."""
    annotations: pl.DataFrame
    """`ANNOTATIONS` that were already merged and counted when they were read."""
    responses: pl.DataFrame
    """`RESPONSES`."""
    reviews: pl.DataFrame
    """`REVIEWS`."""
    prompts: pl.DataFrame
    """`PROMPTS`, ordered by locale and id."""
    mcqs: pl.DataFrame
    """`GIVEN_MCQS`, in the sources' order."""
    profiles: pl.DataFrame
    """`PROFILES` of annotators who agreed to it."""
    infos: tuple[SourceInfo, ...]
    """Sources that were read, with digests, in the recipe's order."""
    stages: tuple[Stage, ...]
    """What was read from each of them; the rows themselves are above, and not kept twice."""
    contributions: tuple[Contributed, ...]
    """Contributors whose rows are among these, in the order of sources and folders."""


@dataclass(frozen=True, slots=True)
class BuiltTables:
    """The tables of a release and the account of how they came about."""

    recipe: Recipe
    """The recipe, every source pinned to what was read."""
    inputs: _Inputs
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
        where = placed.source_paths.get(source.location, placed.base / source.location)
        folder, topics = find_source(source, where)
        named = recipe.cultural.forms
        forms = None if named is None else read_forms(placed.base / named)
        cultural = build_prompts(read_topics(folder), recipe.cultural, forms=forms)
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


def annotate(inputs: _Inputs, recipe: Recipe) -> tuple[pl.DataFrame, Aggregation | None]:
    """Annotations of all questions, and what was aggregated of responses for them, where there was anything."""
    asked = inputs.questions.join(inputs.annotations, on=KEY, how="anti")
    annotations, result = inputs.annotations, None
    if not asked.is_empty():
        given = (asked, inputs.responses, inputs.reviews)
        result = aggregate(*given, options=recipe.saq, profiles=inputs.profiles)
        annotations = pl.concat([annotations, result.annotations]).sort(KEY)
    return annotations, result


def _mcqs(
    placed: RecipeInPlace, inputs: _Inputs, annotations: pl.DataFrame
) -> tuple[McqBuild, ModelReport | None, Stage]:
    """Multiple-choice questions, how models that read options compare with people, and the account of it.

    Of answers with unknown votes none are made, which the account says.
    """
    options, seed, (verdicts, record) = placed.recipe.mcq, placed.recipe.seed, placed.verdicts()
    decisions = () if verdicts is None else decisions_in(verdicts)
    mcqs = build_mcq(
        inputs.questions,
        annotations.filter(votes_known()),
        options=options,
        seed=seed,
        judges=make_judges(options.judge, decisions=decisions, shipped=shipped_for(options), record=record),
        verdicts=verdicts,
        locales=placed.locales,
    )
    if not inputs.mcqs.is_empty():
        rebalance = options.rebalance
        given = given_rows(inputs.mcqs, rebalance=rebalance, seed=seed, locales=placed.locales)
        mcqs = with_given(mcqs, given)
    unread = unread_findings(mcqs.reading) if options.unread == "warn" else []
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
    compared = None if verdicts is None else model_report(mcqs.beside_models, verdicts, options)
    return mcqs, compared, Stage(STAGE, made, pl.DataFrame(rows, FINDINGS, orient="row"), notes)


# Inputs: all sources of a recipe as one set of tables.


_ROWS = {
    "questions": QUESTIONS,
    "annotations": ANNOTATIONS,
    "responses": RESPONSES,
    "reviews": REVIEWS,
    "prompts": PROMPTS,
    "mcqs": GIVEN_MCQS,
    "profiles": PROFILES,
}
"""Kinds of rows that sources hold."""
_ORDER = {"questions": KEY, "annotations": KEY, "prompts": PROMPT_KEY}
_UNIQUE = (
    ("question", "questions", KEY),
    # Turned round: the key of a prompt has its locale first, and messages name the id first.
    ("prompt", "prompts", PROMPT_KEY[::-1]),
    ("multiple-choice question", "mcqs", ("mcq_id", "locale")),
)
"""What two sources must not both hold, by an id and a locale."""


def read_inputs(placed: RecipeInPlace, *, reviewing: bool = False) -> _Inputs:
    """Read all sources of a recipe that hold questions.

    Args:
        placed: Names the sources and the locales wanted.
        reviewing: Whether responses are about to be reviewed (`loaders.responses.read_responses`).

    Raises:
        BlendError: If a source is not as it must be, if two hold the same question or prompt, if the recipe
            asks for a locale that none holds, if a contribution's licence does not allow the recipe's, or if
            own templates have ids of BLEnD's and ask something else.
    """
    recipe, known, wanted = placed.recipe, placed.locales, placed.recipe.locales
    of_questions = [source for source in recipe.sources if source.kind not in ("wikidata", "topics")]
    sources: list[SourceTables] = []
    for done, source in enumerate(of_questions):
        placed.on_progress("read sources", done, len(of_questions))
        path = placed.source_paths.get(source.location)
        within = f"{source.location.rstrip('/') or source.kind}/" if len(of_questions) > 1 else ""
        tables = load_source(source, placed.base, known, path=path, within=within, reviewing=reviewing)
        given = ((part.folder, part.contributor) for part in tables.contributed)
        raise_all(terms_problems(given, recipe.license, within=f"{source.location}/"))
        sources.append(tables)
        placed.on_progress("read sources", done + 1, len(of_questions))
    held = {tag for tables in sources for rows in (tables.questions, tables.mcqs) for tag in rows["locale"]}
    if missing := [tag for tag in wanted or () if tag not in held]:
        raise InputError(
            f"recipe, key locales: no source has a question in {', '.join(missing)}; "
            f"the sources hold {', '.join(sorted(held)) or 'none'}"
        )
    compared = compared_with_blend(sources, known)
    sources = compared if wanted is None else [_only(tables, wanted) for tables in compared]
    rows = {
        name: pl.concat([empty(schema), *(getattr(tables, name) for tables in sources)])
        for name, schema in _ROWS.items()
    }
    rows |= {name: rows[name].sort(key, maintain_order=True) for name, key in _ORDER.items()}
    for what, name, key in _UNIQUE:
        twice = rows[name].filter(pl.struct(key).is_duplicated())
        places = twice.group_by(key, maintain_order=True).agg("source").iter_rows()
        found = ((f"{what} {one!r} in {tag} is also in {at[0]}", at[1]) for one, tag, at in places)
        raise_all([RowError(problem, where=again, fix="keep it in one source") for problem, again in found])
    prompted, stages = set(rows["prompts"]["locale"]), list[Stage]()
    for tables in sources:
        info, asked = tables.info, set(tables.questions["locale"])
        # Where no locale has prompts, none lacks them.
        bare = sorted(asked - prompted) if prompted else []
        detail = "other locales have prompts, {} has none; kept without"
        told = [("no-prompts", info.location, tag, None, detail.format(tag)) for tag in bare]
        n_mcqs = {} if tables.mcqs.is_empty() else {"multiple-choice questions": len(tables.mcqs)}
        n_rows = {name: len(getattr(tables, name)) for name in ("responses", "reviews", "prompts")}
        findings = pl.concat([tables.findings, pl.DataFrame(told, FINDINGS, orient="row")])
        name = f"read {info.kind} {info.location}".strip()
        stages.append(Stage(name, rows_by(tables.questions), findings, {**n_rows, **n_mcqs}))
    return _Inputs(
        **rows,
        infos=tuple(tables.info for tables in sources),
        stages=tuple(stages),
        contributions=tuple(given for tables in sources for given in tables.contributed),
    )


def _only(tables: SourceTables, wanted: Collection[str]) -> SourceTables:
    """What a source has of the locales wanted; of profiles all, since they are of people."""
    here = pl.col("locale").is_in(wanted)
    rows = {name: getattr(tables, name).filter(here) for name in _ROWS if name != "profiles"}
    # A finding without a locale is about a whole file, whatever locale it serves.
    findings = tables.findings.filter(here | pl.col("locale").is_null())
    parts = (
        part.model_copy(update={"locales": tuple(of for of in part.locales if of.locale in wanted)})
        for part in tables.contributed
    )
    contributed = tuple(part for part in parts if part.locales)
    return replace(tables, **rows, findings=findings, contributed=contributed)
