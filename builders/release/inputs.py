"""Inputs: what all sources of a recipe hold, as one set of tables."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import polars as pl

from blend.builders.templates.beside_blend import compared_with_blend
from blend.loaders.contributions.contributors import terms_problems
from blend.loaders.recipes import RecipeInPlace
from blend.loaders.recipes.sources import SourceTables, load_source
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
)
from blend.schemas.manifest import SourceInfo
from blend.schemas.personal_data import Contributed


@dataclass(frozen=True, slots=True)
class Inputs:
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


def read_inputs(placed: RecipeInPlace, *, reviewing: bool = False) -> Inputs:
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
    return Inputs(
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
