"""Single choices: what decides on one reply to a multiple-choice question, or to one of yes or no."""

import re
from collections.abc import Callable, Sequence
from functools import partial

from blend.eval.items import TaskItems
from blend.eval.task import Decision, ItemRule
from blend.eval.tasks.multiple_choice.confidence import CONFIDENT_PROMPT, STATED
from blend.eval.tasks.multiple_choice.reply_options import option_chosen
from blend.schemas.rows.published_rows import LETTERS

_STATED = re.compile(STATED)


def choice_rules(asked: TaskItems) -> dict[str, ItemRule]:
    """By ``item_id`` what decides on replies to multiple-choice questions; gold as of `choice_items.GOLD`."""
    says_confidence = CONFIDENT_PROMPT in asked.prompts.values()

    def read(options: Sequence[str], reply: str) -> int | None:
        return option_chosen(_STATED.sub("", reply, count=1) if says_confidence else reply, options)

    return {
        item_id: chosen_rule(LETTERS, answer, partial(read, options))
        for item_id, answer, options in asked.gold.select("item_id", "answer", "option_texts").iter_rows()
    }


def chosen_rule(words: Sequence[str], answer: int, read: Callable[[str], int | None]) -> ItemRule:
    """What decides on replies that choose one of some words, of which the one at ``answer`` is correct."""

    def decide(reply: str) -> Decision:
        chosen = read(reply)
        return Decision(float(chosen == answer), None if chosen is None else words[chosen])

    return ItemRule([words[answer]], decide)
