"""Sharing: questions with one prompt are asked as one, with each option once."""

from blend.eval.models.encoding import EncodedQuestion
from blend.eval.models.option_scoring import as_one


def test_what_questions_with_one_prompt_share_is_asked_once():
    rice, bread, naan, injera = [1], [2], [3], [4, 5]
    first, second = EncodedQuestion([7, 8], [rice, bread]), EncodedQuestion([7, 8], [injera, rice, naan])
    assert as_one([first, second]) == EncodedQuestion([7, 8], [rice, bread, injera, naan])
