"""Inputs: all sources of a recipe as one set of tables."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.release.own_templates import as_blend_has_them, with_like_topics_found
from blend.builders.stages import Stage, rows_by
from blend.loaders.files.content import instead_of_file
from blend.loaders.files.diagnostics import unknown_locale
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.files.toml import known_domains, read_locales
from blend.loaders.recipes.sources import (
    SnapshotFacts,
    SourceTables,
    check_terms,
    in_locales,
    load_snapshot,
    load_source,
)
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
from blend.schemas.locales import Registry, registry
from blend.schemas.manifest import SourceInfo
from blend.schemas.personal_data import Contributed
from blend.schemas.recipe import Domain, Recipe, Source, find_domain


@dataclass(frozen=True, slots=True)
class Inputs:
    """Rows of all sources of a recipe, one frame per kind of row (`frame_columns`)."""

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


def read_inputs(
    recipe: Recipe,
    *,
    base: Path = Path(),
    source_paths: Mapping[str, Path] | None = None,
    locales: Registry | None = None,
    reviewing: bool = False,
    on_progress: ProgressCallback = silent,
) -> Inputs:
    """Read all sources of a recipe that hold questions.

    Args:
        recipe: Names the sources and the locales wanted.
        base: Folder to which the recipe's relative locations refer.
        source_paths: Directories by location, for sources that lie elsewhere than the recipe says.
        locales: The known locales; those of the package when absent.
        reviewing: Whether responses are about to be reviewed (`loaders.responses.read_responses`).
        on_progress: Told about progress.

    Raises:
        BlendError: If a source is not as it must be, if two hold the same question or prompt or two are of
            contributors, if the recipe asks for a locale that none holds, if a contribution's licence does
            not allow the recipe's, or if own templates have ids of BLEnD's and ask something else.
    """
    known = registry() if locales is None else locales
    wanted = None if recipe.locales is None else list(recipe.locales)
    raise_all(
        [unknown_locale(tag, known, where="recipe, key locales") for tag in wanted or () if tag not in known]
    )
    _check_one_collection(recipe)
    of_questions = [source for source in recipe.sources if source.kind not in ("wikidata", "topics")]
    sources: list[SourceTables] = []
    for done, source in enumerate(of_questions):
        on_progress("read sources", done, len(of_questions))
        with _errors_placed(source if len(of_questions) > 1 else None, base):
            tables = _load(source, base, source_paths or {}, known, reviewing=reviewing)
        check_terms(tables.contributed, recipe.license, where=source.location)
        sources.append(_placed(tables) if len(of_questions) > 1 else tables)
        on_progress("read sources", done + 1, len(of_questions))
    _check_held(
        wanted or [], {tag for of in sources for rows in (of.questions, of.mcqs) for tag in rows["locale"]}
    )
    sources = [_only(tables, wanted) for tables in with_like_topics_found(as_blend_has_them(sources, known))]
    prompted = {tag for tables in sources for tag in tables.prompts["locale"]}
    rows = {
        name: pl.concat([empty(schema), *(getattr(tables, name) for tables in sources)])
        for name, schema in _ROWS.items()
    }
    rows |= {name: rows[name].sort(key, maintain_order=True) for name, key in _ORDER.items()}
    inputs = Inputs(
        **rows,
        infos=tuple(tables.info for tables in sources),
        stages=tuple(_stage(tables, prompted) for tables in sources),
        contributions=tuple(given for tables in sources for given in tables.contributed),
    )
    _check_unique("question", inputs.questions, KEY)
    _check_unique("prompt", inputs.prompts, PROMPT_KEY[::-1])
    _check_unique("multiple-choice question", inputs.mcqs, ("mcq_id", "locale"))
    return inputs


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


def read_snapshot(
    recipe: Recipe,
    domain: Domain,
    *,
    base: Path = Path(),
    source_paths: Mapping[str, Path] | None = None,
) -> SnapshotFacts:
    """Read the Wikidata snapshot that a recipe names.

    Args:
        recipe: Names the snapshot.
        domain: What to look for.
        base: Folder to which the recipe's relative locations refer.
        source_paths: Files by location, for snapshots that lie elsewhere than the recipe says.

    Raises:
        InputError: If the snapshot is not there, is damaged or is another than the recipe pins, or if the
            recipe does not name exactly one: two would make the same configurations.
    """
    sources = [source for source in recipe.sources if source.kind == "wikidata"]
    if len(sources) != 1:
        raise InputError(
            f"the recipe has {len(sources)} sources of kind 'wikidata', which would make the same "
            "configurations; keep one, and build the others as releases of their own"
        )
    return load_snapshot(sources[0], domain, base, path=(source_paths or {}).get(sources[0].location))


def known_locales(recipe: Recipe, *, base: Path = Path(), packaged: Registry | None = None) -> Registry:
    """The locales that a recipe can name: the packaged ones and those of its own file.

    Raises:
        BlendError: If the file is not there; `RowError` and `RowErrors` if an entry is not as it must be.
    """
    known = registry() if packaged is None else packaged
    if recipe.locale_file is None:
        return known
    path = base / recipe.locale_file
    if not path.is_file():
        raise InputError(f"recipe, key locale_file: {instead_of_file(path)}: {path}; correct the path")
    return known.extended(read_locales(path), source=path.name)


def known_domain(recipe: Recipe, *, base: Path = Path()) -> Domain:
    """Return the domain that a recipe looks for in Wikidata: a packaged one, or one of its own file.

    Raises:
        BlendError: If the file is not there or there is no such domain; `RowError` and `RowErrors` if an entry
            is not as it must be.
    """
    path = domain_file(recipe, base=base)
    if path is not None and not path.is_file():
        raise InputError(f"recipe, key food.domain_file: {instead_of_file(path)}: {path}; correct the path")
    return find_domain(recipe.food.domain, known_domains(path))


def domain_file(recipe: Recipe, *, base: Path = Path()) -> Path | None:
    """Return where the recipe's own domains lie, if it names any."""
    return None if recipe.food.domain_file is None else base / recipe.food.domain_file


def _stage(tables: SourceTables, prompted: Collection[str]) -> Stage:
    """Account for what was read from a source, and find its locales without prompts where others have some."""
    where, detail = tables.info.location, "others have prompts, this locale has none; kept without"
    bare = sorted(set(tables.questions["locale"]) - set(prompted)) if prompted else []
    unprompted = pl.DataFrame(
        [("no-prompts", where, tag, None, detail) for tag in bare], FINDINGS, orient="row"
    )
    return Stage(
        f"read {tables.info.kind} {tables.info.location}".strip(),
        rows_by(tables.questions),
        pl.concat([tables.findings, unprompted]),
        {
            "responses": len(tables.responses),
            "reviews": len(tables.reviews),
            "prompts": len(tables.prompts),
            **({} if tables.mcqs.is_empty() else {"multiple-choice questions": len(tables.mcqs)}),
        },
    )


# Places: with several sources, `questions.csv:2` alone does not say in which


def _name(kind: str, location: str) -> str:
    return location.rstrip("/") or kind


@contextmanager
def _errors_placed(source: Source | None, base: Path) -> Iterator[None]:
    """Put the source before the place of every error; not where there is only one source."""
    try:
        yield
    except (RowError, RowErrors) as error:
        if source is None:
            raise
        errors = error.errors if isinstance(error, RowErrors) else (error,)
        raise_all([RowError(one.what, where=_where(one.where, source, base), fix=one.fix) for one in errors])


def _where(where: str, source: Source, base: Path) -> str:
    # An error about the whole folder names it already.
    if where == str(base / source.location) or Path(where).is_absolute():
        return where
    return f"{_name(source.kind, source.location)}/{where}"


def _placed(tables: SourceTables) -> SourceTables:
    """Put the source before the place of every row and finding."""
    here = pl.lit(f"{_name(tables.info.kind, tables.info.location)}/") + pl.col("source")
    placed: dict[str, Any] = {
        of.name: frame.with_columns(source=here)
        for of in fields(tables)
        if isinstance(frame := getattr(tables, of.name), pl.DataFrame)
    }
    return replace(tables, **placed)


def _load(
    source: Source, base: Path, source_paths: Mapping[str, Path], known: Registry, *, reviewing: bool
) -> SourceTables:
    if source.location not in source_paths:
        return load_source(source, base, known, reviewing=reviewing)
    moved = source.model_copy(update={"location": str(source_paths[source.location].absolute())})
    tables = load_source(moved, base, known, reviewing=reviewing)
    return replace(tables, info=tables.info.model_copy(update={"location": source.location}))


def _only(tables: SourceTables, wanted: list[str] | None) -> SourceTables:
    if wanted is None:
        return tables
    here = pl.col("locale").is_in(wanted)
    rows = {name: getattr(tables, name).filter(here) for name in _ROWS if name != "profiles"}
    # A finding without a locale is about a whole file, whatever locale it serves.
    findings = tables.findings.filter(here | pl.col("locale").is_null())
    return replace(tables, **rows, findings=findings, contributed=in_locales(tables.contributed, wanted))


def _check_one_collection(recipe: Recipe) -> None:
    n_collections = sum(source.kind == "contributions" for source in recipe.sources)
    if n_collections > 1:
        raise InputError(
            f"the recipe has {n_collections} sources of kind 'contributions', whose contributors and annotators"
            " could not be told apart; put all their folders into one"
        )


def _check_unique(kind: str, rows: pl.DataFrame, key: Sequence[str]) -> None:
    """Raise for what two sources hold; the key is an id and a locale."""
    twice = rows.filter(pl.struct(key).is_duplicated()).group_by(key, maintain_order=True).agg("source")
    raise_all(
        [
            RowError(
                f"{kind} {row_id!r} in {locale} is also in {source_paths[0]}",
                where=source_paths[1],
                fix="keep it in one source",
            )
            for row_id, locale, source_paths in twice.iter_rows()
        ]
    )


def _check_held(wanted: list[str], held: set[str]) -> None:
    missing = [tag for tag in wanted if tag not in held]
    if missing:
        raise InputError(
            f"recipe, key locales: no source has a question in {', '.join(missing)}; "
            f"the sources hold {', '.join(sorted(held)) or 'none'}"
        )
