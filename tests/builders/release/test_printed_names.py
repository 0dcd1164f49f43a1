"""Names of regions: what people read has them as they are printed, never as upstream files spell them."""

import json
import re
from pathlib import Path

import pytest

from blend.builders.release import build_release
from blend.loaders.releases.tables import read_config
from blend.schemas.locales import registry
from blend.schemas.recipe import Recipe, Source

SPELLED = tuple(locale for locale in registry() if "_" in locale.upstream)
"""Locales with a name of upstream's that is not one in a text."""

ANSWERS = ("bread", "rice", "fish", "beans", "soup", "cheese", "lamb", "honey", "maize", "plums")


def answer_of(place: int, number: int) -> str:
    return ANSWERS[(place + number) % len(ANSWERS)]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Responses to two questions in every one of these locales, and the multiple-choice questions they make."""
    base = tmp_path_factory.mktemp("spelled")
    folder = base / "collected"
    (folder / "responses").mkdir(parents=True)
    (folder / "reviews").mkdir()
    templates, questions = ["template_id,topic,source_locale,text"], ["template_id,locale,question,en_question"]
    for number in (1, 2):
        templates.append(f"t{number},Food,,What is dish {number} in {{country}}?")
        for locale in SPELLED:
            text = f"What is dish {number} in {locale.prompt_name}?"
            questions.append(f"t{number},{locale.tag},{text},{text}")
    (folder / "templates.csv").write_text("\n".join(templates), encoding="utf-8")
    (folder / "questions.csv").write_text("\n".join(questions), encoding="utf-8")
    for at, locale in enumerate(SPELLED):
        lines = ["template_id,annotator,answer_1,answer_2,answer_3,non_answer,reason"]
        for number in (1, 2):
            lines += [f"t{number},a{who},{answer_of(at, number)},,,," for who in range(5)]
        (folder / "responses" / f"{locale.tag}.csv").write_text("\n".join(lines), encoding="utf-8")
        reviews = [
            {"template_id": f"t{number}", "locale": locale.tag, "reviewer": "r1", "invalid": []}
            | {"groups": [{"answers": [answer_of(at, number)], "en_answers": [answer_of(at, number)]}]}
            for number in (1, 2)
        ]
        lines = [json.dumps(review) for review in reviews]
        (folder / "reviews" / f"{locale.tag}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    recipe = Recipe(
        name="spelled",
        version="1.0.0",
        license="cc-by-4.0",
        sources=(Source(kind="responses", location="collected"),),
    )
    build_release(recipe, base / "release", base=base)
    return base / "release"


def spelled_in(text: str) -> list[str]:
    return [locale.upstream for locale in SPELLED if locale.upstream in text]


@pytest.mark.slow
def test_every_document_has_the_printed_names(release: Path):
    assert len(SPELLED) > 5
    held = read_config(release, "annotations")
    assert set(held["locale"]) == {locale.tag for locale in SPELLED}
    asked = read_config(release, "multiple-choice-questions")
    assert set(asked["country"]) == {locale.upstream for locale in SPELLED}
    texts = [path for path in release.rglob("*") if path.is_file() and path.suffix != ".parquet"]
    assert {"README.md", "release.json", "croissant.json"} <= {path.name for path in texts}
    for path in texts:
        # The fields of the rows are explained by an example of what stands in them.
        text = re.sub(r"for example \W*South_Korea\b", "", path.read_text(encoding="utf-8"))
        assert spelled_in(text) == [], path
    card = (release / "README.md").read_text(encoding="utf-8")
    assert all(locale.region_name in card for locale in SPELLED)
