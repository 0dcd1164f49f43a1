"""Inputs: all sources of a recipe as one set of tables."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import polars as pl

from blend.builders.release.own_templates import compared_with_blend
from blend.builders.release.recipe_in_place import RecipeInPlace
from blend.builders.stages import Stage, rows_by
from blend.loaders.files.diagnostics import unknown_locale
from blend.loaders.recipes.sources import SourceTables, check_terms, in_locales, load_source
from blend.schemas.errors import InputError, RowError, RowErrors, raise_all
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
    empty,
)
from blend.schemas.manifest import SourceInfo
from blend.schemas.personal_data import Contributed
from blend.schemas.recipe import Source


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
    ("prompt", "prompts", PROMPT_KEY[::-1]),
    ("multiple-choice question", "mcqs", ("mcq_id", "locale")),
)
"""What two sources must not both hold, by an id and a locale."""
_ONE_OF_A_KIND = {
    "contributions": "whose contributors and annotators could not be told apart; put all their folders into "
    "one",
    "wikidata": "which would make the same configurations; keep one, and build the others as releases of their "
    "own",
    "topics": "which would make the same configuration; keep one, with a folder for each kind of text",
}
"""Kinds of source of which a recipe has one, and why."""


def read_inputs(placed: RecipeInPlace, *, reviewing: bool = False) -> Inputs:
    """Read all sources of a recipe that hold questions.

    Args:
        placed: Names the sources and the locales wanted.
        reviewing: Whether responses are about to be reviewed (`loaders.responses.read_responses`).

    Raises:
        BlendError: If a source is not as it must be, if two hold the same question or prompt or two are of
            a kind that a recipe has once, if the recipe asks for a locale that none holds, if a contribution's
            licence does not allow the recipe's, or if own templates have ids of BLEnD's and ask something else.
    """
    recipe, wanted = placed.recipe, placed.recipe.locales
    unknown = [tag for tag in wanted or () if tag not in placed.locales]
    raise_all([unknown_locale(tag, placed.locales, where="recipe, key locales") for tag in unknown])
    for kind, why in _ONE_OF_A_KIND.items():
        n_sources = sum(source.kind == kind for source in recipe.sources)
        if n_sources > 1:
            raise InputError(f"the recipe has {n_sources} sources of kind {kind!r}, {why}")
    of_questions = [source for source in recipe.sources if source.kind not in ("wikidata", "topics")]
    sources: list[SourceTables] = []
    for done, source in enumerate(of_questions):
        placed.on_progress("read sources", done, len(of_questions))
        sources.append(_read_source(placed, source, alone=len(of_questions) == 1, reviewing=reviewing))
        placed.on_progress("read sources", done + 1, len(of_questions))
    held = {tag for tables in sources for rows in (tables.questions, tables.mcqs) for tag in rows["locale"]}
    if missing := [tag for tag in wanted or () if tag not in held]:
        raise InputError(
            f"recipe, key locales: no source has a question in {', '.join(missing)}; "
            f"the sources hold {', '.join(sorted(held)) or 'none'}"
        )
    sources = [_only(tables, wanted) for tables in compared_with_blend(sources, placed.locales)]
    prompted = {tag for tables in sources for tag in tables.prompts["locale"]}
    rows = {
        name: pl.concat([empty(schema), *(getattr(tables, name) for tables in sources)])
        for name, schema in _ROWS.items()
    }
    rows |= {name: rows[name].sort(key, maintain_order=True) for name, key in _ORDER.items()}
    for what, name, key in _UNIQUE:
        raise_all(_held_twice(what, rows[name], key))
    return Inputs(
        **rows,
        infos=tuple(tables.info for tables in sources),
        stages=tuple(_stage(tables, prompted) for tables in sources),
        contributions=tuple(given for tables in sources for given in tables.contributed),
    )


def _read_source(placed: RecipeInPlace, source: Source, *, alone: bool, reviewing: bool) -> SourceTables:
    """Read a source; beside others its name stands before the place of every row, finding and error.

    With several sources, `questions.csv:2` alone does not say in which.
    """
    name, folder = source.location.rstrip("/") or source.kind, str(placed.base / source.location)

    def here(error: RowError) -> RowError:
        # An error about the whole folder names it already.
        names_it = error.where == folder or Path(error.where).is_absolute()
        where = error.where if names_it else f"{name}/{error.where}"
        return RowError(error.what, where=where, fix=error.fix)

    path = placed.source_paths.get(source.location)
    try:
        tables = load_source(source, placed.base, placed.locales, path=path, reviewing=reviewing)
    except (RowError, RowErrors) as error:
        if not alone:
            raise_all([here(one) for one in (error.errors if isinstance(error, RowErrors) else (error,))])
        raise
    check_terms(tables.contributed, placed.recipe.license, where=source.location)
    if alone:
        return tables
    named = pl.format("{}/{}", pl.lit(name), "source")
    frames = {of.name: getattr(tables, of.name) for of in fields(tables)}
    placed_rows = {
        kind: rows.with_columns(source=named) for kind, rows in frames.items() if isinstance(rows, pl.DataFrame)
    }
    return SourceTables(**frames | placed_rows)


def _only(tables: SourceTables, wanted: Sequence[str] | None) -> SourceTables:
    """What a source has of the locales wanted; of profiles all, since they are of people."""
    if wanted is None:
        return tables
    here = pl.col("locale").is_in(wanted)
    rows = {name: getattr(tables, name).filter(here) for name in _ROWS if name != "profiles"}
    # A finding without a locale is about a whole file, whatever locale it serves.
    findings = tables.findings.filter(here | pl.col("locale").is_null())
    return replace(tables, **rows, findings=findings, contributed=in_locales(tables.contributed, wanted))


def _stage(tables: SourceTables, prompted: Collection[str]) -> Stage:
    """Account for what was read from a source, and find its locales without prompts where others have some."""
    info, detail = tables.info, "others have prompts, this locale has none; kept without"
    bare = sorted(set(tables.questions["locale"]) - set(prompted)) if prompted else []
    rows = [("no-prompts", info.location, tag, None, detail) for tag in bare]
    n_rows = {name: len(getattr(tables, name)) for name in ("responses", "reviews", "prompts")}
    return Stage(
        f"read {info.kind} {info.location}".strip(),
        rows_by(tables.questions),
        pl.concat([tables.findings, pl.DataFrame(rows, FINDINGS, orient="row")]),
        {**n_rows, **({} if tables.mcqs.is_empty() else {"multiple-choice questions": len(tables.mcqs)})},
    )


def _held_twice(what: str, rows: pl.DataFrame, key: Sequence[str]) -> list[RowError]:
    """What two sources hold; the key is an id and a locale."""
    twice = rows.filter(pl.struct(key).is_duplicated()).group_by(key, maintain_order=True).agg("source")
    return [
        RowError(f"{what} {row_id!r} in {locale} is also in {first}", where=again, fix="keep it in one source")
        for row_id, locale, (first, again, *_) in twice.iter_rows()
    ]
