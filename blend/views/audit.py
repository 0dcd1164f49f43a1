"""An audit as tables for a terminal, at most 80 columns wide."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from blend.builders.audit import COMBINED, Audit
from blend.schemas.text import counted
from blend.views.safe import shown
from blend.views.tables import count, narrow_table, with_total

_MOST_PAIRS = 20
_TEXT = 34
_SOLVERS = {"names-region": "names\nregion", "typical": "typi-\ncal", "classifier": "classi-\nfier"}
_MORE_SOLVERS = {"frequent": "fre-\nquent", "recurring": "recur-\nring", COMBINED: "com-\nbined"}


def audit_views(audit: Audit) -> Iterator[RenderableType]:
    """The tables, in the order in which they are printed; one without rows is left out."""
    yield _baselines(audit)
    yield _definitions("What the baselines do", audit.baselines, "baseline")
    yield _leaks(audit)
    yield _by(audit, "group", audit.baselines_by_group)
    if audit.baselines_by_topic["topic"].n_unique() > 1:
        yield _by(audit, "topic", audit.baselines_by_topic)
    if not audit.synonyms.is_empty():
        yield _synonyms(audit.synonyms)
    if not audit.examples.is_empty():
        yield _examples(audit.examples)


def _baselines(audit: Audit) -> Table:
    whole = audit.size.row(0, named=True)
    table = narrow_table(
        f"Answering {counted(whole['questions'], 'question')} without knowing anything",
        f"{counted(whole['templates'], 'template')}, chance {_percent(whole['chance'])}. Accuracy where the "
        "baseline has an opinion, with a 95 % interval over templates; overall: guessing where it has none.",
        "baseline",
        ["questions", "accuracy", "interval", "overall"],
    )
    for row in audit.baselines.iter_rows(named=True):
        table.add_row(row["baseline"], *_fares(row), _percent(row["overall"]))
    return table


def _leaks(audit: Audit) -> Table:
    table = Table(title="What makes an option stand out", title_justify="left", caption_justify="left")
    table.caption = (
        "Share of all questions, and how often the option that stands out is right. Far from chance on either"
        " side, it gives the answer away."
    )
    table.box, table.padding, table.show_edge = None, (0, 1, 0, 0), False
    table.add_column("cause")
    for name in ("questions", "share", "right", "interval"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in audit.leaks.iter_rows(named=True):
        n, accuracy, interval = _fares(row)
        table.add_row(row["definition"], n, _percent(row["share"]), accuracy, interval)
    return table


def _by(audit: Audit, by: str, rows: pl.DataFrame) -> Table:
    """Share of all questions that each baseline gets right, by group or topic."""
    names = {**_SOLVERS, **_MORE_SOLVERS}
    table = Table(title=f"Share of questions got right, by {by}", title_justify="left", caption_justify="left")
    table.caption = (
        "A guess where a baseline has no opinion. Combined: all but recurring, weighed; what a solver who "
        f"knows nothing gets right of this {by}."
    )
    table.box, table.padding, table.show_edge = None, (0, 1, 0, 0), False
    table.add_column(by)
    for name in names.values():
        table.add_column(name, justify="right", no_wrap=True)
    cells = {(row["baseline"], row[by]): row["overall"] for row in rows.iter_rows(named=True)}
    for part in rows[by].unique(maintain_order=True):
        table.add_row(_cut(part), *(_percent(cells[name, part]) for name in names))
    whole = {row["baseline"]: row["overall"] for row in audit.baselines.iter_rows(named=True)}
    return with_total(table, "all", (_percent(whole[name]) for name in names))


def _definitions(title: str, rows: pl.DataFrame, what: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.box, table.padding, table.show_edge = None, (0, 1, 0, 0), False
    table.add_column(what, no_wrap=True)
    table.add_column("chooses")
    for name, definition in rows.select(what, "definition").iter_rows():
        table.add_row(name, definition)
    return table


def _synonyms(pairs: pl.DataFrame) -> Table:
    more = pairs.height - _MOST_PAIRS
    table = narrow_table(
        "Wrong options that may be right",
        "In how many questions they meet." + (f" {counted(more, 'more pair')}: --json." if more > 0 else ""),
        "wrong option",
        ["counts as right", "because", "questions"],
    )
    for row in pairs.head(_MOST_PAIRS).iter_rows(named=True):
        table.add_row(
            _cut(row["option"], 20), _cut(row["accepted"], 20), _cut(row["why"], 22), count(row["questions"])
        )
    return table


def _examples(examples: pl.DataFrame) -> Table:
    table = Table(title="Most telling questions", title_justify="left")
    table.box, table.padding, table.show_edge = None, (0, 1, 0, 0), False
    table.caption, table.caption_justify = "The right option comes first.", "left"
    table.add_column("baseline", no_wrap=True)
    table.add_column("question and options")
    for row in examples.iter_rows(named=True):
        wrong = [option for option in row["options"] if option != row["answer"]]
        options = " · ".join(_cut(option, 40) for option in [row["answer"], *wrong])
        table.add_row(row["baseline"], f"{escape(shown(row['question'], characters=120))} {options}")
    return table


def _fares(row: Mapping[str, Any]) -> tuple[str, str, str]:
    interval = "–" if row["low"] is None else f"{row['low']:.0%}–{row['high']:.0%}"
    return count(row["questions"]), _percent(row["accuracy"]), interval


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _cut(text: str, characters: int = _TEXT) -> str:
    return escape(shown(text, characters=characters))
