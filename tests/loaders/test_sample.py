"""The embedded sample keeps what it promises: its breadth, its oddities, and that every answer is decided."""

import csv
import json
import subprocess
import sys
import tomllib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from blend.loaders.responses import read_responses
from blend.loaders.sample import sample_path
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

    def group_votes(self, key: Key) -> list[int]:
        """Annotators behind each reviewed group, most first."""
        typed = [set(answers_of(row)) for row in self.responses[key]]
        return sorted(
            (sum(bool(given & set(g.answers)) for given in typed) for g in self.reviews[key].groups),
            reverse=True,
        )

    def non_answers(self, key: Key) -> Counter[str]:
        return Counter(row["non_answer"] for row in self.responses[key] if row["non_answer"])


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


def test_locales_of_many_languages_and_scripts(sample):
    locales = {locale for _, locale in sample.questions}
    assert locales == SCRIPTS.keys()
    assert {"ar-DZ", "am-ET", "ko-KR", "ko-KP", "su-JB", "es-MX"} <= locales
    assert locales <= set(registry().tags)
    only_semeval = [tag for tag in locales if registry().get(tag).collections == ("semeval-2026-7",)]
    assert only_semeval == ["ja-JP"]


def test_templates_over_all_topics(sample):
    topics = Counter(row["topic"] for row in sample.templates.values())
    assert topics.keys() == TOPICS
    assert len(sample.templates) == topics.total() == 40
    assert min(topics.values()) >= 6
    assert all(row["text"].count("{country}") == 1 for row in sample.templates.values())
    assert {row["source_locale"] for row in sample.templates.values()} == SCRIPTS.keys()


def test_every_format_is_asked_for(sample):
    asked = Counter(format_of(row["text"]) for row in sample.templates.values())
    assert asked.keys() == set(AnswerFormat)
    assert min(asked.values()) >= 3


def test_most_locales_have_most_questions_and_none_lacks_its_responses_or_review(sample):
    per_locale = Counter(locale for _, locale in sample.questions)
    assert set(per_locale.values()) == {39, 40}
    assert sample.questions.keys() == sample.responses.keys() == sample.reviews.keys()


def test_english_questions_are_the_templates_with_the_country_in_its_slot(sample):
    for (template_id, locale), row in sample.questions.items():
        name = registry().get(locale).prompt_name
        assert row["en_question"] == sample.templates[template_id]["text"].format(country=name)


def test_five_to_seven_annotators_answer_each_question_once(sample):
    for key, rows in sample.responses.items():
        names = [row["annotator"] for row in rows]
        assert 5 <= len(names) <= 7, key
        assert len(set(names)) == len(names), key
    five = sum(len(rows) == 5 for rows in sample.responses.values())
    assert five / len(sample.responses) > 0.8


def test_a_response_has_answers_or_a_non_answer(sample):
    rows = [row for rows in sample.responses.values() for row in rows]
    assert all(bool(answers_of(row)) != bool(row["non_answer"]) for row in rows)
    assert all(bool(row["reason"]) == (row["non_answer"] == NonAnswer.OTHER) for row in rows)
    counts = Counter(len(answers_of(row)) for row in rows)
    assert counts.keys() == {0, 1, 2, 3}


def test_all_four_kinds_of_non_answer_occur_in_several_locales(sample):
    where = defaultdict(set)
    for key in sample.responses:
        for kind in sample.non_answers(key):
            where[kind].add(key[1])
    assert where.keys() == set(NonAnswer)
    assert min(len(locales) for locales in where.values()) >= 5


def test_every_typed_answer_is_decided_exactly_once(sample):
    for key, rows in sample.responses.items():
        review = sample.reviews[key]
        decided = [*review.invalid, *(a for group in review.groups for a in group.answers)]
        assert len(decided) == len(set(decided)), key
        assert set(decided) == {answer for row in rows for answer in answers_of(row)}, key
        assert all(group.en_answers for group in review.groups), key


def test_answers_have_variants_and_some_are_invalid(sample):
    for locale in SCRIPTS:
        reviews = [review for key, review in sample.reviews.items() if key[1] == locale]
        merged = [group for review in reviews for group in review.groups if len(group.answers) > 1]
        assert len(merged) >= 40, locale
    assert len({key[1] for key, review in sample.reviews.items() if review.invalid}) >= 6


def test_sleeping_and_going_to_bed_are_one_answer(sample):
    groups = sample.reviews["work-06", "en-US"].groups
    assert [g.answers for g in groups if "sleep" in g.answers] == [("sleep", "go to bed", "take a nap")]


def test_one_annotator_gives_two_variants_of_one_answer(sample):
    twice = [
        (key, row["annotator"])
        for key, rows in sample.responses.items()
        for row in rows
        for group in sample.reviews[key].groups
        if len(set(answers_of(row)) & set(group.answers)) > 1
    ]
    assert len({key[1] for key, _ in twice}) >= 5


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


def test_some_answers_with_a_format_are_written_otherwise(sample):
    formatted = [(key, r) for key, r in sample.reviews.items() if sample.format(key) is not AnswerFormat.TEXT]
    assert sum(bool(review.invalid) for _, review in formatted) >= 8
    spelled = {a for _, review in formatted for group in review.groups for a in group.answers}
    assert {"8:00", "08:00", "8pm", "۵", "２５", "7/4"} <= spelled


def test_ties_for_the_top(sample):
    tied = {key for key in sample.reviews if sample.group_votes(key)[:2] in ([2, 2], [3, 3], [4, 4])}
    assert ("hol-02", "ar-DZ") in tied
    assert {locale for _, locale in tied} == SCRIPTS.keys()


def test_questions_that_must_be_filtered_out_each_for_its_reason(sample):
    options = McqOptions()
    reasons = defaultdict(set)
    for key in sample.reviews:
        non_answers = sample.non_answers(key)
        if non_answers[NonAnswer.NOT_APPLICABLE] > options.target_max_not_applicable:
            reasons["not-applicable"].add(key)
        elif non_answers.total() > options.target_max_non_answers:
            reasons["non-answers"].add(key)
        elif sample.group_votes(key)[0] < options.target_min_votes:
            reasons["few-votes"].add(key)
    assert reasons.keys() == {"not-applicable", "non-answers", "few-votes"}
    assert min(len(keys) for keys in reasons.values()) >= 3
    assert sum(len(keys) for keys in reasons.values()) < len(sample.reviews) / 10


def test_a_question_short_of_responses_and_one_with_too_many_who_do_not_know(sample):
    options = SaqOptions()
    short, stopped = set(), set()
    for key, rows in sample.responses.items():
        idk = sample.non_answers(key)[NonAnswer.IDK]
        if len(rows) - idk < options.wanted:
            (stopped if idk > options.max_idk else short).add(key)
    assert ("work-04", "ko-KP") in short
    assert stopped == {("sport-06", "ko-KP")}


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


def test_arabic_and_persian_keep_to_their_own_letters(sample):
    for (_, locale), row in sample.questions.items():
        if locale == "fa-IR":
            assert not set("يك") & set(row["question"]), row["question"]
        if locale == "ar-DZ":
            assert not set("یکپچژگ") & set(row["question"]), row["question"]


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


def test_importing_the_module_reads_nothing_slow():
    slow = "print(*sorted({'polars', 'datasets', 'pydantic'} & set(sys.modules)))"
    code = f"import sys, blend.loaders.sample; {slow}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


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
