"""Replies: what a model wrote, read once for every rule: what it asserts, how many answers it lists."""

import re
from typing import NamedTuple
from unicodedata import normalize

from blend.eval.tasks.short_answer.asserted_text import GAP, asserted
from blend.eval.tasks.short_answer.listed_answers import MAX_LISTED, listed_answers
from blend.eval.tasks.short_answer.reply_words import ReplyWords

# A word and a colon, not a time: "18:30" would lose its hour wherever the question shows a time as an example.
_LABEL = re.compile(r"\s*([^\W\d]\w*)\s*[:：]\s*")
# A published prompt asks for thoughts and then {'question': …, 'answer': […]}: the key holds the answer.
_ANSWER_KEY = re.compile(r"[\"']answers?[\"']\s*:(?=[\s\[\"'{]*\w)", re.IGNORECASE)
_STRUCK = re.compile(r"~~(?=\S)[^\n]{1,200}?~~|<(del|s|strike)>.{0,200}?</\1>", re.IGNORECASE | re.DOTALL)


class Reply(NamedTuple):
    """Reply of a model to a question."""

    response: str
    """What the model wrote."""
    prompt: str
    """The exact text that it was asked."""
    text: str
    """The response in NFC, without the prompt that it repeats, a label at its start and what it strikes out; of
    JSON with a key ``answer``, what that holds."""
    first: str
    """Of the text, what holds its first answers."""
    asserts: str
    """Of that, what it asserts, with a `GAP` for every character that it does not."""
    own: str
    """Of that, what does not repeat the prompt in part, likewise."""
    n_answers: int
    """How many answers it lists; see `listed_answers.Listed`."""
    refused: bool
    """Whether it says that it does not answer, and asserts nothing."""

    @property
    def hedged(self) -> bool:
        """Whether it lists more answers than can be meant."""
        return self.n_answers > MAX_LISTED


def read_reply(response: str, prompt: str, words: ReplyWords) -> Reply:
    """Read a reply.

    Args:
        response: What the model wrote.
        prompt: The exact text that it was asked.
        words: The words of the language that it was asked in.
    """
    text = _without_prompt(normalize("NFC", response), normalize("NFC", prompt))
    found = asserted(text, prompt, words)
    listed = listed_answers(found.own.replace(GAP, " "), words)
    end = listed.end
    return Reply(
        response=response,
        prompt=prompt,
        text=text,
        first=text[:end],
        asserts=found.text[:end],
        own=found.own[:end],
        n_answers=listed.n_answers,
        refused=found.refused,
    )


def _without_prompt(text: str, prompt: str) -> str:
    """The response without the prompt that it may repeat, a label at its start, and what is struck out."""
    text = text.replace(prompt, " ") if prompt else text
    *_, text = _ANSWER_KEY.split(text)
    text = _STRUCK.sub(" ", text)
    label = _LABEL.match(text)
    return text[label.end() :] if label and label[1].casefold() in prompt.casefold() else text
