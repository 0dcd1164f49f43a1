"""The release: a recipe becomes a directory that ``datasets.load_dataset`` reads."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import polars as pl
import tomli_w

from blend.builders.cards import documents
from blend.builders.cards.facts import ReleaseFacts
from blend.builders.diff import OpenRelease, diff_releases, open_release
from blend.builders.diff.text import changelog, first_entry, next_changelog
from blend.builders.diff.version_step import VersionStep, version_step
from blend.builders.parquet import Table, loaded_bytes, write_table
from blend.builders.release.carried import carried_registries, carry_reviewed, portable_names
from blend.builders.release.inputs import known_locales
from blend.builders.release.tables import BuiltTables, build_tables
from blend.builders.stats import Stats, build_stats
from blend.builders.stats.dataset import build_cultural_stats, build_triple_stats
from blend.builders.stats.measures import in_order
from blend.builders.stats.planning import power
from blend.loaders.files.atomic import atomic_directory
from blend.loaders.files.content import file_infos
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.recipes import read_datasheet
from blend.loaders.recipes.ready import portable_recipe
from blend.loaders.releases.references import replaceable, resolve_release
from blend.loaders.releases.reports import agreement_json, read_audit, report_json
from blend.schemas.arrow_types import published
from blend.schemas.locales import Locale, Registry
from blend.schemas.manifest import (
    AGREEMENT_NAME,
    ANNOTATOR_GROUPS_NAME,
    AUDIT_NAME,
    FINDINGS_NAME,
    MANIFEST_NAME,
    MODEL_VERDICTS_NAME,
    RECIPE_NAME,
    FileInfo,
    ReleaseManifest,
    SourceInfo,
    TableInfo,
)
from blend.schemas.recipe import Recipe, licensed
from blend.schemas.reports import AuditReport, Datasheet
from blend.schemas.rows import (
    ANNOTATIONS,
    CONFIGS,
    CULTURAL_PROMPTS,
    MULTIPLE_CHOICE_QUESTIONS,
    SHORT_ANSWER_PROMPTS,
    SHORT_ANSWER_QUESTIONS,
    TRUE_FALSE_QUESTIONS,
    key_of,
)
from blend.version import __version__

_MCQ_SPLIT = "test"

_WRITERS = ("pyarrow", "polars", "datasets")


def build_release(
    recipe: Recipe,
    out: Path | str,
    *,
    base: Path | str = Path(),
    source_paths: Mapping[str, Path] | None = None,
    locales: Registry | None = None,
    replace: bool = False,
    on_progress: ProgressCallback = silent,
) -> ReleaseManifest:
    """Build the release that a recipe describes.

    The same recipe and sources give the same bytes on any machine. ``out`` appears complete or not at all.

    Args:
        recipe: What to build.
        out: Directory to make; an existing release of the same name there is replaced, unless
            somebody has edited it.
        base: Folder to which the recipe's relative locations refer.
        source_paths: Directories by location, for sources (and a previous release) that lie elsewhere than the
            recipe says.
        locales: The known locales; those of the package when absent.
        replace: Whether the release of another dataset may be replaced as well. Files that are not a release's
            never are.
        on_progress: Told about progress.

    Returns:
        The manifest, as written to ``release.json``.

    Raises:
        BlendError: If input, recipe or ``out`` is not as it must be; the message says what to do.
    """
    recipe, source_paths = portable_recipe(licensed(recipe), source_paths or {})
    out, base = Path(out), Path(base)
    known = known_locales(recipe, base=base, packaged=locales)
    with atomic_directory(out, check=replaceable(recipe.name, replace=replace)) as release:
        for path, text in carried_registries(recipe, base).items():
            _write_text(release / path, text)
        datasheet = Datasheet() if recipe.datasheet is None else read_datasheet(base / recipe.datasheet)
        # Before anything is built: what is not there is better told at once than after hours.
        before = _previous(recipe, base, source_paths)
        built = build_tables(
            recipe, base=base, source_paths=source_paths, locales=known, on_progress=on_progress
        )
        # Before anything is written: later, this would be the most that a build needs.
        stats = _stats(built)
        reviewed = carry_reviewed(recipe, base, release)
        tables = _write_tables(built, release, on_progress)
        _write_reports(built, release, tables)
        manifest = _manifest(built, release, tables, (*built.sources, *reviewed))
        facts = _facts(built, release, manifest, before, datasheet, stats)
        for path, text in documents(facts).items():
            _write_text(release / path, text)
        manifest = manifest.model_copy(update={"files": _file_infos(release)})
        _write_text(release / MANIFEST_NAME, manifest.to_json())
        return manifest


def step_since_previous(
    recipe: Recipe, out: Path, *, base: Path = Path(), source_paths: Mapping[str, Path] | None = None
) -> tuple[str, VersionStep] | None:
    """The version before, and the step that follows from what a release changes; null without one before.

    Args:
        recipe: What was built; its ``previous`` names the version before.
        out: The release.
        base: Folder to which the recipe's relative locations refer.
        source_paths: Directories by location, as `build_release` takes them.
    """
    before = _previous(recipe, base, source_paths or {})
    if before is None:
        return None
    return before.manifest.version, version_step(diff_releases(before.folder, out, examples=0))


def _previous(recipe: Recipe, base: Path, source_paths: Mapping[str, Path]) -> OpenRelease | None:
    """The release before, from a directory or the Hub."""
    if recipe.previous is None:
        return None
    folder = source_paths.get(recipe.previous, base / recipe.previous)
    return open_release(resolve_release(str(folder) if folder.is_dir() else recipe.previous))


def _stats(built: BuiltTables) -> Stats | None:
    if built.inputs.questions.is_empty():
        return None
    made = built.aggregated
    return build_stats(
        built.inputs.questions,
        built.annotations,
        options=built.recipe.saq,
        agreement=None if made is None else made.agreement,
        groups=None if made is None else made.groups,
        locales=built.locales,
    )


def _write_tables(built: BuiltTables, release: Path, on_progress: ProgressCallback) -> list[TableInfo]:
    tables, written = list(_tables(built)), list[TableInfo]()
    for table in tables:
        on_progress("write tables", len(written), len(tables))
        written.append(write_table(table, release))
    on_progress("write tables", len(written), len(tables))
    return written


def _tables(built: BuiltTables) -> Iterator[Table]:
    """Everything to be written, in the order of the card."""
    yield from _per_locale(ANNOTATIONS, built.annotation_rows(), built.held)
    yield from _per_locale(SHORT_ANSWER_QUESTIONS, built.inputs.questions, built.held)
    yield from _per_locale(SHORT_ANSWER_PROMPTS, built.inputs.prompts, built.held)
    mcqs = built.mcqs
    # A configuration without rows would only puzzle its reader; the report says why there are none.
    in_one_split = {
        MULTIPLE_CHOICE_QUESTIONS: mcqs.batches() if mcqs.n_mcqs else None,
        TRUE_FALSE_QUESTIONS: mcqs.true_false_batches() if mcqs.n_mcqs and mcqs.true_false else None,
    }
    for config, batches in in_one_split.items():
        if batches is not None:
            yield Table(config, _MCQ_SPLIT, CONFIGS[config], batches)
    if built.triples is not None:
        yield from built.triples.tables()
    if built.cultural is not None:
        by_kind = built.cultural.prompts.partition_by("kind", as_dict=True, maintain_order=True)
        for (kind,), rows in by_kind.items():
            yield Table(CULTURAL_PROMPTS, str(kind), CONFIGS[CULTURAL_PROMPTS], [rows])


def _per_locale(config: str, rows: pl.DataFrame, held: Sequence[Locale]) -> list[Table]:
    """One table per locale that has any rows."""
    model = CONFIGS[config]
    # By the same name, so that the rows in their old order are gone before they are parted.
    rows = published(rows.sort(key_of(config)), model)
    parts = rows.partition_by("locale", as_dict=True)
    found = [(locale.split, parts[(locale.tag,)]) for locale in held if (locale.tag,) in parts]
    return [Table(config, split, model, [of_locale], are_published=True) for split, of_locale in found]


def _write_reports(built: BuiltTables, release: Path, tables: Sequence[TableInfo]) -> None:
    """Write what else programs read: findings, reports and the recipe."""
    recipe, tags, made = portable_names(built.recipe), [locale.tag for locale in built.held], built.aggregated
    (release / FINDINGS_NAME).parent.mkdir(exist_ok=True)
    built.findings().write_ndjson(release / FINDINGS_NAME)
    texts = {RECIPE_NAME: tomli_w.dumps(recipe.model_dump(mode="json", exclude_none=True))}
    if made is not None and not made.agreement.is_empty():
        texts[AGREEMENT_NAME] = agreement_json(made.agreement, tags)
    if made is not None and not made.groups.is_empty():
        texts[ANNOTATOR_GROUPS_NAME] = agreement_json(made.groups, tags)
    if built.model_report is not None:
        texts[MODEL_VERDICTS_NAME] = report_json(built.model_report)
    # What was taken with its options is not ours to audit, and no votes are known of it.
    if built.mcqs.n_mcqs and built.mcqs.given.is_empty() and recipe.mcq.mode == "default":
        texts[AUDIT_NAME] = report_json(_audit(built, release, tables))
    for path, text in texts.items():
        _write_text(release / path, text)


def _audit(built: BuiltTables, release: Path, tables: Sequence[TableInfo]) -> AuditReport:
    """The audit of the multiple-choice questions that have been written, and of what is true or false."""
    # Only here: in paper mode nothing is audited, and nothing for it is loaded.
    from blend.builders.audit.release import audit_report

    reports = {
        config: audit_report(rows, annotations=built.annotations, locales=built.locales, config=config)
        for config in (MULTIPLE_CHOICE_QUESTIONS, TRUE_FALSE_QUESTIONS)
        if (rows := _written(release, tables, config)) is not None
    }
    report = reports[MULTIPLE_CHOICE_QUESTIONS]
    return report.model_copy(update={"true_false": reports.get(TRUE_FALSE_QUESTIONS)})


def _written(release: Path, tables: Sequence[TableInfo], config: str) -> pl.LazyFrame | None:
    """The rows of a configuration of questions with options, as they have been written; null without any."""
    files = [release / name for table in tables if table.config == config for name in table.files]
    if not files:
        return None
    rows = pl.scan_parquet(files, glob=False)
    return rows.rename({"MCQID": "mcq_id", "ID": "template_id"})


def _manifest(
    built: BuiltTables, release: Path, tables: Sequence[TableInfo], sources: tuple[SourceInfo, ...]
) -> ReleaseManifest:
    """What was written; documents and the manifest itself are still to come."""
    recipe, tags = portable_names(built.recipe), [locale.tag for locale in built.held]
    return ReleaseManifest(
        name=recipe.name,
        version=recipe.version,
        sdk_version=__version__,
        writers={library: version(library) for library in _WRITERS},
        recipe=recipe,
        sources=sources,
        tables=tuple(tables),
        files=_file_infos(release),
        report=tuple(stage.report(tags) for stage in built.stages),
    )


def _facts(
    built: BuiltTables,
    release: Path,
    manifest: ReleaseManifest,
    before: OpenRelease | None,
    datasheet: Datasheet,
    stats: Stats | None,
) -> ReleaseFacts:
    """All that the documents are written from."""
    held, triples = built.held, built.triples
    mcqs = _written(release, manifest.tables, MULTIPLE_CHOICE_QUESTIONS)
    by_locale = in_order("locale", [locale.tag for locale in held])
    return ReleaseFacts(
        manifest=manifest,
        loaded_bytes={file: loaded_bytes(release / file) for table in manifest.tables for file in table.files},
        locales=tuple(held),
        figures=built.figures(),
        power=None if mcqs is None else power(mcqs).collect().sort(by_locale),
        stats=stats,
        domain=None if triples is None else triples.domain,
        cultural=None if built.cultural is None else build_cultural_stats(built.cultural.prompts),
        triples=None if triples is None else build_triple_stats([triples.build.rows(triples.languages[0])]),
        audit=read_audit(release),
        reading=built.mcqs.reading,
        model_report=built.model_report,
        datasheet=datasheet,
        changelog=changelog(first_entry(manifest))
        if before is None
        else next_changelog(before, OpenRelease(release, manifest)),
        contributions=built.inputs.contributions,
    )


def _write_text(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _file_infos(release: Path) -> tuple[FileInfo, ...]:
    return file_infos(release, [path for path in release.rglob("*") if path.is_file()])
