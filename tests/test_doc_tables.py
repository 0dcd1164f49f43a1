"""Parts of the documentation that are written from data of the package are as they would be written now."""

from pathlib import Path
from types import ModuleType

import pytest

from blend.schemas.reports import finding_kinds
from helpers.scripts import script


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
