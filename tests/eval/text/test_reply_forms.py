"""Reply forms: every language's inflected answers are accepted alike, and no other answer is."""

import pytest

from blend.eval.text import language_readers
from helpers.reply_forms import KINDS, LANGUAGES, accepted, replies
from helpers.tiers import rest_nightly

LEAST_ACCEPTED, MOST_FALSE = 0.9, 0.01


def test_every_language_that_is_read_has_its_forms():
    assert set(LANGUAGES) == set(language_readers.languages())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_forty_answers_in_every_form(language: str):
    asked = replies(language)
    assert len({reply.gold for reply in asked}) >= 40
    kinds = {reply.form.partition(" ")[0] for reply in asked}
    assert {"bare", "sentence", "polite"} <= kinds <= {*KINDS}


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("language", rest_nightly(LANGUAGES, "am", "ko"))
def test_right_answers_are_accepted_in_every_form_and_others_are_not(language: str):
    counts = accepted(language)
    assert {form: one.share for form, one in counts.items() if one.share < LEAST_ACCEPTED} == {}
    assert {form: one.false_share for form, one in counts.items() if one.false_share > MOST_FALSE} == {}
