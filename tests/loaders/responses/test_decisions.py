"""Decisions: what the file may hold, and that a verdict once written is never lost."""

from datetime import date
from pathlib import Path

import pytest

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses.decisions import COLUMNS, Decision, read_decisions
from blend.schemas.errors import BlendError, RowError, RowErrors
from helpers.questions.decision_files import HEADER, PEAR, SOCCER, decision, file_of


def test_rows_are_read_in_order(tmp_path: Path):
    assert read_decisions(file_of(tmp_path, HEADER + SOCCER + PEAR)) == (
        decision("soccer", "football", why="one sport"),
        Decision(answer_a="apple", answer_b="pear", verdict="different", who="chat:m1", when=date(2026, 12, 1)),
    )


@pytest.mark.parametrize(
    "content",
    [
        HEADER + SOCCER,
        HEADER + SOCCER.rstrip("\n"),
        HEADER + SOCCER + "\n\n",
        (HEADER + SOCCER).replace("\n", "\r\n"),
        "\ufeff" + HEADER + SOCCER,
        HEADER + '"soccer"\t"football"\tsame\tmina\t2026-11-30\t"one sport"\n',
        HEADER + " soccer\t football \tsame\tmina\t2026-11-30\tone  sport \n",
        "why\twhen\twho\tverdict\tanswer_b\tanswer_a\none sport\t2026-11-30\tmina\tsame\tfootball\tsoccer\n",
    ],
    ids=["plain", "no line feed", "empty lines", "CRLF", "BOM", "quoted", "blanks", "other order"],
)
def test_what_editors_and_spreadsheets_make_of_a_row(tmp_path: Path, content: str):
    assert read_decisions(file_of(tmp_path, content)) == (decision("soccer", "football", why="one sport"),)


def test_a_byte_order_mark_is_noted(tmp_path: Path):
    diagnostics = Diagnostics()
    read_decisions(file_of(tmp_path, "\ufeff" + HEADER), diagnostics)
    assert diagnostics.findings == [
        (
            "byte-order-mark",
            "decisions.tsv",
            None,
            None,
            "the file starts with a byte order mark; it is left out",
        )
    ]


def test_a_pair_may_be_decided_twice_alike(tmp_path: Path):
    again = SOCCER.replace("soccer\tfootball", "FOOTBALL\tsoccer")
    assert len(read_decisions(file_of(tmp_path, HEADER + SOCCER + again))) == 2


def test_an_empty_file_and_one_to_come_hold_no_decisions(tmp_path: Path):
    assert read_decisions(file_of(tmp_path, "")) == ()
    assert read_decisions(tmp_path / "later.tsv", missing_ok=True) == ()


def test_a_missing_file_is_an_error(tmp_path: Path):
    path = tmp_path / "decisions.tsv"
    with pytest.raises(BlendError) as caught:
        read_decisions(path)
    assert str(caught.value) == (
        f"{path}: there is no such file of decisions; correct the path, or make the file with the columns "
        "answer_a, answer_b, verdict, who, when, why, separated by tabs"
    )


BROKEN = {
    "unknown verdict": (
        HEADER + SOCCER.replace("same", "Same"),
        "decisions.tsv:2, column verdict: unknown verdict 'Same'; write 'same' or 'different'",
    ),
    "blank answer": (
        HEADER + PEAR + SOCCER.replace("football", " "),
        "decisions.tsv:3, column answer_b: the cell is blank; fill it in or remove the row",
    ),
    "blank person": (
        HEADER + SOCCER.replace("mina", ""),
        "decisions.tsv:2, column who: the cell is blank; fill it in or remove the row",
    ),
    "no date": (
        HEADER + SOCCER.replace("2026-11-30", "30/11/2026"),
        "decisions.tsv:2, column when: '30/11/2026' is not a date; write YYYY-MM-DD, for example 2026-11-30",
    ),
    "no such day": (
        HEADER + SOCCER.replace("2026-11-30", "2026-11-31"),
        "decisions.tsv:2, column when: '2026-11-31' is not a date; write YYYY-MM-DD, for example 2026-11-30",
    ),
    "with itself": (
        HEADER + SOCCER.replace("football", "Soccer"),
        "decisions.tsv:2, column answer_b: 'soccer' is compared with itself; remove the row",
    ),
    "contradiction": (
        HEADER + SOCCER + PEAR + "Football\tSoccer\tdifferent\tjo\t2026-12-02\tnot in the US\n",
        (
            "decisions.tsv:4, column verdict: 'Football' and 'Soccer' are 'different' here, "
            "but 'same' in decisions.tsv:2; remove one of the two rows"
        ),
    ),
    "cells": (
        HEADER + "soccer\tfootball\tsame\n" + PEAR,
        (
            "decisions.tsv:2: 3 cells, but the header has 6; "
            "separate cells with single tabs, and leave empty cells empty"
        ),
    ),
    "missing column": (
        HEADER.replace("\twho", ""),
        "decisions.tsv:1: column 'who' is missing; the columns are answer_a, answer_b, verdict, who, when, why",
    ),
    "unknown column": (
        HEADER.replace("why", "why\tnote"),
        (
            "decisions.tsv:1: unknown column 'note'; "
            "rename or remove it; the columns are answer_a, answer_b, verdict, who, when, why"
        ),
    ),
    "column twice": (
        HEADER.replace("why", "why\twhy"),
        "decisions.tsv:1: column 'why' occurs twice; remove one of the two",
    ),
    "open quote": (
        HEADER + SOCCER + '"apple\tpear\tsame\tmina\t2026-11-30\t\n' + PEAR,
        (
            "decisions.tsv:3: not TSV (unexpected end of data); "
            "close double quotes, and double those inside a cell"
        ),
    ),
    "latin-1": (
        HEADER.encode() + SOCCER.encode() + "café\tcoffee\tsame\tmina\t2026-11-30\t\n".encode("latin-1"),
        (
            "decisions.tsv: byte 0xE9 at offset 89 (line 3) is not UTF-8; "
            "save the file as tab-separated text with the encoding UTF-8"
        ),
    ),
}


@pytest.mark.parametrize(("content", "message"), BROKEN.values(), ids=BROKEN)
def test_what_is_wrong_is_said(tmp_path: Path, content: str | bytes, message: str):
    with pytest.raises(RowError) as caught:
        read_decisions(file_of(tmp_path, content))
    assert str(caught.value) == message


def test_all_problems_are_raised_at_once(tmp_path: Path):
    with pytest.raises(RowErrors) as caught:
        read_decisions(file_of(tmp_path, HEADER + SOCCER.replace("same", "?") + SOCCER.replace("mina", "")))
    assert str(caught.value) == (
        "2 problems:\n"
        "decisions.tsv:2, column verdict: unknown verdict '?'; write 'same' or 'different'\n"
        "decisions.tsv:3, column who: the cell is blank; fill it in or remove the row"
    )


def test_columns():
    assert "\t".join(COLUMNS) + "\n" == HEADER
