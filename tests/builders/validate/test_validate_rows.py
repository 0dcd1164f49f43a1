"""Faults of rows, texts and multiple-choice questions: a change of rows, and all that a check says of it."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.validate.texts import _problems_of
from blend.schemas.personal_data import personal_data
from helpers.tiers import rest_nightly

FIX = "correct the source and rebuild the release"
FILE = "data/{}/{}-00000.parquet"
LOOK = "look whether the text stands in the right column and row"
SAQ, SPLIT = FILE.format("short-answer-questions", "KR"), "short-answer-questions/KR"
MCQS = ("multiple-choice-questions", "test")
MCQ = f"{FILE.format(*MCQS)}:edu-01_US_1cdddca4"
OVERLAP = f"{MCQ}: the distractor 'Good-Morning song' overlaps the acceptable answer 'say good morning'"
CASES = tomllib.loads(Path(__file__).with_name("told.toml").read_text(encoding="utf-8"))["rows"]
FIRST = {case["check"]: number for number, case in reversed([*enumerate(CASES)])}
"""Check to its first case, which `make test` tries."""

Rows = list[dict[str, Any]]


def mcq(rows: Rows) -> dict[str, Any]:
    """The question about edu-01 in the US, with answers of four regions, the first one correct."""
    shown = {"say good morning": "US", "stand up": "Iran", "pray": "West_Java", "bow and greet": "South_Korea"}
    (found,) = (one for one in rows if (one["ID"], one["country"]) == ("edu-01", "US"))
    countries = dict(zip("ABCD", shown.values(), strict=True))
    found.update(
        MCQID=MCQ.rpartition(":")[2], answer=0, answer_idx="A", options=list(shown),
        option_regions=["US", "IR", "JB", "KR"], choice_countries=json.dumps(countries),
    )  # fmt: skip
    return found


def option(position: int, text: str) -> Callable[[Rows], None]:
    """Put another option in place of one; choices and prompt show it, so that only the options are wrong."""

    def change(rows: Rows) -> None:
        found = mcq(rows)
        found["options"][position] = text
        options = dict(zip("ABCD", found["options"], strict=True))
        head = found["prompt"].split("\n")[0]
        lines = (f"{letter}. {text}" for letter, text in options.items())
        found["choices"] = json.dumps(options, ensure_ascii=False)
        found["prompt"] = "\n".join([head, "", *lines, "", "Answer:"])

    return change


def put(rows: Any, path: str, value: Any) -> None:
    """Change what stands at a path: numbers in lists, names in objects."""
    *way, last = (int(part) if part.isdigit() else part for part in path.split("."))
    for part in way:
        rows = rows[part]
    rows[last] = None if value == "<null>" else value


@pytest.mark.parametrize("number", rest_nightly(range(len(CASES)), *FIRST.values()))
def test_a_fault_is_told_with_its_place_and_remedy(number: int, release):
    case = CASES[number]
    is_mcq = "mcq" in case or "option" in case
    table = MCQS if is_mcq else (case.get("config", "annotations"), case.get("split", "KR"))

    def change(rows: Rows) -> None:
        if "answer" in case:
            put(rows, "0.annotations.0.answers.0", case["answer"])
        for path, value in case.get("set", {}).items():
            put(rows, path, value)
        if "mcq" in case:
            mcq(rows).update(case["mcq"])
        if "option" in case:
            option(*case["option"])(rows)

    release.change(*table, change)
    kr = FILE.format("annotations", "KR")
    locations = {"kr": kr, "edu": f"{kr}:edu-01", "mcq": MCQ, "first": f"{FILE.format(*table)}:edu-01"}
    told = [line.format(**locations) for line in case["told"]]
    assert release.problems(case["check"]) == [line if "; " in line else f"{line}; {FIX}" for line in told]


@pytest.mark.parametrize(
    ("check", "rows", "told"),
    [
        ("translations", slice(1), f"{SAQ}:edu-01: Question is the English one, not in 'ko'; translate it"),
        (
            "scripts",
            slice(1, 99),
            f"{SPLIT}: column Question: 1% of the letters are Kore; {LOOK}",
        ),
    ],
)
def test_questions_that_are_left_in_english_are_told(release, check: str, rows: slice, told: str):
    def untranslate(held: Rows) -> None:
        for row in held[rows]:
            row["Question"] = row["Translation"]

    release.change("short-answer-questions", "KR", untranslate)
    assert release.problems(check) == [f"warning: {told}"]


def test_what_the_recipe_allows_is_a_warning(release):
    release.change(*MCQS, option(1, "Good-Morning song"))
    assert release.problems("options") == [f"error: {OVERLAP}; {FIX}"]
    pair = ",Good-Morning song,differs_from,say good morning,r1"
    (release.path / "verdicts.csv").write_text(f"template_id,option,verdict,with,reader\n{pair}\n", "utf-8")
    release.edit_manifest(lambda manifest: manifest["recipe"]["mcq"].update(verdicts="verdicts.csv"))
    fix = "look whether a reviewer decided so in verdicts.csv"
    assert release.problems("options") == [f"warning: {OVERLAP}; {fix}"]
    release.edit_manifest(lambda manifest: manifest["recipe"]["mcq"].update(mode="paper"))
    assert release.problems("options")[-1] == (
        f"warning: {OVERLAP}; paper mode lets it through, default mode does not"
    )


def test_numbers_overlap_by_value_and_not_by_digits(release):
    found = next(one for one in release.rows(*MCQS) if one["ID"] == "hol-08")
    wrong = next(i for i in range(4) if i != found["answer"])
    correct = found["options"][found["answer"]]

    def put(text: str) -> list[str]:
        def change(rows: Rows) -> None:
            next(one for one in rows if one["MCQID"] == found["MCQID"])["options"][wrong] = text

        release.change(*MCQS, change)
        told: list[str] = [one for one in release.problems("options") if "overlap" in one]
        return told

    assert put(f"{correct}00") == []
    said = f"the distractor '{correct}.0' overlaps the acceptable answer '{correct}'"
    assert put(f"{correct}.0") == [f"error: {FILE.format(*MCQS)}:{found['MCQID']}: {said}; {FIX}"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("not sure", []),
        ("between 1990-2005", []),
        ("2024-11-05 or 05.11.2024", []),
        ("2,000,000 rupiah", []),
        ("half @ home", []),
        ("100% (50/50)", []),
        ("call 010-1234-5678", ["a phone number"]),
        ("٠٥٥ ١٢٣٤ ٥٦٧٨", ["a phone number"]),
        ("a.b@c.de, www.c.de", ["an e-mail address", "a web address"]),
        ("ask @a_b and @c_d", ["an @handle", "an @handle"]),
    ],
)
def test_what_counts_as_personal_data(text: str, kinds: list[str]):
    assert personal_data(text) == kinds


@given(st.from_regex(r"[a-z]{1,9}@[a-z]{1,9}\.(org|com)", fullmatch=True), st.text(), st.text())
def test_an_address_is_found_in_any_text(address: str, before: str, after: str):
    assert "an e-mail address" in personal_data(f"{before} {address} {after}")


@given(st.text(st.characters(categories=["Cc", "Zl", "Zp"]), min_size=1), st.sampled_from("가Aا"))
def test_no_control_character_passes(controls: str, letter: str):
    (problem, *_) = _problems_of(f"{letter}{controls}{letter}", "answers", "here", "")
    assert problem.what.startswith("column answers holds control characters: U+")
