"""The embedded sample keeps what it promises: its breadth, its oddities, and that every answer is decided."""

import csv
import json
import tomllib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from blend.loaders.packaged import sample_path
from blend.loaders.responses import read_responses
from blend.schemas.formats import AnswerFormat, format_of, understood
from blend.schemas.locales import registry
from blend.schemas.recipe import McqOptions, Recipe, SaqOptions
from blend.schemas.rows import NonAnswer, Review
from blend.schemas.texts import fold

TOPICS = {"Food", "Holidays/Celebration/Leisure", "Sport", "Education", "Work life", "Family"}

SCRIPTS = {
    "am-ET": ("ETHIOPIC",),
    "ar-DZ": ("ARABIC",),
    "en-US": ("LATIN",),
    "es-MX": ("LATIN",),
    "fa-IR": ("ARABIC",),
    "ja-JP": ("CJK", "HIRAGANA", "KATAKANA"),
    "ko-KP": ("HANGUL",),
    "ko-KR": ("HANGUL",),
    "su-JB": ("LATIN",),
    "zh-CN": ("CJK",),
}
"""What the Unicode names of a locale's letters begin with."""

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


def answers_of(row: dict[str, str]) -> list[str]:
    return [row[f"answer_{n}"] for n in (1, 2, 3) if row[f"answer_{n}"]]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def review_of(line: str, locale: str) -> Review:
    return Review.model_validate({**json.loads(line), "locale": locale})


@pytest.fixture(scope="module")
def sample() -> Iterator[Sample]:
    with sample_path() as folder:
        responses = defaultdict(list)
        reviews = {}
        for path in sorted(folder.glob("responses/*.csv")):
            for row in rows_of(path):
                responses[row["template_id"], path.stem].append(row)
        for path in sorted(folder.glob("reviews/*.jsonl")):
            decided = [review_of(line, path.stem) for line in path.read_text(encoding="utf-8").splitlines()]
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
    assert {locale for _, locale in sample.questions} == SCRIPTS.keys() <= set(registry().tags)
    assert Counter(Counter(locale for _, locale in sample.questions).values()).keys() == {39, 40}
    assert sample.questions.keys() == sample.responses.keys() == sample.reviews.keys()
    assert len(sample.templates) == 40
    assert {row["topic"] for row in sample.templates.values()} == TOPICS
    assert {row["source_locale"] for row in sample.templates.values()} == SCRIPTS.keys()
    assert {format_of(row["text"]) for row in sample.templates.values()} == set(AnswerFormat)
    kinds = {(row["non_answer"], key[1]) for key, rows in sample.responses.items() for row in rows}
    assert min(Counter(kind for kind, _ in kinds if kind).values()) >= 5
    assert {kind for kind, _ in kinds if kind} == set(NonAnswer)
    assert sum(bool(review.invalid) for review in sample.reviews.values()) >= 6
    spelled = {a for review in sample.reviews.values() for group in review.groups for a in group.answers}
    assert {"8:00", "08:00", "8pm", "۵", "２５", "7/4"} <= spelled


def test_every_typed_answer_is_decided_exactly_once(sample):
    for key, rows in sample.responses.items():
        review = sample.reviews[key]
        decided = [*review.invalid, *(a for group in review.groups for a in group.answers)]
        assert len(decided) == len(set(decided)), key
        assert set(decided) == {answer for row in rows for answer in answers_of(row)}, key
        assert all(group.en_answers for group in review.groups), key


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


def test_texts_are_nfc_trimmed_and_without_control_characters(sample):
    texts = [row[name] for row in sample.questions.values() for name in ("question", "en_question")]
    for rows in sample.responses.values():
        texts += [text for row in rows for text in (*answers_of(row), row["reason"]) if text]
    for review in sample.reviews.values():
        texts += [text for group in review.groups for text in group.en_answers]
    for text in texts:
        assert unicodedata.is_normalized("NFC", text), text
        assert text == text.strip(), text
        assert not any(unicodedata.category(char) == "Cc" for char in text), text
        # Zero-width non-joiners are ordinary Persian spelling; no other invisible character is meant.
        assert not any(unicodedata.category(char) == "Cf" and char != "\u200c" for char in text), text


def test_texts_are_in_the_script_of_their_locale(sample):
    for (_, locale), row in sample.questions.items():
        assert in_script(row["question"].replace("HH:MM", "").replace("MM/DD", ""), locale), row["question"]
    for key, review in sample.reviews.items():
        if sample.format(key) is not AnswerFormat.TEXT:
            continue
        typed = [*review.invalid, *(answer for group in review.groups for answer in group.answers)]
        # "NBA" and the like are written in Latin letters everywhere.
        assert [text for text in typed if not in_script(text, key[1]) and not text.isascii()] == [], key
        assert sum(text.isascii() for text in typed) <= 1 or "LATIN" in SCRIPTS[key[1]], key
        english = [text for group in review.groups for text in group.en_answers]
        assert all(in_script(text, "en-US") for text in english), key


def in_script(text: str, locale: str) -> bool:
    """Whether all letters are of the locale's script, and there is one."""
    letters = [char for char in text if char.isalpha() and char != "ー"]
    return bool(letters) and all(unicodedata.name(char).startswith(SCRIPTS[locale]) for char in letters)


@pytest.mark.slow
def test_files_are_read_without_a_finding(sample):
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
