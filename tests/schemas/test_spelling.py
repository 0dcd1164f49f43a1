"""Spelling: what stands for the same word is unified, what tells words apart stays."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.schemas.texts import respell

SAME = [
    ("am", "ፀሐይ", "ጸሃይ"),  # sun: tsa and ha series
    ("am", "ሠላም", "ሰላም"),  # peace
    ("am", "ዓመት", "አመት"),  # year
    ("ar", "الأرز", "الارز"),  # rice, without hamza
    ("ar", "خُبْز", "خبز"),  # bread, without harakat
    ("ar", "شـــاي", "شاي"),  # tea, without tatweel
    ("as", "\u09b0ং", "\u09f0ং"),  # Bengali and Assamese ra
    ("as", "\u09df", "\u09af\u09bc"),  # ya with nukta, composed or not
    ("az", "İdman", "idman"),
    ("az", "İDMAN", "i\u0307dman"),  # lower-cased by the rules of other languages
    ("az", "QIRMIZI", "qırmızı"),
    ("el", "ΚΑΦΕΣ", "καφές"),
    ("en", "café", "cafe"),
    ("en-US", "Piñata", "pinata"),
    ("es", "Fútbol", "futbol"),
    ("es", "pingüino", "pinguino"),
    ("fa", "كيك", "کیک"),  # Arabic kaf and yeh
    ("fa", "خانهٔ", "خانه"),  # house of …, with the hamza that few write
    ("fa", "خانۀ", "خانه"),
    ("fa", "می‌شود", "میشود"),  # with and without a non-joiner
    ("ha", "Ƙwallo", "ƙwallo"),
    ("id", "saté", "sate"),
    ("ko", "\u1112\u1161\u11ab", "한"),  # jamo and syllable
    ("su", "téh", "teh"),
    ("tl", "kamatís", "kamatis"),
    ("zh", "ＫＴＶ", "ktv"),
    ("zh", "餃子", "饺子"),  # dumplings, traditional and simplified
    ("zh-TW", "麵包", "面包"),
    ("am", "፯", "7"),
    ("ar", "٧٫٥", "7.5"),
    ("ar", "١٬٠٠٠", "1000"),
    ("en", "½", "1/2"),
    ("en", "1½", "1 1/2"),
    ("en", "10²", "10^2"),
    ("en", "H₂O", "h2o"),
    ("fa", "۱۲", "12"),
    ("ar", "١٢", "12"),
    ("as", "১২", "12"),
]

DIFFERENT = [
    ("am", "በላ", "ባላ"),
    ("ar", "مدرسة", "مدرسه"),  # teh marbuta and heh: his teacher, or a school
    ("as", "ব", "ৱ"),
    ("az", "qız", "qiz"),
    ("az", "şam", "sam"),
    ("bg", "май", "маи"),
    ("de", "schon", "schön"),
    ("es", "año", "ano"),
    ("es", "papá", "papa"),
    ("es-MX", "té", "te"),
    ("eu", "ñ", "n"),
    ("fa", "آب", "اب"),
    ("fa", "مسئول", "مسول"),  # a hamza that is composed with its letter
    ("en", "1½", "11/2"),
    ("en", "10²", "102"),
    ("ja", "餃子", "饺子"),
    ("fr", "pêche", "péché"),
    ("ga", "Seán", "sean"),
    ("ha", "ƙara", "kara"),
    ("sv", "får", "far"),
    ("tl", "ñ", "n"),
]


@pytest.mark.parametrize(("language", "one", "other"), SAME)
def test_the_same_word(language: str, one: str, other: str):
    assert respell(one, language) == respell(other, language)


@pytest.mark.parametrize(("language", "one", "other"), DIFFERENT)
def test_different_words(language: str, one: str, other: str):
    assert respell(one, language) != respell(other, language)


def test_the_region_of_a_tag_does_not_matter():
    assert respell("Fútbol", "es-MX") == respell("Fútbol", "ES") == "futbol"


def test_a_language_without_rules_keeps_its_accents():
    assert respell("É", "xx") == "é"


LANGUAGES = st.sampled_from(
    ["am", "ar", "as", "az", "el", "en", "es", "fa", "ha", "id", "ko", "su", "tl", "xx", "zh"]
)
SCRIPTS = "aAIİıÑñéÉüßçÇşƙ éΆάςΣйѝŀـأآُكيی‌কৰ\u09b0\u09df়ሀሓኣዓጸፀ፡한ᄒＡ①½ﬁ５٥۵৫-'’/.:, \t\u0307\u0301"


@settings(deadline=None)
@given(st.text(st.sampled_from(SCRIPTS)), LANGUAGES)
def test_twice_is_as_good_as_once(text: str, language: str):
    once = respell(text, language)
    assert respell(once, language) == once
