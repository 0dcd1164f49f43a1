"""Datasheets: what is read, and every message for what cannot be."""

from collections.abc import Callable
from pathlib import Path

import pytest

from blend.loaders.recipes.datasheets import read_datasheet
from blend.loaders.sample import sample_path
from blend.schemas.errors import BlendError
from blend.schemas.reports import questions


def written(folder: Path, text: str) -> Path:
    path = folder / "datasheet.toml"
    path.write_text(text, encoding="utf-8")
    return path


def message(path: Path) -> str:
    """What reading a datasheet that cannot be read says, the path shortened."""
    with pytest.raises(BlendError) as caught:
        read_datasheet(path)
    return str(caught.value).replace(str(path), "{datasheet}")


@pytest.fixture
def message_of(tmp_path: Path) -> Callable[[str], str]:
    """The message for a text."""
    return lambda text: message(written(tmp_path, text))


def test_what_is_left_out_is_unanswered(tmp_path: Path):
    sheet = read_datasheet(written(tmp_path, '[uses]\nnot_for = "Training."\n'))
    assert [(q.key, q.answer) for q in questions(sheet) if q.answer] == [("uses.not_for", "Training.")]


def test_an_unknown_key_names_the_closest(message_of):
    assert message_of('[motivation]\nfundign = "x"\n') == (
        "{datasheet}, key motivation.fundign: unknown key; did you mean 'funding'? "
        "the keys here are purpose, creators, funding, comments"
    )


def test_an_unknown_section_names_the_closest(message_of):
    assert message_of('[motivations]\nfunding = "x"\n') == (
        "{datasheet}, key motivations: unknown key; did you mean 'motivation'? the keys here are motivation, "
        "composition, collection, preprocessing, uses, distribution, maintenance"
    )


def test_a_blank_answer_is_an_error(message_of):
    assert (
        message_of('[motivation]\nfunding = " "\n')
        == "{datasheet}, key motivation.funding: ' ' is not of the right form; correct it: Who paid for it; "
        "if a grant did, by whom, with what name and number?"
    )


def test_an_answer_is_text(message_of):
    assert (
        message_of("[collection]\ntimeframe = 2026\n")
        == "{datasheet}, key collection.timeframe: 2026 is not text in quotes; correct it: When were the data "
        "collected, and are they of that time themselves?"
    )


def test_all_problems_are_named_at_once(message_of):
    told = message_of('[uses]\nnotfor = "x"\nrisks = 3\n')
    assert told.splitlines()[0] == "2 problems:"
    assert len(told.splitlines()) == 3


def test_the_sample_leaves_open_only_what_its_authors_cannot_say():
    with sample_path() as folder:
        sheet = read_datasheet(folder / "datasheet.toml")
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
