"""Companions: what people gave elsewhere, and may well have meant here.

Five annotators do not say everything that is right. Who answers soccer and volleyball to one question about
sports and soccer alone to the next would hardly call volleyball wrong there; and who says chicken to one
question about food may eat it on other occasions. Only what the locale asked about says itself counts, so that
a further locale changes nothing.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.builders.mcq.flags import Flags
from blend.builders.mcq.typical import Said
from blend.builders.mcq.values import base_forms, shown

Forms = tuple[str, ...]
"""A text by its `base_forms`."""

Codes = npt.NDArray[np.int64]


class Companions:
    """What every locale answers to which questions, in codes of templates, locales and forms.

    Args:
        questions: `schemas.frames.QUESTIONS`.
        annotations: `schemas.frames.ANNOTATIONS`.
    """

    def __init__(self, questions: pl.DataFrame, annotations: pl.DataFrame) -> None:
        topics = questions.group_by("template_id").agg(pl.col("topic").min())
        self._topics: dict[str, str | None] = dict(topics.iter_rows())
        self._templates = _codes(annotations["template_id"])
        self._locales = _codes(annotations["locale"])
        self._forms: dict[Forms, int] = {}
        template, locale, form = self._given(annotations)
        self._of_row = _Lists(self._row(template, locale), form)
        self._of_form = _Lists(self._said(locale, form), template)
        topic = [self._topics.get(template_id) for template_id in self._templates]
        of_topics = {one: np.array([other == one for other in topic], np.bool_)[template] for one in set(topic)}
        self._of_topic = {
            one: np.unique(np.stack([locale[rows], form[rows]]), axis=1) for one, rows in of_topics.items()
        }

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
        # Where a form stands among those of the texts; the last place is for all others.
        places = np.full(len(self._forms) + 1, len(forms), np.int64)
        places[forms] = np.arange(len(forms))
        places[len(self._forms)] = len(forms)
        locales = np.array([self._locales.get(gold.tag, len(self._locales)) for gold in golds], np.int64)
        said = np.zeros((len(self._locales) + 1, len(forms) + 1), np.bool_)
        locale, form = self._of_topic.get(self._topics.get(template_id), np.empty((2, 0), np.int64))
        said[locale, places[form]] = True
        found = said[locales]
        own = np.array([self._form(gold.text) for gold in golds], np.int64)
        gold, template = self._of_form.at(self._said(locales, own))
        of_row, form = self._of_row.at(self._row(template, locales[gold]))
        found[gold[of_row], places[form]] = True
        found[:, -1] = False
        is_known = np.append(forms < len(self._forms), False)
        known: npt.NDArray[np.bool_] = (found & is_known)[:, column]
        return known

    def _given(self, annotations: pl.DataFrame) -> Codes:
        """Codes of template, locale and form of all that was given, shape ``(3, n)``."""
        rows = annotations.select(
            pl.col("template_id").replace_strict(self._templates, return_dtype=pl.Int64),
            pl.col("locale").replace_strict(self._locales, return_dtype=pl.Int64),
            text=pl.col("annotations").list.eval(pl.element().struct.field("en_answers")),
        )
        rows = rows.explode("text").explode("text").drop_nulls("text")
        forms = {text: base_forms(shown(text)) for text in rows["text"].unique().sort()}
        for said in forms.values():
            if said:
                self._forms.setdefault(said, len(self._forms))
        codes = {text: self._forms.get(said) for text, said in forms.items()}
        rows = rows.with_columns(pl.col("text").replace_strict(codes, return_dtype=pl.Int64)).drop_nulls("text")
        given: Codes = rows.unique().sort(rows.columns).to_numpy().T.astype(np.int64)
        return given

    def _form(self, text: str) -> int:
        """The code of a text; one more than there are where nobody gave it."""
        return self._forms.get(base_forms(text), len(self._forms))

    def _row(self, template: Codes, locale: Codes) -> Codes:
        return locale * len(self._templates) + template

    def _said(self, locale: Codes, form: Codes) -> Codes:
        return locale * (len(self._forms) + 1) + form


class _Lists:
    """Lists of numbers by key.

    Args:
        keys: A key for every number.
        numbers: The numbers.
    """

    def __init__(self, keys: Codes, numbers: Codes) -> None:
        order = np.argsort(keys, kind="stable")
        self._keys, self._numbers = keys[order], numbers[order]

    def at(self, keys: Codes) -> tuple[Codes, Codes]:
        """The lists of some keys, one after the other: places of the keys, and numbers, of the same length."""
        starts, ends = (np.searchsorted(self._keys, keys, side) for side in ("left", "right"))
        lengths = ends - starts
        place = np.repeat(np.arange(len(keys)), lengths)
        within = np.arange(len(place)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return place, self._numbers[starts[place] + within]


def _codes(names: pl.Series) -> dict[str, int]:
    return {name: code for code, name in enumerate(names.unique().sort())}
