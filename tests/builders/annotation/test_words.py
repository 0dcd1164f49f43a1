"""Words and instructions: complete in English and in every language of the sample, and marked as unchecked."""

import re
import tomllib
from pathlib import Path

import pytest

from blend.builders.annotation import ui_strings as module
from blend.builders.annotation.project import ORDER
from blend.builders.annotation.ui_strings import UNCHECKED, is_checked, texts_of, ui_strings_of
from blend.loaders.recipes import sample_path
from blend.schemas.errors import RowError
from blend.schemas.locales import registry
from helpers.messages import message_of

FOLDER = Path(module.__file__).parent / "instructions"
KEYS = re.compile(r"\*\*([^*]+)\*\*")
ENGLISH = ui_strings_of("en")


def test_every_language_of_the_sample_has_everything():
    # A new stage may be in English alone, which `blend annotate check` tells of; half translated it may not be.
    assert set(module._ours("en")) == set(ORDER)
    with sample_path() as folder:
        tags = {path.stem for path in (folder / "responses").iterdir()}
    for language in {registry().get(tag).language for tag in tags} - {"en"}:
        stages, names = set(module._ours(language)), set(module._tables()[language])
        assert stages == set(module._ours("ko")) >= {"answer", "review", "mcq-review"}, language
        assert names == set(module._tables()["ko"]) <= set(ENGLISH), language


@pytest.mark.parametrize("language", sorted(path.stem for path in FOLDER.iterdir()))
def test_every_translation_is_marked_and_names_the_keys_of_the_page(language):
    assert is_checked(language) == (language == "en")
    text = (FOLDER / f"{language}.md").read_text(encoding="utf-8")
    assert text.startswith(UNCHECKED) == (language != "en")
    for stage in module._ours(language):
        named, ours = (KEYS.findall(texts_of(tag, stage).instruction) for tag in ("en", language))
        for key in ("Tab", "Ctrl+Enter", "Shift", "9", "0"):
            assert (key in named) == (key in ours), (stage, key)


def test_the_closest_language_is_taken_and_english_otherwise():
    assert ui_strings_of("es-419")["idk"] == ui_strings_of("es")["idk"] != ENGLISH["idk"]
    assert ui_strings_of("mi") == ENGLISH
    assert texts_of("mi", "answer").instruction == texts_of("en", "answer").instruction
    assert texts_of("ha", "replies").instruction == texts_of("en", "replies").instruction
    assert not is_checked("ko")


def test_texts_of_ones_own_take_the_place_of_ours(tmp_path: Path):
    own = tmp_path / "wo.md"
    words = "# words\n\n- idk: Xamuma\n* no-answer:  Amul tontu \n"
    own.write_text(f"Read first.\n\n# answer\n\nTontul.\n\n## Keys\n\nEnter.\n\n{words}", encoding="utf-8-sig")
    texts = texts_of("wo", "answer", own)
    assert texts.instruction == "Tontul.\n\n## Keys\n\nEnter."
    assert texts.ui_strings == {**ENGLISH, "idk": "Xamuma", "no-answer": "Amul tontu"}
    assert texts_of("ko", "answer").ui_strings == ui_strings_of("ko")
    # What they lack is ours, in English where we have nothing in the language.
    assert texts_of("wo", "review", own).instruction == texts_of("en", "review").instruction
    assert texts_of("ko", "review", own).instruction == texts_of("ko", "review").instruction


OWN = tomllib.loads(Path(__file__).with_name("own_texts.toml").read_text("utf-8"))


@pytest.mark.parametrize("case", OWN["cases"])
def test_what_texts_of_ones_own_lack_is_told(tmp_path: Path, case: dict[str, str]):
    own = tmp_path / "ko.md"
    own.write_bytes(case["content"].encode("latin-1"))
    told = case["told"].replace("NUMBER", str(len(ENGLISH)))
    assert message_of(RowError, lambda: texts_of("ko", "review", own)) == f"{own}{told}"
