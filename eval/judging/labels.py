"""Labels: what people say of a sample of a run's answers, and what they would find of all: corrected scores.

Verdicts in sheets that came back are read row by row of what was asked.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from blend.eval.report import ScoredRun
from blend.eval.runs.run_directory import Run, read_frame, write_frame
from blend.eval.scores_json import (
    ALL,
    UNANSWERED,
    Score,
    ScoredItems,
    counted_share,
    percent,
    plain,
    score_again,
    share_scores,
    whole_and_parts,
)
from blend.eval.statistics.agreement import cohen_kappa
from blend.eval.statistics.prediction_powered import CorrectedMeans, corrected_means
from blend.loaders.files.content import file_sha256
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.schemas.errors import InputError
from blend.schemas.sheets import CORRECT, REPLY_VERDICTS, guarded
from blend.schemas.texts import clean

LABELS_NAME = "labels.parquet"

TIE = "|"
"""Stands between the verdicts of a tie that nobody has decided, ``correct|wrong``, and between annotators."""

LABELS = pl.Schema(
    {"item_id": pl.String(), "probability": pl.Float64(), "verdict": pl.String(), "annotators": pl.String()}
)
"""One row per item whose answer people judged: the probability with which it came to have a label, what most
people said, and who they are."""


def read_labels(directory: Path) -> pl.DataFrame | None:
    """The labels in the directory of a run.

    Returns:
        `LABELS` and ``correct``: 1 where people say *correct*, 0 where they say something else, of a tie the
        share of its verdicts that do. Null where nobody has labelled anything.

    Raises:
        RowError: If the file is not as it was written.
    """
    path = directory / LABELS_NAME
    if not os.path.lexists(path):
        return None
    is_correct = pl.col("verdict").str.split(TIE).list.eval((pl.element() == CORRECT).cast(pl.Float64))
    fix = "read the sheets again: blend eval judged RUN SHEET…"
    return read_frame(path, LABELS, fix=fix).with_columns(correct=is_correct.list.mean())


def _labels_digest(directory: Path) -> str:
    """The first digits of the digest of a run's labels, for signatures."""
    return file_sha256(directory / LABELS_NAME)[:4]


def write_labels(directory: Path, labels: pl.DataFrame) -> None:
    """Keep labels, `LABELS`, in the directory of their run, in place of earlier ones."""
    write_frame(directory / LABELS_NAME, labels.select(list(LABELS)))


_COLUMNS = Columns(("id", "verdict"), optional=("annotator", "reply"), others=True, returned=True)
_VERDICTS = pl.Schema(dict.fromkeys(("id", "annotator", "verdict"), pl.String()))

_COPY = re.compile(r"\s*\(\d+\)$")
"""What a browser adds to the name of a file that it has fetched before."""


def read_reply_verdicts(paths: Sequence[Path], asked: Mapping[str, str]) -> pl.DataFrame:
    """What people say of replies: ``id``, ``annotator`` and ``verdict``, by file and row.

    Args:
        paths: Filled-in sheets, each of the annotator whose name the file has; or tables with ``id``,
            ``annotator`` and ``verdict``.
        asked: The replies that were asked about, by id.

    Returns:
        Rows without a verdict are left out.

    Raises:
        InputError: If a file is absent or of no kind that can be read, is named twice or looks like a copy of
            another one by its name, or if nothing is judged in it.
        RowError, RowErrors: If a file cannot be read, a row is about something else, names no verdict, or is
            somebody's second on a reply; names file and row.
    """
    _check_copies(paths)
    diagnostics = Diagnostics()
    found: dict[tuple[str, str], tuple[str, str]] = {}
    judged: set[Path] = set()
    for path in paths:
        if not path.is_file():
            raise InputError(f"{path}: no such file; name sheets that were filled in")
        for cells in read_rows(path, path.parent, diagnostics, _COLUMNS):
            name, verdict = (str(cells.values[key] or "").strip() for key in ("id", "verdict"))
            if not verdict:
                continue
            judged.add(path)
            annotator = str(cells.values.get("annotator", path.stem) or "").strip()
            _check_verdict(cells, asked.get(name), annotator, diagnostics)
            # Copies of a sheet can have one name in several folders.
            here = f"{path}:{cells.location.rpartition(':')[2]}"
            _, first = found.setdefault((name, annotator), (verdict.casefold(), here))
            if first != here:
                fix = f"delete this row or {first}; sheets of two people have two names"
                diagnostics.problem(f"{annotator!r} judges {name!r} twice", where=cells.location, fix=fix)
    diagnostics.raise_problems()
    if empty := ", ".join(path.name for path in paths if path not in judged):
        raise InputError(
            f"{empty}: nothing is judged; write one of {', '.join(REPLY_VERDICTS)} into the column verdict, or "
            "leave the sheet out"
        )
    rows = [(*key, verdict) for key, (verdict, _) in found.items()]
    return pl.DataFrame(rows, schema=_VERDICTS, orient="row")


def _check_copies(paths: Sequence[Path]) -> None:
    """Refuse ``anna (1).xlsx`` beside ``anna.xlsx``: one would agree with oneself."""
    first: dict[str, Path] = {}
    for path, n in Counter(path.resolve() for path in paths).items():
        if n > 1:
            raise InputError(f"{path}: named twice; name every sheet once")
    for path in paths:
        earlier = first.setdefault(_COPY.sub("", path.stem).casefold(), path)
        if earlier.stem != path.stem:
            raise InputError(
                f"{path}: looks like a copy of {earlier}, and the name of a file says who judged; leave one "
                "of them out, or rename one if two people filled them in"
            )


def _check_verdict(cells: Cells, reply: str | None, annotator: str, diagnostics: Diagnostics) -> None:
    """Tell what is wrong with a verdict on a reply; null is one that was not asked about."""
    name, verdict = (str(cells.values.get(key)).strip() for key in ("id", "verdict"))
    if reply is None:
        fix = "name the run whose sheet it is; a run that was scored anew with other answers has another sheet"
        diagnostics.problem(f"{name!r} is not of this run", where=f"{cells.location}, column id", fix=fix)
        return
    shown = cells.values.get("reply")
    if shown is not None and clean(str(shown)) not in {clean(reply), clean(guarded(reply))}:
        fix = "sort whole rows only, and leave replies as they are"
        where = f"{cells.location}, column reply"
        diagnostics.problem(f"it is not the reply of {name!r}", where=where, fix=fix)
    if verdict.casefold() not in REPLY_VERDICTS:
        fix = f"write one of {', '.join(REPLY_VERDICTS)}"
        diagnostics.problem(f"{verdict!r} is no verdict", where=f"{cells.location}, column verdict", fix=fix)
    if not annotator or TIE in annotator:
        what = f"{annotator!r} is no name" if annotator else "the cell is blank"
        where = f"{cells.location}, column annotator"
        diagnostics.problem(what, where=where, fix=f"say who judged, without {TIE}")


_WORTHLESS_KAPPA = 0.1
"""Kappa below which a rule is said to be worthless: labels alone would tell as much."""

_MIN_LABELS = 30
"""Labels from which on that is said."""


def scored_with_labels(run: ScoredRun) -> pl.DataFrame | None:
    """Decisions of a scored run beside people's labels; null, and nothing read, where there are none.

    Raises:
        InputError: If there are other labels than those that it was scored with.
        RowError: If the labels cannot be read.
    """
    directory = run.run.directory
    if not (directory / LABELS_NAME).exists():
        return None
    if f"|labels:{_labels_digest(directory)}|" not in run.scores.signature:
        raise InputError(
            f"{directory}: people's labels have changed since it was scored; {score_again(run.run)}"
        )
    return _with_labels(run.decisions(), run.run)


def _with_labels(decisions: pl.DataFrame, run: Run) -> pl.DataFrame | None:
    """Decisions beside people's labels.

    Returns:
        The rows that are scored, with ``people`` (their verdict), ``label`` (0 to 1) and ``probability``, null
        where nobody has labelled the reply, and ``cell``, what the rule says, and the string rule where that is
        another one; or ``unanswered``. Null where nobody has labelled anything.

    Raises:
        RowError: If the labels cannot be read.
    """
    labels = read_labels(run.directory)
    if labels is None:
        return None
    verdicts = [name for name in ("correct", "by_rule") if name in decisions.columns]
    stated = labels.select("item_id", "probability", people="verdict", label="correct")
    return (
        decisions.drop_nulls("correct")
        .join(stated, on="item_id", how="left", maintain_order="left")
        .with_columns(
            cell=pl.when(pl.col("why") == UNANSWERED)
            .then(pl.lit(UNANSWERED))
            .otherwise(pl.concat_str(*verdicts, separator="/"))
        )
    )


def _means_of(rows: pl.DataFrame, by: str) -> CorrectedMeans:
    """The corrected means of labelled decisions by a column; see `_with_labels`.

    Nobody is asked to label what is unanswered: it is wrong, which is known without being drawn. Labels of one
    template alone say nothing of others, so they do not count.
    """
    is_labelled = pl.col("template_id").filter(pl.col("label").is_not_null()).n_unique().over(by) > 1
    is_known = pl.col("cell") == UNANSWERED
    rows = rows.with_columns(
        label=pl.when(is_labelled).then(pl.when(is_known).then(0.0).otherwise("label")),
        probability=pl.when(is_known).then(1.0).otherwise("probability"),
    )
    known = rows["label"].is_not_null().to_numpy()
    columns = (rows[name].to_numpy() for name in ("cell", "template_id", by))
    cells, clusters, groups = (column.astype(str) for column in columns)
    labels, chances = (rows[name].to_numpy()[known] for name in ("label", "probability"))
    return corrected_means(cells, clusters, np.flatnonzero(known), labels, chances, groups)


def is_worthless(scores: Iterable[Score]) -> bool:
    """Whether a rule's decisions agree with people's labels no better than chance does."""
    kappas = (one for one in scores if one.metric.endswith("-kappa") and one.scope == "overall")
    found = (one.value for one in kappas if one.n >= _MIN_LABELS)
    return any(value is not None and value < _WORTHLESS_KAPPA for value in found)


CORRECTED = "sem-b-corrected"
"""Metric of SEM-B as people would find it."""

KAPPA = "sem-b-kappa"
"""Metric of how far the rule agrees with people, beyond what chance gives."""

BIAS = "sem-b-bias"
"""Metric of the share that the rule finds correct less the share that people do, on labelled replies."""


def corrected_scores(rows: pl.DataFrame, *, seed: int = 0) -> tuple[Score, ...]:
    """Corrected SEM-B and how far the rule agrees with people.

    Args:
        rows: As `corrected_scores._with_labels` gives them.
        seed: Seed of intervals that are drawn.

    Returns:
        `CORRECTED` by region where labels of two templates are; by topic, overall, as the mean over regions and
        as the gap between the best and the worst where every region has them. `KAPPA` and `BIAS` overall and by
        language of the replies, and for a judge those of the string rule (``-default``), and SEM-B by that; and
        ``labelled``, the share of replies with a label.
    """
    regions = _means_of(rows, "region")
    scores = _of_groups("region", regions)
    if not np.isnan(regions.values).any():
        scores += _of_groups("topic", _means_of(rows.drop_nulls("topic"), "topic"))
        n_regions = len(regions.groups)
        for name, weights in ((CORRECTED, regions.sizes / rows.height), (f"{CORRECTED}-macro", 1 / n_regions)):
            by = weights * np.ones(n_regions)
            scores.append(percent(name, "overall", ALL, regions.combined(by)))
    if "by_rule" in rows.columns:
        by_rule = rows.with_columns(value="by_rule")
        scores += share_scores("sem-b-default", by_rule, {"region": "region"}, seed)
    for scope, key, part in whole_and_parts("region", rows):
        scores.append(counted_share("labelled", part["label"].count(), part.height, scope=scope, key=key))
    for scope, key, part in whole_and_parts("language", rows.with_columns(language=_LANGUAGE)):
        scores += _beside_people(scope, key, part.drop_nulls("label"), seed)
    return tuple(scores)


# The language of the replies: that of the region, unless the question was in English.
_LANGUAGE = (
    pl.when(asked_in="english").then(pl.lit("en")).otherwise(pl.col("locale").str.split("-").list.first())
)


def _beside_people(scope: str, key: str, rows: pl.DataFrame, seed: int) -> Iterator[Score]:
    """How far the rule, and beside a judge the string rule, is off and agrees with people."""
    if rows.is_empty():
        return
    weights = 1 / rows["probability"]
    for of, column in (("", "correct"), ("-default", "by_rule")):
        if column in rows.columns:
            found = rows[column].cast(pl.Float64)
            off = rows.with_columns(value=(found - rows["label"]) * weights, denominator=weights)
            (bias,) = share_scores(f"{BIAS}{of}", off, {}, seed, proportion=False)
            yield bias.model_copy(update={"scope": scope, "key": key})
            yield plain(f"{KAPPA}{of}", scope, key, cohen_kappa(found, rows["label"], weights), n=rows.height)


def with_corrected(scored: ScoredItems, run: Run, *, seed: int) -> ScoredItems:
    """Scores, with corrected ones where people have labelled replies."""
    rows = _with_labels(scored.decisions, run)
    if rows is None:
        return scored
    found = corrected_scores(rows, seed=seed)
    return scored._replace(
        scores=(*scored.scores, *found),
        signature_parts={**scored.signature_parts, "labels": _labels_digest(run.directory)},
        warnings=(*scored.warnings, *_correction_warnings(found)),
    )


def _correction_warnings(scores: Iterable[Score]) -> Iterator[str]:
    """Say what a reader of corrected scores should know of the rule, and of regions without labels."""
    scores = tuple(scores)
    if is_worthless(scores):
        yield (
            f"the rule is worthless here: its decisions agree with people's labels hardly better than chance "
            f"would (kappa below {_WORTHLESS_KAPPA}); either is wrong, and corrected figures rest on the labels"
        )
    of_regions = [one for one in scores if one.scope == "region"]
    corrected = {one.key for one in of_regions if one.metric == CORRECTED}
    labelled = [one.key for one in of_regions if one.metric == "labelled"]
    if without := ", ".join(key for key in labelled if key not in corrected):
        yield f"uncorrected, since people have labelled replies to fewer than two templates: {without}"


def _of_groups(scope: str, means: CorrectedMeans) -> list[Score]:
    each = np.eye(len(means.groups))
    found = [(str(key), means.combined(by)) for key, by in zip(means.groups, each, strict=True)]
    return [percent(CORRECTED, scope, key, one) for key, one in found if one.value is not None]
