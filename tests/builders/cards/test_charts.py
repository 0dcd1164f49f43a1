"""Charts: well-formed SVG of the same bytes for the same figures, readable by day and night."""

import re
from xml.etree import ElementTree

from blend.builders.cards.card import _locale_label
from blend.builders.cards.rendering import Chart, bar_chart
from blend.schemas.locales import registry

SVG = "{http://www.w3.org/2000/svg}"
SHARES = [(_locale_label(locale), 0.2 + 0.02 * i) for i, locale in enumerate(registry())]


def texts(chart: Chart) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(chart.svg).iter(f"{SVG}text")]


def widths(chart: Chart) -> list[float]:
    rects = ElementTree.fromstring(chart.svg).iter(f"{SVG}rect")
    return [float(rect.attrib["width"]) for rect in rects if rect.attrib["class"] == "bar"]


def shares(bars: list[tuple[str, float | None]] = SHARES) -> Chart:
    return bar_chart("images/a.svg", "Agreement", "Mean", bars, beside=("all", 0.5))


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2) of ``#rrggbb``."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_text_can_be_read_by_day_and_night():
    schemes = [dict(re.findall(r"\.(\w+) \{ fill: (#\w{6}) \}", line)) for line in shares().svg.splitlines()]
    schemes = [scheme for scheme in schemes if "background" in scheme]
    assert len(schemes) == 2
    for scheme in schemes:
        assert min(contrast(scheme[name], scheme["background"]) for name in ("text", "muted")) >= 4.5
        assert contrast(scheme["bar"], scheme["background"]) >= 3


def test_bars_stand_in_their_order_with_their_values():
    chart = shares([("Korea", 0.5), ("Iran", None), ("Mexico", 0.25)])
    assert widths(chart) == [220.0, 110.0]
    assert texts(chart)[2:] == ["Korea", "50.0\u00a0%", "Iran", "none", "Mexico", "25.0\u00a0%", "all 50.0 %"]
    assert chart.alt == "Bar chart. Agreement: Korea 50.0 % to Mexico 25.0 %; all 50.0 %."
    counts = bar_chart("images/b.svg", "Dishes", "Rows", [("Peru", 1_200), ("Chad", 0)], are_shares=False)
    assert widths(counts) == [440.0, 0.0]
    assert counts.alt == "Bar chart. Dishes: Peru 1,200 to Chad 0."


def test_names_are_escaped():
    chart = shares([('<b> & "c"', 0.5)])
    assert '<b> & "c"' in texts(chart)


def test_charts_run_nothing_and_fetch_nothing():
    assert shares().svg == shares().svg
    assert not re.search(r"<script|href|url\(|@import|\bon\w+=", shares().svg)
