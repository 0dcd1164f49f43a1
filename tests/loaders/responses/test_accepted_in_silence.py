"""What was once accepted without a word: addresses and names as pseudonyms, emptied reviews, UTF-16."""

import json
import shutil
from pathlib import Path

import pytest

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import read_text
from blend.loaders.responses import read_responses
from blend.loaders.responses.fillers import read_fillers
from blend.loaders.topics import read_topics
from blend.schemas.errors import BlendError
from blend.schemas.personal_data import pseudonym

ADDRESS = "an e-mail address tells who somebody is; write a pseudonym, for example a01"
NAME = "this reads like the name of a person; write a pseudonym, for example a01"


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(root / "tests" / "loaders" / "valid" / "responses", tmp_path / "collected"))


def refused(folder: Path) -> str:
    with pytest.raises(BlendError) as told:
        read_responses(folder)
    return str(told.value)


@pytest.mark.parametrize(
    ("who", "why"), [("mina@example.org", ADDRESS), ("Mina Kim", NAME), ("Jean-Luc Ó Sé", NAME)]
)
def test_people_are_pseudonyms_in_responses_and_reviews(folder: Path, who: str, why: str):
    path = folder / "responses" / "ko-KR.csv"
    header, first, *_ = path.read_text(encoding="utf-8").splitlines()
    annotator = first.split(",")[header.split(",").index("annotator")]
    path.write_text(path.read_text(encoding="utf-8").replace(f",{annotator},", f",{who},", 1), encoding="utf-8")
    assert f"responses/ko-KR.csv:2, column annotator: {why}" in refused(folder)


def test_a_reviewer_is_a_pseudonym_too(folder: Path):
    path = folder / "reviews" / "ko-KR.jsonl"
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    before = first.partition('"reviewer": "')[2].partition('"')[0]
    lines = [first.replace(f'"reviewer": "{before}"', '"reviewer": "mina@example.org"'), *rest]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert refused(folder) == f"reviews/ko-KR.jsonl:1, column reviewer: {ADDRESS}"
    fillers = folder / "fillers.csv"
    fillers.write_text("template_id,option,region,reviewer\nfood-01,porridge,UK,Mina Kim\n", encoding="utf-8")
    with pytest.raises(BlendError) as told:
        read_fillers(fillers)
    assert str(told.value) == f"fillers.csv:2, column reviewer: {NAME}"


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("ask mina@example.org", "an e-mail address"),
        ("call 010-1234-5678", "a phone number"),
        ("ask Mina Kim, 22 33 44", "a name with a number"),
    ],
)
def test_a_reason_of_an_older_review_tells_nobody_who_somebody_is(folder: Path, reason: str, kind: str):
    line = {"template_id": "food-01", "reviewer": "r1", "invalid": ["밥"], "reasons": [reason], "groups": []}
    (folder / "reviews" / "ko-KR.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    what = f"holds {kind} (not shown); say why in other words: a release repeats them"
    assert f"reviews/ko-KR.jsonl:1, column reasons: {what}" in refused(folder)


@pytest.mark.parametrize(
    "who", ["a01", "p-1a2b3c4d5e6f", "rater 7", "Rater 7", "reader from Seoul, a native", "민아"]
)
def test_what_tells_nobody_who_it_is_stays(who: str):
    assert pseudonym(who) == who


def test_a_file_of_reviews_without_any_is_told(folder: Path):
    (folder / "reviews" / "ko-KR.jsonl").write_text("")
    assert refused(folder) == (
        "reviews/ko-KR.jsonl: the file holds no review; restore it, or delete it if nobody has reviewed "
        "anything"
    )


def test_utf_16_is_not_utf_8(tmp_path: Path):
    path = tmp_path / "topics.tsv"
    path.write_bytes("physics\tgravity\n".encode("utf-16-le"))
    with pytest.raises(BlendError) as told:
        read_text(path, tmp_path, Diagnostics())
    assert str(told.value) == (
        "topics.tsv: every second byte is null, so this is not UTF-8 but UTF-16, or no text; "
        "save the file with the encoding UTF-8"
    )


def test_control_characters_do_not_get_into_prompts(tmp_path: Path):
    folder = tmp_path / "qa"
    folder.mkdir()
    (folder / "topics.tsv").write_text("physics\tgra\x1bvity\n")
    (folder / "templates.tsv").write_text("_\t_\tExplain {topic} to {article} {nationality}.\n")
    with pytest.raises(BlendError) as told:
        read_topics(tmp_path)
    assert str(told.value) == "qa/topics.tsv:1: the line holds control characters: U+001B; delete it"
