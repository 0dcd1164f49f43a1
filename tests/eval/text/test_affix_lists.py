"""Affix lists: what is taken off in which language, what stays, and what the signature tells of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.text import SOUNDS, affix_list, languages, normalised
from blend.eval.text.lemmatisers import reader

LISTED = sorted(language for language, names in languages().items() if "affixes" in names)


@pytest.mark.parametrize("language", LISTED)
def test_a_list_is_written_as_texts_are_compared(language: str):
    """An affix that normalising changes would never be found."""
    listed = affix_list(language)
    affixes = [affix for group in (listed.articles, listed.prefixes, *listed.layers) for affix in group]
    words = [affix.text for affix in affixes] + [*listed.keep, *listed.last, *listed.last.values()]
    words += [*listed.irregular, *listed.irregular.values()]
    assert [word for word in words if normalised(word, language) != word] == []
    assert all(affix.least >= 1 for affix in affixes)
    # Else a word would never be done.
    texts = {affix.text for affix in affixes}
    assert all(len(affix.gives) <= len(affix.text) and affix.gives not in texts for affix in affixes)
    assert {affix.after for affix in affixes} <= {"", *SOUNDS}


@pytest.mark.slow
@pytest.mark.parametrize("language", LISTED)
@given(text=st.text())
def test_every_word_keeps_a_stem(language: str, text: str):
    read = reader(language, "affixes")
    assert all(affix_list(language).stem(word) for word in read.words(text))


@pytest.mark.parametrize(
    ("language", "one", "other", "is_same"),
    [
        ("ko", "집", "집입니다", True),
        ("ko", "집", "집에서는", True),
        # Both are nouns: paper and bell; the particle would agree.
        ("ko", "종", "종이", False),
        # The subject particle behind a vowel is another one.
        ("ko", "나", "나이", False),
        ("az", "çörək", "çörəyini", True),
        ("az", "su", "suyundan", True),
        ("az", "alma", "almaniya", False),
        ("am", "ቤት", "በቤቶቹ", True),
        ("am", "ዶሮ", "ለዶሮዎች", True),
        ("am", "በሬ", "ከበሮ", False),
        ("as", "মাছ", "মাছবোৰৰ", True),
        ("as", "ভাত", "ভাতখিনিয়ে", True),
        ("ha", "littafi", "littattafansa", True),
        ("ha", "mota", "motocin", True),
        ("ha", "dambu", "dambe", False),
        ("ar", "مدرسة", "بالمدارس", True),
        ("ar", "ولد", "والأولاد", True),
        ("el", "μουσακάς", "ΜΟΥΣΑΚΑΔΕΣ", True),
        ("el", "τσιπούρα", "τσίπουρο", False),
        ("es", "lápiz", "lápices", True),
        ("eu", "etxe", "etxeetako", True),
        ("fa", "خانه", "خانه‌های", True),
        ("fa", "ماهی", "ماه", False),
        ("id", "rumah", "rumahnya", True),
        ("id", "seko", "sekolah", False),
        ("sv", "kaka", "kakornas", True),
        ("ta", "வீடு", "வீட்டுக்கு", True),
        ("su", "imah", "imahna", True),
        ("su", "war", "warna", False),
        # Derivations are other words: a lemma is an inflection.
        ("id", "dokter", "kedokteran", False),
        ("id", "uang", "keuangan", False),
        ("id", "renang", "berenang", True),
        ("fa", "عروس", "عروسی", False),
        ("fa", "پزشک", "پزشکی", False),
        ("ar", "العلوم", "التعليم", False),
        ("el", "γραμματέας", "γραμματεία", False),
        ("el", "Ιταλίας", "Ιταλία", True),
        ("as", "বাইক", "বাটাৰ", False),
        ("az", "alma", "alman", False),
        ("az", "maşa", "maşınlar", False),
        ("az", "maşın", "maşının", True),
        ("ha", "duba", "dubai", False),
        ("es", "sopas", "sopes", False),
    ],
)
def test_forms_of_a_word_and_other_words(language: str, one: str, other: str, is_same: bool):
    read = reader(language, "affixes")
    assert (read.lemmas(one) == read.lemmas(other)) is is_same
