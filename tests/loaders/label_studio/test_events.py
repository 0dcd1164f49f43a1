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


def annotation(
    text: str, *, minute: int = 0, name: str = "u1", by: int | None = 1, **more: Any
) -> dict[str, Any]:
    made = {"created_at": "2026-11-20T10:00:00Z", "updated_at": f"2026-11-20T10:{minute:02}:00.5Z"}
    named = {"id": 7, "unique_id": name, "completed_by": by, "updated_by": by}
    return {**named, "result": [{"t": text}], **made, **more}


def pulled(lines: list[Line], *annotations: dict[str, Any], project: int = 3) -> list[Line]:
    """The lines after a pull that finds these annotations."""
    task = {"id": 5, "data": {"blend_id": "answer/ko-KR/food-01"}, "annotations": list(annotations)}
    people = (lambda account: account and f"p{account}", lambda account: account and str(account))
    return [*lines, *news(held_in(lines, STAGE), STAGE, project, [task] if annotations else [], *people)]


def counting(lines: list[Line]) -> list[tuple[str | None, str]]:
    """Author and text of what counts."""
    return [(line["annotator"], line["result"][0]["t"]) for line in counted_lines(held_in(lines, STAGE))]


def events(lines: list[Line]) -> list[str]:
    return [line["event"] for line in lines]


def test_the_newest_version_counts_and_nothing_is_written_twice():
    lines = pulled([], annotation("밥"))
    assert pulled(lines, annotation("밥")) == lines
    lines = pulled(lines, annotation("국", minute=1))
    assert (events(lines), counting(lines)) == (["added", "edited"], [("p1", "국")])


def test_what_is_gone_counts_until_it_is_accepted_and_again_once_it_is_back():
    lines = pulled(pulled([], annotation("밥")))
    assert pulled(lines) == lines
    assert (events(lines), counting(lines)) == (["added", "missing"], [("p1", "밥")])
    (gone,) = counted_lines(held_in(lines, STAGE))
    assert (gone["gone"], gone["project"]) == (True, 3)
    lines += [accepted(one) for one in held_in(lines, STAGE).values() if one.is_gone]
    assert (events(lines)[-1], counting(lines)) == ("accepted", [])
    lines = pulled(lines, annotation("밥"))
    assert (events(lines)[-1], counting(lines)) == ("back", [("p1", "밥")])


def test_a_skip_that_was_cancelled_holds_nothing_and_is_not_told():
    lines = pulled(pulled([], annotation("", was_cancelled=True)))
    (held,) = held_in(lines, STAGE).values()
    assert (held.counts, held.is_gone, counting(lines)) == (False, False, [])
    assert counting(pulled(lines, annotation("밥", minute=1, name="u2"))) == [("p1", "밥")]


def test_an_older_version_than_was_seen_is_told_and_counts_once_it_is_accepted():
    lines = pulled(pulled([], annotation("밥")), annotation("국", minute=9))
    for _ in range(2):
        lines = pulled(lines, annotation("밥"))
        assert (events(lines), counting(lines)) == (["added", "edited", "older"], [("p1", "국")])
    later = pulled(lines, annotation("빵", minute=10))
    assert (events(later)[-1], counting(later)) == ("edited", [("p1", "빵")])
    lines += [accepted(one) for one in held_in(lines, STAGE).values() if one.is_gone]
    assert counting(lines) == [("p1", "밥")]
    assert pulled(lines, annotation("밥")) == lines


def test_an_author_whose_account_is_deleted_stays():
    lines = pulled(pulled([], annotation("밥")), annotation("밥", by=None))
    assert events(lines) == ["added"]
    lines = pulled(lines, annotation("국", minute=2, by=None))
    assert counting(lines) == [("p1", "국")]


def test_a_page_that_was_deleted_for_somebody_else_is_not_told():
    lines = pulled([], annotation("밥"))
    lines += [about(one, "kept") for one in held_in(lines, STAGE).values()]
    assert pulled(lines) == lines
    (held,) = held_in(lines, STAGE).values()
    assert (held.counts, held.is_gone, held.is_there) == (True, False, False)


def test_lines_of_two_leads_count_in_whatever_order_git_puts_them():
    first = pulled([], annotation("밥"))
    second = pulled(first, annotation("국", minute=3))
    assert counting([*second, *first]) == counting(second) == [("p1", "국")]


def test_a_line_that_was_cut_off_gives_way_to_the_next_and_a_damaged_one_is_told(tmp_path: Path):
    path = tmp_path / "events.jsonl"
    lines = pulled([], annotation("밥"))
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
    for damaged in ([], {}, {"event": "key"}, {**lines[0], "task": "x"}, {**lines[0], "account": "x"}):
        path.write_text(json.dumps(damaged) + "\n")
        with pytest.raises(InputError) as raised:
            read_events(path)
        assert str(raised.value) == (
            f"{path}:1: is not a line of the events; bring the file back from git or a backup: what people "
            "gave counts by this file"
        )
