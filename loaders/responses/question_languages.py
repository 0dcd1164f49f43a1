"""Languages of questions: rows in another language, or about another country, than those around them.

Nobody has to know a language for it: a question is compared with the others in its language, and countries are
looked up by their names in it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from blend.loaders.files.checked import Placed
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses.links import AskedQuestion
from blend.schemas.language.characters import scripts_of
from blend.schemas.language.languages import country_name, english_name
from blend.schemas.language.locales import Locale, Registry
from blend.schemas.language.region_mentions import in_english
from blend.schemas.language.text_comparison import fold, words

_ENGLISH = "en"
_FEW = 5
"""Questions up to which nothing can be said of a language."""
_SURELY_SORTED = 8
"""Questions from which an alphabetical order is hardly one by chance: that of 8 is one in 40,320."""
_SHARED = 4
"""Words that a question shares with those in another language, at least, and twice as many as with its own."""
_BRACKETS = re.compile(r"[(（][^)）]*[)）]|\d+")
"""What says nothing of the language: the form of an answer, ``(HH:MM)``, and numbers."""


def find_other_languages(
    questions: Sequence[Placed[AskedQuestion]],
    locales: Registry,
    diagnostics: Diagnostics,
    *,
    template_ids: Sequence[str] = (),
) -> None:
    """Note local questions that read like another language's, or name another country and not their own.

    Columns that are sorted without the others have the questions of other templates in their rows: the ids, in
    alphabetical order or that of ``template_ids``, show that rows were not sorted as a whole.
    """
    _find_sorted_alone(questions, template_ids, diagnostics)
    texts: defaultdict[str, set[str]] = defaultdict(set)
    for _, row in questions:
        texts[_language(locales.get(row.locale))].add(_BRACKETS.sub(" ", row.question))
        texts[_ENGLISH].add(_BRACKETS.sub(" ", row.en_question))
    uses = {tag: Counter(word for text in own for word in set(words(text))) for tag, own in texts.items()}
    usual = {tag: Counter(name for text in own for name in scripts_of(text)) for tag, own in texts.items()}
    for location, row in questions:
        locale = locales.get(row.locale)
        language, question = _language(locale), _BRACKETS.sub(" ", row.question)
        if in_english(locale) or len(texts[language]) <= _FEW:
            other = None
        elif usual[language].most_common(1)[0][0] not in (scripts := scripts_of(question)) and scripts:
            other = f"is not in the script of the other questions in {english_name(locale.language)}"
        else:
            other = _other_language(question, language, uses)
        key = {"locale": row.locale, "template_id": row.template_id}
        if other is not None:
            diagnostics.finding("other-language", location, f"column question: {other}; kept", **key)
        if not in_english(locale) and (country := _other_country(question, locale, locales)):
            found = f"column question: names {country!r}, but not {locale.native_name!r}; kept"
            diagnostics.finding("other-country", location, found, **key)


def _find_sorted_alone(
    questions: Sequence[Placed[AskedQuestion]], template_ids: Sequence[str], diagnostics: Diagnostics
) -> None:
    """Note locales whose ids are in order, and one of whose columns of questions is in alphabetical order."""
    ranks = {template_id: rank for rank, template_id in enumerate(template_ids)}
    by_locale: defaultdict[str, list[Placed[AskedQuestion]]] = defaultdict(list)
    for placed in questions:
        by_locale[placed.row.locale].append(placed)
    for tag, rows in by_locale.items():
        ids = [row.template_id for _, row in rows]
        orders = {
            "like template_id": _descents(ids),
            "and template_id in that of the templates": _descents([f"{ranks.get(one, 0):09}" for one in ids]),
        }
        how = min(orders, key=lambda order: orders[order])
        if len(rows) < _SURELY_SORTED or orders[how] > len(rows) // 8:
            continue  # a sheet that was sorted as a whole, or by nothing that shows
        columns = ("question", "en_question")
        ordered = {
            # With accents as letters of their own, or as none: spreadsheets do either.
            column: any(
                not _descents([spelled(getattr(row, column)) for _, row in rows])
                for spelled in (str.casefold, fold)
            )
            for column in columns
        }
        if ordered["question"] != ordered["en_question"]:
            one, other = ("question", "en_question") if ordered["question"] else ("en_question", "question")
            detail = f"column {one} of {tag} is in alphabetical order {how}, {other} is not; kept"
            diagnostics.finding("sorted-alone", rows[0].location, detail, locale=tag)


def _descents(texts: Sequence[str]) -> int:
    """How many texts do not come after the one before them."""
    return sum(one >= later for one, later in pairwise(texts))


def _language(locale: Locale) -> str:
    return locale.language.partition("-")[0]


def _other_language(question: str, language: str, uses: Mapping[str, Counter[str]]) -> str | None:
    """Say of which other language's questions the words are, where they are of none in their own."""
    own = set(words(question))
    at_home = sum(uses[language][word] > 1 for word in own)
    shared = {tag: sum(word in of_tag for word in own) for tag, of_tag in uses.items() if tag != language}
    best = max(shared, key=lambda tag: shared[tag])
    is_there = shared[best] >= max(_SHARED, 2 * at_home)
    return f"reads like the questions in {english_name(best)}" if is_there else None


def _other_country(question: str, locale: Locale, locales: Registry) -> str | None:
    """Name the first other country that a question names, if it does not name its own."""
    if locale.native_name in question:  # nearly always
        return None
    own, others = _countries(locale, locales)
    if any(name in question for name in own):
        return None
    found = others.search(question)
    return found[0] if found else None


@lru_cache(maxsize=256)
def _countries(locale: Locale, locales: Registry) -> tuple[frozenset[str], re.Pattern[str]]:
    """The names of a locale's country in its language, and what finds those of others where a word begins."""
    own = {locale.native_name, country_name(locale.parent, locale.language)}
    others = {country_name(other.parent, locale.language) for other in locales if other.parent != locale.parent}
    others |= {other.native_name for other in locales if other.language == locale.language}
    forms = sorted(map(re.escape, others - own), key=len, reverse=True)
    return frozenset(own), re.compile(rf"(?<!\w)(?:{'|'.join(forms)})")
