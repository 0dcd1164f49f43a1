"""The release: a recipe becomes a directory that ``datasets.load_dataset`` reads."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import polars as pl
import tomli_w

from blend.builders.cards import documents
from blend.builders.cards.examples import Example, example_rows
from blend.builders.cards.facts import ReleaseFacts
from blend.builders.diff import OpenRelease, diff_releases, open_release
from blend.builders.diff.text import changelog, first_entry, next_changelog
from blend.builders.diff.version_step import VersionStep, version_step
from blend.builders.parquet import Table, loaded_bytes, write_table
from blend.builders.release.carried import carried_domain, carry_reviewed, portable_names
from blend.builders.release.inputs import known_locales
from blend.builders.release.tables import BuiltTables, build_tables
from blend.builders.stats import Stats, build_stats
from blend.builders.stats.cultural import build_cultural_stats
from blend.builders.stats.mcq import power, spread_counts
from blend.builders.stats.triples import TripleStats, build_triple_stats
from blend.loaders.files.atomic import atomic_directory
from blend.loaders.files.content import file_infos, read_text
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.recipes.datasheets import read_datasheet
from blend.loaders.recipes.ready import portable_recipe
from blend.loaders.releases.agreement import agreement_json
from blend.loaders.releases.audits import read_audit
from blend.loaders.releases.json_reports import report_json
from blend.loaders.releases.references import resolve_release
from blend.loaders.releases.replacing import replaceable
from blend.schemas.arrow_types import published
from blend.schemas.languages import forget_base_forms
from blend.schemas.locales import Locale, Registry
from blend.schemas.manifest import (
    AGREEMENT_NAME,
    ANNOTATOR_GROUPS_NAME,
    AUDIT_NAME,
    FINDINGS_NAME,
    LOCALES_NAME,
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
    COMPACT,
    CONFIGS,
    CULTURAL_PROMPTS,
    MULTIPLE_CHOICE_QUESTIONS,
    SHORT_ANSWER_PROMPTS,
    SHORT_ANSWER_QUESTIONS,
    TRUE_FALSE_QUESTIONS,
    key_of,
)
from blend.version import __version__

MCQ_SPLIT = "test"

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
    check = replaceable(recipe.name, replace=replace)
    with atomic_directory(out, check=check) as release:
        if recipe.locale_file is not None:
            own = base / recipe.locale_file
            text = read_text(own, own.parent, Diagnostics()).replace("\r\n", "\n")
            _write_text(release / LOCALES_NAME, text)
        for path, text in carried_domain(recipe, base).items():
            _write_text(release / path, text)
        datasheet = Datasheet() if recipe.datasheet is None else read_datasheet(base / recipe.datasheet)
        # Before anything is built: what is not there is better told at once than after hours.
        before = _previous(recipe, base, source_paths)
        built = build_tables(
            recipe, base=base, source_paths=source_paths, locales=known, on_progress=on_progress
        )
        # Before anything is written: later, this would be the most that a build needs.
        stats = _stats(built, known)
        # Nothing from here on looks up a word: the audit of a build leaves synonyms out.
        forget_base_forms()
        reviewed = carry_reviewed(recipe, base, release)
        held = [known.get(tag) for tag in _tags(built, known)]
        tables = _write_tables(built, held, release, on_progress)
        examples = example_rows(built.questions, built.annotations, held)
        # The audit takes the most memory from here on, and reads the questions that it looks at.
        built = built.without_questions()
        manifest = _write_data(built, tables, reviewed, release, held, known)
        changes = _changelog(before, OpenRelease(release, manifest))
        facts = _facts(built, release, manifest, held, datasheet, changes, stats, examples)
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


def _changelog(previous: OpenRelease | None, new: OpenRelease) -> str:
    return changelog(first_entry(new.manifest)) if previous is None else next_changelog(previous, new)


def _write_data(
    built: BuiltTables,
    tables: Sequence[TableInfo],
    reviewed: Sequence[SourceInfo],
    release: Path,
    held: Sequence[Locale],
    known: Registry,
) -> ReleaseManifest:
    """Write what else programs read, and say what was written; documents and manifest are still to come."""
    recipe = portable_names(built.recipe)
    tags = [locale.tag for locale in held]
    _write_lines(release / FINDINGS_NAME, built.findings())
    if not built.agreement.is_empty():
        _write_text(release / AGREEMENT_NAME, agreement_json(built.agreement, tags))
    if built.model_report is not None:
        _write_text(release / MODEL_VERDICTS_NAME, report_json(built.model_report))
    if not built.groups.is_empty():
        _write_text(release / ANNOTATOR_GROUPS_NAME, agreement_json(built.groups, tags))
    # What was taken with its options is not ours to audit, and no votes are known of it.
    if built.mcqs.n_mcqs and built.mcqs.given.is_empty() and recipe.mcq.mode == "default":
        _write_text(release / AUDIT_NAME, report_json(_audit(built, release, tables, known)))
    _write_text(release / RECIPE_NAME, _toml(recipe))
    return ReleaseManifest(
        name=recipe.name,
        version=recipe.version,
        sdk_version=__version__,
        writers={library: version(library) for library in _WRITERS},
        recipe=recipe,
        sources=(*built.sources, *reviewed),
        tables=tuple(tables),
        files=_file_infos(release),
        report=built.report(tags),
    )


def _facts(
    built: BuiltTables,
    release: Path,
    manifest: ReleaseManifest,
    held: Sequence[Locale],
    datasheet: Datasheet,
    changes: str,
    stats: Stats | None,
    examples: tuple[Example, ...],
) -> ReleaseFacts:
    return ReleaseFacts(
        manifest=manifest,
        loaded_bytes={file: loaded_bytes(release / file) for table in manifest.tables for file in table.files},
        locales=tuple(held),
        figures=built.figures(),
        spreads=_of_mcqs(spread_counts, release, manifest.tables),
        power=_of_mcqs(power, release, manifest.tables),
        stats=stats,
        domain=built.domain,
        examples=examples,
        cultural=None if built.cultural is None else build_cultural_stats(built.cultural.prompts),
        triples=_triple_stats(built),
        audit=read_audit(release),
        reading=built.mcqs.reading,
        model_report=built.model_report,
        datasheet=datasheet,
        changelog=changes,
        contributions=built.contributions,
    )


def _audit(built: BuiltTables, release: Path, tables: Sequence[TableInfo], known: Registry) -> AuditReport:
    """The audit of the multiple-choice questions that have been written, and of what is true or false."""
    # Only here: in paper mode nothing is audited, and nothing for it is loaded.
    from blend.builders.audit.report import audit_report

    def audited(config: str) -> AuditReport | None:
        written = _mcq_files(release, tables, config)
        if not written:
            return None
        repeated = ["prompt", "choices", "choice_countries"]
        rows = pl.scan_parquet(written, glob=False).drop(repeated, strict=False)
        mcqs = rows.rename({"MCQID": "mcq_id", "ID": "template_id"})
        return audit_report(mcqs, annotations=built.annotations, locales=known, config=config)

    report = audited(MULTIPLE_CHOICE_QUESTIONS)
    assert report is not None, "only a release with multiple-choice questions is audited"
    return report.model_copy(update={"true_false": audited(TRUE_FALSE_QUESTIONS)})


def _of_mcqs(
    count: Callable[[pl.LazyFrame], pl.LazyFrame], release: Path, tables: Sequence[TableInfo]
) -> pl.DataFrame:
    """Count the multiple-choice questions that have been written, by template, locale and spread."""
    columns = {"template_id": pl.String(), "locale": pl.String(), "answer_spread": pl.String()}
    written = _mcq_files(release, tables)
    if not written:
        return count(pl.LazyFrame(schema=columns)).collect()
    rows = pl.scan_parquet(written, glob=False).rename({"ID": "template_id"})
    return count(rows).collect(engine="streaming")


def _mcq_files(
    release: Path, tables: Sequence[TableInfo], config: str = MULTIPLE_CHOICE_QUESTIONS
) -> list[Path]:
    of_config = (table for table in tables if table.config == config)
    return [release / name for table in of_config for name in table.files]


def _triple_stats(built: BuiltTables) -> TripleStats | None:
    frames = [made.build.rows(made.languages[0]) for made in built.triples]
    return build_triple_stats(frames) if frames else None


def _stats(built: BuiltTables, known: Registry) -> Stats | None:
    if built.questions.is_empty():
        return None
    return build_stats(
        built.questions,
        built.annotations,
        options=built.recipe.saq,
        agreement=built.agreement,
        groups=built.groups,
        locales=known,
    )


def _tags(built: BuiltTables, known: Registry) -> list[str]:
    held = {*built.questions["locale"], *built.mcqs.given["locale"]}
    return [tag for tag in known.tags if tag in held]


def _write_tables(
    built: BuiltTables, held: Sequence[Locale], release: Path, on_progress: ProgressCallback
) -> list[TableInfo]:
    total = sum(rows["locale"].n_unique() for rows in (built.annotations, built.questions, built.prompts))
    tables: list[TableInfo] = []
    for table in _question_tables(built, held):
        on_progress("write questions and annotations", len(tables), total)
        tables.append(write_table(table, release))
        on_progress("write questions and annotations", len(tables), total)
    return [
        *tables,
        *_write_mcqs(built, release, on_progress),
        *_write_food(built, release, on_progress),
        *_write_cultural(built, release),
    ]


def _question_tables(built: BuiltTables, held: Sequence[Locale]) -> Iterator[Table]:
    """Tables of questions and answers; one configuration at a time, since each is as large as the input."""
    yield from _per_locale(ANNOTATIONS, built.annotation_rows(), held)
    yield from _per_locale(SHORT_ANSWER_QUESTIONS, built.questions, held)
    yield from _per_locale(SHORT_ANSWER_PROMPTS, built.prompts, held)


def _write_mcqs(built: BuiltTables, release: Path, on_progress: ProgressCallback) -> list[TableInfo]:
    if not built.mcqs.n_mcqs:
        # A configuration without rows would only puzzle its reader; the report says why there are none.
        return []
    batches = {MULTIPLE_CHOICE_QUESTIONS: built.mcq_batches(on_progress)}
    if not built.mcqs.compact.is_empty():
        batches[COMPACT] = iter([built.mcqs.compact])
    if built.mcqs.true_false:
        batches[TRUE_FALSE_QUESTIONS] = built.mcqs.true_false_batches()
    return [
        write_table(Table(config, MCQ_SPLIT, CONFIGS[config], made), release)
        for config, made in batches.items()
    ]


def _write_food(built: BuiltTables, release: Path, on_progress: ProgressCallback) -> list[TableInfo]:
    plan = [table for made in built.triples for table in made.tables()]
    tables = []
    for done, table in enumerate(plan):
        on_progress("write tables from Wikidata", done, len(plan))
        tables.append(write_table(table, release))
        on_progress("write tables from Wikidata", done + 1, len(plan))
    return tables


def _write_cultural(built: BuiltTables, release: Path) -> list[TableInfo]:
    """One split per kind of text."""
    if built.cultural is None:
        return []
    parts = built.cultural.prompts.partition_by("kind", as_dict=True, maintain_order=True)
    model = CONFIGS[CULTURAL_PROMPTS]
    return [
        write_table(Table(CULTURAL_PROMPTS, str(kind), model, [rows]), release)
        for (kind,), rows in parts.items()
    ]


def _per_locale(config: str, rows: pl.DataFrame, held: Sequence[Locale]) -> list[Table]:
    """One table per locale that has any rows."""
    model = CONFIGS[config]
    # By the same name, so that the rows in their old order are gone before they are parted.
    rows = published(rows.sort(key_of(config)), model)
    parts = rows.partition_by("locale", as_dict=True)
    found = [(locale.split, parts[(locale.tag,)]) for locale in held if (locale.tag,) in parts]
    return [Table(config, split, model, [of_locale], are_published=True) for split, of_locale in found]


def _toml(recipe: Recipe) -> str:
    return tomli_w.dumps(recipe.model_dump(mode="json", exclude_none=True))


def _write_lines(path: Path, rows: pl.DataFrame) -> None:
    """Write rows as JSON, one line each; never the text of all of them in memory."""
    path.parent.mkdir(exist_ok=True)
    rows.write_ndjson(path)


def _write_text(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _file_infos(release: Path) -> tuple[FileInfo, ...]:
    return file_infos(release, [path for path in release.rglob("*") if path.is_file()])
