"""The reply sheet of a run: replies that are drawn with known probabilities for natives to judge.

Natives do not see the accepted answers: what they say is to be theirs, and not the string rule's once more.
Sheets that came back become people's labels on items (`judging.labels`).
"""

import os
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from blend.eval.items import text_digest
from blend.eval.judging.labels import LABELS_NAME, TIE, read_labels, read_reply_verdicts, write_labels
from blend.eval.report import ScoredRun, single_answers
from blend.eval.runs.run_directory import read_frame, write_frame
from blend.eval.scores_json import UNANSWERED, Score, agreement_scores, whole_and_parts
from blend.loaders.files.new_files import write_sheet
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.frames import KEY
from blend.schemas.models import FrozenModel
from blend.schemas.sheets import CORRECT, REPLY_SHEET
from blend.schemas.texts import clean, pluralise

DRAWN_NAME = "drawn.parquet"

SHOWN = ("id", "locale", "region", "question", "reply")

DRAWN = pl.Schema(
    {
        **{name: REPLY_SHEET.columns[name] for name in SHOWN},
        "template_id": pl.String(),
        "stratum": pl.String(),
        "probability": pl.Float64(),
    }
)
"""One row per reply that was drawn from some runs, each of which keeps all rows: what a sheet shows of it, its
stratum within its locale, and the probability with which it was drawn."""

_ID_DIGITS = 12
_LEAST = 2
"""Replies of a stratum that are drawn at least, where it has as many: of one, nothing says how sure it is."""


def replies(run: ScoredRun) -> pl.DataFrame:
    """The replies of a run, an item each; without those that say nothing, which nobody has to judge.

    Returns:
        The decisions of `ScoredRun.decisions` with ``locale``, ``question``, ``reply`` and ``id``, the same for
        one reply to a question, whichever model gave it to whichever prompt.

    Raises:
        InputError: If the task is another one, or the run is not scored.
    """
    if not run.task.people_label:
        raise InputError(
            f"{run.run.directory}: the task {run.task.name} has no replies to judge; name runs of short-answer"
        )
    answered = single_answers(run).filter(
        pl.col("correct").is_not_null()
        & (pl.col("why") != UNANSWERED)
        & (pl.col("answer").str.strip_chars() != "")
    )
    gold = run.run.gold(*KEY, "question", "en_question")
    rows = run.run.items("item_id", "locale").join(answered, on="item_id", how="inner", maintain_order="left")
    ids = [
        # With a letter before them, which keeps spreadsheets from reading them as numbers.
        f"r{text_digest(f'{template_id}|{locale}|{clean(answer)}')[:_ID_DIGITS]}"
        for template_id, locale, answer in rows.select(*KEY, "answer").iter_rows()
    ]
    return rows.join(gold, on=KEY, how="left", maintain_order="left").with_columns(
        pl.Series("id", ids, pl.String),
        question=pl.when(pl.col("question") == "").then("en_question").otherwise("question"),
        reply=pl.col("answer").str.strip_chars(),
    )


def draw_replies(
    runs: Sequence[ScoredRun], *, sample: int, locales: Sequence[str] | None = None, seed: int = 0
) -> pl.DataFrame:
    """Draw replies of each locale, from strata of one verdict and topic.

    The verdict is that of the rule by which the runs are scored; of a judge also that of the string rule. Two
    replies of each stratum come first, then as many as its size asks for (Webster's rule, by which a larger
    sample takes none away). Topics are no strata where the sample has no two places for each.

    Args:
        runs: Scored runs of short-answer; a reply that several gave is there once.
        sample: Replies of each locale; all where there are no more.
        locales: Locales to draw from; all when absent.
        seed: Another seed draws others.

    Returns:
        `DRAWN`, by locale and id.

    Raises:
        InputError: If a run is of another task, nobody replied, or the sample is too small for the verdicts.
        UnknownNameError: If no run has a locale; lists those there are.
    """
    every = pl.concat(
        [rows.select(*SHOWN, "template_id", "topic", verdict=_verdicts(rows)) for rows in map(replies, runs)]
    ).unique("id", keep="first", maintain_order=True)
    if every.is_empty():
        raise InputError(
            f"{runs[0].run.directory}: the model replied nothing, or no reply has a verdict by the rule "
            f"{runs[0].scores.rule!r}, so there is nothing to judge"
        )
    held = every["locale"].unique().sort().to_list()
    for locale in locales or ():
        if locale not in held:
            raise UnknownNameError("locale of the runs", locale, held)
    known = {code: locale for one in runs for code, locale in one.run.asked().by_region.items()}
    native = {code: locale.native_name for code, locale in known.items()}
    drawn = [_of_locale(every.filter(locale=tag), sample, seed) for tag in locales or held]
    named = pl.concat(drawn).with_columns(pl.col("region").replace(native))
    return named.select(list(DRAWN)).cast(DRAWN).sort("locale", "id")


def _verdicts(rows: pl.DataFrame) -> pl.Expr:
    """What a string rule says of each reply, ``correct`` or ``wrong``, and behind it what a judge says."""

    def in_words(column: str) -> pl.Expr:
        return pl.when(column).then(pl.lit("correct")).otherwise(pl.lit("wrong"))

    if "by_rule" not in rows.columns:
        return in_words("correct")
    return pl.concat_str(in_words("by_rule"), pl.col("verdict"), separator="/")


def _of_locale(rows: pl.DataFrame, sample: int, seed: int) -> pl.DataFrame:
    for stratum in (pl.concat_str("verdict", "topic", separator="/"), pl.col("verdict")):
        strata = rows.with_columns(stratum=stratum)
        sizes = strata["stratum"].value_counts().sort("stratum")
        if sizes["count"].clip(upper_bound=_LEAST).sum() <= sample:
            break
    else:
        raise InputError(
            f"{rows[0, 'locale']}: a sample of {sample} is too small for {_LEAST} of each of "
            f"{pluralise(sizes.height, 'kind')} ({', '.join(sizes['stratum'])}); draw more (`sample`)"
        )
    order = pl.Series([text_digest(f"{seed}|{name}") for name in rows["id"]])
    return first_of_strata(strata.with_columns(order=order).sort("order"), sample)


def first_of_strata(rows: pl.DataFrame, sample: int) -> pl.DataFrame:
    """Take the first rows of each ``stratum``: `_LEAST`, then as its size asks for; with a ``probability``."""
    number, size = pl.int_range(1, pl.len() + 1).over("stratum"), pl.len().over("stratum")
    return (
        rows.with_columns(number=number, size=size)
        .sort(pl.col("number") > _LEAST, (2 * pl.col("number") - 1) / pl.col("size"), "stratum")
        .head(sample)
        .with_columns(probability=pl.len().over("stratum") / pl.col("size"))
    )


def keep_drawn(runs: Sequence[ScoredRun], drawn: pl.DataFrame, out: Path) -> None:
    """Write the sheet of a draw, and keep in each of the runs what was drawn.

    Raises:
        InputError: If another draw of a locale is kept that this one does not hold: somebody may have its
            sheet. Also as `files.new_files.write_sheet`.
        StorageError: If something cannot be written.
    """
    kept = []
    for run in runs:
        earlier = read_drawn(run) if os.path.lexists(run.run.directory / DRAWN_NAME) else drawn.clear()
        same = earlier.join(drawn, on="locale", how="semi")
        if lost := same.join(drawn, on="id", how="anti")["locale"].unique().sort().to_list():
            raise InputError(
                f"{run.run.directory}: other replies of {', '.join(lost)} were drawn before, for a sheet that "
                "people may have; draw with that `seed` and as many or more (`sample`), or delete "
                f"{DRAWN_NAME} there"
            )
        kept.append(pl.concat([earlier.join(drawn, on="locale", how="anti"), drawn]).sort("locale", "id"))
    write_replies(drawn, out)
    for run, rows in zip(runs, kept, strict=True):
        write_frame(run.run.directory / DRAWN_NAME, rows)


def read_drawn(run: ScoredRun) -> pl.DataFrame:
    """What was drawn from a run: `DRAWN`.

    Raises:
        InputError: If nothing was.
        RowError: If it is not as it was written.
    """
    path = run.run.directory / DRAWN_NAME
    if not os.path.lexists(path):
        raise InputError(
            f"{run.run.directory}: no replies were drawn from this run; draw some: "
            f"blend eval judge-sheet {run.run.directory}"
        )
    return read_frame(path, DRAWN, fix="restore it from a copy, or delete it and draw again")


def write_replies(rows: pl.DataFrame, out: Path) -> None:
    """Write replies, `SHOWN`, as a sheet to be filled in; see `files.new_files.write_sheet`."""
    blank = [pl.lit(None, pl.String).alias(name) for name in REPLY_SHEET.filled]
    write_sheet(REPLY_SHEET, rows.select(SHOWN).with_columns(*blank), out)


class LabelledReplies(FrozenModel):
    """People's verdicts on the replies that were drawn from a run, as they were kept."""

    annotators: tuple[str, ...]
    """Who judged."""
    n_drawn: int
    """Replies that were drawn, of all runs of the draw."""
    n_judged: int
    """Those of them that anybody judged."""
    n_alone: int
    """Those that one person alone judged."""
    n_ties: int
    """Those on which as many people say one thing as another."""
    n_labels: int
    """Items of the run that have a label now."""
    n_earlier: int
    """Items that had one before, all of which are replaced."""
    scores: tuple[Score, ...]
    """How far two people agree on *correct* or not, overall and by locale."""

    def in_words(self) -> str:
        """The counts as a sentence."""
        earlier = f", in place of {self.n_earlier:,} earlier ones" if self.n_earlier else ""
        return (
            f"{self.n_judged:,} of {self.n_drawn:,} drawn replies judged, {self.n_alone:,} by one person; "
            f"{pluralise(self.n_ties, 'tie')}; {pluralise(self.n_labels, 'label')} in {LABELS_NAME}{earlier}"
        )


def label_replies(
    run: ScoredRun,
    paths: Sequence[Path],
    *,
    ties: Path | None = None,
    seed: int = 0,
) -> LabelledReplies:
    """Keep people's verdicts on a run's replies as its labels (`judging.labels`), in place of earlier ones.

    What most people say of a reply is its verdict. In a locale of which somebody judged anything, replies that
    nobody judged are taken for a random part of those drawn: the probabilities of the others are scaled so that
    they stand for them.

    Args:
        run: A scored run that replies were drawn from.
        paths: Filled-in sheets, each of the annotator whose name the file has; or tables with ``id``,
            ``annotator`` and ``verdict``.
        ties: Sheet to make, of the replies on which people are divided, for one more of them to judge.
        seed: Seed of the intervals, which are over templates.

    Raises:
        InputError: If nothing was drawn, a file cannot be used, or nobody judged anything; also as
            `files.new_files.write_sheet`.
        RowError, RowErrors: If a row is not of the draw, names no verdict, or is somebody's second on a reply.
        StorageError: If something cannot be written.
    """
    drawn = read_drawn(run)
    asked = dict(drawn.select("id", "reply").iter_rows())
    verdicts, earlier = read_reply_verdicts(paths, asked), read_labels(run.run.directory)
    judged = _judged(drawn, verdicts)
    divided = judged.filter(pl.col("label").str.contains(TIE, literal=True))
    if ties is not None and not divided.is_empty():
        write_replies(divided, ties)
    found = judged.select("id", "annotators", "probability", verdict="label")
    labels = replies(run).select("item_id", "id").join(found, on="id", how="inner", maintain_order="left")
    write_labels(run.run.directory, labels)
    return LabelledReplies(
        annotators=tuple(sorted(verdicts["annotator"].unique())),
        n_drawn=drawn.height,
        n_judged=judged.height,
        n_alone=judged.filter(n=1).height,
        n_ties=divided.height,
        n_labels=labels.height,
        n_earlier=0 if earlier is None else earlier.height,
        scores=tuple(
            score
            for scope, key, rows in whole_and_parts("locale", judged.filter(pl.col("n") > 1))
            for score in agreement_scores(
                "agreement", rows["yes"], rows["n"], rows["template_id"], seed, scope=scope, key=key
            )
        ),
    )


def _judged(drawn: pl.DataFrame, verdicts: pl.DataFrame) -> pl.DataFrame:
    """The replies drawn that anybody judged, with ``label``, ``annotators``, how many they are and say yes."""
    by_reply = verdicts.group_by("id").agg(
        label=pl.col("verdict").mode().sort().str.join(TIE),
        annotators=pl.col("annotator").sort().str.join(TIE),
        n=pl.len(),
        yes=(pl.col("verdict") == CORRECT).sum(),
    )
    weight, is_judged = 1 / pl.col("probability"), pl.col("label").is_not_null()
    response = weight.filter(is_judged).sum().over("locale") / weight.sum().over("locale")
    return (
        drawn.join(by_reply, on="id", how="left", maintain_order="left")
        # The largest cannot be above 1 but by a rounding.
        .with_columns(probability=pl.min_horizontal(pl.col("probability") * response, 1.0))
        .filter(is_judged)
    )
