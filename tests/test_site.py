"""The documentation site: read from its folder in a real browser, without a server and without a network."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import blend
from blend.cli import app

pytestmark = [pytest.mark.integration, pytest.mark.landing]  # the whole site is built


@pytest.fixture(scope="module")
def site(root: Path, missing: Callable[[str], None], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built as `make docs` builds it."""
    if importlib.util.find_spec("mkdocs") is None:
        missing("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    run = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return folder


@pytest.fixture
def page(chromium: str) -> Iterator[Any]:
    """A page of a browser that reaches no server; what it asks one for fails the test."""
    from playwright.sync_api import sync_playwright

    asked: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(offline=True)
        # The theme draws diagrams where no script can look; here one can.
        page.add_init_script(
            "const attach = Element.prototype.attachShadow;"
            "Element.prototype.attachShadow = function () { return attach.call(this, { mode: 'open' }) }"
        )
        page.on("request", lambda request: asked.append(request.url))
        yield page
        browser.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_a_page_opened_from_the_folder_can_be_searched(site: Path, page: Any):
    page.goto((site / "index.html").as_uri())
    page.locator("input[name=query]").fill("too-few-responses")
    page.locator(".md-search-result__link[href*='/cards.html']").first.click()
    page.wait_for_url("**/cards.html**")
    assert page.locator("code", has_text="too-few-responses").first.is_visible()


def test_no_page_shows_a_fence_or_an_escape_code(site: Path):
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    assert len(pages) > 25
    # A fence that the site's Markdown does not know becomes a paragraph of inline code over several lines.
    literal = re.compile(r"```|<p><code>[^<]*\n[^<]*</code></p>|\x1b")
    assert [path.name for path, text in pages.items() if literal.search(text)] == []
    assert '<span class="filename">collected/templates.csv</span>' in pages[site / "reviews.html"]


def test_reference_and_search_have_the_public_names_and_no_modules(site: Path):
    names = {f"blend.{name}" for name in blend.__all__ if name != "__version__"}
    text = (site / "reference.html").read_text(encoding="utf-8")
    headings = re.findall(r'<h3 id="[^"]*" class="doc doc-heading">(.*?)</h3>', text, re.DOTALL)
    assert {re.search(r"blend\.\w+", heading)[0] for heading in headings} == names
    entries = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    found = {entry["location"].partition("#")[0] for entry in entries}
    assert {location for location in found if location.startswith("reference")} == {"reference.html"}
    assert names <= {entry["title"] for entry in entries}


def test_a_search_shows_public_names_and_commands_first(site: Path, page: Any):
    page.goto((site / "index.html").as_uri())
    for typed, first in (("build_release", "reference.html"), ("annotations of a release", "reference.html")):
        page.locator("input[name=query]").fill(typed)
        page.locator(".md-search-result__link").first.wait_for()
        assert first in page.locator(".md-search-result__link").first.get_attribute("href")


def test_every_command_and_option_stands_on_the_page_of_commands(site: Path):
    text = (site / "commands.html").read_text(encoding="utf-8")
    _, *parts = re.split(r"<h[1-4] id=\"blend-[^>]*><code>(blend [^<]*)</code>", text)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    waiting = [(f"blend {name}", of) for name, of in typer.main.get_command(app).commands.items()]
    assert len(sections) > 40
    while waiting:
        name, command = waiting.pop()
        section = sections.pop(name)
        waiting += [(f"{name} {inner}", of) for inner, of in getattr(command, "commands", {}).items()]
        options = [one.opts[0] for one in command.params if one.param_type_name == "option"]
        assert [option for option in options if f"<code>{option}" not in section] == [], name
    assert sections == {}
