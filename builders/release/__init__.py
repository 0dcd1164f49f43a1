"""The release: a recipe becomes a directory that ``datasets.load_dataset`` reads."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path

import polars as pl
import tomli_w

from blend import __version__
from blend.builders.cards import documents
from blend.builders.cards.facts import ReleaseFacts
from blend.builders.diff import OpenRelease, open_release
from blend.builders.diff.text import next_changelog
from blend.builders.parquet import Table, write_table
from blend.builders.release.tables import BuiltTables, build_tables
from blend.builders.stats.dataset import build_cultural_stats, locale_figures
from blend.builders.stats.measures import in_order
from blend.builders.stats.planning import power
from blend.loaders.files.atomic import atomic_directory
from blend.loaders.files.content import file_infos
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.files.toml import read_toml
from blend.loaders.recipes import RecipeInPlace
from blend.loaders.releases.references import check_replaceable
from blend.loaders.releases.tables import figures_json, read_audit
from blend.schemas.arrow_types import published
from blend.schemas.frames import FINDINGS, KEY
from blend.schemas.locales import Registry
from blend.schemas.manifest import (
    AGREEMENT_NAME,
    ANNOTATOR_GROUPS_NAME,
    AUDIT_NAME,
    FINDINGS_NAME,
    MANIFEST_NAME,
    MODEL_VERDICTS_NAME,
    RECIPE_NAME,
    ReleaseManifest,
    TableInfo,
)
from blend.schemas.recipe import Recipe, licensed
from blend.schemas.reports import Datasheet, datasheet_model
from blend.schemas.rows import (
    ANNOTATIONS,
    ASKED,
    CONFIGS,
    CULTURAL_PROMPTS,
    MULTIPLE_CHOICE_QUESTIONS,
    SHORT_ANSWER_PROMPTS,
    SHORT_ANSWER_QUESTIONS,
    TRUE_FALSE_QUESTIONS,
    key_of,
)

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
    placed = RecipeInPlace.of(
        licensed(recipe), Path(base), source_paths=source_paths, locales=locales, on_progress=on_progress
    )
    check = partial(check_replaceable, name=recipe.name, replace=replace)
    with atomic_directory(Path(out), check=check) as release:
        return _fill(release, placed)


def _fill(release: Path, placed: RecipeInPlace) -> ReleaseManifest:
    """Build what a recipe describes in an empty folder."""
    recipe = placed.recipe
    # Before anything is built: what is not there is better told at once than after hours.
    before, datasheet = placed.previous(), datasheet_model()()
    if recipe.datasheet is not None:
        datasheet = read_toml(placed.base / recipe.datasheet, datasheet_model(), what="datasheet")
    built = build_tables(placed)
    carried, as_released = placed.carry(release, built.recipe)
    waiting, tables = list(_tables(built)), list[TableInfo]()
    for table in waiting:
        placed.on_progress("write tables", len(tables), len(waiting))
        tables.append(write_table(table, release))
    placed.on_progress("write tables", len(tables), len(waiting))
    written: _Written = {}
    for config in dict.fromkeys(table.config for table in tables if table.config in ASKED):
        paths = [release / name for table in tables if table.config == config for name in table.files]
        written[config] = pl.scan_parquet(paths, glob=False).rename({"MCQID": "mcq_id", "ID": "template_id"})
    _write(release, _reports(built, as_released, written))
    manifest = ReleaseManifest(
        name=recipe.name,
        version=recipe.version,
        sdk_version=__version__,
        writers={library: version(library) for library in _WRITERS},
        recipe=as_released,
        sources=(*built.sources, *carried),
        tables=tuple(tables),
        files=file_infos(release, filter(Path.is_file, release.rglob("*"))),
        report=tuple(stage.report([locale.tag for locale in built.held]) for stage in built.stages),
    )
    facts = _facts(built, release, manifest, datasheet, before, written)
    _write(release, documents(facts).items())
    # Once more: the documents, which are written from the manifest, have their digests in it as well.
    every = file_infos(release, filter(Path.is_file, release.rglob("*")))
    manifest = manifest.model_copy(update={"files": every})
    (release / MANIFEST_NAME).write_text(manifest.to_json(), encoding="utf-8", newline="\n")
    return manifest


_Written = dict[str, pl.LazyFrame]
"""Rows of configurations of questions with options, as they have been written."""


def _tables(built: BuiltTables) -> Iterator[Table]:
    """Everything to be written, in the order of the card."""
    questions = built.inputs.questions
    by_locale = {
        # Question texts, language and topic belong to an annotation's row.
        ANNOTATIONS: questions.drop("source").join(
            built.annotations.drop("source"), on=KEY, how="inner", validate="1:1", maintain_order="left"
        ),
        SHORT_ANSWER_QUESTIONS: questions,
        SHORT_ANSWER_PROMPTS: built.inputs.prompts,
    }
    for config, rows in by_locale.items():
        sorted_rows = published(rows.sort(key_of(config)), CONFIGS[config])
        parts = sorted_rows.partition_by("locale", as_dict=True)
        for locale in built.held:
            if (locale.tag,) in parts:
                rows = parts[(locale.tag,)]
                yield Table(config, locale.split, CONFIGS[config], [rows], are_published=True)
    mcqs = built.mcqs
    # A configuration without rows would only puzzle its reader; the report says why there are none.
    if mcqs.n_mcqs:
        config = MULTIPLE_CHOICE_QUESTIONS
        yield Table(config, _MCQ_SPLIT, CONFIGS[config], mcqs.batches())
        if mcqs.true_false:
            config = TRUE_FALSE_QUESTIONS
            yield Table(config, _MCQ_SPLIT, CONFIGS[config], mcqs.true_false_batches())
    if built.triples is not None:
        yield from built.triples.tables()
    if built.cultural is not None:
        by_kind = built.cultural.prompts.partition_by("kind", as_dict=True, maintain_order=True)
        for (kind,), rows in by_kind.items():
            yield Table(CULTURAL_PROMPTS, str(kind), CONFIGS[CULTURAL_PROMPTS], [rows])


def _reports(built: BuiltTables, recipe: Recipe, written: _Written) -> Iterator[tuple[str, str]]:
    """What else programs read, by path: recipe, findings, agreement, and what rules and models find."""
    yield RECIPE_NAME, tomli_w.dumps(recipe.model_dump(mode="json", exclude_none=True))
    findings = (
        stage.findings.select(pl.lit(stage.name).alias("stage"), *FINDINGS.names()) for stage in built.stages
    )
    yield FINDINGS_NAME, pl.concat(findings).write_ndjson()
    if built.aggregated is not None:
        tags = [locale.tag for locale in built.held]
        of_people = {
            AGREEMENT_NAME: built.aggregated.agreement,
            ANNOTATOR_GROUPS_NAME: built.aggregated.groups,
        }
        for name, rows in of_people.items():
            if not rows.is_empty():
                yield name, figures_json(rows, tags)
    if built.model_report is not None:
        yield MODEL_VERDICTS_NAME, built.model_report.model_dump_json(indent=1) + "\n"
    # What was taken with its options is not ours to audit, and no votes are known of it.
    if built.mcqs.n_mcqs and built.mcqs.given.is_empty() and recipe.mcq.mode == "default":
        # Only here: in paper mode nothing is audited, and nothing for it is loaded.
        from blend.builders.audit.release import audit_report

        audits = {
            config: audit_report(rows, annotations=built.annotations, locales=built.locales, config=config)
            for config, rows in written.items()
        }
        true_false = audits.get(TRUE_FALSE_QUESTIONS)
        report = audits[MULTIPLE_CHOICE_QUESTIONS].model_copy(update={"true_false": true_false})
        yield AUDIT_NAME, report.model_dump_json(indent=1) + "\n"


def _facts(
    built: BuiltTables,
    release: Path,
    manifest: ReleaseManifest,
    datasheet: Datasheet,
    before: Path | None,
    written: _Written,
) -> ReleaseFacts:
    """All that the documents are written from."""
    triples, mcqs, tags = built.triples, written.get(MULTIPLE_CHOICE_QUESTIONS), [one.tag for one in built.held]
    return ReleaseFacts(
        manifest=manifest,
        locales=built.held,
        figures=locale_figures(built.annotations, built.mcqs.summary),
        power=None if mcqs is None else power(mcqs).collect().sort(in_order("locale", tags)),
        stats=built.stats,
        domain=None if triples is None else triples.domain,
        cultural=None if built.cultural is None else build_cultural_stats(built.cultural.prompts),
        audit=read_audit(release),
        reading=built.mcqs.reading,
        model_report=built.model_report,
        datasheet=datasheet,
        changelog=next_changelog(
            None if before is None else open_release(before), OpenRelease(release, manifest)
        ),
        contributions=built.inputs.contributions,
    )


def _write(release: Path, texts: Iterable[tuple[str, str]]) -> None:
    """Write texts by their path in the release."""
    for path, text in texts:
        (release / path).parent.mkdir(exist_ok=True)
        # Line feeds on every system, so that the bytes are the same on any machine.
        (release / path).write_text(text, encoding="utf-8", newline="\n")
