"""One question of BLEnD's annotation files: its answer groups and non-answers, checked and tidied."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, field_validator

from blend.loaders.upstream import Origin
from blend.schemas.models import Row
from blend.schemas.rows import Grouping

ANNOTATORS = 5
"""Annotators per question (Myung et al. 2024, section 3)."""

_MOST_VOTES = 1_000_000
"""Most votes that a count may give: more are a slip of the keyboard, and do not fit into a column."""

_KINDS = ("idk", "no-answer", "not-applicable")
_PLACEHOLDERS = frozenset({"none", "x", "not applicable"})


class _Group(Row):
    """Answers that count as one, in both languages, and who gave them."""

    answers: tuple[str, ...]
    """Variants in the local language."""
    en_answers: tuple[str, ...]
    """Variants in English."""
    count: Annotated[int, Field(strict=True, ge=1, le=_MOST_VOTES)]
    """Votes."""


class Entry(Row):
    """What a file of annotations holds of a question."""

    question: str
    """The question as asked."""
    en_question: str
    """The same in English."""
    annotations: tuple[_Group, ...]
    """Groups of answers."""
    idks: dict[str, Annotated[int, Field(strict=True, ge=0, le=_MOST_VOTES)]]
    """Votes of those who gave no answer, by kind or in their own words."""

    @field_validator("idks")
    @classmethod
    def _has_every_kind(cls, idks: dict[str, int]) -> dict[str, int]:
        if missing := [kind for kind in _KINDS if kind not in idks]:
            raise ValueError(f"{', '.join(missing)} is missing; add the number of votes")
        return idks


def annotation_row(entry: Entry, origin: Origin) -> dict[str, Any]:
    """An entry as a row of `frames.ANNOTATIONS`."""
    groups: list[dict[str, Any]] = [
        {
            "answers": _answers(group.answers, f"annotations[{index}].answers", origin),
            "en_answers": _answers(group.en_answers, f"annotations[{index}].en_answers", origin),
            "count": group.count,
        }
        for index, group in enumerate(entry.annotations)
    ]
    _report_groups(groups, origin)
    counts = [group.count for group in entry.annotations]
    if counts != sorted(counts, reverse=True):
        origin.finding("unsorted-groups", f"votes are not in descending order: {counts}", "sorted")
        if origin.clean:
            # Stable: groups with equally many votes stay in the order of the file.
            groups.sort(key=lambda group: -group["count"])
    return {
        "template_id": origin.template_id,
        "locale": origin.locale,
        "annotations": groups,
        "idks": _idks(entry.idks, origin),
        "grouping": Grouping.UPSTREAM,
        "source": origin.location,
    }


def _answers(texts: Sequence[str], what: str, origin: Origin) -> list[str]:
    """The answers of a group, without blanks if texts are changed; it may lose them all, never its votes."""
    if not texts:
        origin.note("no-variant", f"{what} is empty; the group and its votes stay")
    kept = []
    for text in texts:
        plain = text.strip()
        if not plain:
            origin.finding("blank-answer", f"{what} holds the blank {text!r}", "removed")
            if origin.clean:
                continue
        if plain.casefold() in _PLACEHOLDERS:
            origin.note("placeholder-answer", f"{what} holds {text!r}, which may be no answer; kept")
        kept.append(origin.text(text, what))
    for text, times in _repeated(kept):
        origin.finding("repeated-variant", f"{what} holds {text!r} {times} times", "one left")
    return list(dict.fromkeys(kept)) if origin.clean else kept


def _repeated(texts: Sequence[str]) -> list[tuple[str, int]]:
    if len(set(texts)) == len(texts):
        return []
    return [(text, times) for text, times in Counter(texts).items() if times > 1]


def _report_groups(groups: Sequence[Mapping[str, Any]], origin: Origin) -> None:
    """Report what is odd about the groups of a question together; nothing is changed."""
    if not groups:
        origin.note("no-answers", "nobody's answer is left; the question stays, without groups")
    for index, group in enumerate(groups):
        if group["count"] > ANNOTATORS:
            detail = f"annotations[{index}] has {group['count']} votes of {ANNOTATORS} annotators; kept"
            origin.note("votes-above-annotators", detail)
    for text, times in _repeated([group["en_answers"][0] for group in groups if group["en_answers"]]):
        detail = f"{text!r} is the first English variant of {times} groups; kept apart"
        origin.note("repeated-first-variant", detail)


def _idks(idks: Mapping[str, int], origin: Origin) -> dict[str, Any]:
    """Non-answers by kind; reasons in annotators' own words most votes first, then by text."""
    reasons: Counter[str] = Counter()
    for reason, votes in idks.items():
        if reason in _KINDS:
            continue
        origin.note("free-text-reason", f"{reason!r} ({votes}) is a key of idks; moved to others")
        # A reason that nobody gave is told, and kept nowhere.
        if votes:
            reasons[origin.text(reason, "idks")] += votes
    if sum(idks.values()) > ANNOTATORS:
        detail = f"{sum(idks.values())} non-answers of {ANNOTATORS} annotators; kept"
        origin.note("non-answers-above-annotators", detail)
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    others = [{"reason": reason, "count": votes} for reason, votes in ordered]
    return {**{kind: idks[kind] for kind in _KINDS}, "others": others}
