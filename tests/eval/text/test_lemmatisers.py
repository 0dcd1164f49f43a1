"""Lemmatisers of optional packages, each run for real; what is said where one is missing."""

import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec

import pytest

from blend.eval.text import languages
from blend.eval.text.lemmatisers import loaded, reader
from blend.schemas.locales import registry
from helpers.messages import wrong


@pytest.fixture(autouse=True)
def _loaded_anew() -> Iterator[None]:
    """Lemmatisers are loaded once per process; here packages and models come and go."""
    loaded.cache_clear()
    yield
    loaded.cache_clear()


def test_every_language_of_a_packaged_locale_is_read():
    assert {locale.language.partition("-")[0] for locale in registry()} == set(languages())


@pytest.mark.parametrize(("word", "other"), [("seventh", "seven"), ("Maria", "mare"), ("boxing", "box")])
def test_what_the_english_dictionary_takes_for_forms_of_another_word_is_none(word: str, other: str):
    read = reader("en", "simplemma")
    assert read.lemmas(word) != read.lemmas(other)
    assert read.lemmas("knives") == read.lemmas("knife")


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("김치는", "김치"),
        ("김치은", "김치은"),
        ("떡국이", "떡국"),
        ("떡국가", "떡국가"),
        ("된장과", "된장"),
        ("멥쌀로", "멥쌀"),
        ("완두콩으로", "완두콩"),
        ("완두콩로", "완두콩로"),
        ("두부예요", "두부"),
        ("멥쌀예요", "멥쌀예요"),
        ("떡국에는", "떡국"),
        ("김치이라고", "김치"),
        # Nobody can tell how foreign letters are read.
        ("kfc는", "kfc"),
        ("kfc은", "kfc"),
        # One syllable is too little.
        ("종이", "종이"),
    ],
)
def test_a_particle_is_taken_off_where_its_form_agrees(word: str, lemma: str):
    assert reader("ko", "particles").lemmas(word) == (lemma,)


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
        ("sudachi", "sudachipy", "sudachipy", "ja"),
        ("sudachi", "sudachidict_core", "sudachipy", "ja"),
    ],
)
def test_a_missing_package_is_an_error_that_names_its_extra(
    monkeypatch: pytest.MonkeyPatch, name: str, module: str, extra: str, language: str
):
    monkeypatch.setitem(sys.modules, module, None)
    assert wrong(lambda: reader(language, name)) == (
        f"the lemmatiser {name} needs an optional dependency; "
        f'in a checkout of blend-sdk: pip install -e ".[{extra}]"'
    )
