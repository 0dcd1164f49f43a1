"""Sources: from an entry of the recipe to tables, whatever kind of source it is; and the files it names."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.loaders.contributions import part_of, read_collection
from blend.loaders.contributions.contributors import collection_layout
from blend.loaders.files.content import directory_digest, file_infos, instead_of_file
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.hub import fetch_dataset
from blend.loaders.recipes import RecipeInPlace, sample_path
from blend.loaders.responses import read_responses, response_files
from blend.loaders.topics import TopicTables, read_forms, read_topics, topic_files
from blend.loaders.upstream.blend import HUB_PATTERNS, blend_files, data_folder, read_blend
from blend.loaders.upstream.semeval import read_semeval, semeval_files
from blend.loaders.wikidata.facts import Facts, read_facts
from blend.loaders.wikidata.partial import check_account
from blend.loaders.wikidata.prompts import PACKAGED, packaged_templates, parse_templates
from blend.schemas.errors import InputError, RowError, RowErrors, raise_all
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
from blend.schemas.recipe import OWN_RESPONSES, Domain, Source
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
    within: str = "",
    reviewing: bool = False,
) -> SourceTables:
    """Read a source of questions, and compare its files with the digest in the recipe before anything else.

    Args:
        source: The recipe's entry.
        base: Folder that a relative location refers to: the recipe's.
        locales: Known locales; the packaged registry when absent.
        path: The directory, where it lies elsewhere than the recipe says.
        within: What stands before the place of every row, finding and error: of several sources,
            `questions.csv:2` alone does not say in which.
        reviewing: Whether responses are about to be reviewed (`read_responses`).

    Raises:
        BlendError: If the source is not there, is not the pinned one, or has keys that its kind has no use for;
            `RowError` and `RowErrors` if anything in its files breaks its contract.
    """
    known, read = registry() if locales is None else locales, _KINDS[source.kind].read
    assert read is not None, f"{source.kind} holds no questions"
    where = base / source.location if path is None else path
    how = {"reviewing": reviewing} if source.kind in ("sample", *OWN_RESPONSES) else {}
    with sample_path() if source.kind == "sample" else nullcontext(where) as there:
        try:
            folder, info = find_source(source, there)
            rows = read(folder, locales=known, **how)
        except (RowError, RowErrors) as error:
            found = error.errors if isinstance(error, RowErrors) else (error,)
            # An error about the whole folder names it already.
            names_it = [one.where == str(where) or Path(one.where).is_absolute() for one in found]
            raise_all(
                [
                    RowError(one.what, where=one.where if is_whole else within + one.where, fix=one.fix)
                    for one, is_whole in zip(found, names_it, strict=True)
                ]
            )
            raise
    if within:
        placed = pl.format("{}{}", pl.lit(within), "source")
        frames = {name: frame for name, frame in rows.items() if isinstance(frame, pl.DataFrame)}
        rows |= {name: frame.with_columns(source=placed) for name, frame in frames.items()}
    return SourceTables(info, **rows)


def find_source(source: Source, path: Path) -> tuple[Path, SourceInfo]:
    """Find a source, and compare its files with the digest in the recipe.

    Args:
        source: The recipe's entry.
        path: Where it lies; of no account for a Hub repository.

    Returns:
        The folder or the snapshot, and what is recorded of it.

    Raises:
        BlendError: If the source is not there, is not the pinned one, or has keys that its kind has no use for.
    """
    kind, name, commit = _KINDS[source.kind], f"source {source.kind} {source.location}".rstrip(), None
    for key in kind.unused:
        if getattr(source, key):
            raise InputError(f"{name}: key {key} means nothing for this kind of source; remove it")
    if not source.location and source.kind != "sample":
        raise InputError(f"{name}: key location is missing; name the directory")
    if source.revision is not None:
        if path.is_dir():
            raise InputError(
                f"{name}: a directory has no revision; leave the key out, or move the directory away to read "
                "the Hub repository of that name"
            )
        path, commit = fetch_dataset(source.location, source.revision, patterns=HUB_PATTERNS)
    is_snapshot = source.kind == "wikidata"
    if not (path.is_file() if is_snapshot else path.is_dir()):
        what = instead_of_file(path) if is_snapshot else "no such directory"
        fix = kind.fix
        if path.is_file():
            fix = "that is a file; unpack it and name the folder"
        elif source.sha256 is not None:  # a release's own recipe has them all pinned
            fix += f", or say where the sources of this release lie now: `source_paths={source.location}=PATH`"
        raise InputError(f"{name}: {what}: {path}; {fix}")
    if source.kind == "blend":
        path = data_folder(path)
    files = file_infos(path.parent if is_snapshot else path, kind.files(path))
    # A snapshot's own digest is in `snapshot.json`: to pin it, copy it from there.
    digest = files[0].sha256 if is_snapshot else directory_digest(files)
    if source.sha256 not in (None, digest):
        raise InputError(
            f"{name}: its files have the sha256 {digest}, but the recipe says {source.sha256}; get the files "
            f'that the recipe means, or write sha256 = "{digest}" there if these are the right ones'
        )
    found = {"kind": source.kind, "location": source.location, "revision": commit}
    return path, SourceInfo(**found, sha256=digest, files=files)


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


def load_snapshot(placed: RecipeInPlace, source: Source) -> _Snapshot:
    """Read a snapshot of a recipe, compared before with the digests there and in the account beside it.

    Raises:
        BlendError: If the snapshot is not there, is damaged, or is not the pinned one, or if the domain or its
            templates are not as they must be.
    """
    placed.on_progress("read Wikidata", 0, 1)
    domain, text = placed.domain()
    # Before the snapshot, which takes longer to read.
    templates = pl.DataFrame(schema=PROMPT_TEMPLATES)
    if domain.templates == PACKAGED:
        templates = packaged_templates()
    elif text is not None:
        templates = parse_templates(text, source=domain.templates or "")
    where = placed.source_paths.get(source.location, placed.base / source.location)
    snapshot, info = find_source(source, where)
    check_account(snapshot, info.sha256)
    facts = read_facts(snapshot, domain)
    placed.on_progress("read Wikidata", 1, 1)
    return _Snapshot(info, facts, domain, templates)


class _Topics(NamedTuple):
    """Topics of prompts about cultures that a recipe names."""

    info: SourceInfo
    """The folder with its digest."""
    tables: TopicTables
    """Topics and templates."""
    forms: pl.DataFrame | None
    """The recipe's own forms; null for the packaged ones."""


def load_topics(placed: RecipeInPlace, source: Source) -> _Topics:
    """Read the topics of a recipe, and the forms of words that it names.

    Raises:
        BlendError: If they are not there, or not the pinned ones; `RowError` and `RowErrors` if anything in
            their files breaks its contract.
    """
    folder, info = find_source(source, placed.source_paths.get(source.location, placed.base / source.location))
    named = placed.recipe.cultural.forms
    forms = None if named is None else read_forms(placed.base / named)
    return _Topics(info, read_topics(folder), forms)


# The kinds: which files are pinned, and how fields of `SourceTables` are read from them.

_Rows = dict[str, Any]


def _contributed_files(folder: Path) -> Iterable[Path]:
    """The files of all contributors, without annotators' profiles.

    Whoever has the digest of so few and so short lines finds out by trial what they say. What is missing or
    would be overlooked `read_collection` tells, with all else.
    """
    every = collection_layout(folder, Diagnostics()).all()
    own = (path for path in every if path.is_file() and not path.is_symlink())
    return (path for path in own if path.name.partition(".")[0] != "annotators")


def _contributed_rows(folder: Path, *, locales: Registry, reviewing: bool) -> _Rows:
    kinds = ("questions", "responses", "reviews")
    collection = read_collection(folder, locales=locales, reviewing=reviewing)
    contributed = []
    for name, who in collection.contributors.items():
        part = part_of(collection.tables, name)
        rows = {kind: Counter(getattr(part, kind)["locale"]) for kind in kinds}
        shares = (
            LocaleShare(locale=tag, **{kind: of_kind[tag] for kind, of_kind in rows.items()})
            for tag in sorted({tag for of_kind in rows.values() for tag in of_kind})
        )
        contributed.append(Contributed(folder=name, contributor=who, locales=tuple(shares)))
    of_people = {"profiles": collection.profiles, "contributed": tuple(contributed)}
    return {**collection.tables._asdict(), **of_people}


class _Kind(NamedTuple):
    """What is particular to a kind of source."""

    files: Callable[[Path], Iterable[Path]]
    """The files of it that are pinned."""
    read: Callable[..., _Rows] | None = None
    """Its reader; null for what holds no questions."""
    unused: tuple[str, ...] = ("revision",)
    """Keys that it has no use for: they are refused, not ignored in silence."""
    fix: str = "correct the location"
    """What to do where it is not there."""


_RAW = _Kind(response_files, lambda folder, **how: read_responses(folder, **how)._asdict())
_KINDS: Mapping[str, _Kind] = {
    "sample": _RAW._replace(unused=("location", "revision")),
    "responses": _RAW,
    "contributions": _Kind(_contributed_files, _contributed_rows, unused=("revision", "license")),
    "blend": _Kind(
        blend_files,
        lambda folder, **how: read_blend(folder, **how)._asdict(),
        unused=(),
        fix="correct the location, or add a revision if it is a Hub repository",
    ),
    "semeval": _Kind(semeval_files, lambda folder, **how: read_semeval(folder, **how)._asdict()),
    "wikidata": _Kind(lambda snapshot: [snapshot], fix="take one with `blend wikidata snapshot`"),
    "topics": _Kind(topic_files),
}
