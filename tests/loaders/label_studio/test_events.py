"""Events: what was seen once goes on counting, whatever a later export lacks."""

import json
from pathlib import Path
from typing import Any

import pytest

from blend.loaders.label_studio.events import (
    Line,
    about,
    accepted,
    append_events,
    counted_lines,
    held_in,
    news,
    read_events,
)
from blend.schemas.errors import InputError

STAGE = "answer.ko-KR"
Annotation = dict[str, Any]


def given(text: str, *, minute: int = 0, name: str = "u1", by: int | None = 1, **more: Any) -> Annotation:
    made = {"created_at": "2026-11-20T10:00:00Z", "updated_at": f"2026-11-20T10:{minute:02}:00.5Z"}
    named = {"id": 7, "unique_id": name, "completed_by": by, "updated_by": by}
    return {**named, "result": [{"t": text}], **made, **more}


def pulled(*pulls: list[Annotation] | str, lines: list[Line] | None = None) -> list[Line]:
    """The lines after pulls that find these annotations; a text is what is said of whatever is gone."""
    lines = list(lines or [])
    people = (lambda account: account and f"p{account}", lambda account: account and str(account))
    for found in pulls:
        held = held_in(lines, STAGE)
        if found == "accepted":
            lines += [accepted(one) for one in held.values() if one.is_gone]
        elif isinstance(found, str):
            lines += [about(one, found) for one in held.values()]
        else:
            task = {"id": 5, "data": {"blend_id": "answer/ko-KR/food-01"}, "annotations": found}
            lines += news(held, STAGE, 3, [task] if found else [], *people)
    return lines


RICE, LATER, LAST = given("밥"), given("국", minute=9), given("빵", minute=10)
SKIPPED = given("", was_cancelled=True)


@pytest.mark.parametrize(
    ("pulls", "events", "counting"),
    [
        ([[RICE], [RICE]], "added", "밥"),
        ([[RICE], [LATER]], "added edited", "국"),
        # What is gone counts until it is accepted, and again once it is back.
        ([[RICE], [], []], "added missing", "밥"),
        ([[RICE], [], "accepted"], "added missing accepted", ""),
        ([[RICE], [], "accepted", [RICE]], "added missing accepted back", "밥"),
        # A skip that was cancelled holds nothing, and is not gone.
        ([[SKIPPED], [], "accepted"], "added missing", ""),
        ([[SKIPPED], [], [given("밥", minute=1, name="u2")]], "added missing added", "밥"),
        # An older version than was seen is told once, and counts once it is accepted.
        ([[RICE], [LATER], [RICE], [RICE]], "added edited older", "국"),
        ([[RICE], [LATER], [RICE], [LAST]], "added edited older edited", "빵"),
        ([[RICE], [LATER], [RICE], "accepted", [RICE]], "added edited older edited", "밥"),
        # An author whose account is deleted stays.
        ([[RICE], [given("밥", by=None)]], "added", "밥"),
        ([[RICE], [given("국", minute=2, by=None)]], "added edited", "국"),
        # A page that was deleted for somebody else is not told.
        ([[RICE], "kept", []], "added kept", "밥"),
    ],
)
def test_what_counts_after_pulls(pulls: list[list[Annotation] | str], events: str, counting: str):
    lines = pulled(*pulls)
    assert [line["event"] for line in lines] == events.split()
    counted = [(line["annotator"], line["result"][0]["t"]) for line in counted_lines(held_in(lines, STAGE))]
    assert counted == ([("p1", counting)] if counting else [])
    (*_, held) = held_in(lines, STAGE).values()
    assert held.is_gone == (events.endswith(("missing", "older")) and bool(counting))


def test_lines_of_two_leads_count_in_whatever_order_git_puts_them():
    first = pulled([RICE])
    for lines in (second := pulled([LATER], lines=first), [*second, *first]):
        (counted,) = counted_lines(held_in(lines, STAGE))
        assert counted["result"] == LATER["result"]


def test_a_line_that_was_cut_off_gives_way_to_the_next_and_a_damaged_one_is_told(tmp_path: Path):
    path = tmp_path / "events.jsonl"
    lines = pulled([RICE])
    append_events(path, lines)
    cut_off = path.read_bytes() + b'{"stage": "ans'
    path.write_bytes(cut_off)
    assert read_events(path) == lines
    assert path.read_bytes() == cut_off, "reading writes nothing: whatever else cut it, there may be a backup"
    append_events(path, lines)
    assert read_events(path) == lines * 2
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    append_events(path, lines)
    assert read_events(path) == lines * 3, "an editor has left the last line feed out, and nothing else"
    path.write_bytes(cut_off[:20])
    assert read_events(path) == []
    append_events(path, lines)
    assert read_events(path) == lines
    for damaged in ([], {}, {"event": "key"}):
        path.write_text(json.dumps(damaged) + "\n")
        with pytest.raises(InputError, match=r"events.jsonl:1: is not a line of the events; bring the "):
            read_events(path)
