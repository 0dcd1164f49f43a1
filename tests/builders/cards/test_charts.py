"""Charts: well-formed SVG of the same bytes for the same figures, readable by day and night."""

import re
from xml.etree import ElementTree

import polars as pl
import pytest

from blend.builders.cards.charts import (
    PALETTES,
    Chart,
    Palette,
    agreement_chart,
    count_chart,
    locale_label,
    overlap_chart,
)
from blend.schemas.language.locales import Locale, registry

SVG = "{http://www.w3.org/2000/svg}"


def texts(chart: Chart) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(chart.svg).iter(f"{SVG}text")]


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2) of ``#rrggbb``."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_black_on_white_has_the_highest_contrast():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_text_can_be_read_on_what_it_stands_on(palette: Palette):
    for colour in (palette.text, palette.muted):
        assert contrast(colour, palette.background) >= 4.5
    for step, ink in zip(palette.steps, palette.on_steps, strict=True):
        assert contrast(step, ink) >= 4.5
    # A bar is told from the background (3, WCAG 1.4.11); each step from the next by what is written on it.
    assert contrast(palette.bar, palette.background) >= 3


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_more_overlap_stands_out_more(palette: Palette):
    distances = [contrast(step, palette.background) for step in palette.steps]
    assert distances == sorted(distances)


def test_every_class_in_use_has_a_colour_by_day_and_night(means, overlap, all_locales):
    for chart in (agreement_chart(means, 0.5, all_locales), overlap_chart(overlap, all_locales)):
        style = ElementTree.fromstring(chart.svg).find(f"{SVG}style")
        assert style is not None
        day, night = (style.text or "").split("@media (prefers-color-scheme: dark)")
        for element in ElementTree.fromstring(chart.svg).iter():
            for name in element.get("class", "").split():
                if name not in {"title", "small", "end", "middle"}:
                    assert f".{name} {{" in day
                    assert f".{name} {{" in night


def test_agreement_has_a_bar_per_locale_highest_first(means, all_locales):
    chart = agreement_chart(means, 0.5, all_locales)
    written = texts(chart)
    names = [text for text in written if " · " in text]
    assert names == [locale_label(locale) for locale in reversed(all_locales)]
    assert "86.0\N{NO-BREAK SPACE}%" in written
    assert "all questions 50.0\N{NO-BREAK SPACE}%" in written
    bars = [float(e.get("width", 0)) for e in ElementTree.fromstring(chart.svg) if e.get("class") == "bar"]
    assert bars == pytest.approx([440 * (0.86 - 0.02 * i) for i in range(34)], abs=0.06)


def test_a_locale_without_answers_has_no_bar_and_stands_last(all_locales):
    korea, algeria = registry().get("ko-KR"), registry().get("ar-DZ")
    means = pl.DataFrame({"locale": ["ko-KR", "ar-DZ"], "mean": [None, 0.25]})
    chart = agreement_chart(means, 0.25, [korea, algeria])
    assert [text for text in texts(chart) if "·" in text] == ["Algeria · Arabic", "South Korea · Korean"]
    assert "no answers" in texts(chart)
    assert chart.alt == "Bar chart of agreement per locale: Algeria · Arabic 25.0 %; all questions 25.0 %."


def test_a_locale_that_is_asked_no_short_answers_has_no_row():
    # Multiple choice alone: there is no mean to be null.
    means = pl.DataFrame({"locale": ["ar-DZ"], "mean": [0.25]})
    chart = agreement_chart(means, 0.25, [registry().get("ko-KR"), registry().get("ar-DZ")])
    assert [text for text in texts(chart) if "·" in text] == ["Algeria · Arabic"]


def test_without_any_answer_the_chart_says_so():
    means = pl.DataFrame({"locale": ["ko-KR"], "mean": [None]}, schema_overrides={"mean": pl.Float64})
    chart = agreement_chart(means, None, [registry().get("ko-KR")])
    assert chart.alt == "Bar chart of agreement per locale: no question has an answer."
    assert "all questions" not in chart.svg


@pytest.mark.slow
def test_overlap_has_a_cell_per_pair_and_a_name_per_locale(overlap, all_locales):
    chart = overlap_chart(overlap, all_locales)
    cells = [text for text in texts(chart) if re.fullmatch(r"\d+", text)]
    # Row by row: the second locale with the first (1 %), the third with first and second (2 %, 1 %), and so on.
    assert cells == [str(row - column) for row in range(34) for column in range(row)]
    assert [text for text in texts(chart) if " · " in text] == list(map(locale_label, all_locales))
    assert chart.alt == (
        "Heat map of answer overlap between locales: UK · English and Taiwan · Chinese share 33.0 % of their "
        "lemmas, the most of all pairs; UK · English and US · English share 1.0 % of their lemmas, the least."
    )


def test_every_release_has_the_same_colours(overlap, all_locales):
    # Even steps of five points, whatever the values: two releases can be compared by eye.
    legend = [f"{begin}–{begin + 4} %" for begin in range(0, 30, 5)] + ["from 30 %"]
    few = overlap.filter(pl.col("lemma_share") < 0.1)
    for shares in (overlap, few):
        assert texts(overlap_chart(shares, all_locales))[-7:] == legend
    steps = {}
    for chart in (overlap_chart(overlap, all_locales), overlap_chart(few, all_locales)):
        root = ElementTree.fromstring(chart.svg)
        rects, labels = root.findall(f"{SVG}rect")[1:], root.findall(f"{SVG}text")[2:]
        for rect, label in zip(rects[: 33 * 32 // 2], labels[: 33 * 32 // 2], strict=True):
            if label.text != "–":
                steps.setdefault(int(label.text or ""), set()).add(rect.get("class"))
    assert steps == {percent: {f"s{min(percent // 5, 6)}"} for percent in range(1, 33)}


def test_counts_have_a_bar_each_in_their_order():
    chart = count_chart(
        "images/x.svg", "Dishes per origin", "All", [("Italy", 1200), ("Iran", 600), ("Malta", 0)]
    )
    assert [text for text in texts(chart) if text in ("Italy", "Iran", "Malta")] == ["Italy", "Iran", "Malta"]
    assert texts(chart)[-3:] == ["1,200", "600", "0"]
    bars = [float(e.get("width", 0)) for e in ElementTree.fromstring(chart.svg) if e.get("class") == "bar"]
    assert bars == [440, 220, 0]
    assert chart.alt == "Bar chart. Dishes per origin: Italy 1,200 to Malta 0."


@pytest.mark.parametrize("shares", [[0.1, 0.1, 0.1], [0.1, 0.12, None], [None, None, None]])
def test_few_or_equal_or_missing_shares_make_a_chart(shares):
    locales = [registry().get(tag) for tag in ("ko-KR", "ar-DZ", "fa-IR")]
    pairs = [("ko-KR", "ar-DZ"), ("ko-KR", "fa-IR"), ("ar-DZ", "fa-IR")]
    overlap = pl.DataFrame(
        [(*pair, share) for pair, share in zip(pairs, shares, strict=True)],
        schema={"locale_a": pl.String, "locale_b": pl.String, "lemma_share": pl.Float64},
        orient="row",
    )
    written = texts(overlap_chart(overlap, locales))
    assert written.count("–") == shares.count(None)


def test_two_locales_are_one_pair():
    locales = [registry().get("ko-KR"), registry().get("ko-KP")]
    overlap = pl.DataFrame({"locale_a": ["ko-KR"], "locale_b": ["ko-KP"], "lemma_share": [0.125]})
    assert overlap_chart(overlap, locales).alt == (
        "Heat map of answer overlap: South Korea · Korean and North Korea · Korean share 12.5 % of their "
        "lemmas."
    )


def test_names_are_escaped(means, all_locales):
    odd = registry().get("ko-KR").model_copy(update={"region_name": '<Korea> & "more"'})
    chart = agreement_chart(means, 0.5, [odd])
    assert [text for text in texts(chart) if "·" in text] == ['<Korea> & "more" · Korean']


def test_nothing_reaches_beyond_the_picture(means, overlap, all_locales):
    for chart in (agreement_chart(means, 0.5, all_locales), overlap_chart(overlap, all_locales)):
        root = ElementTree.fromstring(chart.svg)
        width, height = float(root.get("width", 0)), float(root.get("height", 0))
        for rect in root.iter(f"{SVG}rect"):
            assert float(rect.get("x", 0)) + float(rect.get("width", 0)) <= width
            assert float(rect.get("y", 0)) + float(rect.get("height", 0)) <= height
        for text in root.iter(f"{SVG}text"):
            classes, length = text.get("class", "").split(), 7.3 * len(text.text or "")
            start = float(text.get("x", 0)) - (length if "end" in classes else 0)
            assert start >= 0
            assert {"title", "small"} & set(classes) or start + length <= width


def test_the_same_figures_give_the_same_bytes(means, overlap, all_locales):
    shuffled = means.sample(fraction=1, shuffle=True, seed=1), overlap.sample(fraction=1, shuffle=True, seed=1)
    assert agreement_chart(shuffled[0], 0.5, all_locales) == agreement_chart(means, 0.5, all_locales)
    assert overlap_chart(shuffled[1], all_locales).svg == overlap_chart(overlap, all_locales).svg


def test_charts_run_nothing_and_fetch_nothing(means, overlap, all_locales):
    for chart in (agreement_chart(means, 0.5, all_locales), overlap_chart(overlap, all_locales)):
        assert not re.search(r"<script|href|url\(|@import|\bon\w+=", chart.svg)


def alternatives(locales: list[Locale], means: pl.DataFrame, overlap: pl.DataFrame) -> list[str]:
    return [agreement_chart(means, 0.5, locales).alt, overlap_chart(overlap, locales).alt]


def test_alternative_texts_fit_into_a_markdown_image(means, overlap, all_locales):
    for alt in alternatives(all_locales, means, overlap):
        assert not set("[]\n") & set(alt)
