"""Sharing: questions with the same prompt, asked of a model as one.

A release asks one question with several choices of wrong options. Where the prompt does not show them, it is
the same for all, and so is the correct option: both are computed once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from blend.eval.models.encoding import EncodedQuestion


@dataclass(frozen=True, slots=True)
class Shared:
    """Items that a model is asked as one question."""

    items: tuple[int, ...]
    """Their positions."""
    question: EncodedQuestion
    """Their prompt, with every option of theirs once, in the order of its first item."""
    positions: tuple[tuple[int, ...], ...]
    """For each item the places of its options among those of ``question``."""

    @property
    def length(self) -> int:
        """Tokens of the prompt and all options: what the question takes of a batch."""
        return len(self.question.prefix) + sum(map(len, self.question.options))

    def values(self, of_options: Sequence[float]) -> Iterator[tuple[int, list[float]]]:
        """Each item and the values of its own options, from one value per option of ``question``."""
        for item, positions in zip(self.items, self.positions, strict=True):
            yield item, [of_options[position] for position in positions]


def shared(questions: Sequence[EncodedQuestion], items: Sequence[int], *, tokens: int) -> list[Shared]:
    """Some items, put together by prompt.

    Args:
        questions: All questions.
        items: Positions of those to ask.
        tokens: Size of a batch; items whose options would take more than that together are not put together.

    Returns:
        In the order of the first item of each; each item in exactly one of them.
    """
    by_prompt: dict[tuple[int, ...], list[int]] = {}
    for item in items:
        by_prompt.setdefault(tuple(questions[item].prefix), []).append(item)
    return [one for same in by_prompt.values() for one in _together(questions, same, tokens)]


def _together(questions: Sequence[EncodedQuestion], items: Sequence[int], tokens: int) -> Iterator[Shared]:
    """Items with one prompt, as few questions as their size allows."""
    prefix = questions[items[0]].prefix
    # By tokens of an option its place among those of the question under way; dicts keep the order of insertion.
    place_of: dict[tuple[int, ...], int] = {}
    members: list[int] = []
    positions: list[tuple[int, ...]] = []
    size = len(prefix)
    for item in items:
        options = [tuple(ids) for ids in questions[item].options]
        new = {ids for ids in options if ids not in place_of}
        if members and size + sum(map(len, new)) > tokens:
            yield Shared(
                tuple(members), EncodedQuestion(prefix, [list(ids) for ids in place_of]), tuple(positions)
            )
            # The new question has none of the options yet, so all of this item's are new to it.
            place_of, members, positions, size, new = {}, [], [], len(prefix), set(options)
        size += sum(map(len, new))
        members.append(item)
        positions.append(tuple(place_of.setdefault(ids, len(place_of)) for ids in options))
    yield Shared(tuple(members), EncodedQuestion(prefix, [list(ids) for ids in place_of]), tuple(positions))
