"""Countries: whether every English question names the country that it is asked about."""

from collections.abc import Sequence

from blend.loaders.files.checked import Placed
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses.links import AskedQuestion
from blend.schemas.language.locales import Locale, Registry
from blend.schemas.language.region_mentions import in_english, is_named, others_named
from blend.schemas.prompts.question_slots import COUNTRY, NATIONALITY, slots_of
from blend.schemas.rows.published_rows import QuestionTemplate


def check_countries(
    questions: Sequence[Placed[AskedQuestion]],
    templates: Sequence[Placed[QuestionTemplate]],
    locales: Registry,
    diagnostics: Diagnostics,
) -> None:
    """Note English questions that name no country, or another one than their locale's.

    Where people are asked in English, what they read is such a question as well.

    Any English name of the region or of its people will do, whatever the wording. Without one, nobody could
    answer a multiple-choice question, and a model would be asked about nowhere.
    """
    texts = {row.template_id: row.text for _, row in templates}
    for location, row in questions:
        locale = locales.get(row.locale)
        english = {"en_question": row.en_question} | ({"question": row.question} if in_english(locale) else {})
        for column, text in english.items():
            if slots_of(text) or is_named(text, locale):  # such a slot is told already
                continue
            others = others_named(text, locales, locale)
            what = f"names {' and '.join(others)}, but not" if others else "does not name"
            wanted = fill_slots(texts.get(row.template_id, COUNTRY), locale)
            diagnostics.problem(
                f"{what} {locale.prompt_name}, about which {row.locale} is asked",
                where=f"{location}, column {column}",
                fix=f"name it as its template does: {wanted!r}",
            )


def fill_slots(text: str, locale: Locale) -> str:
    """A template's text, or any other, with the region of a locale and its people in place of slots."""
    people = locale.nationalities[:1] or (NATIONALITY,)
    return text.replace(COUNTRY, locale.prompt_name).replace(NATIONALITY, people[0])
