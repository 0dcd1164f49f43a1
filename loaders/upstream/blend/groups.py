"""One question of BLEnD's annotation files: its answer groups and non-answers, checked and tidied."""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.upstream import Origin, Tidy, is_tidy
from blend.schemas.errors import raise_all
from blend.schemas.rows import Grouping

ANNOTATORS = 5
"""Annotators per question (Myung et al. 2024, section 3)."""

MOST_VOTES = 1_000_000
"""Most votes that a count may give: more are a slip of the keyboard, and do not fit into a column."""

ENTRY_KEYS = ("question", "en_question", "annotations", "idks")
_GROUP_KEYS = ("answers", "en_answers", "count")
_KINDS = ("idk", "no-answer", "not-applicable")
_PLACEHOLDERS = frozenset({"none", "x", "not applicable"})

Json = Any


def check_entry(entry: Json, location: str) -> None:
    """Check that a question's entry has the published shape and possible votes.

    Raises:
        RowError, RowErrors: For everything that is wrong with it.
    """
    diagnostics = Diagnostics()
    if _has_keys(entry, ENTRY_KEYS, location, diagnostics):
        for key in ("question", "en_question"):
            _check(isinstance(entry[key], str), f"{location}, {key}", entry[key], "text", diagnostics)
        groups, idks = entry["annotations"], entry["idks"]
        if _check(
            isinstance(groups, list), f"{location}, annotations", groups, "a list of groups", diagnostics
        ):
            for index, group in enumerate(groups):
                _check_group(group, f"{location}, annotations[{index}]", diagnostics)
        if _has_keys(idks, _KINDS, f"{location}, idks", diagnostics, others=True):
            for kind, votes in idks.items():
                where = f"{location}, idks[{kind!r}]"
                _check(_is_count(votes, 0), where, votes, f"a count from 0 to {MOST_VOTES:,}", diagnostics)
    raise_all(diagnostics.problems)


def _check_group(group: Json, where: str, diagnostics: Diagnostics) -> None:
    if not _has_keys(group, _GROUP_KEYS, where, diagnostics):
        return
    for key in ("answers", "en_answers"):
        texts = group[key]
        listed = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
        _check(listed, f"{where}.{key}", texts, "a list of texts", diagnostics)
    votes = group["count"]
    _check(_is_count(votes, 1), f"{where}.count", votes, f"a count from 1 to {MOST_VOTES:,}", diagnostics)


def _is_count(votes: Json, least: int) -> bool:
    return type(votes) is int and least <= votes <= MOST_VOTES


def _has_keys(
    value: Json, keys: tuple[str, ...], where: str, diagnostics: Diagnostics, *, others: bool = False
) -> bool:
    """Whether the value is an object with these keys and, unless ``others`` are welcome, no further one."""
    if not isinstance(value, dict):
        return _check(False, where, value, f"an object with {', '.join(keys)}", diagnostics)
    if (others or len(value) == len(keys)) and all(key in value for key in keys):
        return True
    for key in keys:
        if key not in value:
            diagnostics.problem(f"key {key!r} is missing", where=where, fix="add it")
    for key in value:
        if key not in keys and not others:
            diagnostics.problem(
                f"unknown key {key!r}", where=where, fix=f"remove it; the keys are {', '.join(keys)}"
            )
    return all(key in value for key in keys)


def _check(holds: bool, where: str, value: Json, expected: str, diagnostics: Diagnostics) -> bool:
    if not holds:
        diagnostics.problem(f"{_shown(value)} is not {expected}", where=where, fix="correct the file")
    return holds


def _shown(value: Json) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def annotation_row(entry: Json, origin: Origin, tidy: Tidy) -> dict[str, Any]:
    """A checked entry as a row of `frame_columns.ANNOTATIONS`."""
    groups = [_group(group, index, origin, tidy) for index, group in enumerate(entry["annotations"])]
    _report_groups(groups, origin, tidy)
    counts = [group["count"] for group in groups]
    if counts != sorted(counts, reverse=True):
        tidy.finding("unsorted-groups", f"votes are not in descending order: {counts}", "sorted", origin)
        if tidy.clean:
            groups.sort(key=lambda group: -group["count"])
    return {
        "template_id": origin.template_id,
        "locale": origin.locale,
        "annotations": groups,
        "idks": _idks(entry["idks"], origin, tidy),
        "grouping": Grouping.UPSTREAM,
        "source": origin.location,
    }


def _group(group: Mapping[str, Any], index: int, origin: Origin, tidy: Tidy) -> dict[str, Any]:
    return {
        "answers": _answers(group["answers"], index, "answers", origin, tidy),
        "en_answers": _answers(group["en_answers"], index, "en_answers", origin, tidy),
        "count": group["count"],
    }


def _answers(texts: list[str], index: int, key: str, origin: Origin, tidy: Tidy) -> list[str]:
    """The answers of a group, without blanks if texts are changed; it may lose them all, never its votes."""
    if texts and len(set(texts)) == len(texts) and all(map(_is_ordinary, texts)):
        return texts
    what = f"annotations[{index}].{key}"
    if not texts:
        tidy.note("no-variant", f"{what} is empty; the group and its votes stay", origin)
    kept = []
    for text in texts:
        if not text.strip():
            tidy.finding("blank-answer", f"{what} holds the blank {text!r}", "removed", origin)
            if tidy.clean:
                continue
        if _is_placeholder(text):
            tidy.note("placeholder-answer", f"{what} holds {text!r}, which may be no answer; kept", origin)
        kept.append(tidy.text(text, what, origin))
    return _distinct(kept, what, origin, tidy)


# The same answer stands in many files; what is known of a text does not depend on the place.
@lru_cache(maxsize=1 << 12)
def _is_ordinary(answer: str) -> bool:
    return answer != "" and is_tidy(answer) and not _is_placeholder(answer)


def _is_placeholder(answer: str) -> bool:
    return answer.strip().casefold() in _PLACEHOLDERS


def _distinct(texts: list[str], what: str, origin: Origin, tidy: Tidy) -> list[str]:
    """The variants of a group without repetitions, if texts are changed."""
    if len(set(texts)) == len(texts):
        return texts
    for text, times in Counter(texts).items():
        if times > 1:
            tidy.finding("repeated-variant", f"{what} holds {text!r} {times} times", "one left", origin)
    return list(dict.fromkeys(texts)) if tidy.clean else texts


def _report_groups(groups: list[dict[str, Any]], origin: Origin, tidy: Tidy) -> None:
    """Report what is odd about the groups of a question together; nothing is changed."""
    if not groups:
        tidy.note("no-answers", "nobody's answer is left; the question stays, without groups", origin)
    for index, group in enumerate(groups):
        if group["count"] > ANNOTATORS:
            detail = f"annotations[{index}] has {group['count']} votes of {ANNOTATORS} annotators; kept"
            tidy.note("votes-above-annotators", detail, origin)
    firsts = [group["en_answers"][0] for group in groups if group["en_answers"]]
    if len(set(firsts)) == len(firsts):
        return
    for text, times in Counter(firsts).items():
        if times > 1:
            detail = f"{text!r} is the first English variant of {times} groups; kept apart"
            tidy.note("repeated-first-variant", detail, origin)


def _idks(idks: Mapping[str, int], origin: Origin, tidy: Tidy) -> dict[str, Any]:
    """Non-answers by kind; reasons in annotators' own words most votes first, then by text."""
    reasons: Counter[str] = Counter()
    for reason, votes in idks.items() if len(idks) > len(_KINDS) else ():
        if reason in _KINDS:
            continue
        tidy.note("free-text-reason", f"{reason!r} ({votes}) is a key of idks; moved to others", origin)
        if votes:
            reasons[tidy.text(reason, "idks", origin)] += votes
    if sum(idks.values()) > ANNOTATORS:
        detail = f"{sum(idks.values())} non-answers of {ANNOTATORS} annotators; kept"
        tidy.note("non-answers-above-annotators", detail, origin)
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    others = [{"reason": reason, "count": votes} for reason, votes in ordered]
    return {**{kind: idks[kind] for kind in _KINDS}, "others": others}
