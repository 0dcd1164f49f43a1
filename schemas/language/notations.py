"""Notations: whole numbers, times and days as people write them in their languages.

What is read here a careful reader would read the same way without knowing the question. Nothing is guessed:
``around 7``, ``5 to 7``, ``noon``, a month without a day, a unit of time or money behind a number.
"""

import re
from functools import cache

from blend.schemas.language.numerals import chinese_number
from blend.schemas.language.spelling import respell

# Zero to twelve; "/" parts forms of one number, "_" is a blank. Left out is what is a word of another kind by
# itself: Persian نه is also "no", Korean 네 also "yes".
_NUMBER_WORDS = {
    "am": "ዜሮ አንድ ሁለት ሦስት አራት አምስት ስድስት ሰባት ስምንት ዘጠኝ አስር አስራ_አንድ አስራ_ሁለት",
    "ar": "صفر واحد/واحدة اثنان/اثنين/اثنتان/اثنتين ثلاثة/ثلاث أربعة/أربع خمسة/خمس ستة/ست سبعة/سبع "
    "ثمانية/ثماني/ثمان تسعة/تسع عشرة/عشر أحد_عشر/إحدى_عشرة اثنا_عشر/اثني_عشر/اثنتا_عشرة",
    "as": "শূন্য এক দুই তিনি চাৰি পাঁচ ছয় সাত আঠ ন/নয় দহ এঘাৰ বাৰ",
    "az": "sıfır bir iki üç dörd beş altı yeddi səkkiz doqquz on on_bir on_iki",
    "de": "null eins/ein/eine zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "el": "μηδέν ένα/ένας/μία/μια δύο/δυο τρία/τρεις τέσσερα/τέσσερις πέντε έξι επτά/εφτά οκτώ/οχτώ "
    "εννέα/εννιά δέκα έντεκα/ένδεκα δώδεκα",
    "en": "zero one two three four five six seven eight nine ten eleven twelve",
    "es": "cero uno/un/una dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "fa": "صفر یک دو سه چهار پنج شش هفت هشت - ده یازده دوازده",
    "fr": "zéro un/une deux trois quatre cinq six sept huit neuf dix onze douze",
    "ha": "sifili ɗaya/daya biyu uku huɗu/hudu biyar shida bakwai takwas tara goma "
    "goma_sha_ɗaya/goma_sha_daya goma_sha_biyu",
    "id": "nol/kosong satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas dua_belas",
    "ko": "영 하나/일 둘/이 셋/삼 넷/사 다섯/오 여섯/육 일곱/칠 여덟/팔 아홉/구 열/십 열하나/십일 열둘/십이",
    "ms": "sifar/kosong satu dua tiga empat lima enam tujuh lapan sembilan sepuluh sebelas dua_belas",
    "su": "nol/enol hiji dua tilu opat lima genep tujuh dalapan salapan sapuluh sabelas dua_belas",
    "sv": "noll ett/en två tre fyra fem sex sju åtta nio tio elva tolv",
    "tl": "sero isa dalawa tatlo apat lima anim pito walo siyam sampu labing-isa labindalawa",
}
_BEFORE_COUNTER = {"ko": {"한": 1, "두": 2, "세": 3, "네": 4, "열한": 11, "열두": 12}}
"""Forms of numbers that stand before a counter alone."""

_COUNTERS = {
    "en": "people/persons/person/times/years old/year olds/years of age",
    "es": "personas/persona/veces/vez/años de edad",
    "fa": "نفر/بار/تا/ساله",
    "id": "orang/kali/buah",
    "ja": "つ/個/人/回/歳/才",
    "ko": "개/명/번/회/살/세/가지/마리/권/대/곳/군데/과목/인",
    "ms": "orang/kali/buah",
    "su": "urang/kali/siki",
    "zh": "个/個/名/位/次/岁/歲/门/門/种/種/口/人",
}
"""Words that count things, people, ages or occasions, and change nothing of the number."""

_UNITS = {
    "years": {
        "en": "year/years/yr/yrs", "es": "año/años", "id": "tahun", "ms": "tahun", "su": "taun", "ko": "년",
        "zh": "年", "el": "χρόνια/έτη", "az": "il", "ha": "shekara/shekaru", "fa": "سال", "ar": "سنة/سنوات",
    },
    "months": {
        "en": "month/months", "es": "mes/meses", "id": "bulan", "ms": "bulan", "su": "bulan",
        "ko": "개월/달", "zh": "个月/個月", "el": "μήνες/μήνας", "az": "ay", "ha": "wata/watanni", "fa": "ماه",
    },
    "weeks": {
        "en": "week/weeks/wk/wks", "es": "semana/semanas", "id": "minggu", "ms": "minggu", "su": "minggu",
        "ko": "주/주일", "zh": "周/週/星期", "el": "εβδομάδες", "az": "həftə", "ha": "mako/makonni",
        "fa": "هفته",
    },
    "days": {
        "en": "day/days", "es": "día/días", "id": "hari", "ms": "hari", "su": "poé/poe", "ko": "일/일장",
        "zh": "天/日", "el": "μέρες/ημέρες", "az": "gün", "ha": "kwana/kwanaki", "fa": "روز", "ar": "يوم/أيام",
    },
    "hours": {
        "en": "hour/hours/hr/hrs", "es": "hora/horas", "id": "jam", "ms": "jam", "su": "jam", "ko": "시간",
        "zh": "小时/小時", "el": "ώρα/ώρες", "az": "saat", "ha": "awa/awoyi", "fa": "ساعت", "ar": "ساعة/ساعات",
    },
    "minutes": {
        "en": "minute/minutes/min/mins", "es": "minuto/minutos", "id": "menit", "ms": "minit", "su": "menit",
        "ko": "분", "zh": "分钟/分鐘", "el": "λεπτά", "az": "dəqiqə", "ha": "minti/mintuna", "fa": "دقیقه",
        "ar": "دقيقة/دقائق",
    },
}  # fmt: skip
"""Units of time by language: they count only behind the number that a question asks for in that unit."""

_ASKED_UNITS = (
    ("years", re.compile(r"\bin years\b|\bhow many years\b|\bage\b")),
    ("months", re.compile(r"\bin months\b|\bhow many months\b")),
    ("weeks", re.compile(r"\bin weeks\b|\bin terms of weeks\b|\bhow many weeks\b")),
    ("days", re.compile(r"\bin days\b|\bhow many (?:\w+ )?days\b")),
    ("hours", re.compile(r"\bin hours\b|\bhow many hours\b|\bnumber of hours\b")),
    ("minutes", re.compile(r"\bin minutes\b|\bhow many minutes\b|\(minutes\)")),
)

# A comma or a point between each three digits; a single point may be one of decimals, two cannot.
# The last form is the Indian one, 1,00,000.
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+|-?\d{1,3}(?:\.\d{3}){2,}|-?\d{1,2}(?:,\d{2})+,\d{3}")
_COUNTED = re.compile(r"(-?\d[\d.,]*)\s?(\D+)")
_LETTERS = re.compile(r"[^\W\d_]")


def asked_unit(en_question: str | None) -> str | None:
    """The unit of time in which an English question wants its number: ``weeks`` of ``How long (in weeks) …``.

    Null if it names none, or several.
    """
    found = [unit for unit, wording in _ASKED_UNITS if wording.search((en_question or "").lower())]
    return found[0] if len(found) == 1 else None


def number_in(text: str, language: str, unit: str | None = None) -> str:
    """A whole number in digits without marks of thousands, if the text writes one; else the text.

    Args:
        text: Digits 0-9, folded, without outer punctuation.
        language: BCP 47 tag; number words and counters of other languages than it and English are not read.
        unit: Unit of time that the question asks for (`asked_unit`); any other one behind a number is kept.
    """
    for tag in _read_as(language):
        words = number_words(tag)
        if (value := words.get(respell(text, tag))) is not None:
            return str(value)
        counters = _counters(tag, unit)
        with_counter = _COUNTED.fullmatch(text)
        if with_counter and respell(with_counter[2], tag) in counters:
            return _without_thousands(with_counter[1])
        for word, number in (*words.items(), *_BEFORE_COUNTER.get(tag, {}).items()):
            if text.startswith(word) and respell(text[len(word) :], tag) in counters:
                return str(number)
        counted_in_chinese = _chinese_count(text, counters) if tag in ("zh", "ja") else None
        if counted_in_chinese is not None:
            return str(counted_in_chinese)
    return _without_thousands(text)


def _without_thousands(text: str) -> str:
    return re.sub(r"[.,]", "", text) if _THOUSANDS.fullmatch(text) else text


def _chinese_count(text: str, counters: frozenset[str]) -> int | None:
    # The whole text, or all but a counter of one or two characters.
    for end in range(len(text), max(len(text) - 3, 0), -1):
        is_counter = end == len(text) or text[end:].strip() in counters
        if is_counter and (value := chinese_number(text[:end].strip())) is not None:
            return value
    return None


def _read_as(language: str) -> tuple[str, ...]:
    """The language, and English beside it: Spanish ``once`` is eleven."""
    primary = language.partition("-")[0].lower()
    return (primary,) if primary == "en" else (primary, "en")


@cache
def number_words(language: str) -> dict[str, int]:
    """The numbers to twelve of a language in words, as respelled there."""
    columns = _NUMBER_WORDS.get(language, "").split()
    return {
        respell(form.replace("_", " "), language): value
        for value, forms in enumerate(columns)
        for form in forms.split("/")
        if form != "-"
    }


@cache
def _counters(language: str, unit: str | None) -> frozenset[str]:
    listed = _COUNTERS.get(language, ""), _UNITS.get(unit or "", {}).get(language, "")
    return frozenset(respell(word, language) for words in listed for word in words.split("/") if word)
