"""Kinds of findings: docs/cards.md and the packaged texts know every kind that any code can report."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from blend.builders.annotation.project import ORDER
from blend.builders.cards import _KEYWORDS
from blend.builders.saq.ballots import NEEDS_RESPONSES, STOPPED
from blend.builders.validate import CHECKS
from blend.schemas.reports import finding_kinds, finding_steps
from blend.schemas.rows import CONFIGS, NonAnswer

ONE_WORD = {"short", "placeholder"}
"""Kinds that cannot be told from other words by their hyphens."""

NO_KINDS = {
    *(name for name in CHECKS if name not in finding_kinds()),
    *CONFIGS,
    *_KEYWORDS,
    *(kind.value for kind in NonAnswer if kind is not NonAnswer.NOT_APPLICABLE),
    *(NEEDS_RESPONSES, STOPPED),
    # Outcomes of a single answer, counted in the build report and no findings of a question.
    *("in-reserve", "uncertain-question", "refused-at-home", "not-needed", "own-region"),
    "non-answer",
    # A rule of the audit, and what it finds in options: neither has a finding of its own.
    *("nearest-mean", "names-region"),
    # What a page tells the browser to say to servers of pictures.
    "no-referrer",
    # Names of stages of annotation, and what people choose in them.
    *(*ORDER, "also_correct"),
    # Name of a task that people answer as models do.
    "multiple-choice",
}
"""Words with hyphens in the code that are something else."""

OTHER_PLACES = (
    "builders/audit/",
    "builders/cards/",
    "builders/triples/rows.py",
    "loaders/servers/",
)
"""Where words with hyphens are tags of the Hub, of Label Studio and of languages, values of HTML, headers, or
names of tables."""


def words(root: Path) -> Iterator[tuple[str, str]]:
    """Every text in the code that has the form of a kind, with its file; what is filled in is ``*``."""
    for room in ("builders", "loaders"):
        for path in sorted((root / room).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value, name
                elif isinstance(node, ast.JoinedStr):
                    parts = (part.value if isinstance(part, ast.Constant) else "*" for part in node.values)
                    yield "".join(map(str, parts)), name


@pytest.mark.slow
def test_every_kind_in_the_code_is_explained(root: Path):
    hyphened = re.compile(r"[a-z]+(-[a-z]+)+")
    unknown = {
        (word, name)
        for word, name in words(root)
        if hyphened.fullmatch(word)
        and word not in finding_kinds()
        and word not in NO_KINDS
        and not name.startswith(OTHER_PLACES)
    }
    assert not unknown, "explain these in schemas/findings.toml, or name them in NO_KINDS"


@pytest.mark.slow
def test_every_explained_kind_is_in_the_code(root: Path):
    held = {word for word, _ in words(root)}
    filled = [
        re.compile(re.escape(word).replace(r"\*", "[a-z]+"))
        for word in held
        if re.fullmatch(r"[a-z]+-\*s?", word)
    ]
    for kind in finding_kinds():
        assert kind in held or any(pattern.fullmatch(kind) for pattern in filled), kind
    assert set(finding_kinds()) >= ONE_WORD


def test_no_kind_is_explained_twice():
    names = [name for step in finding_steps() for name in step.kinds]
    assert len(names) == len(set(names))


def test_the_line_on_the_page_is_one_of_the_sample(root: Path, sample_release: Path):
    page = (root / "docs" / "cards.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^```json\n(.*)\n```$", page, flags=re.MULTILINE)
    lines = (sample_release / "reports" / "findings.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line) in map(json.loads, lines)


@pytest.mark.integration
def test_sixteen_regions_have_no_kind_that_is_not_explained(regions_release: Path, paper_release: Path):
    for release in (regions_release, paper_release):
        lines = (release / "reports" / "findings.jsonl").read_text(encoding="utf-8").splitlines()
        assert {json.loads(line)["kind"] for line in lines} <= set(finding_kinds())
