"""The notebooks: they run as the site runs them, and are committed without what they print."""

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.scripts import script

NOTEBOOKS = ("build_a_culture", "score_a_model")


def read(root: Path, name: str) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads((root / "docs" / "notebooks" / f"{name}.ipynb").read_text("utf-8"))
    return notebook


def test_these_are_all(root: Path):
    assert {path.stem for path in (root / "docs" / "notebooks").iterdir()} == set(NOTEBOOKS)
    site = (root / "mkdocs.yml").read_text(encoding="utf-8")
    for name in NOTEBOOKS:
        assert f"- notebooks/{name}.md" in site


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_nothing_of_a_run_is_committed_and_what_is_linked_is_there(root: Path, name: str):
    notebook = read(root, name)
    text = "".join("".join(cell["source"]) for cell in notebook["cells"])
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text)]
    assert links
    assert [link for link in links if not (root / "docs" / "notebooks" / link).is_file()] == []
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert all(cell["metadata"] == {} for cell in notebook["cells"])
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}


@pytest.fixture(scope="module")
def hooks(root: Path, missing: Callable[[str], None]) -> Any:
    """What the site's build does with notebooks."""
    for library in ("mkdocs", "nbconvert", "ipykernel", "altair"):
        if importlib.util.find_spec(library) is None:
            missing(library)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(root / ".ci")  # as MkDocs does
        return script(".ci/site_hooks.py")


@pytest.mark.nightly
@pytest.mark.integration  # a kernel runs
@pytest.mark.parametrize(
    ("name", "shows"),
    [
        (
            "build_a_culture",
            [
                "<caption>everyday 0.1.0</caption>",
                "<caption>everyday 0.1.0, 10 rows</caption>",
                "{&#x27;answers&#x27;: [&#x27;weet-bix&#x27;, &#x27;Weet-Bix&#x27;]",
                "<bdi>annotations: 1 row changed in annotations</bdi>",
            ],
        ),
        (
            "score_a_model",
            [
                "<caption>multiple-choice of blend-sample@0.1.0, asked of longest option, ",
                "<bdi>accuracy-macro</bdi>",
                "![png](score_a_model_files/",
                "2 models, 1 of 1 pair shown to differ",
                "PosixPath(&#x27;report.html&#x27;)",
            ],
        ),
    ],
)
def test_a_notebook_runs_and_shows_what_it_says(root: Path, hooks: Any, name: str, shows: list[str]):
    page, pictures = hooks._shown(root / "docs" / "notebooks" / f"{name}.ipynb")
    shown = page.replace("'", "&#x27;")
    assert [text for text in shows if text not in shown] == []
    assert len(re.findall(r"!\[png\]", page)) == len(pictures)
    # Nothing of the machine that made the page stands on it.
    assert str(root) not in page
    assert "Warning" not in page
    assert "\x1b" not in page
