"""Result of building multiple-choice questions: the questions, and why others are missing."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from blend.builders.mcq.options import are_apart
from blend.builders.mcq.published_mcqs import published_rows, true_false_rows
from blend.schemas.frames import COMPACT_ROWS, MCQ_ROWS, VERDICTS, empty
from blend.schemas.locales import Registry
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.rows import LETTERS, MULTIPLE_CHOICE_QUESTIONS, SHORT_ANSWER_QUESTIONS
from blend.schemas.texts import agreeing, pluralise

NO_ENGLISH = "no-translation"
"""Finding of a question with answers that nobody has put into English; `builders.saq` reports it."""

STAGE = "make multiple-choice questions"
"""Name of the step in the build report."""

VOID = "void-verdicts"
"""Finding, and note of the build report: verdicts quote a question in other words than it is asked in."""
ON_NOTHING = "verdicts-on-nothing"
"""The same: verdicts are on options that nobody gave, or on questions that are not asked."""

ROWS_PER_BATCH = 5_000
"""Rows that get their published columns at once: those of all would take the most memory of a build."""

DROPPED = pl.Schema(
    {"template_id": pl.String(), "locale": pl.String(), "reason": pl.String(), "detail": pl.String()}
)
"""One row per question that yields no multiple-choice question."""

SHORT = "short"
"""Reason of questions for which too few options are left."""

FOUND = DROPPED
"""One row per answer or question of which something else is said or shown than before.

``reason`` and ``detail`` are those of a finding, see `builders.mcq.verdicts`.
"""

SUMMARY = pl.Schema({"locale": pl.String(), "questions": pl.Int64(), "dropped": pl.Int64(), "mcqs": pl.Int64()})
"""One row per locale, in registry order: questions with and without multiple-choice questions, and how many."""


@dataclass(frozen=True)
class McqBuild:
    """Multiple-choice questions, with an account of all others."""

    mcqs: pl.DataFrame
    """`frames.MCQS`, by template, locale in registry order, and variant."""
    questions: pl.DataFrame
    """The questions asked, `frames.QUESTIONS`."""
    locales: Registry
    """Names of the regions."""
    dropped: pl.DataFrame
    """`DROPPED`: every question that yields nothing, with the reason; by template and locale."""
    summary: pl.DataFrame
    """`SUMMARY`: counts by locale."""
    deciders: pl.DataFrame
    """`judges.panel.DECIDERS`: which judge decided how many pairs."""
    found: pl.DataFrame
    """`FOUND`: slips put right, verdicts on other wordings; empty in paper mode."""
    reading: pl.DataFrame
    """`reading.READING`: who has read what the questions show; empty in paper mode."""
    beside_models: pl.DataFrame = field(default_factory=lambda: empty(VERDICTS))
    """`verdicts.Verdicts.beside_models`: what models say of options, and people of the same."""
    given: pl.DataFrame = field(default_factory=lambda: empty(MCQ_ROWS))
    """`MCQ_ROWS` that a source has with their options (`given_questions`); behind those that are made."""
    compact: pl.DataFrame = field(default_factory=lambda: empty(COMPACT_ROWS))
    """`COMPACT_ROWS`; empty where no file chooses any."""
    true_false: frozenset[str] | None = None
    """Ids of the questions of which true-false questions are made; null where these are not asked for."""

    @property
    def n_mcqs(self) -> int:
        """Count the multiple-choice questions."""
        return int(self.summary["mcqs"].sum())

    def batches(self) -> Iterator[pl.DataFrame]:
        """Make the multiple-choice questions as published, `frames.MCQ_ROWS`, some thousands at a time."""
        for rows in self.mcqs.iter_slices(ROWS_PER_BATCH):
            yield published_rows(rows, self.questions, locales=self.locales)
        if not self.given.is_empty():
            yield self.given

    def true_false_batches(self) -> Iterator[pl.DataFrame]:
        """Make `frames.TRUE_FALSE_ROWS` of the options of those questions that are sure enough."""
        for mcqs in self.batches():
            yield true_false_rows(mcqs.filter(pl.col("mcq_id").is_in(self.true_false or ())), self.locales)


def with_given(made: McqBuild, given: pl.DataFrame) -> McqBuild:
    """Multiple-choice questions made here and `MCQ_ROWS` that a source has, counted together."""
    if given.is_empty():
        return made
    counts = given.group_by("locale").agg(given=pl.len().cast(pl.Int64))
    summary = made.summary.join(counts, on="locale", how="full", coalesce=True).with_columns(
        pl.col("questions", "dropped", "mcqs", "given").fill_null(0)
    )
    ranked = pl.col("locale").replace_strict({tag: i for i, tag in enumerate(made.locales.tags)})
    total = summary.with_columns(mcqs=pl.col("mcqs") + pl.col("given")).sort(ranked).select(list(SUMMARY))
    return replace(made, given=given, summary=total)


ABSENT = "compact-absent"
"""Finding: a question was chosen that is not in the release, since its options are others now."""


def with_compact(made: McqBuild, chosen: pl.DataFrame) -> McqBuild:
    """Multiple-choice questions with those that stand for all, and a finding for each that is not there.

    Args:
        made: All questions.
        chosen: `frames.COMPACT_ITEMS`.
    """
    batches = (rows.join(chosen, on="mcq_id", how="inner", maintain_order="left") for rows in made.batches())
    rows = pl.concat([empty(COMPACT_ROWS), *(batch.select(list(COMPACT_ROWS)) for batch in batches)])
    absent = chosen.join(rows, on="mcq_id", how="anti", maintain_order="left")
    found = [(None, None, ABSENT, f"{name}, weight {weight:g}") for name, weight in absent.iter_rows()]
    return replace(made, compact=rows, found=pl.concat([made.found, pl.DataFrame(found, FOUND, orient="row")]))


def summarise(mcqs: pl.DataFrame, dropped: pl.DataFrame, tags: Sequence[str]) -> pl.DataFrame:
    """`SUMMARY`: what there is and what was dropped, by locale, in the order of ``tags``."""
    found = mcqs.group_by("locale").agg(questions=pl.col("template_id").n_unique(), mcqs=pl.len())
    lost = dropped.group_by("locale").agg(dropped=pl.len())
    rows = pl.DataFrame({"locale": tags}, {"locale": pl.String()})
    for counts in (found, lost):
        rows = rows.join(counts, on="locale", how="left", maintain_order="left")
    return rows.with_columns(pl.exclude("locale").fill_null(0)).select(list(SUMMARY)).cast(SUMMARY)


# Why questions are missing: too few regions are asked the same

OTHERS_NEEDED = len(LETTERS) - 1
"""Other regions whose answers stand beside the one that counts."""

EACH_NEEDS = (
    f"Each shows an answer of one region beside {OTHERS_NEEDED} answers of other regions, so at least "
    f"{len(LETTERS)} regions must be asked the same question: ask BLEnD's own, by its template ids, with its "
    'published answers as a further source (`kind = "blend"`), ask more regions, or propose options '
    "(docs/mcq.md)"
)

LEAVE_LOCALES_OUT = (
    f"Each shows an answer of one region beside {OTHERS_NEEDED} answers of other regions, and the recipe's key "
    "`locales` leaves out the regions of its source of kind 'blend' that would give them: leave `locales` out"
)


def too_few_regions(asked: pl.DataFrame, locales: Registry) -> str | None:
    """Say what is missing for every question to become one of multiple choice, whatever people answer.

    Args:
        asked: One row per question: ``template_id``, ``locale``.
        locales: Known locales.

    Returns:
        Null if nothing is missing.
    """
    known = {tag: locales.get(tag) for tag in asked["locale"].unique().sort()}
    together = {
        tag: tuple(other for other in known if other == tag or not are_apart(locale, known[other]))
        for tag, locale in known.items()
    }
    usable = 0
    for tags in asked.group_by("template_id").agg(pl.col("locale").unique())["locale"].to_list():
        others = ({known[other].region for other in set(tags).difference(together[tag])} for tag in tags)
        usable += sum(len(regions) >= OTHERS_NEEDED for regions in others)
    questions = asked.unique(["template_id", "locale"]).height
    if usable == questions:
        return None
    regions = list(dict.fromkeys(locale.region for locale in known.values()))
    groups = sorted({group for group in together.values() if len(group) > 1})
    as_one = "".join(f"; {', '.join(group[:-1])} and {group[-1]} count as one" for group in groups)
    missing = len(LETTERS) - len(regions)
    more = f"; {missing} more {agreeing(missing, 'is', 'are')} missing" if missing > 0 else ""
    here = f"{pluralise(len(regions), 'region')} {agreeing(len(regions), 'is', 'are')} asked"
    return (
        f"{questions - usable:,} of {pluralise(questions, 'question')} cannot become multiple-choice "
        f"questions. {EACH_NEEDS}. Here, {here} ({', '.join(regions)}){as_one}{more}"
    )


def why_none_made(manifest: ReleaseManifest, recipe: str = "") -> str | None:
    """Say why a release has no multiple-choice questions, and what helps.

    Args:
        manifest: The manifest of the release.
        recipe: What commands call the recipe.

    Returns:
        Null if there are some, or no questions at all.
    """
    rows = Counter[str]()
    for table in manifest.tables:
        rows[table.config] += table.rows
    if rows.get(MULTIPLE_CHOICE_QUESTIONS) or not rows.get(SHORT_ANSWER_QUESTIONS):
        return None
    regions = sum(table.config == SHORT_ANSWER_QUESTIONS for table in manifest.tables)
    dropped = next((stage.findings for stage in manifest.report if stage.stage == STAGE), {})
    # What is odd about verdicts is noted in the same step, and leaves no question out.
    causes = ", ".join(f"{kind} {count:,}" for kind, count in dropped.items() if kind not in (VOID, ON_NOTHING))
    few = f" There {'is' if regions == 1 else 'are'} {regions}." if regions < len(LETTERS) else ""
    has_blend = any(source.kind == "blend" for source in manifest.sources)
    needed = LEAVE_LOCALES_OUT if few and has_blend and manifest.recipe.locales is not None else EACH_NEEDS
    asked = rows[SHORT_ANSWER_QUESTIONS]
    no_english = sum(stage.findings.get(NO_ENGLISH, 0) for stage in manifest.report)
    remedies = [f"{needed}.{few}"] if few or not no_english else []
    if no_english:
        command = f"`blend reviews propose{recipe and f' {recipe}'}`"
        remedies.append(
            f"Options are answers in English: {no_english:,} of {pluralise(asked, 'question')} "
            f"{agreeing(no_english, 'has', 'have')} some without; {command} makes a sheet to write it."
        )
    return (
        f"No multiple-choice question was made of {pluralise(asked, 'question')}"
        f"{f' ({causes})' if causes else ''}. {' '.join(remedies)}"
    )
