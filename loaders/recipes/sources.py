"""Sources: from an entry of the recipe to tables, whatever kind of source it is; and the files it names."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.loaders.contributions import part_of, read_collection
from blend.loaders.contributions.contributors import collection_layout, terms_problems
from blend.loaders.files.content import directory_digest, file_infos, instead_of_file
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.hub import fetch_dataset
from blend.loaders.recipes import RecipeInPlace
from blend.loaders.responses import ResponseTables, read_responses, response_files
from blend.loaders.sample import sample_path
from blend.loaders.topics import TopicTables, read_forms, read_topics, topic_files
from blend.loaders.upstream.blend import HUB_PATTERNS, blend_files, data_folder, read_blend
from blend.loaders.upstream.blend.prompts import has_prompts, read_prompts
from blend.loaders.upstream.semeval import read_semeval, semeval_files
from blend.loaders.wikidata.facts import Facts, read_facts
from blend.loaders.wikidata.partial import check_account
from blend.loaders.wikidata.prompts import PACKAGED, packaged_templates, parse_templates
from blend.schemas.errors import InputError, raise_all
from blend.schemas.frames import (
    ANNOTATIONS,
    GIVEN_MCQS,
    PROFILES,
    PROMPTS,
    RESPONSES,
    REVIEWS,
    TEMPLATES,
    empty,
)
from blend.schemas.locales import Registry, registry
from blend.schemas.manifest import SourceInfo
from blend.schemas.personal_data import Contributed, LocaleShare
from blend.schemas.recipe import Domain, Source
from blend.schemas.rows import TEMPLATES as PROMPT_TEMPLATES


@dataclass(frozen=True, slots=True)
class SourceTables:
    """Rows of a source, one frame per kind of row (`frames`), and the files that were read."""

    info: SourceInfo
    """Where the tables come from, with the digest of every file."""
    questions: pl.DataFrame
    """`QUESTIONS`."""
    findings: pl.DataFrame
    """`FINDINGS` of reading it."""
    annotations: pl.DataFrame = field(default_factory=lambda: empty(ANNOTATIONS))
    """`ANNOTATIONS` that the source holds ready-made; without rows for raw responses."""
    responses: pl.DataFrame = field(default_factory=lambda: empty(RESPONSES))
    """`RESPONSES`; without rows for ready-made annotations."""
    reviews: pl.DataFrame = field(default_factory=lambda: empty(REVIEWS))
    """`REVIEWS`; likewise."""
    prompts: pl.DataFrame = field(default_factory=lambda: empty(PROMPTS))
    """`PROMPTS`; without rows where the source has none."""
    mcqs: pl.DataFrame = field(default_factory=lambda: empty(GIVEN_MCQS))
    """`GIVEN_MCQS` that the source holds; without rows for all others."""
    profiles: pl.DataFrame = field(default_factory=lambda: empty(PROFILES))
    """`PROFILES` of annotators who agreed to it; without rows where nobody was asked."""
    templates: pl.DataFrame = field(default_factory=lambda: empty(TEMPLATES))
    """`TEMPLATES` of raw responses; without rows for all others."""
    contributed: tuple[Contributed, ...] = ()
    """What contributors brought, in the order of their folders; none where there are no such folders."""


def load_source(
    source: Source,
    base: Path = Path(),
    locales: Registry | None = None,
    *,
    path: Path | None = None,
    reviewing: bool = False,
) -> SourceTables:
    """Read a source, and compare its files with the digest in the recipe before anything else.

    Args:
        source: The recipe's entry.
        base: Folder that a relative location refers to: the recipe's.
        locales: Known locales; the packaged registry when absent.
        path: The directory, where it lies elsewhere than the recipe says.
        reviewing: Whether responses are about to be reviewed (`read_responses`).

    Raises:
        BlendError: If the source is not there, is not the pinned one, or has keys that its kind has no use for;
            `RowError` and `RowErrors` if anything in its files breaks its contract.
    """
    if path is not None:
        # Messages name the directory that is read; what is recorded is what the recipe says.
        moved = source.model_copy(update={"location": str(path.absolute())})
        tables = load_source(moved, base, locales, reviewing=reviewing)
        return replace(tables, info=tables.info.model_copy(update={"location": source.location}))
    known = registry() if locales is None else locales
    there = _location(source, base)
    if source.kind == "blend":
        return _blend(source, there, known)
    if source.kind == "sample":
        with sample_path() as folder:
            info = _info(source, folder, response_files(folder))
            return SourceTables(info, **read_responses(folder, locales=known, reviewing=reviewing)._asdict())
    folder = _directory(source, there)
    if source.kind == "responses":
        info = _info(source, folder, response_files(folder))
        return SourceTables(info, **read_responses(folder, locales=known, reviewing=reviewing)._asdict())
    if source.kind == "semeval":
        info = _info(source, folder, semeval_files(folder))
        return SourceTables(info, **read_semeval(folder, locales=known)._asdict())
    # Without annotators' profiles: whoever has the digest of so few and so short lines finds out by trial what
    # they say. What is missing or would be overlooked `read_collection` tells, with all else.
    layout = collection_layout(folder, Diagnostics()).all()
    own = (path for path in layout if path.is_file() and not path.is_symlink())
    info = _info(source, folder, [path for path in own if path.name.partition(".")[0] != _PROFILES])
    collection = read_collection(folder, locales=known, reviewing=reviewing)
    contributed = tuple(
        Contributed(folder=name, contributor=who, locales=_by_locale(part_of(collection.tables, name)))
        for name, who in collection.contributors.items()
    )
    rows = collection.tables._asdict()
    return SourceTables(info, **rows, profiles=collection.profiles, contributed=contributed)


class _Snapshot(NamedTuple):
    """A Wikidata snapshot that a recipe names."""

    info: SourceInfo
    """The snapshot with its digest."""
    facts: Facts
    """What it says."""
    domain: Domain
    """What was looked for."""
    templates: pl.DataFrame
    """The domain's prompt templates, `rows.TEMPLATES`; without rows if it has none."""


def load_snapshot(placed: RecipeInPlace) -> _Snapshot | None:
    """Read the snapshot of a recipe, compared before with the digests there and in the account beside it.

    Returns:
        What was read; null where the recipe names no snapshot.

    Raises:
        BlendError: If the snapshot is not there, is damaged, or is not the pinned one, or if the domain or its
            templates are not as they must be.
    """
    source = next((one for one in placed.recipe.sources if one.kind == "wikidata"), None)
    if source is None:
        return None
    placed.on_progress("read Wikidata", 0, 1)
    domain, text = placed.domain()
    # Before the snapshot, which takes longer to read.
    if domain.templates == PACKAGED:
        templates = packaged_templates()
    elif text is not None:
        templates = parse_templates(text, source=domain.templates or "")
    else:
        templates = pl.DataFrame(schema=PROMPT_TEMPLATES)
    snapshot, where = _location(source, placed.base, placed.source_paths.get(source.location)), _name(source)
    if not snapshot.is_file():
        raise InputError(
            f"{where}: {instead_of_file(snapshot)}: {snapshot}; take one with "
            f"`blend wikidata snapshot`{_elsewhere(source)}"
        )
    files = file_infos(snapshot.parent, [snapshot])
    # The file's own digest, as `snapshot.json` gives it: to pin a snapshot, copy it from there.
    digest = files[0].sha256
    _check_pin(digest, source.sha256, where=where)
    check_account(snapshot, digest)
    info = SourceInfo(kind=source.kind, location=source.location, revision=None, sha256=digest, files=files)
    facts = read_facts(snapshot, domain)
    placed.on_progress("read Wikidata", 1, 1)
    return _Snapshot(info, facts, domain, templates)


def load_topics(placed: RecipeInPlace) -> tuple[SourceInfo, TopicTables, pl.DataFrame | None] | None:
    """Read the topics and templates of a recipe, their files compared with the digest there before.

    Returns:
        Where they come from, they, and what nationalities are called where the recipe names a table of it; null
        where it names no source of topics.

    Raises:
        BlendError: If they are not there, are not the pinned ones, or break their contract.
    """
    source = next((one for one in placed.recipe.sources if one.kind == "topics"), None)
    if source is None:
        return None
    folder = _directory(source, _location(source, placed.base, placed.source_paths.get(source.location)))
    named = placed.recipe.cultural.forms
    forms = None if named is None else read_forms(placed.base / named)
    return _info(source, folder, topic_files(folder)), read_topics(folder), forms


def in_locales(given: Sequence[Contributed], wanted: Sequence[str]) -> tuple[Contributed, ...]:
    """The parts of contributions in some locales, without contributors who have none there."""
    parts = (
        part.model_copy(update={"locales": tuple(of for of in part.locales if of.locale in wanted)})
        for part in given
    )
    return tuple(part for part in parts if part.locales)


def check_terms(given: Sequence[Contributed], released: str | None, *, where: str) -> None:
    """Compare the licences of contributions, of the source at ``where``, with that of their dataset.

    Raises:
        RowError, RowErrors: If one does not allow the other; names all of them.
    """
    named = ((part.folder, part.contributor) for part in given)
    raise_all(terms_problems(named, released, within=f"{where}/"))


_MEANINGLESS = {"sample": ("location", "revision"), "contributions": ("revision", "license"), "blend": ()}
"""Keys that a kind of source has no use for, where these are others than the revision."""


def _location(source: Source, base: Path, path: Path | None = None) -> Path:
    """Where a source lies; keys that its kind has no use for are refused, not ignored in silence."""
    for key in _MEANINGLESS.get(source.kind, ("revision",)):
        if getattr(source, key):
            raise InputError(f"{_name(source)}: key {key} means nothing for this kind of source; remove it")
    return base / source.location if path is None else path


def _blend(source: Source, path: Path, locales: Registry) -> SourceTables:
    if source.revision is None:
        folder, commit = _directory(source, path), None
    elif path.is_dir():
        raise InputError(
            f"{_name(source)}: a directory has no revision; leave the key out, or move the directory away "
            "to read the Hub repository of that name"
        )
    else:
        folder, commit = fetch_dataset(source.location, source.revision, patterns=HUB_PATTERNS)
    info = _info(source, data_folder(folder), blend_files(folder), revision=commit)
    tables = read_blend(folder, locales=locales)
    made = SourceTables(info, **tables._asdict())
    if not has_prompts(folder):
        return made
    read = read_prompts(folder, locales=locales)
    has_questions = pl.col("locale").is_in(tables.questions["locale"].unique().to_list())
    idle = read.prompts.filter(~has_questions).select(
        kind=pl.lit("prompt-without-questions"),
        source="source",
        locale="locale",
        template_id=pl.lit(None, pl.String),
        detail=pl.format("prompt '{}' is of a locale without questions; left out", "prompt_id"),
    )
    findings = pl.concat([tables.findings, read.findings, idle])
    return replace(made, prompts=read.prompts.filter(has_questions), findings=findings)


def _directory(source: Source, folder: Path) -> Path:
    if not source.location:
        raise InputError(f"{_name(source)}: key location is missing; name the directory")
    if not folder.is_dir():
        hint = ", or add a revision if it is a Hub repository" if source.kind == "blend" else ""
        fix = (
            "that is a file; unpack it and name the folder"
            if folder.is_file()
            else f"correct the location{hint}{_elsewhere(source)}"
        )
        raise InputError(f"{_name(source)}: no such directory: {folder}; {fix}")
    return folder


def _elsewhere(source: Source) -> str:
    """What else to do about a source that is not there: a release's own recipe has them all pinned."""
    if source.sha256 is None:
        return ""
    return f", or say where the sources of this release lie now: `source_paths={source.location}=PATH`"


def _info(source: Source, root: Path, files: Iterable[Path], revision: str | None = None) -> SourceInfo:
    infos = file_infos(root, files)
    digest = directory_digest(infos)
    _check_pin(digest, source.sha256, where=_name(source))
    return SourceInfo(kind=source.kind, location=source.location, revision=revision, sha256=digest, files=infos)


def _name(source: Source) -> str:
    """The source as messages call it."""
    return f"source {source.kind} {source.location}".rstrip()


_PROFILES = "annotators"
"""Name, without its ending, of the file of annotators' profiles."""


def _by_locale(tables: ResponseTables) -> tuple[LocaleShare, ...]:
    rows = {name: Counter(getattr(tables, name)["locale"]) for name in ("questions", "responses", "reviews")}
    tags = sorted({tag for of_kind in rows.values() for tag in of_kind})
    return tuple(
        LocaleShare(locale=tag, **{name: of_kind[tag] for name, of_kind in rows.items()}) for tag in tags
    )


def _check_pin(found: str, pinned: str | None, *, where: str) -> None:
    """Compare a source's digest with the one in the recipe, if there is one.

    Raises:
        InputError: If they differ; names both.
    """
    if pinned is not None and found != pinned:
        raise InputError(
            f"{where}: its files have the sha256 {found}, but the recipe says {pinned}; get the files that the "
            f'recipe means, or write sha256 = "{found}" there if these are the right ones'
        )
