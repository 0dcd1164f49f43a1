"""Lemmatisers of optional packages, each run for real; what is said where one is missing."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.tasks.short_answer.short_answer_decisions import decide_short_answers, lemmas_signature
from blend.eval.text.language_readers import languages
from blend.eval.text.lemmatisers import LEMMATISERS, STANZA_DIRECTORY
from blend.eval.text.text_reader import loaded, reader
from blend.schemas.errors import InputError, MissingExtraError
from blend.schemas.locales import registry


@pytest.fixture(autouse=True)
def _loaded_anew() -> Iterator[None]:
    """Lemmatisers are loaded once per process; here packages and models come and go."""
    loaded.cache_clear()
    yield
    loaded.cache_clear()


def test_every_lemmatiser_is_offered_for_a_language_and_every_offer_can_be_had():
    assert {name for text in languages().values() for name in text.lemmatisers} == set(LEMMATISERS)


def test_every_language_of_a_packaged_locale_is_read():
    assert {locale.language.partition("-")[0] for locale in registry()} == set(languages())


@pytest.mark.parametrize(("word", "other"), [("seventh", "seven"), ("Maria", "mare"), ("boxing", "box")])
def test_what_the_english_dictionary_takes_for_forms_of_another_word_is_none(word: str, other: str):
    read = reader("en", "simplemma")
    assert read.lemmas(word) != read.lemmas(other)
    assert read.lemmas("knives") == read.lemmas("knife")


OPTIONAL = [
    # name, module, language, text, lemmas
    ("jieba", "jieba", "zh", "我喜欢吃月饼", "我 喜欢 吃 月饼"),
    ("opencc", "opencc", "zh", "餃子", "饺 子"),
    ("hausastemmer", "hausastemmer", "ha", "littattafai da yara", "littafi da yara"),
    ("kiwi", "kiwipiepy", "ko", "떡국을 먹었습니다.", "떡국 먹다"),
    # Polite past forms go back to the dictionary's, particles and endings are left out.
    ("sudachi", "sudachipy", "ja", "お雑煮を食べました。", "お 雑煮 食べる"),
    ("sudachi", "sudachipy", "ja", "おにぎりとみそ汁", "おにぎり みそ汁"),
    ("sudachi", "sudachipy", "ja", "１２月に餅つきをする", "12 月 餅つき する"),
]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("name", "module", "language", "text", "lemmas"), OPTIONAL)
def test_an_optional_lemmatiser(
    name: str, module: str, language: str, text: str, lemmas: str, missing: Callable[[str], None]
):
    if find_spec(module) is None:
        missing(module)
    assert reader(language, name).lemmas(text) == tuple(lemmas.split())


@pytest.mark.parametrize(
    ("name", "module", "extra", "language"),
    [
        ("jieba", "jieba", "jieba", "zh"),
        ("opencc", "opencc", "opencc", "zh"),
        ("hausastemmer", "hausastemmer", "hausastemmer", "ha"),
        ("kiwi", "kiwipiepy", "kiwipiepy", "ko"),
        ("sudachi", "sudachipy", "sudachipy", "ja"),
        ("sudachi", "sudachidict_core", "sudachipy", "ja"),
        ("stanza", "stanza", "stanza", "en"),
    ],
)
def test_a_missing_package_is_an_error_that_names_its_extra(
    monkeypatch: pytest.MonkeyPatch, name: str, module: str, extra: str, language: str
):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError) as caught:
        reader(language, name)
    assert str(caught.value) == (
        f"the lemmatiser {name} needs an optional dependency; "
        f'in a checkout of blend-sdk: pip install -e ".[{extra}]"'
    )


# stanza, with a dictionary of four words that is made here

WORDS = {"kakor": "kaka", "åt": "äta", "köttbullar": "köttbulle", "lutfisken": "lutfisk"}


def train(folder: Path, words: Mapping[str, str]) -> None:
    """Make a folder of stanza's models, as ``stanza.download`` would leave it, with one Swedish model."""
    models = folder / "sv" / "lemma"
    models.mkdir(parents=True)
    (folder / "resources.json").write_text("{}")
    sentence = "".join(
        f"{place}\t{word}\t{lemma}\tX\t_\t_\t{place - 1}\tdep\t_\t_\n"
        for place, (word, lemma) in enumerate(words.items(), 1)
    )
    (folder / "words.conllu").write_text(sentence + "\n", encoding="utf-8")
    subprocess.run(
        [
            *(sys.executable, "-m", "stanza.models.lemmatizer", "--dict_only", "--cpu", "--shorthand", "sv_x"),
            *("--train_file", folder / "words.conllu", "--eval_file", folder / "words.conllu"),
            *("--save_dir", models, "--save_name", "tiny.pt"),
        ],
        check=True,
        capture_output=True,
    )


@pytest.fixture(scope="session")
def stanza_models(once: Any, missing: Callable[[str], None]) -> Path:
    """Stanza's models with one that knows `WORDS`."""
    if find_spec("stanza") is None:
        missing("stanza")
    return once.path("stanza", lambda folder: train(folder, WORDS))


@pytest.mark.nightly
@pytest.mark.integration
def test_stanza_decides_about_answers_and_stands_in_the_signature(
    stanza_models: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(STANZA_DIRECTORY, str(stanza_models))
    key = {"template_id": ["t"], "locale": ["sv-SE"]}
    annotations = pl.DataFrame(
        key
        | {
            "language": ["sv"],
            "en_question": ["What?"],
            "annotations": [[{"answers": ["lutfisk"], "en_answers": [], "count": 3}]],
            "idks": [{"idk": 0, "no-answer": 0, "not-applicable": 0}],
        }
    )
    responses = pl.DataFrame(
        key | {"item_id": ["i"], "prompt_id": ["p"], "prompt": ["Vad?"], "response": ["Ofta lutfisken."]}
    )
    decided = {
        lemmas: decide_short_answers(responses, annotations, lemmas=lemmas)["why"].item()
        for lemmas in ("none", "sv=stanza")
    }
    assert decided == {"none": "no match", "sv=stanza": "lemmas"}
    signature = lemmas_signature(annotations, lemmas="sv=stanza").split("+")[1]
    assert signature.startswith(f"sv=stanza-{version('stanza')}-tiny#")


@pytest.mark.slow
@pytest.mark.parametrize("n_models", [0, 2])
def test_message_for_stanza_without_its_model(
    n_models: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: Callable[[str], None]
):
    if find_spec("stanza") is None:
        missing("stanza")
    monkeypatch.setenv(STANZA_DIRECTORY, str(tmp_path))
    models = tmp_path / "sv" / "lemma"
    models.mkdir(parents=True)
    for number in range(n_models):
        (models / f"{number}.pt").touch()
    (tmp_path / "resources.json").write_text("{}")
    with pytest.raises(InputError) as caught:
        reader("sv", "stanza")
    assert str(caught.value) == (
        f"the lemmatiser stanza: {tmp_path} holds {n_models} models sv/lemma/*.pt, and must hold one beside "
        f"resources.json; run stanza.download('sv'), and set {STANZA_DIRECTORY} to its folder"
    )
