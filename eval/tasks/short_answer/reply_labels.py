"""Reply labels: sheets of replies that came back, as people's verdicts on items, and how far they agree."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
from pydantic import BaseModel, ConfigDict

from blend.eval.report.scored_runs import ScoredRun
from blend.eval.returned_sheets import is_unknown, read_returned
from blend.eval.runs.labels import LABELS_NAME, TIE, read_labels, write_labels
from blend.eval.scores_json import ALL, Score, agreement_scores
from blend.eval.tasks.short_answer.reply_sheet import read_drawn, replies, write_replies
from blend.loaders.files.rows import Columns
from blend.schemas.errors import InputError, RowError, raise_all
from blend.schemas.language.text_comparison import clean, pluralise
from blend.schemas.sheets.answer_sheets import guarded
from blend.schemas.sheets.reply_sheets import CORRECT, REPLY_VERDICTS

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
        encoding: Of tables; see `loaders.files.encodings.read_text`.

    Raises:
        InputError: If nothing was drawn, a file cannot be used, or nobody judged anything; also as
            `files.new_files.write_new_sheet`.
        RowError, RowErrors: If a row is not of the draw, names no verdict, or is somebody's second on a reply.
        StorageError: If something cannot be written.
    """
    drawn = read_drawn(run)
    asked = dict(drawn.select("id", "reply").iter_rows())
    verdicts, earlier = read_reply_verdicts(paths, asked, encoding=encoding), read_labels(run.run.directory)
    judged = drawn.join(_by_reply(verdicts), on="id", how="inner", maintain_order="left")
    divided = judged.filter(pl.col("label").str.contains(TIE, literal=True))
    if ties is not None and not divided.is_empty():
        write_replies(divided, ties)
    stands_for = drawn.group_by("locale").agg(drawn=(1 / pl.col("probability")).sum())
    shares = judged.group_by("locale").agg(judged=(1 / pl.col("probability")).sum())
    response = shares.join(stands_for, on="locale").select(
        "locale", response=pl.col("judged") / pl.col("drawn")
    )
    found = judged.join(response, on="locale", how="left").select(
        "id",
        "annotators",
        # The largest cannot be above 1 but by a rounding.
        probability=pl.min_horizontal(pl.col("probability") * pl.col("response"), 1.0),
        verdict="label",
    )
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
    problems: list[RowError] = []
    rows: list[tuple[str, str, str]] = []
    seen: dict[tuple[str, str], str] = {}
    for path in paths:
        for cells in read_returned(path, _COLUMNS, encoding=encoding):
            name, verdict = (str(cells.values[key] or "").strip() for key in ("id", "verdict"))
            annotator = str(cells.values.get("annotator", path.stem) or "").strip()
            if not verdict or is_unknown(cells, name, asked, problems):
                continue
            shown = cells.values.get("reply")
            if shown is not None and clean(str(shown)) not in {clean(asked[name]), clean(guarded(asked[name]))}:
                what, fix = (
                    f"it is not the reply of {name!r}",
                    "sort whole rows only, and leave replies as they are",
                )
                problems.append(RowError(what, where=f"{cells.location}, column reply", fix=fix))
            if verdict.casefold() not in REPLY_VERDICTS:
                what, fix = f"{verdict!r} is no verdict", f"write one of {', '.join(REPLY_VERDICTS)}"
                problems.append(RowError(what, where=f"{cells.location}, column verdict", fix=fix))
            if not annotator or TIE in annotator:
                what = f"{annotator!r} is no name" if annotator else "the cell is blank"
                fix = f"say who judged, without {TIE}"
                problems.append(RowError(what, where=f"{cells.location}, column annotator", fix=fix))
            if (name, annotator) in seen:
                fix = f"delete this row or {seen[name, annotator]}; sheets of two people have two names"
                problems.append(RowError(f"{annotator!r} judges {name!r} twice", where=cells.location, fix=fix))
            # Copies of a sheet can have one name in several folders.
            seen.setdefault((name, annotator), f"{path}:{cells.location.rpartition(':')[2]}")
            rows.append((name, annotator, verdict.casefold()))
    raise_all(problems)
    if not rows:
        names = ", ".join(path.name for path in paths)
        raise InputError(
            f"{names}: nothing is judged; write one of {', '.join(REPLY_VERDICTS)} into the column verdict"
        )
    return pl.DataFrame(rows, schema=_VERDICTS, orient="row")


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
    parts = several.partition_by("locale", as_dict=True, maintain_order=True)
    groups = [("overall", ALL, several), *(("locale", str(tag), rows) for (tag,), rows in parts.items())]
    return tuple(
        score
        for scope, key, rows in groups
        for score in agreement_scores(
            "agreement", rows["yes"], rows["n"], rows["template_id"], seed, scope=scope, key=key
        )
    )
