"""The real page in a real browser: what a person types, chooses and drags there is what a pull gets."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import pseudonym, read_key
from blend.builders.annotation.pulling import pull_project
from blend.builders.annotation.syncing import sync_project
from helpers.label_studio.annotation_projects import push
from helpers.label_studio.annotator_in_browser import annotator
from helpers.label_studio.studio_fixtures import StudioForTests

pytestmark = pytest.mark.integration  # a real Label Studio and a real browser

ANSWERS = {"ko-KR": ("밥", "쌀밥", "국"), "fa-IR": ("نان", "نان و پنیر", "می‌خورند")}
REASONS = {"ko-KR": "직업마다 달라요", "fa-IR": "بستگی به شغل دارد"}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_what_a_person_does_in_korean_and_persian_is_what_a_pull_gets(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], chromium: str, tmp_path: Path
):
    file = project(label_studio.url, stages='["answer", "review"]', wanted="1")
    push(file.path)
    email = f"{file.project.name}@example.org"
    with annotator(chromium, label_studio.url) as person:
        person.sign_up(email)
        for tag, answers in ANSWERS.items():
            person.begin(label_studio.project(f"{file.project.name} answer {tag}"))
            first = person.question()
            person.type_answers(*answers)
            person.submit()
            person.next_question(first)
            person.press("4")
            person.type_answers(REASONS[tag], field=1)
            person.submit()
        sync_project(file.path)
        # The reviews wait now. Proposed are three groups, in the order of their text; two are one answer.
        for tag, answers in ANSWERS.items():
            person.begin(label_studio.project(f"{file.project.name} review {tag}"))
            person.drag(answers[1], onto=answers[0])
            person.type_answers("first", "second", field=0)
            person.submit()
        assert person.complaints == []
    pull_project(file)
    who = pseudonym(email, read_key(file.key_file))
    for tag, answers in ANSWERS.items():
        assert lines(file.collected / "responses" / f"{tag}.jsonl") == [
            {"template_id": "food-01", "annotator": who, "answers": list(answers)},
            {"template_id": "work-01", "annotator": who, "non_answer": "other", "reason": REASONS[tag]},
        ]
        (review,) = lines(file.collected / "reviews" / f"{tag}.jsonl")
        assert review["reviewer"] == who
        groups = {tuple(sorted(group["answers"])): group.get("en_answers", []) for group in review["groups"]}
        assert groups == {(answers[2],): ["first", "second"], tuple(sorted(answers[:2])): []}
