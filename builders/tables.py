"""Tables: everything that a release will hold, built from a recipe's inputs, before anything is written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from blend.builders.inputs import Inputs, read_inputs
from blend.builders.judging import fillers_of, judges_of, reviewed_files
from blend.builders.mcq import build_mcq
from blend.builders.mcq_build import McqBuild
from blend.builders.progress import Notify, unheard
from blend.builders.saq import aggregate
from blend.schemas.frames import FINDINGS, KEY, empty
from blend.schemas.locales import Registry, registry
from blend.schemas.manifest import SourceInfo, StageReport
from blend.schemas.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Stage:
    """What one step made and left out."""

    name: str
    """Step, as printed."""
    made: pl.DataFrame
    """``locale``, ``rows``: counts."""
    findings: pl.DataFrame
    """`FINDINGS` of the step."""
    notes: dict[str, int | str]
    """Further figures."""


@dataclass(frozen=True, slots=True)
class BuiltTables:
    """The tables of a release and the account of how they came about."""

    recipe: Recipe
    """The recipe, every source pinned to what was read."""
    questions: pl.DataFrame
    """`QUESTIONS`, by template and locale."""
    annotations: pl.DataFrame
    """`ANNOTATIONS`, one row per question."""
    mcqs: McqBuild
    """Multiple-choice questions, made when they are written."""
    sources: tuple[SourceInfo, ...]
    """What was read."""
    stages: tuple[Stage, ...]
    """The steps, in order."""

    def annotation_rows(self) -> pl.DataFrame:
        """Annotations with the columns of `rows.Annotation`: question texts, language and topic joined in."""
        return self.questions.drop("source").join(
            self.annotations.drop("source"), on=KEY, how="inner", validate="1:1", maintain_order="left"
        )

    def mcq_batches(self, notify: Notify = unheard) -> Iterator[pl.DataFrame]:
        """Multiple-choice questions as published, in batches; tells ``notify`` how many are written."""
        done, total = 0, self.mcqs.n_mcqs
        for batch in self.mcqs.batches():
            yield batch
            done += len(batch)
            notify("write multiple-choice questions", done, total)

    def findings(self) -> pl.DataFrame:
        """Every oddity and every row left out, with the step that met it."""
        return pl.concat(
            stage.findings.select(pl.lit(stage.name).alias("stage"), *FINDINGS.names()) for stage in self.stages
        )

    def report(self, tags: Sequence[str]) -> tuple[StageReport, ...]:
        """The build report: counts per step, locales in the order of ``tags``."""
        return tuple(_report(stage, tags) for stage in self.stages)

    def figures(self) -> pl.DataFrame:
        """One row per locale: ``questions``, ``answered``, ``groups``, ``votes``, ``proposed``, ``mcqs``."""
        counted = self.annotations.group_by("locale").agg(
            questions=pl.len(),
            answered=(pl.col("annotations").list.len() > 0).sum(),
            groups=pl.col("annotations").list.len().sum(),
            votes=pl.col("annotations").list.explode().struct.field("count").sum(),
            proposed=(pl.col("grouping") == "proposed").sum(),
        )
        mcqs = self.mcqs.summary.select("locale", "mcqs")
        return (
            counted.join(mcqs, on="locale", how="left").with_columns(pl.col("mcqs").fill_null(0)).sort("locale")
        )


def build_tables(
    recipe: Recipe,
    *,
    base: Path = Path(),
    places: Mapping[str, Path] | None = None,
    locales: Registry | None = None,
    notify: Notify = unheard,
) -> BuiltTables:
    """Build everything that a recipe describes, except files.

    Args:
        recipe: What to build.
        base: Folder to which the recipe's relative locations refer.
        places: Directories by location, for sources that lie elsewhere than the recipe says.
        locales: The known locales; those of the package when absent.
        notify: Told about progress.

    Raises:
        BlendError: If an input is not as it must be.
    """
    known = locales or registry()
    inputs = read_inputs(recipe, base=base, places=places, locales=known, notify=notify)
    notify("build tables", 0, 2)
    annotations, aggregation = _annotations(inputs, recipe)
    notify("build tables", 1, 2)
    mcqs = build_mcq(
        inputs.questions,
        annotations,
        options=recipe.mcq,
        seed=recipe.seed,
        judges=judges_of(recipe.mcq.judge, base),
        fillers=fillers_of(recipe.mcq, base),
        locales=known,
    )
    notify("build tables", 2, 2)
    return BuiltTables(
        recipe=_pinned(recipe, inputs),
        questions=inputs.questions,
        annotations=annotations,
        mcqs=mcqs,
        sources=(*inputs.infos, *reviewed_files(recipe.mcq, base)),
        stages=(*_reading(inputs), *aggregation, _mcq_stage(mcqs)),
    )


def _pinned(recipe: Recipe, inputs: Inputs) -> Recipe:
    pins = [{"sha256": info.sha256, "revision": info.revision} for info in inputs.infos]
    sources = [source.model_copy(update=pin) for source, pin in zip(recipe.sources, pins, strict=True)]
    return recipe.model_copy(update={"sources": tuple(sources)})


def _annotations(inputs: Inputs, recipe: Recipe) -> tuple[pl.DataFrame, list[Stage]]:
    """Annotations of all questions, and the aggregation's account where there was one."""
    asked = inputs.questions.join(inputs.annotations, on=KEY, how="anti")
    if asked.is_empty():
        return inputs.annotations, []
    result = aggregate(asked, inputs.responses, inputs.reviews, options=recipe.saq)
    stage = Stage("aggregate responses", _rows(result.annotations), result.findings, {})
    return pl.concat([inputs.annotations, result.annotations]).sort(KEY), [stage]


def _reading(inputs: Inputs) -> list[Stage]:
    return [
        Stage(
            f"read {source.info.kind} {source.info.location}".strip(),
            _rows(source.questions),
            source.findings,
            {"responses": len(source.responses), "reviews": len(source.reviews)},
        )
        for source in inputs.sources
    ]


def _mcq_stage(mcqs: McqBuild) -> Stage:
    dropped = mcqs.dropped.select(
        kind="reason",
        source=pl.lit(None, pl.String),
        locale="locale",
        template_id="template_id",
        detail="detail",
    )
    decided = {
        f"{row['judge']}, {verdict}": row[verdict]
        for row in mcqs.deciders.iter_rows(named=True)
        for verdict in ("same", "different")
    }
    made = mcqs.summary.select("locale", rows="mcqs")
    return Stage("make multiple-choice questions", made, pl.concat([empty(FINDINGS), dropped]), decided)


def _rows(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.group_by("locale").agg(rows=pl.len().cast(pl.Int64))


def _report(stage: Stage, tags: Sequence[str]) -> StageReport:
    made = dict(stage.made.select("locale", "rows").iter_rows())
    kinds = stage.findings["kind"].value_counts().sort("kind")
    return StageReport(
        stage=stage.name,
        kept={tag: made[tag] for tag in tags if tag in made},
        findings=dict(kinds.iter_rows()),
        notes=stage.notes,
    )
