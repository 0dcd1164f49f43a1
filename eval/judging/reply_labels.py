"""Reply labels: sheets of replies that came back, as people's verdicts on items, and how far they agree."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import BaseModel, ConfigDict

from blend.eval.judging.reply_sheet import read_drawn, replies, write_replies
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.returned_sheets import Judgement, is_unknown, read_returned
from blend.eval.runs.labels import LABELS_NAME, TIE, read_labels, write_labels
from blend.eval.scores_json import ALL, Score, agreement_scores
from blend.loaders.files.rows import Cells, Columns
from blend.schemas.errors import RowError
from blend.schemas.sheets import CORRECT, REPLY_VERDICTS, guarded
from blend.schemas.texts import clean, pluralise

_COLUMNS = Columns(("id", "verdict"), optional=("annotator", "reply"), others=True, returned=True)
_VERDICTS = pl.Schema(dict.fromkeys(("id", "annotator", "verdict"), pl.String()))


class LabelledReplies(BaseModel):
    """People's verdicts on the replies that were drawn from a run, as they were kept."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

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

    def to_json(self) -> str:
        """The figures as JSON."""
        return self.model_dump_json(indent=2) + "\n"


def label_replies(
    run: ScoredRun,
    paths: Sequence[Path],
    *,
    ties: Path | None = None,
    seed: int = 0,
    encoding: str | None = None,
) -> LabelledReplies:
    """Keep people's verdicts on a run's replies as its labels (`runs.labels`), in place of earlier ones.

    What most people say of a reply is its verdict. In a locale of which somebody judged anything, replies that
    nobody judged are taken for a random part of those drawn: the probabilities of the others are scaled so that
    they stand for them.

    Args:
        run: A scored run that replies were drawn from.
        paths: Filled-in sheets, each of the annotator whose name the file has; or tables with ``id``,
            ``annotator`` and ``verdict``.
        ties: Sheet to make, of the replies on which people are divided, for one more of them to judge.
        seed: Seed of the intervals, which are over templates.
        encoding: Of tables; see `loaders.files.content.read_text`.

    Raises:
        InputError: If nothing was drawn, a file cannot be used, or nobody judged anything; also as
            `files.new_files.write_new_sheet`.
        RowError, RowErrors: If a row is not of the draw, names no verdict, or is somebody's second on a reply.
        StorageError: If something cannot be written.
    """
    drawn = read_drawn(run)
    asked = dict(drawn.select("id", "reply").iter_rows())
    verdicts, earlier = read_reply_verdicts(paths, asked, encoding=encoding), read_labels(run.run.directory)
    weight, is_judged = 1 / pl.col("probability"), pl.col("label").is_not_null()
    response = weight.filter(is_judged).sum().over("locale") / weight.sum().over("locale")
    judged = (
        drawn.join(_by_reply(verdicts), on="id", how="left", maintain_order="left")
        # The largest cannot be above 1 but by a rounding.
        .with_columns(probability=pl.min_horizontal(pl.col("probability") * response, 1.0))
        .filter(is_judged)
    )
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
        scores=_agreement(judged, seed),
    )


def read_reply_verdicts(
    paths: Sequence[Path], asked: Mapping[str, str], *, encoding: str | None = None
) -> pl.DataFrame:
    """What people say of replies: ``id``, ``annotator`` and ``verdict``, by file and row.

    Rows without a verdict are left out. See `label_replies` for the arguments and errors; ``asked`` are the
    replies that were drawn, by id.
    """

    def read(rows: Sequence[Cells], person: str, problems: list[RowError]) -> Iterator[Judgement]:
        for cells in rows:
            name, verdict = (str(cells.values[key] or "").strip() for key in ("id", "verdict"))
            annotator = str(cells.values.get("annotator", person) or "").strip()
            if verdict and not is_unknown(cells, name, asked, problems):
                one = Judgement(cells.location, name, annotator, name, verdict.casefold())
                problems += _problems(one, asked[name], cells.values)
                yield one

    fill_in = f"write one of {', '.join(REPLY_VERDICTS)} into the column verdict"
    found = read_returned(paths, _COLUMNS, read, encoding=encoding, fill_in=fill_in)
    rows = [(one.id, one.annotator, one.verdict) for one in found]
    return pl.DataFrame(rows, schema=_VERDICTS, orient="row")


def _problems(one: Judgement, reply: str, values: Mapping[str, Any]) -> Iterator[RowError]:
    """What is wrong with a verdict on a reply."""
    shown = values.get("reply")
    if shown is not None and clean(str(shown)) not in {clean(reply), clean(guarded(reply))}:
        what, fix = f"it is not the reply of {one.id!r}", "sort whole rows only, and leave replies as they are"
        yield RowError(what, where=f"{one.location}, column reply", fix=fix)
    if one.verdict not in REPLY_VERDICTS:
        what = f"{str(values['verdict']).strip()!r} is no verdict"
        fix = f"write one of {', '.join(REPLY_VERDICTS)}"
        yield RowError(what, where=f"{one.location}, column verdict", fix=fix)
    if not one.annotator or TIE in one.annotator:
        what = f"{one.annotator!r} is no name" if one.annotator else "the cell is blank"
        fix = f"say who judged, without {TIE}"
        yield RowError(what, where=f"{one.location}, column annotator", fix=fix)


def _by_reply(verdicts: pl.DataFrame) -> pl.DataFrame:
    """What most people say of each reply, ``label``; ``annotators``, how many, and how many say *correct*."""
    return verdicts.group_by("id").agg(
        label=pl.col("verdict").mode().sort().str.join(TIE),
        annotators=pl.col("annotator").sort().str.join(TIE),
        n=pl.len(),
        yes=(pl.col("verdict") == CORRECT).sum(),
    )


def _agreement(judged: pl.DataFrame, seed: int) -> tuple[Score, ...]:
    """How far people agree on replies that several judged, overall and by locale."""
    several = judged.filter(pl.col("n") > 1)
    by_locale = several.partition_by("locale", as_dict=True, maintain_order=True)
    parts = {("overall", ALL): several, **{("locale", str(tag)): rows for (tag,), rows in by_locale.items()}}
    scores: list[Score] = []
    for (scope, key), rows in parts.items():
        counts = rows["yes"], rows["n"], rows["template_id"]
        scores += agreement_scores("agreement", *counts, seed, scope=scope, key=key)
    return tuple(scores)
