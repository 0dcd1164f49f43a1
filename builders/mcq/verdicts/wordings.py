"""Wordings: slips in the English of published questions, put right in multiple-choice questions."""

from collections.abc import Iterable, Mapping

import polars as pl

from blend.builders.mcq.options import shown
from blend.builders.mcq.result import FOUND
from blend.loaders.responses.shipped import (
    OptionTexts,
    shipped_option_texts,
    shipped_readings,
    shipped_wordings,
)
from blend.schemas.frames import KEY

_NOTHING_SAID = OptionTexts(frozenset(), {})


class OptionReading:
    """What the package's model said of options whatever the region asked about.

    Args:
        wordings: The words in which questions may be quoted, see `quotable`; it counts for templates that ask
            what it read, since another dataset may have the same ids.
        shipped: Whether it counts at all.
    """

    def __init__(self, wordings: pl.DataFrame, *, shipped: bool) -> None:
        self._by_template: Mapping[str, OptionTexts] = {}
        if shipped:
            read = wordings.join(shipped_readings(), on=wordings.columns, how="semi")
            known = set(read["template_id"])
            self._by_template = {one: texts for one, texts in shipped_option_texts().items() if one in known}

    def text(self, template_id: str, text: str) -> str:
        """Write an option as shown, without a slip in its English."""
        return self._of(template_id).corrected.get(text, text)

    def texts(self, template_id: str, variants: Iterable[str]) -> tuple[str, ...]:
        """Put before each variant of an answer what is shown in its place; it still counts as meant."""
        corrections = self.corrections(template_id)
        pairs = ((corrections.get(shown(one)), one) for one in variants)
        return tuple(text for pair in pairs for text in pair if text is not None)

    def corrections(self, template_id: str) -> Mapping[str, str]:
        """Find what is shown in place of an option as shown, by its text."""
        return self._of(template_id).corrected

    def refused(self, template_id: str) -> frozenset[str]:
        """Find options that are no answer to the question in any region."""
        return self._of(template_id).refused

    def _of(self, template_id: str) -> OptionTexts:
        return self._by_template.get(template_id, _NOTHING_SAID)


def corrected(template_id: str, en_question: str) -> str:
    """The English of a question without the slip that was found in its template, if it has one."""
    slip = shipped_wordings().get(template_id)
    return en_question if slip is None else en_question.replace(slip.wording, slip.corrected)


def quotable(questions: pl.DataFrame, asked: pl.DataFrame | None = None) -> pl.DataFrame:
    """List the words in which verdicts may quote questions: as published, and without slips.

    Args:
        questions: `frame_columns.QUESTIONS`, or their key and ``en_question``.
        asked: The same without slips, as `put_right` returns them, where they are at hand.

    Returns:
        ``template_id``, ``locale`` and ``question`` (in English), each once.
    """
    without_slips = put_right(questions)[0] if asked is None else asked
    wordings = [frame.select(*KEY, question="en_question") for frame in (questions, without_slips)]
    return pl.concat(wordings).unique()


def put_right(questions: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Put slips in English questions right that are known; nothing that is asked changes.

    Args:
        questions: `frame_columns.QUESTIONS`, or their key and ``en_question``.

    Returns:
        The questions, and `FOUND`: every question that is asked in other words than before, in their order.
    """
    found: list[tuple[str, str, str, str]] = []
    texts: list[str] = []
    for template_id, tag, text in questions.select(*KEY, "en_question").iter_rows():
        asked_as = corrected(template_id, text or "")
        if asked_as != (text or ""):
            slip = shipped_wordings()[template_id]
            found.append(
                (template_id, tag, "slip-in-wording", f"{slip.wording!r} is asked as {slip.corrected!r}")
            )
        texts.append(asked_as if text else text)
    asked = questions.with_columns(en_question=pl.Series(texts, dtype=pl.String))
    return asked, pl.DataFrame(found, FOUND, orient="row").sort(KEY)
