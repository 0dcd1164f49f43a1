"""The embedded sample keeps what it promises: its breadth, its oddities, and that all of it is read."""

import csv
import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from blend.loaders.recipes import sample_path
from blend.loaders.responses import read_responses
from blend.schemas.formats import AnswerFormat, format_of, understood
from blend.schemas.locales import registry
from blend.schemas.recipe import McqOptions, Recipe, SaqOptions
from blend.schemas.rows import NonAnswer, Review
from blend.schemas.texts import fold

TOPICS = {"Food", "Holidays/Celebration/Leisure", "Sport", "Education", "Work life", "Family"}

LOCALES = {"am-ET", "ar-DZ", "en-US", "es-MX", "fa-IR", "ja-JP", "ko-KP", "ko-KR", "su-JB", "zh-CN"}

Key = tuple[str, str]
"""Template and locale."""


@dataclass(frozen=True)
class Sample:
    """The files of the sample as plain rows."""

    folder: Path
    templates: dict[str, dict[str, str]]
    questions: dict[Key, dict[str, str]]
    responses: dict[Key, list[dict[str, str]]]
    reviews: dict[Key, Review]

    def format(self, key: Key) -> AnswerFormat:
        return format_of(self.templates[key[0]]["text"])


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def sample() -> Iterator[Sample]:
    with sample_path() as folder:
        responses = defaultdict(list)
        reviews = {}
        for path in sorted(folder.glob("responses/*.csv")):
            for row in rows_of(path):
                responses[row["template_id"], path.stem].append(row)
        for path in sorted(folder.glob("reviews/*.jsonl")):
            lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
            decided = [Review.model_validate({**line, "locale": path.stem}) for line in lines]
            reviews.update({(review.template_id, path.stem): review for review in decided})
            assert len(decided) == sum(locale == path.stem for _, locale in reviews), f"{path}: reviewed twice"
        questions = rows_of(folder / "questions.csv")
        yield Sample(
            folder,
            {row["template_id"]: row for row in rows_of(folder / "templates.csv")},
            {(row["template_id"], row["locale"]): row for row in questions},
            dict(responses),
            reviews,
        )


def test_its_breadth(sample):
    """Locales, topics, formats, kinds of non-answers and ways to write a value: what each rule has to meet."""
    assert {locale for _, locale in sample.questions} == LOCALES <= set(registry().tags)
    assert Counter(Counter(locale for _, locale in sample.questions).values()).keys() == {39, 40}
    assert sample.questions.keys() == sample.responses.keys() == sample.reviews.keys()
    assert len(sample.templates) == 40
    assert {row["topic"] for row in sample.templates.values()} == TOPICS
    assert {row["source_locale"] for row in sample.templates.values()} == LOCALES
    assert {format_of(row["text"]) for row in sample.templates.values()} == set(AnswerFormat)
    kinds = {(row["non_answer"], key[1]) for key, rows in sample.responses.items() for row in rows}
    assert min(Counter(kind for kind, _ in kinds if kind).values()) >= 5
    assert {kind for kind, _ in kinds if kind} == set(NonAnswer)
    assert sum(bool(review.invalid) for review in sample.reviews.values()) >= 6
    spelled = {a for review in sample.reviews.values() for group in review.groups for a in group.answers}
    assert {"8:00", "08:00", "8pm", "۵", "２５", "7/4"} <= spelled


def test_answers_with_a_format_have_it_or_are_settled_by_the_review(sample):
    for key, review in sample.reviews.items():
        asked = sample.format(key)
        if asked is AnswerFormat.TEXT:
            continue
        for group in review.groups:
            values = {understood(a, asked) for a in group.answers} - {None}
            assert len(values) == 1, key
            assert values == set(group.en_answers), key
        # A reviewer may be stricter than the rules (아침 8시 is not HH:MM), but loses no value by it.
        kept = {value for group in review.groups for value in group.en_answers}
        assert all(understood(answer, asked) in {None, *kept} for answer in review.invalid), key


@pytest.mark.slow
def test_files_are_read_without_a_finding(sample):
    # So every answer is decided once, and all texts are tidy; test_the_sample_is_clean looks at their scripts.
    tables = read_responses(sample.folder)
    assert tables.findings.is_empty()
    assert len(tables.questions) == len(tables.reviews) == len(sample.questions) == 395
    assert len(tables.responses) == sum(map(len, sample.responses.values()))
    assert set(tables.questions["source_label"]) >= {"Korean (North Korea)", "Sundanese (West Java)"}


def test_recipe_explains_every_key(sample):
    text = (sample.folder / "recipe.toml").read_text(encoding="utf-8")
    recipe = Recipe.model_validate(tomllib.loads(text))
    assert (recipe.name, recipe.version, recipe.license) == ("blend-sample", "0.1.0", "cc-by-4.0")
    assert [source.kind for source in recipe.sources] == ["sample"]
    assert recipe.mcq == McqOptions()
    assert recipe.saq == SaqOptions()
    keys = [line for line in text.splitlines() if " = " in line and not line.startswith("#")]
    assert all("  # " in line or line == 'kind = "sample"' for line in keys)


def test_licence_and_readme_stand_beside_the_data(sample):
    licence = (sample.folder / "LICENSE").read_text(encoding="utf-8")
    assert "https://creativecommons.org/licenses/by/4.0/" in licence
    assert "made it up for\ndemonstration" in (sample.folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.integration  # reads all questions of the public data
def test_no_sentence_is_shared_with_the_public_data(sample, blend_data):
    public = {
        fold(row[column])
        for path in blend_data.glob("questions/*.csv")
        for row in rows_of(path)
        for column in ("Question", "Translation")
    }
    ours = {fold(row[name]) for row in sample.questions.values() for name in ("question", "en_question")}
    assert len(public) > 8000
    assert ours.isdisjoint(public)
    assert {hintless(text) for text in ours}.isdisjoint(hintless(text) for text in public)


def hintless(text: str) -> str:
    """The question without what follows the question mark, which says how to answer."""
    for mark in "?؟？":
        text = text.split(mark, maxsplit=1)[0]
    return text
