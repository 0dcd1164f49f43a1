"""Companions: what people gave elsewhere, and may well have meant here.

Five annotators do not say everything that is right. Who answers soccer and volleyball to one question about
sports and soccer alone to the next would hardly call volleyball wrong there; and who says chicken to one
question about food may eat it on other occasions. Only what the locale asked about says itself counts, so that
a further locale changes nothing.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from blend.builders.mcq.flags import Flags
from blend.builders.mcq.said import Codes, Lists, Said, SaidTexts, codes
from blend.builders.mcq.values import base_forms, shown

Forms = tuple[str, ...]
"""A text by its `base_forms`."""

_NOBODY = np.zeros(0, np.int64)


class Companions:
    """What every locale answers to which questions, in codes of templates, locales and forms.

    Args:
        questions: `schemas.frames.QUESTIONS`.
        said: Who gave which texts.
    """

    def __init__(self, questions: pl.DataFrame, said: SaidTexts) -> None:
        topics = questions.group_by("template_id").agg(pl.col("topic").min())
        self._topics: dict[str, str | None] = dict(topics.iter_rows())
        self._n_templates, self._locales = len(said.templates), said.locales
        forms = [base_forms(shown(text)) for text in said.texts]
        self._forms = codes(dict.fromkeys(text for text in forms if text))
        form = np.array([self._forms.get(text, len(self._forms)) for text in forms], np.int64)[said.text]
        is_said = form < len(self._forms)
        template, locale, form = said.template[is_said], said.locale[is_said], form[is_said]
        self._of_row = Lists(self._row(template, locale), form)
        self._of_form = Lists(self._said(locale, form), template)
        topic = [self._topics.get(template_id) for template_id in said.templates]
        on_topic = {one: np.array([other == one for other in topic], np.bool_)[template] for one in set(topic)}
        self._of_topic = {one: (locale[rows], form[rows]) for one, rows in on_topic.items()}

    def doubtful(self, template_id: str, golds: Sequence[Said], texts: Sequence[str]) -> Flags:
        """Which texts the locales of right answers gave on the topic, or beside their answer to any question.

        Args:
            template_id: The template of the right answers.
            golds: The right answers.
            texts: Texts as options show them.

        Returns:
            Shape ``(n_golds, n_texts)``.
        """
        forms, column = np.unique(np.array([self._form(text) for text in texts], np.int64), return_inverse=True)
        # Where a form stands among those of the texts; one more place is for all others.
        places = np.full(len(self._forms) + 1, len(forms), np.int64)
        places[forms] = np.arange(len(forms))
        locales = np.array([self._locales.get(gold.tag, len(self._locales)) for gold in golds], np.int64)
        said = np.zeros((len(self._locales) + 1, len(forms) + 1), np.bool_)
        locale, form = self._of_topic.get(self._topics.get(template_id), (_NOBODY, _NOBODY))
        said[locale, places[form]] = True
        found = said[locales]
        own = np.array([self._form(gold.text) for gold in golds], np.int64)
        gold, template = self._of_form.at(self._said(locales, own))
        of_row, form = self._of_row.at(self._row(template, locales[gold]))
        found[gold[of_row], places[form]] = True
        known: Flags = found[:, column]
        return known

    def _form(self, text: str) -> int:
        """The code of a text; one more than there are where nobody gave it."""
        return self._forms.get(base_forms(text), len(self._forms))

    def _row(self, template: Codes, locale: Codes) -> Codes:
        return locale * self._n_templates + template

    def _said(self, locale: Codes, form: Codes) -> Codes:
        return locale * (len(self._forms) + 1) + form
