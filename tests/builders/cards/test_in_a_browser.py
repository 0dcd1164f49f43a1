"""The card as a browser draws it: pictures load, and no label is cut or lies on another."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from blend.builders.cards.charts import Chart, bar_chart, locale_label

LABELS = """
const found = [...document.querySelectorAll("svg")].map(svg => {
  const frame = svg.getBoundingClientRect();
  const boxes = [...svg.querySelectorAll("text")].map(text => [text.textContent, text.getBoundingClientRect()]);
  const cut = boxes.filter(([, b]) => b.left < frame.left || b.right > frame.right || b.bottom > frame.bottom);
  const over = [];
  boxes.forEach(([one, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
    // Lines of text may touch; half of a line is another's.
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top), line = Math.min(a.height, b.height);
    if (a.left < b.right && b.left < a.right && high > line / 2) over.push(one + " / " + other);
  }));
  return {texts: boxes.length, cut: cut.map(([text]) => text), over};
});
document.body.textContent = JSON.stringify(found);
"""

PICTURES = """
Promise.all([...document.images].map(image => image.decode())).then(() => {
  const wide = [...document.images].map(image => image.naturalWidth);
  document.body.textContent = JSON.stringify(wide);
});
"""


def result(chromium: str, page: str, script: str, folder: Path) -> Any:
    """What a script leaves as the text of a page."""
    path = folder / "page.html"
    path.write_text(
        f"<!doctype html><meta charset='utf-8'><body>{page}<script>{script}</script>", encoding="utf-8"
    )
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    profile = f"--user-data-dir={folder / 'profile'}"
    run = subprocess.run(
        [chromium, *options, profile, "--virtual-time-budget=5000", "--dump-dom", path.as_uri()],
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"<body>(.*?)</body>", run.stdout, flags=re.DOTALL)
    assert found is not None, run.stdout
    return json.loads(found[1].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))


def drawn(chromium: str, charts: list[Chart], folder: Path) -> Any:
    return result(chromium, "".join(chart.svg for chart in charts), LABELS, folder)


def test_what_is_cut_and_what_overlaps_is_found(chromium, tmp_path):
    svg = (
        "<svg width='200' height='60'><text x='10' y='20'>left</text><text x='12' y='22'>over</text>"
        "<text x='190' y='50'>beyond</text></svg>"
    )
    (found,) = result(chromium, svg, LABELS, tmp_path)
    assert found == {"texts": 3, "cut": ["beyond"], "over": ["left / over"]}


@pytest.mark.landing
def test_no_label_of_34_locales_is_cut_or_lies_on_another(chromium, all_locales, tmp_path):
    names = [locale_label(locale) for locale in all_locales]
    shares = [(name, 0.2 + 0.02 * i) for i, name in enumerate(names)]
    counts = [(name, 10 ** (i % 8)) for i, name in enumerate(names)]
    charts = [
        bar_chart("images/a.svg", "Agreement", "Shares", shares, percent=True, full=1, line=("all", 0.5)),
        bar_chart("images/b.svg", "Dishes per origin", "Counts of seven digits", counts),
    ]
    for found in drawn(chromium, charts, tmp_path):
        assert found["texts"] >= 66
        assert found["cut"] == []
        assert found["over"] == []


@pytest.mark.landing
def test_the_pictures_of_the_card_load(chromium, sample_release: Path, tmp_path: Path):
    card = (sample_release / "README.md").read_text(encoding="utf-8").split("---\n", 2)[2]
    html = MarkdownIt("commonmark").enable("table").render(card)
    widths = result(chromium, f'<base href="{sample_release.as_uri()}/">{html}', PICTURES, tmp_path)
    assert len(widths) == 1
    assert min(widths) >= 640
