"""Countries: whether every English question names the country that it is asked about."""

from collections.abc import Sequence

from blend.loaders.files.checked import Placed
from blend.loaders.files.notes import Notes
from blend.loaders.responses.links import SLOT, AskedQuestion
from blend.schemas.locales import Registry
from blend.schemas.mentions import is_named, others_named
from blend.schemas.rows import QuestionTemplate


def check_countries(
    questions: Sequence[Placed[AskedQuestion]],
    templates: Sequence[Placed[QuestionTemplate]],
    locales: Registry,
    notes: Notes,
) -> None:
    """Note English questions that name no country, or another one than their locale's.

    Any English name of the region or of its people will do, whatever the wording. Without one, nobody could
    answer a multiple-choice question, and a model would be asked about nowhere.
    """
    texts = {row.template_id: row.text for _, row in templates}
    for place, row in questions:
        locale = locales.get(row.locale)
        if SLOT in row.en_question or is_named(row.en_question, locale):  # a slot that is left is told already
            continue
        others = others_named(row.en_question, locales, locale)
        what = f"names {' and '.join(others)}, but not" if others else "does not name"
        wanted = texts.get(row.template_id, SLOT).replace(SLOT, locale.prompt_name)
        notes.problem(
            f"{what} {locale.region_name}, about which {row.locale} is asked",
            where=f"{place}, column en_question",
            fix=f"name it as its template does: {wanted!r}",
        )
