"""Answer spread: in how many other regions people gave the correct answer to a question as well.

What all the world answers can be told without knowing the region. Answers are compared as default mode compares
them (`overlap`): texts by their base forms, written as one word or as several, and numbers, times and dates by
their canonical value. Two answers are the same if any variant of one is a variant of the other.
"""

from dataclasses import replace

from blend.builders.mcq.answers import LocaleAnswers, TemplateAnswers
from blend.builders.mcq.options import are_apart, compared_forms
from blend.schemas.rows import AnswerSpread
from blend.schemas.texts import pluralise

UNIVERSAL_FROM = 6
"""Other regions whose people gave an answer from which it is universal.

Of the questions of BLEnD's 16 regions 41 % have such an answer, and picking the option that people of most
regions gave, without knowing the one asked about, is right in 86 % of them; with one to five others in 37 %
(``docs/mcq.md``).
"""


def answer_spread(gold: str, asked: LocaleAnswers, answers: TemplateAnswers) -> AnswerSpread:
    """Tell how widespread a correct answer is.

    Args:
        gold: The answer, as options show it.
        asked: Answers of the locale whose correct answer it is.
        answers: Answers of all locales to the template.
    """
    n_regions = len(_regions_with(gold, asked, answers))
    if n_regions >= UNIVERSAL_FROM:
        return AnswerSpread.UNIVERSAL
    return AnswerSpread.SHARED if n_regions else AnswerSpread.SPECIFIC


def only_specific(answers: TemplateAnswers) -> TemplateAnswers:
    """Ask only for answers that nobody of another region gave; what is offered elsewhere stays."""
    return replace(answers, locales=tuple(_only_specific(one, answers) for one in answers.locales))


def _only_specific(asked: LocaleAnswers, answers: TemplateAnswers) -> LocaleAnswers:
    elsewhere = {gold.text: _regions_with(gold.text, asked, answers) for gold in asked.golds}
    golds = tuple(gold for gold in asked.golds if not elsewhere[gold.text])
    if golds or not asked.golds:
        return replace(asked, golds=golds)
    text, regions = next(iter(elsewhere.items()))
    detail = f"people of {pluralise(len(regions), 'other region')} gave {text!r} as well"
    return replace(asked, golds=(), loss=("not-specific", detail))


def _regions_with(gold: str, asked: LocaleAnswers, answers: TemplateAnswers) -> set[str]:
    """List the other regions of which anybody gave an answer, whatever its votes."""
    asked_for = compared_forms((gold,), answers.answer_format)
    # With all variants of what its own people meant by it.
    meant = set[str]()
    for variants in asked.given:
        forms = compared_forms(variants, answers.answer_format)
        if not forms.isdisjoint(asked_for):
            meant |= forms
    return {
        one.locale.region
        for one, forms in zip(answers.locales, answers.forms, strict=True)
        if not meant.isdisjoint(forms) and are_apart(one.locale, asked.locale)
    }
