"""Statistics as a reader sees them: within the terminal's width, with every figure and its meaning."""

import io
from collections.abc import Iterable

import polars as pl
import pytest
from rich.cells import cell_len
from rich.console import Console

from blend.builders.stats import Stats, build_stats
from blend.builders.stats.mcq import McqStats
from blend.builders.stats.tables import mcq_tables, question_tables
from blend.schemas.frames import ANNOTATIONS, MCQ_ROWS, QUESTIONS
from blend.schemas.locales import registry
from blend.schemas.summaries import Table
from blend.views.frames import table_of

TOPICS = ("Food", "Holidays/Celebration/Leisure", "Work [life]")
BLEND = registry().tags[:16]


def dataset(tags: tuple[str, ...]) -> Stats:
    questions, annotations, mcqs = [], [], []
    for i, topic in enumerate(TOPICS):
        for tag in tags:
            key = {"template_id": f"q{i}", "locale": tag}
            group = {"answers": ["tea"], "en_answers": ["green tea", tag], "count": 3}
            idks = {"idk": 1, "no-answer": 0, "not-applicable": 0, "others": []}
            questions.append(key | {"topic": topic, "source_locale": None})
            annotations.append(key | {"annotations": [group] * 2, "idks": idks})
            regions = [tag.rpartition("-")[2], "XA", "XB", "XC"]
            mcqs.append(key | {"topic": topic, "answer": 0, "option_regions": regions})
    return build_stats(
        pl.DataFrame(questions, schema=QUESTIONS),
        pl.DataFrame(annotations, schema=ANNOTATIONS),
        mcqs=pl.DataFrame(mcqs, schema=MCQ_ROWS),
    )


@pytest.fixture(scope="module")
def stats() -> Stats:
    return dataset(BLEND)


def printed(stats: Stats, width: int) -> str:
    return rendered(question_tables(stats), width)


def rendered(tables: Iterable[Table], width: int) -> str:
    console = Console(file=io.StringIO(), width=width)
    for table in tables:
        console.print(table_of(table))
    return console.file.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 100, 120])
def test_no_figure_is_cut_off(stats, width):
    text = printed(stats, width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert "…" not in text


def test_large_counts_of_multiple_choice_questions_fit():
    topics = ("Education", "Family", "Food", "Holidays/Celebration/Leisure", "Sport", "Work life")
    counts = pl.DataFrame(
        [("ko-KR", topic, 49, 123_456) for topic in topics],
        schema=["locale", "topic", "templates", "mcqs"],
        orient="row",
    )
    letters = pl.DataFrame({"locale": ["ko-KR"] * 4, "letter": list("ABCD"), "mcqs": [185_184] * 4})
    spreads = pl.DataFrame(
        [("ko-KR", spread, 49, 123_456) for spread in ("universal", "shared", "specific")],
        schema=["locale", "answer_spread", "templates", "mcqs"],
        orient="row",
    )
    power = pl.DataFrame(
        [("ko-KR", 294, 740_736, 0.1234, 1_234_567)],
        schema=["locale", "templates", "mcqs", "difference", "templates_needed"],
        orient="row",
    )
    text = rendered(mcq_tables(McqStats(counts, letters, spreads, power)), 80)
    assert max(map(cell_len, text.splitlines())) <= 80
    lines = [line.split() for line in text.splitlines()]
    assert ["ko-KR", "294", "740,736", *["185,184"] * 4] in lines
    assert ["ko-KR", "294", "740,736", "12.3", "1,234,567"] in lines
    assert ["all", *["123,456"] * 6] in lines
    assert ["all", *["123,456"] * 3] in lines


def test_every_table_says_what_it_holds(stats):
    for table in question_tables(stats):
        assert table.title
        assert table.caption
        assert {column.justify for column in table_of(table).columns[2:]} <= {"right"}


@pytest.mark.slow
def test_figures_of_all_locales_together(stats):
    lines = [line.split() for line in printed(stats, 100).splitlines()]
    # 16 locales x 3 templates, each with two answers of three votes; no question goes unanswered.
    assert ["all", "48", "0", "48", "96", "96", "192", "288"] in lines
    # Three of five annotators behind the top answer: 60 %, a majority everywhere.
    assert ["all", "2.00", "6.00", "3.00", "1.00", "60.0", "100.0"] in lines


def test_no_data_prints_all_the_same():
    nothing = build_stats(pl.DataFrame(schema=QUESTIONS), pl.DataFrame(schema=ANNOTATIONS))
    assert "Counts" in printed(nothing, 80)
