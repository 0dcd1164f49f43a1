"""What commands print on a terminal: whole words and figures in 80 columns, and nothing that harms."""

import io
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from blend.builders.release.inputs import read_inputs
from blend.builders.saq.ballots import collection_status
from blend.builders.stats.dataset import stats_of_release
from blend.builders.stats.planning import mean_figures, plan_collection
from blend.cli.options import print_lines
from blend.cli.registry import _locale_details, _locale_table
from blend.cli.terminal import SafeConsole, _table_of, show_tables, shown
from blend.eval.report import score_tables
from blend.eval.scores_json import Score, Scores
from blend.eval.tasks import TASKS
from blend.loaders.recipes import RecipeInPlace, sample_recipe
from blend.loaders.releases import read_manifest
from blend.loaders.responses.verdicts import shipped_collections
from blend.schemas import summaries
from blend.schemas.locales import registry


def printed(table: object) -> list[str]:
    console = Console(file=io.StringIO(), width=80)
    console.print(table)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_words_to_the_left_figures_to_the_right_and_headings_broken():
    frame = pl.DataFrame(
        {
            "locale": ["ko-KR", "Work [life]"],
            "votes": [1234, None],
            "share %": [50.0, 100.0],
            "Food/Drink": [2.0, 12.5],
            "interval": ["61.3 [58.0, 64.5]", "–"],
        }
    )
    assert printed(_table_of(summaries.Table("Votes", frame, "Counts, [b] for all."))) == [
        "Votes",
        "                    share  Food/",
        "locale       votes      %  Drink           interval",
        "────────────────────────────────────────────────────",
        "ko-KR        1,234   50.0   2.00  61.3 [58.0, 64.5]",
        "Work [life]      –  100.0  12.50                  –",
        "Counts, [b] for all.",
    ]


def test_a_first_screen_ends_and_says_what_is_left():
    out = io.StringIO()
    frame = pl.DataFrame({"row": [f"row {n} of a table that is as wide" for n in range(27)]})
    tables = [summaries.Table(name, frame, "") for name in ("First", "Second")]
    show_tables(tables, console=SafeConsole(file=out, width=80))
    lines = [line.strip() for line in out.getvalue().splitlines()]
    assert [line for line in lines if line.startswith("row ")] == frame["row"].to_list()[:25]
    assert " ".join(lines).endswith("2 more rows: --all. Further tables: second. --all prints all.")


def test_a_line_of_somebody_elses_text_does_no_harm(capsys: pytest.CaptureFixture[str]):
    print_lines(["model \x1b[2J of " + "a" * 100])
    assert capsys.readouterr().out == f"model \\x1b[2J of {'a' * 100}\n"


def assert_complete(tables: Iterable[summaries.Table]) -> None:
    """Every word of every table stands in a line of 80 columns as a whole."""
    n = 0
    for n, table in enumerate(map(_table_of, tables), start=1):  # noqa: B007 - counted
        lines = printed(table)
        assert max(map(cell_len, lines)) <= 80, table.title
        words = set(" ".join(lines).split())
        cells = [str(cell) for column in table.columns for cell in (column.header, *column.cells)]
        assert {word for cell in cells for word in cell.replace("[", " [").split()} <= words, table.title
    assert n


def test_tables_of_questions(sample_release: Path):
    recipe = sample_recipe()
    inputs = read_inputs(RecipeInPlace.of(recipe))
    assert_complete(read_manifest(sample_release).as_tables())
    assert_complete(stats_of_release(sample_release).as_tables())
    assert_complete(
        collection_status(inputs.questions, inputs.responses, inputs.reviews, recipe.saq).as_tables()
    )
    plan = plan_collection(mean_figures(shipped_collections()), templates=[20_000], price=0.1)
    assert_complete([*plan.as_tables(), _locale_table(list(registry())), *map(_locale_details, registry())])
    assert _locale_table([registry().get("ko-KR")]).title == "1 locale"


@pytest.mark.integration
def test_tables_of_sixteen_regions(regions_release: Path):
    assert_complete(stats_of_release(regions_release).as_tables())


def figure(metric: str, scope: str, key: str, value: float | None, n: int, *ends: float) -> Score:
    low, high = ends or (None, None)
    return Score(metric=metric, scope=scope, key=key, value=value, low=low, high=high, n=n)


SCORES = Scores(
    task="short-answer",
    signature="blend-saq|…",
    rule="default",
    release="blend@1.0.0",
    model="mine\x1b[31m",
    answers="0" * 64,
    scores=(
        figure("sem-b", "overall", "all", 50.04, 1200, 44.0, 56.0),
        figure("parity-gap", "overall", "KR/JB", 12.0, 1200),
        figure("sem-b-macro", "overall", "all", 50.02, 1200, 44.1, 55.9),
        figure("sem-b", "region", "JB", 44.0, 600, 38.0, 50.0),
        figure("sem-b", "region", "KR", 56.0, 600, 50.0, 62.0),
        figure("sem-w", "region", "JB", 40.0, 600, 35.0, 45.0),
        figure("sem-w", "region", "KR", None, 600),
        # Over fewer items: in a table of its own, since it cannot share the column of counts.
        figure("sem-b-gap", "region", "JB", -3.0, 300, -6.0, -0.0),
        figure("sem-b", "language", "local", 49.0, 700, 43.0, 55.0),
        figure("sem-b", "topic", "Sport", 50.0, 30, 1.3, 98.7).model_copy(update={"clusters": 2}),
        figure("sem-b", "topic", "Food", 50.0, 300, 44.0, 56.0).model_copy(update={"clusters": 10}),
        figure("elsewhere", "prompt-pair", "a/b", 1.0, 1),
    ),
)


def test_scores_have_a_row_per_region_and_a_column_per_figure():
    out = io.StringIO()
    show_tables(
        score_tables(SCORES, TASKS["multiple-choice"]), everything=True, console=SafeConsole(file=out, width=80)
    )
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert [line for line in lines if line and set(line) != {"─"}] == [
        "mine\\x1b[31m on blend@1.0.0, short-answer,",
        "rule default",
        "figure                          value      n",
        # With the mean over regions comparison and report lead as well.
        "sem-b-macro         50.0 [44.1, 55.9]  1,200",
        "sem-b               50.0 [44.0, 56.0]  1,200",
        "parity-gap (KR/JB)               12.0  1,200",
        "Shares are in percent, gaps in points, with",
        "95 % intervals; docs/scores.md explains each",
        "figure. * Over two to nine templates, topics",
        "or the like: wide, since so few say little.",
        "region                        sem-b              sem-w    n",
        "West Java (JB)    44.0 [38.0, 50.0]  40.0 [35.0, 45.0]  600",
        "South Korea (KR)  56.0 [50.0, 62.0]                  –  600",
        "region                 sem-b-gap    n",
        "West Java (JB)  -3.0 [-6.0, 0.0]  300",
        "topic              sem-b    n",
        "Sport  50.0 [1.3, 98.7]*   30",
        "Food   50.0 [44.0, 56.0]  300",
        "language              sem-b    n",
        "local     49.0 [43.0, 55.0]  700",
    ]


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        *((text, text) for text in ("떡국", "ዳቦ", "نان", "ভাত", "Zürich", "👍", "")),
        ("a\x1b[31mb", "a\\u001b[31mb"),
        ("line\nline\ttab\rback", "line\\u000aline\\u0009tab\\u000dback"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("pay\u200bpal", "pay\\u200bpal"),
        ("\ud800", "\\ud800"),
        ("a\u2028b\u2029c", "a\\u2028b\\u2029c"),
        ("x" * 201, "x" * 200 + "…"),  # long texts are cut and say so
    ],
)
def test_what_nobody_sees_stands_as_its_code(text: str, safe: str):
    assert shown(text) == safe


@given(st.text(st.characters(), max_size=300))
def test_nothing_shown_moves_the_cursor_or_turns_the_line(text: str):
    assert not {"Cc", "Cf", "Cs", "Zl", "Zp"} & {unicodedata.category(char) for char in shown(text)}


def test_a_console_makes_every_part_of_a_table_harmless():
    table = Table("head\x1b[1m", title="title\x9b", caption="caption\u202e")
    table.add_row("cell\x07")
    console = SafeConsole(file=io.StringIO(), width=80)
    console.print(table)
    text = console.file.getvalue()
    assert not {"\x1b", "\x9b", "\x07", "\u202e"} & set(text)
    for part in ("head\\x1b", "title\\x9b", "cell\\x07", "caption\\u202e"):
        assert part in text
    # The column is as wide as the codes, so that its frame stays straight.
    assert len({len(line) for line in text.splitlines() if line.startswith(("│", "┃"))}) == 1


def test_a_table_never_cuts_a_figure():
    """However narrow the terminal: names are broken into lines, figures stand whole in one."""
    heads = [f"head {number}" for number in range(12)]
    figures = [f"{number},345,678.90" for number in range(12)]
    rows = [("a name with several words in it", *figures)]
    out = io.StringIO()
    SafeConsole(file=out, width=40).print(_table_of(summaries.Table.of("title", ("locale", *heads), rows)))
    (line,) = [line for line in out.getvalue().splitlines() if figures[0] in line]
    assert all(figure in line for figure in figures)
    assert "…" not in out.getvalue()
