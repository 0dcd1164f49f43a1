"""An audit as tables for a terminal, at most 80 columns wide."""

from collections.abc import Iterator

import polars as pl
from rich.table import Table

from blend.builders.audit import COMBINED, Audit
from blend.schemas.language.text_comparison import pluralise
from blend.views.frames import PERCENT, cell, frame_table, interval, rows_frame, wide_frame
from blend.views.safe import shown

_MOST_PAIRS = 20
_BASELINES = {
    "elimination": "elimi-\nnation",
    "typical": "typi-\ncal",
    "classifier": "classi-\nfier",
    "frequent": "fre-\nquent",
    "recurring": "recur-\nring",
    COMBINED: "com-\nbined",
}


def audit_views(audit: Audit) -> Iterator[Table]:
    """The tables of an audit, in the order in which they are printed; one without rows is left out."""
    overall = audit.size.row(0, named=True)
    fares = {"questions": "questions", "accuracy": "accuracy", "interval": "interval"}
    yield frame_table(
        audit.baselines.with_columns(_intervals()),
        f"Answering {pluralise(overall['questions'], 'question')} by simple rules",
        f"{pluralise(overall['templates'], 'template')}, chance {cell(overall['chance'], PERCENT)}. Accuracy "
        "where the baseline has an opinion, with a 95 % interval over templates; by pair: of all questions, "
        "guessing where it has none, each template and region once; by row: each question once.",
        heads={"baseline": "baseline", **fares, "by_pair": "by pair", "overall": "by row"},
        forms=dict.fromkeys(("accuracy", "by_pair", "overall"), PERCENT),
    )
    yield frame_table(
        audit.baselines,
        "What the baselines do",
        heads={"baseline": "baseline", "definition": "chooses"},
        texts=("baseline", "definition"),
    )
    if not audit.leaks.is_empty():
        yield _leaks(audit)
    yield _audit_by(audit, "group", audit.baselines_by_group)
    if audit.baselines_by_topic["topic"].n_unique() > 1:
        yield _audit_by(audit, "topic", audit.baselines_by_topic)
    if not audit.synonyms.is_empty():
        yield _synonyms(audit.synonyms)
    if not audit.examples.is_empty():
        yield _examples(audit.examples)


def _leaks(audit: Audit) -> Table:
    return frame_table(
        audit.leaks.with_columns(_intervals()),
        "What makes an option stand out",
        "Share of all questions, and how often the option that stands out is correct. Far from chance on either"
        " side, it gives the answer away.",
        heads={"definition": "cause", "questions": "questions", "share": "share", "accuracy": "right"}
        | {"interval": "interval"},
        forms={"accuracy": PERCENT, "share": PERCENT},
    )


def _audit_by(audit: Audit, by: str, rows: pl.DataFrame) -> Table:
    """Share of all questions that each baseline gets right, each pair once, by group or topic."""
    overall = dict(audit.baselines.select("baseline", "by_pair").iter_rows())
    # Of rungs there are few, and all of them are shown.
    heads = _BASELINES if COMBINED in overall else {name: name.replace("-", "-\n") for name in overall}
    wide = wide_frame(rows, by, rows[by].unique(maintain_order=True).to_list(), "baseline", heads, "by_pair")
    caption = (
        " Elimination: who knows what all other regions answer and strikes it out; combined: who knows none of "
        "that, and weighs what the other baselines see."
    )
    return frame_table(
        wide.with_columns(_cut(by, 34)),
        f"Share of questions got right, by {by}",
        "By pair, with a guess where a baseline has no opinion." + (caption if heads is _BASELINES else ""),
        heads={by: by, **heads},
        forms=dict.fromkeys(heads, PERCENT),
        total={by: "all", **{name: overall[name] for name in heads}},
    )


def _synonyms(pairs: pl.DataFrame) -> Table:
    more = pairs.height - _MOST_PAIRS
    return frame_table(
        pairs.head(_MOST_PAIRS).with_columns(_cut("option", 20), _cut("accepted", 20), _cut("why", 22)),
        "Wrong options that may be correct",
        "In how many questions they meet." + (f" {pluralise(more, 'more pair')}: --json." if more > 0 else ""),
        heads={"option": "wrong option", "accepted": "counts as correct", "why": "because"}
        | {"questions": "questions"},
        texts=("option", "accepted", "why"),
    )


def _examples(examples: pl.DataFrame) -> Table:
    rows = []
    for row in examples.iter_rows(named=True):
        options = [row["answer"], *(option for option in row["options"] if option != row["answer"])]
        shown_options = " · ".join(shown(option, characters=40) for option in options)
        rows.append((row["baseline"], f"{shown(row['question'], characters=120)} {shown_options}"))
    columns = ("baseline", "question and options")
    return frame_table(
        rows_frame(columns, rows), "Most telling questions", "The correct option comes first.", texts=columns
    )


def _intervals() -> pl.Expr:
    """The 95 % interval of a share as text, from its ends."""
    ends = pl.struct("low", "high")
    return ends.map_elements(
        lambda row: interval(row["low"], row["high"], "{:.0%}"), return_dtype=pl.String
    ).alias("interval")


def _cut(column: str, characters: int) -> pl.Expr:
    return pl.col(column).map_elements(lambda text: shown(text, characters=characters), return_dtype=pl.String)
