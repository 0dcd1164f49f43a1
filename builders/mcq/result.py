"""Result of building multiple-choice questions: the questions, and why others are missing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from blend.builders.mcq.options import are_apart
from blend.builders.mcq.published_mcqs import McqRow, published_rows, true_false_rows
from blend.builders.mcq.verdicts import FOUND, ON_NOTHING, VOID, Verdicts
from blend.schemas.frames import FINDINGS, KEY, MCQ_ROWS, VERDICTS, Stage, empty
from blend.schemas.locales import Registry
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.reports import finding_kinds
from blend.schemas.rows import LETTERS, MULTIPLE_CHOICE_QUESTIONS, SHORT_ANSWER_QUESTIONS
from blend.schemas.texts import agreeing, pluralise

_NO_ENGLISH = "no-translation"
"""Finding of a question with answers that nobody has put into English; `builders.saq` reports it."""

STAGE = "make multiple-choice questions"
"""Name of the step in the build report."""

_UNKNOWN = "votes of {} questions are unknown; no multiple-choice question is made of them"

_ROWS_PER_BATCH = 5_000
"""Rows that get their published columns at once: those of all would take the most memory of a build."""

DROPPED = FOUND
"""One row per question that yields no multiple-choice question."""

SHORT = "short"
"""Reason of questions for which too few options are left."""

_SUMMARY = pl.Schema(
    {"locale": pl.String(), "questions": pl.Int64(), "dropped": pl.Int64(), "mcqs": pl.Int64()}
)
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
    """`_SUMMARY`: counts by locale."""
    deciders: pl.DataFrame
    """`judges.DECIDERS`: which judge decided how many pairs."""
    found: pl.DataFrame
    """`verdicts.FOUND`: slips put right, verdicts that do not count; empty in paper mode."""
    reading: pl.DataFrame
    """`READING`: who has read what the questions show; empty in paper mode."""
    beside_models: pl.DataFrame = field(default_factory=lambda: empty(VERDICTS))
    """`verdicts.Verdicts.beside_models`: what models say of options, and people of the same."""
    given: pl.DataFrame = field(default_factory=lambda: empty(MCQ_ROWS))
    """`MCQ_ROWS` that a source has with their options (`given_rows`); behind those that are made."""
    true_false: frozenset[str] | None = None
    """Ids of the questions of which true-false questions are made; null where these are not asked for."""

    @property
    def n_mcqs(self) -> int:
        """Count the multiple-choice questions."""
        return int(self.summary["mcqs"].sum())

    def stage(self, unknown: pl.DataFrame, *, with_unread: bool) -> Stage:
        """The step of the build report: what was made, and why other questions are missing.

        Args:
            unknown: By ``locale``, of how many questions (``n``) the votes are not known, so that none is made.
            with_unread: Whether it says of which regions options are shown that nobody has read.
        """
        unread = unread_findings(self.reading) if with_unread else []
        found = pl.concat([self.found, self.dropped]).select("reason", "locale", "template_id", "detail")
        rows = [
            *((kind, None, tag, template_id, detail) for kind, tag, template_id, detail in found.iter_rows()),
            *(("unknown-votes", None, tag, None, _UNKNOWN.format(n)) for tag, n in unknown.iter_rows()),
            *((UNREAD, None, tag, None, detail) for tag, detail in unread),
        ]
        notes: dict[str, int | str] = {
            f"{row['judge']}, {verdict}": row[verdict]
            for row in self.deciders.iter_rows(named=True)
            for verdict in ("same", "different")
        }
        if unread:
            notes[UNREAD] = unread_summary(self.reading)
        if n_void := self.found.filter(reason=VOID).height:
            notes[VOID] = f"verdicts on {pluralise(n_void, 'question')} do not count: the words are others now"
        if n_idle := self.found.filter(reason=ON_NOTHING).height:
            what = "verdicts are on what is not there, and do not count"
            notes[ON_NOTHING] = f"{pluralise(n_idle, 'finding')}: {what}"
        made = self.summary.select("locale", rows="mcqs")
        return Stage(STAGE, made, pl.DataFrame(rows, FINDINGS, orient="row"), notes)

    def batches(self) -> Iterator[pl.DataFrame]:
        """Make the multiple-choice questions as published, `frames.MCQ_ROWS`, some thousands at a time."""
        for rows in self.mcqs.iter_slices(_ROWS_PER_BATCH):
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
    # In full, since a source can ask in locales for which nothing was made.
    summary = made.summary.join(counts, on="locale", how="full", coalesce=True).with_columns(
        pl.col("questions", "dropped", "mcqs", "given").fill_null(0)
    )
    ranked = pl.col("locale").replace_strict({tag: i for i, tag in enumerate(made.locales.tags)})
    total = summary.with_columns(mcqs=pl.col("mcqs") + pl.col("given")).sort(ranked).select(list(_SUMMARY))
    return replace(made, given=given, summary=total)


def summarise(mcqs: pl.DataFrame, dropped: pl.DataFrame, tags: Sequence[str]) -> pl.DataFrame:
    """`_SUMMARY`: what there is and what was dropped, by locale, in the order of ``tags``."""
    found = mcqs.group_by("locale").agg(questions=pl.col("template_id").n_unique(), mcqs=pl.len())
    lost = dropped.group_by("locale").agg(dropped=pl.len())
    rows = pl.DataFrame({"locale": tags}, {"locale": pl.String()})
    for counts in (found, lost):
        rows = rows.join(counts, on="locale", how="left", maintain_order="left")
    return rows.with_columns(pl.exclude("locale").fill_null(0)).select(list(_SUMMARY)).cast(_SUMMARY)


# Who has read what questions show

READING = pl.Schema(
    {
        "locale": pl.String(),
        "mcqs": pl.Int64(),
        "with_unread": pl.Int64(),
        "options": pl.Int64(),
        "natives": pl.Int64(),
        "others": pl.Int64(),
        "model": pl.Int64(),
        "by_question": pl.Int64(),
        "nobody": pl.Int64(),
    }
)
"""One row per locale asked about, in registry order: multiple-choice questions, those of them that show an
option that nobody has read, and the options that they show, by who has read them: natives of the region, other
people, a language model alone (of these those of which that is known ``by_question``), or nobody, neither
person nor model."""


def reading_frame(made: Iterable[McqRow], verdicts: Verdicts, tags: Iterable[str]) -> pl.DataFrame:
    """Count who has read what questions show.

    Args:
        made: The questions.
        verdicts: Who has read what.
        tags: Locales in the order of the rows; those without questions have none.

    Returns:
        `READING`.
    """
    counts: dict[str, Counter[str]] = {}
    for one in made:
        readers = [
            verdicts.read_by(one.template_id, one.locale, text, origin) or "nobody"
            for text, origin in one.options
        ]
        of_locale = counts.setdefault(one.locale, Counter())
        of_locale.update(readers, mcqs=1, with_unread=int("nobody" in readers), options=len(readers))
    rows = [
        {"locale": tag, **{name: counts[tag][name] for name in READING if name != "locale"}}
        for tag in tags
        if tag in counts
    ]
    # A model has read these as well; `READING` counts them in both columns.
    return pl.DataFrame(rows, READING).with_columns(model=pl.col("model") + pl.col("by_question"))


def unread_findings(reading: pl.DataFrame) -> list[tuple[str, str]]:
    """Say by locale how many questions show options that nobody has read; locale and sentence."""
    sentence = (
        "{with_unread:,} of {mcqs:,} multiple-choice questions show options that nobody has read: "
        "{nobody:,} of {options:,}"
    )
    rows = reading.filter(pl.col("with_unread") > 0).iter_rows(named=True)
    return [(row["locale"], sentence.format(**row)) for row in rows]


def unread_summary(reading: pl.DataFrame) -> str:
    """Say how many questions show options that nobody has read, in all and by locale."""
    rows = reading.filter(pl.col("with_unread") > 0).iter_rows(named=True)
    by_locale = ", ".join(f"{row['locale']} {row['with_unread']:,} of {row['mcqs']:,}" for row in rows)
    total, of = int(reading["with_unread"].sum()), int(reading["mcqs"].sum())
    return f"{total:,} of {of:,} multiple-choice questions show options that nobody has read ({by_locale})"


UNREAD = "unread-options"
"""Finding, and note of the build report: which regions' questions show options that nobody has read."""


def verdict_notes(manifest: ReleaseManifest, recipe: str = "") -> Iterator[tuple[str, str]]:
    """List what the build report of a release says of verdicts, and what to do about each.

    Args:
        manifest: The manifest of the release.
        recipe: What commands call the recipe; without it they use the one in the folder, or the sample.
    """
    command = "blend questions options"
    for stage in manifest.report:
        for kind in (VOID, ON_NOTHING, UNREAD):
            if kind in stage.notes:
                remedy = finding_kinds()[kind].remedy
                yield str(stage.notes[kind]), remedy.replace(command, f"{command} {recipe}".strip())


# Why questions are missing: too few regions are asked the same

_OTHERS_NEEDED = len(LETTERS) - 1
"""Other regions whose answers stand beside the one that counts."""

_EACH_NEEDS = (
    f"Each shows an answer of one region beside {_OTHERS_NEEDED} answers of other regions, so at least "
    f"{len(LETTERS)} regions must be asked the same question: ask BLEnD's own, by its template ids, with its "
    'published answers as a further source (`kind = "blend"`, whose regions the key `locales` must not leave '
    "out), ask more regions, or propose options (docs/mcq.md)"
)


def too_few_regions(asked: pl.DataFrame, locales: Registry) -> str | None:
    """Say what is missing for every question to become one of multiple choice, whatever people answer.

    Args:
        asked: One row per question: ``template_id``, ``locale``.
        locales: Known locales.

    Returns:
        Null if nothing is missing.
    """
    known = [locales.get(tag) for tag in asked["locale"].unique().sort()]
    akin = {one.tag: [other.tag for other in known if not are_apart(one, other)] for one in known}
    region = {one.tag: one.region for one in known}
    short = 0
    for tags in asked.group_by("template_id").agg(pl.col("locale").unique())["locale"].to_list():
        others = ({region[other] for other in set(tags).difference(akin[tag])} for tag in tags)
        short += sum(len(regions) < _OTHERS_NEEDED for regions in others)
    if not short:
        return None
    n_questions, asks = asked.unique(KEY).height, ", ".join(dict.fromkeys(region.values()))
    return (
        f"{short:,} of {pluralise(n_questions, 'question')} cannot become multiple-choice questions. "
        f"{_EACH_NEEDS}. Regions asked here: {asks}"
    )


def why_none_made(manifest: ReleaseManifest, recipe: str = "") -> str | None:
    """Say why a release has no multiple-choice questions, and what helps.

    Args:
        manifest: The manifest of the release.
        recipe: What commands call the recipe.

    Returns:
        Null if there are some, or no questions at all.
    """
    tables = [table for table in manifest.tables if table.config == SHORT_ANSWER_QUESTIONS]
    asked = sum(table.rows for table in tables)
    if not asked or any(table.config == MULTIPLE_CHOICE_QUESTIONS and table.rows for table in manifest.tables):
        return None
    dropped = next((stage.findings for stage in manifest.report if stage.stage == STAGE), {})
    # What is odd about verdicts is noted in the same step, and leaves no question out.
    causes = ", ".join(f"{kind} {count:,}" for kind, count in dropped.items() if kind not in (VOID, ON_NOTHING))
    no_english = sum(stage.findings.get(_NO_ENGLISH, 0) for stage in manifest.report)
    n_regions, remedies = len({table.split.partition("_")[0] for table in tables}), []
    if n_regions < len(LETTERS):
        remedies.append(f"{_EACH_NEEDS}. There {agreeing(n_regions, 'is', 'are')} {n_regions}.")
    elif not no_english:
        remedies.append(f"{_EACH_NEEDS}.")
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
