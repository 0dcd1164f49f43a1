"""The documentation: what it names is there, and what is written from data is as it would be written now."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

from blend.schemas.reports import finding_kinds
from helpers.scripts import script

ROOT = Path(__file__).resolve().parents[1]
PAGES = [path.relative_to(ROOT) for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))]
_IMPORT = re.compile(r"^(?:>>> )?from (blend[\w.]*) import (\w+(?:, \w+)*)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_what_a_page_imports_is_there(page: Path):
    # The walks of docs/architecture.md import what they have just added.
    added = ("topic_guessing",) if page.name == "architecture.md" else ()
    missing = [
        f"{module}.{name}"
        for module, names in _IMPORT.findall((ROOT / page).read_text(encoding="utf-8"))
        if not module.endswith(added or ("\0",))
        for name in names.split(", ")
        if not hasattr(importlib.import_module(module), name)
    ]
    assert missing == []


def test_every_package_stands_on_the_page_of_the_architecture_and_every_file_that_it_names_is_there():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    packages = {
        path.parent.relative_to(ROOT).as_posix()
        for folder in ("loaders", "builders", "eval", "blend")
        for path in (ROOT / folder).rglob("__init__.py")
        if path.parent != ROOT / folder
    }
    assert len(packages) > 20
    assert {package for package in packages if f"`{package}/`" not in page} == set()
    named = set(re.findall(r"`((?:\w+/)+\w+\.\w[\w.]*)`", page))
    assert "builders/mcq/offers.py" in named
    assert {name for name in named if not (ROOT / name).is_file()} == set()


@pytest.fixture(scope="module")
def doc_tables() -> ModuleType:
    return script(".ci/doc_tables.py")


def test_every_part_is_current(doc_tables: ModuleType, root: Path):
    pages = {path.name: path.read_text(encoding="utf-8") for path in (root / "docs").glob("*.md")}
    assert {name for name, text in pages.items() if "doc_tables.py" in text} == {
        *doc_tables.PAGES,
        *doc_tables.ON_THE_SITE,
    }
    stale = [
        name for name, part in doc_tables.PAGES.items() if doc_tables.filled(pages[name], part) != pages[name]
    ]
    assert stale == [], "`make docs` writes them"


def test_the_site_says_of_every_kind_of_finding_what_to_do(doc_tables: ModuleType, root: Path):
    page = doc_tables.filled((root / "docs" / "cards.md").read_text("utf-8"), doc_tables.findings)
    assert "make docs" not in page
    for name, kind in finding_kinds().items():
        row = (f"`{name}`", kind.meaning, kind.example, kind.remedy)
        cells = [cell.replace("|", "\\|") for cell in row]
        assert f"| {' | '.join(cells)} |" in page


def test_a_page_without_its_comments_is_refused(doc_tables: ModuleType):
    with pytest.raises(ValueError, match="a page has 0 parts stages between comments; it must have one"):
        doc_tables.filled("# Findings\n", doc_tables.stages)
