"""Writes the parts of the documentation that repeat data of the package: ``python .ci/doc_tables.py``.

Each stands in a page between two comments, the first of which names it. `make docs` runs this; a test says when
a part is out of date. The long ones of findings and languages are in no file: they are filled in when the site
is built (`.ci/site_hooks.py`).
"""

import inspect
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from blend.builders.annotation.stage import stage_definitions
from blend.builders.validate import CHECKS
from blend.eval.tasks import TASKS
from blend.schemas.models import first_line_of
from blend.schemas.reports import finding_steps

DOCS = Path(__file__).resolve().parents[1] / "docs"

_FINDS = re.compile(r"^\* (error: )?(.+(?:\n  .+)*)", re.MULTILINE)
"""What a check tells of, a line of the list in its docstring."""


def findings() -> str:
    """A section per step of a build, with a table of the kinds of findings that it reports."""
    parts = []
    for step in finding_steps():
        rows = [(f"`{name}`", kind.meaning, kind.example, kind.remedy) for name, kind in step.kinds.items()]
        parts.append(f"### {step.name}\n\n{_table(('kind', 'what it means', 'example', 'what to do'), rows)}")
    return "\n".join(parts)


def languages() -> str:
    """A table of the languages in which short answers are read."""
    text = files("blend.eval.text").joinpath("languages.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    rows = [
        (
            f"`{language}`",
            ", ".join(f"`{name}`" for name in read["lemmatisers"]),
            _without_what_the_page_says(read["done"].format_map(tables["phrases"])),
            _without_what_the_page_says(read["not_claimed"].format_map(tables["phrases"])),
        )
        for language, read in sorted(tables["language"].items())
    ]
    return _table(("language", "lemmatisers, the default first", "done by default", "not claimed"), rows)


def _without_what_the_page_says(text: str) -> str:
    """Leave out what the page says once, above the table, of affixes and dictionaries."""
    for said in (
        "Affixes of nouns by an own list.",
        "Verbs stay as they are.",
        "A stem can be that of several words.",
        "Dictionary forms by simplemma.",
        "A word that the dictionary lacks is its own lemma; words with two readings get one of them.",
        "A word that the dictionary lacks is read by the list alone; words with two readings get one of them.",
        "Other verbs, and nouns made with prefixes and suffixes, stay as they are.",
    ):
        text = text.replace(said, "")
    return " ".join(text.split())


def checks() -> str:
    """A table of the checks of a release, in the order in which they run, from their docstrings."""
    rows = []
    for name, check in CHECKS.items():
        found = _FINDS.findall(inspect.cleandoc(check.__doc__ or ""))
        errors, others = (
            "; ".join(" ".join(text.split()) for level, text in found if bool(level) == is_error)
            for is_error in (True, False)
        )
        rows.append((f"`{name}`", first_line_of(check).rstrip("."), errors, others))
    return _table(("check", "what should hold", "errors", "others"), rows)


def stages() -> str:
    """A table of the stages of annotation, in the order in which they happen."""
    rows = [
        (f"`{name}`", "reviewers" if stage.by_reviewers else "annotators", stage.does, stage.gives)
        for name, stage in stage_definitions().items()
    ]
    return _table(("stage", "who", "what they do", "what comes out"), rows)


def tasks() -> str:
    """A table of the tasks of evaluation."""
    reads = {name: ", ".join(f"`{config}`" for config in task.configs) for name, task in TASKS.items()}
    rows = [(f"`{name}`", task.asks, task.reads or reads[name]) for name, task in TASKS.items()]
    return _table(("`--task`", "a question is", "reads"), rows)


PAGES: Mapping[str, Callable[[], str]] = {
    "annotating.md": stages,
    "evaluation.md": tasks,
    "cards.md": checks,
}
"""Page to what its part holds, as it is kept."""

ON_THE_SITE: Mapping[str, Callable[[], str]] = {"cards.md": findings, "short-answers.md": languages}
"""Page to what its part holds on the site alone."""


def filled(page: str, part: Callable[[], str]) -> str:
    """The text of a page with a part written anew: between the comment that names it and the next end."""
    begin = re.escape(f"<!-- {part.__name__}: written by .ci/doc_tables.py -->\n")
    text, n_parts = re.subn(
        rf"(?<={begin}).*?(?=<!-- end -->\n)", lambda _: f"\n{part()}\n", page, flags=re.DOTALL
    )
    if n_parts != 1:
        raise ValueError(f"a page has {n_parts} parts {part.__name__} between comments; it must have one")
    return text


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    first, *others = (f"| {' | '.join(line)} |\n" for line in lines)
    return "".join([first, f"|{'---|' * len(header)}\n", *others])


if __name__ == "__main__":
    for name, part in PAGES.items():
        path = DOCS / name
        path.write_text(filled(path.read_text(encoding="utf-8"), part), encoding="utf-8")
