"""A regular expression that reads the letter of a reply, for harnesses that take no other reader.

It is made of the phrases of `answer_phrases`, and knows neither the texts of options nor letters of other
scripts, so it reads less than ``blend eval score`` does.
"""

import re

from blend.eval.tasks.multiple_choice.answer_phrases import phrases_of

_MARK = r"[\s\"'*_`(\[{<>«「『“”:：=—–→.~#$【】-]"
_COMMAND = r"(?:\\(?:text|textbf|mathrm|mbox)\{)?"
_LETTER = r"[A-D](?![A-Za-z0-9'’])"
_CLOSE = r"[\"'*_`)\]}】.]*"
# Where a word begins or ends, in scripts that part words.
_START, _END = r"(?<![A-Za-z])", r"(?![^\W\d_])"


def letter_pattern() -> str:
    """The expression, with one group: the letter. It is case-sensitive but for the phrases."""
    announced = rf"{_START}(?i:{_any('final', 'answer', 'choose')})"
    linked = rf"(?:{_MARK}*(?i:{_any('is', 'described', 'option')}))*{_MARK}*"
    alone = rf"(?!\s*(?:(?i:{_any('join')})|[,、/&])\s*[\"'*(]*[A-D](?![A-Za-z]))"
    undoubted = rf"(?!\s*[?？]|[^.!?,;\n]{{0,20}}?{_START}(?i:{_any('doubt')}){_END})"
    first = rf"(?:[).:：*\"'\]}}`。）]|\s+[–—(-]|\s*\n|\s*\Z){undoubted}(?![\s\S]*[\n(][B-D][).:])"
    # What stands before a letter, and what begins with it.
    places = {
        rf"\\boxed\{{\W*{_COMMAND}\W*": _LETTER,
        r"(?i:<(?:answer|final_answer|choice)>)\W*": _LETTER,
        r"(?i:\"answer(?:_choice)?\")\s*:\s*\"": _LETTER,
        announced + linked: rf"{_LETTER}{_CLOSE}{alone}{undoubted}",
        _START: rf"{_LETTER}{_CLOSE}\s*(?i:{_any('chosen')}){_END}",
        # The reply begins with it, and no list of options does.
        rf"\A{_MARK}*": rf"{_LETTER}{first}",
        rf"(?m:^){_MARK}*": rf"[A-D]{_MARK}*\)?(?m:$)",
    }
    return f"(?:{'|'.join(f'{before}(?={letter})' for before, letter in places.items())})([A-D])"


def _any(*kinds: str) -> str:
    phrases = sorted(phrases_of(*kinds), key=lambda phrase: (-len(phrase), phrase))
    return "|".join(re.escape(phrase).replace(r"\ ", " ") for phrase in phrases)
