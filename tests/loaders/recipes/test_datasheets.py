"""Datasheets: what is read, and every message for what cannot be."""

from pathlib import Path

import pytest

from blend.loaders.files.toml import read_toml
from blend.loaders.packaged import sample_path
from blend.schemas.errors import BlendError
from blend.schemas.reports import Datasheet, questions


def written(folder: Path, text: str) -> Path:
    path = folder / "datasheet.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_left_out_is_unanswered(tmp_path: Path):
    sheet = read_toml(written(tmp_path, '[uses]\nnot_for = "Training."\n'), Datasheet, what="datasheet")
    assert [(q.key, q.answer) for q in questions(sheet) if q.answer] == [("uses.not_for", "Training.")]


WRONG = {
    '[motivation]\nfundign = "x"\n': (
        "key motivation.fundign: unknown key; did you mean 'funding'? the keys here are purpose, creators, "
        "funding, comments"
    ),
    '[motivations]\nfunding = "x"\n': (
        "key motivations: unknown key; did you mean 'motivation'? the keys here are motivation, composition, "
        "collection, preprocessing, uses, distribution, maintenance"
    ),
    '[motivation]\nfunding = " "\n': (
        "key motivation.funding: ' ' is not of the right form; correct it: Who paid for it; if a grant did, by "
        "whom, with what name and number?"
    ),
    "[collection]\ntimeframe = 2026\n": (
        "key collection.timeframe: 2026 is not text in quotes; correct it: When were the data collected, and "
        "are they of that time themselves?"
    ),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_told_of_a_datasheet_that_cannot_be(tmp_path: Path, text: str):
    path = written(tmp_path, text)
    with pytest.raises(BlendError) as caught:
        read_toml(path, Datasheet, what="datasheet")
    assert str(caught.value) == f"{path}, {WRONG[text]}"


def test_the_sample_leaves_open_only_what_its_authors_cannot_say():
    with sample_path() as folder:
        sheet = read_toml(folder / "datasheet.toml", Datasheet, what="datasheet")
    unanswered = {question.key for question in questions(sheet) if question.answer is None}
    assert {key for key in unanswered if not key.endswith(".comments")} == {
        "motivation.funding",
        "uses.publications",
        # What the build itself tells:
        "composition.count",
        "preprocessing.steps",
        "preprocessing.software",
        "maintenance.old_versions",
    }
