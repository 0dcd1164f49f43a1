"""Faults of rows, texts and multiple-choice questions: a change of rows, and all that a check says of it."""

import json
import unicodedata
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.validate.texts import _problems_of
from blend.schemas.personal_data import personal_data

FIX = "correct the source and rebuild the release"
LOOK = "look whether the text stands in the right column and row"
SPELLING = "look whether the spelling needs them, else remove them"
FILL = "fill it in or leave the row out"
KR = "data/annotations/KR-00000.parquet"
SAQ = "data/short-answer-questions/KR-00000.parquet"
MCQ = "data/multiple-choice-questions/test-00000.parquet"
EDU = f"{KR}:edu-01"
ID = "edu-01_US_1cdddca4"

Rows = list[dict[str, Any]]


class Fault(NamedTuple):
    """A change of a table, and what a check says then."""

    check: str
    change: Callable[[Rows], object]
    said: list[str]
    table: tuple[str, str] = ("annotations", "KR")


def answer(text: str, column: str = "answers") -> Callable[[Rows], object]:
    """Put an answer in the place of a question's first."""

    def change(rows: Rows) -> None:
        rows[0]["annotations"][0][column][0] = text

    return change


def row(**values: Any) -> Callable[[Rows], object]:
    """Change the first row."""
    return lambda rows: rows[0].update(values)


def mcq(rows: Rows) -> dict[str, Any]:
    """The question about edu-01 in the US, called `ID`, with answers of four regions, the first one correct."""
    shown = {"say good morning": "US", "stand up": "Iran", "pray": "West_Java", "bow and greet": "South_Korea"}
    (found,) = (one for one in rows if (one["ID"], one["country"]) == ("edu-01", "US"))
    countries = dict(zip("ABCD", shown.values(), strict=True))
    found.update(
        MCQID=ID, answer=0, answer_idx="A", options=list(shown), option_regions=["US", "IR", "JB", "KR"]
    )
    found["choice_countries"] = json.dumps(countries)
    show(found)
    return found


def show(found: dict[str, Any]) -> None:
    """Let choices and prompt show the options, so that only the options are wrong."""
    options = dict(zip("ABCD", found["options"], strict=True))
    head = found["prompt"].split("\n")[0]
    lines = (f"{letter}. {text}" for letter, text in options.items())
    found["choices"] = json.dumps(options, ensure_ascii=False)
    found["prompt"] = "\n".join([head, "", *lines, "", "Answer:"])


def question(**values: Any) -> Callable[[Rows], object]:
    return lambda rows: mcq(rows).update(values)


def option(position: int, text: str) -> Callable[[Rows], object]:
    def change(rows: Rows) -> None:
        found = mcq(rows)
        found["options"][position] = text
        show(found)

    return change


def invalid(rows: Rows) -> None:
    rows[0]["grouping"] = "guessed"
    rows[1]["topic"] = " "
    rows[2]["annotations"][0]["count"] = 0
    rows[3]["en_question"] = None
    rows[4]["topic"] = ""


def blank(rows: Rows) -> None:
    rows[0]["question"] = ""
    answer("\u3000")(rows)


def without_translations(rows: Rows) -> None:
    for one in rows[1:]:
        one["Question"] = one["Translation"]


def personal(rows: Rows) -> None:
    secrets = ["kim.minsu@example.org", "+82 10-1234-5678", "https://example.org/kim", "@kim_minsu"]
    for one, secret in zip(rows, secrets, strict=False):
        one["idks"]["others"] = [{"reason": f"물어보세요: {secret}", "count": 1}]


PERSONAL_FIX = "remove it from the responses, and rebuild the release"
MCQS = ("multiple-choice-questions", "test")
QUESTIONS = ("short-answer-questions", "KR")
COLUMN = f"{EDU}: column annotations"
OVERLAP = f"{MCQ}:{ID}: the distractor 'Good-Morning song' overlaps the acceptable answer 'say good morning'"
NOT_GIVEN = f"{MCQ}:{ID}: the distractor {{!r}} is not an answer of region IR to edu-01"

FAULTS = {
    "rows": Fault(
        "rows",
        invalid,
        [
            (
                f"error: {KR}:edu-01: column grouping: input should be 'reviewed', 'proposed' or 'upstream', "
                f"not 'guessed'; {FIX}"
            ),
            f"error: {KR}:edu-02: column topic: string should match pattern '\\S', not ' '; {FIX}",
            (
                f"error: {KR}:edu-03: column annotations.0.count: input should be greater than or equal to 1, "
                f"not 0; {FIX}"
            ),
            f"error: {KR}:edu-04: column en_question: input should be a valid string, not None; {FIX}",
            f"error: {KR}:edu-05: column topic: string should have at least 1 character, not ''; {FIX}",
        ],
    ),
    "id": Fault(
        "ids",
        lambda rows: [*rows, rows[0]],
        [f"error: {EDU}: an earlier row of the split has the same id; {FIX}"],
    ),
    "personal": Fault(
        "personal-data",
        personal,
        [
            f"error: {KR}:{name}: column idks.others.reason holds {kind} (not shown); {PERSONAL_FIX}"
            for name, kind in {
                "edu-01": "an e-mail address",
                "edu-02": "a phone number",
                "edu-03": "a web address",
                "edu-04": "an @handle",
            }.items()
        ],
    ),
    "address": Fault(
        "personal-data",
        answer("www.naver.com"),
        [f"warning: {COLUMN}.answers holds a web address (not shown); {PERSONAL_FIX}"],
    ),
    "every column": Fault(
        "characters",
        row(topic="a\x07", idks={"others": [{"reason": "몰\u202e라", "count": 1}]}),
        [
            (
                f"error: {EDU}: column idks.others.reason holds characters that reorder the text: U+202E "
                f"RIGHT-TO-LEFT OVERRIDE; {FIX}"
            ),
            f"error: {EDU}: column topic holds control characters: U+0007; {FIX}",
        ],
    ),
    "blank": Fault(
        "characters",
        blank,
        [
            f"error: {COLUMN}.answers is blank; {FILL}",
            f"warning: {EDU}: column question is blank; {FILL}",
        ],
    ),
    "private": Fault(
        "characters",
        answer("인\ue000사"),
        [
            (
                f"warning: {COLUMN}.answers holds characters without a common meaning: U+E000; replace them by "
                "the characters that are meant"
            )
        ],
    ),
    "lines": Fault(
        "characters",
        lambda rows: mcq(rows).update(question="a\n", prompt="a\nb\r"),
        [
            f"error: {MCQ}:{ID}: column prompt holds control characters: U+000D; {FIX}",
            f"error: {MCQ}:{ID}: column prompt begins or ends with white space; {FIX}",
            f"error: {MCQ}:{ID}: column question holds control characters: U+000A; {FIX}",
            f"error: {MCQ}:{ID}: column question begins or ends with white space; {FIX}",
        ],
        MCQS,
    ),
    "script": Fault(
        "scripts",
        answer("인사 привет"),
        [
            (
                f"warning: {COLUMN}.answers has letters outside Kore and Latn: п (CYRILLIC SMALL LETTER PE), р "
                f"(CYRILLIC SMALL LETTER ER), и (CYRILLIC SMALL LETTER I) …; {LOOK}"
            )
        ],
    ),
    "English": Fault(
        "scripts",
        answer("인사", "en_answers"),
        [
            (
                f"warning: {COLUMN}.en_answers has letters outside Latn: 인 (HANGUL SYLLABLE IN), 사 (HANGUL "
                f"SYLLABLE SA); {LOOK}"
            )
        ],
    ),
    **{
        f"welcome {text}": Fault("scripts", answer(text), [])
        for text in ("TV 보기", "韓國 음식", "café", "5시 30분", "O'quv ʻ")
    },
    "language": Fault(
        "scripts",
        without_translations,
        [f"warning: short-answer-questions/KR: column Question: 1% of the letters are Kore; {LOOK}"],
        QUESTIONS,
    ),
    "translation": Fault(
        "translations",
        lambda rows: rows[0].update(Question=rows[0]["Translation"]),
        [f"warning: {SAQ}:edu-01: Question is the English one, not in 'ko'; translate it"],
        QUESTIONS,
    ),
    "options": Fault(
        "rows",
        question(options=["a", "a", "b", "c"]),
        [f"error: {MCQ}:{ID}: options are not distinct: ('a', 'a', 'b', 'c'); {FIX}"],
        MCQS,
    ),
    "letter": Fault(
        "rows",
        question(answer_idx="B"),
        [f"error: {MCQ}:{ID}: letter B is not option 0; {FIX}"],
        MCQS,
    ),
    "correct": Fault(
        "options",
        option(0, "sing the anthem"),
        [f"error: {MCQ}:{ID}: the correct option 'sing the anthem' is not an answer of en-US to edu-01; {FIX}"],
        MCQS,
    ),
    "case": Fault("options", option(0, "Say  Good Morning"), [], MCQS),
    "wrong": Fault(
        "options",
        option(1, "wave at the goldfish"),
        [
            (
                f"error: {MCQ}:{ID}: the distractor 'wave at the goldfish' is not an answer of region IR to "
                f"edu-01; {FIX}"
            )
        ],
        MCQS,
    ),
    "overlap": Fault(
        "options",
        option(1, "Good-Morning song"),
        [f"error: {NOT_GIVEN.format('Good-Morning song')}; {FIX}", f"error: {OVERLAP}; {FIX}"],
        MCQS,
    ),
    "no words": Fault(
        "options",
        option(1, "…"),
        [
            f"error: {NOT_GIVEN.format('…')}; {FIX}",
            (
                f"error: {MCQ}:{ID}: the distractor '…' has no letter or digit, so that nothing can be said "
                f"about it; {FIX}"
            ),
        ],
        MCQS,
    ),
}


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_its_place_and_remedy(name: str, release):
    fault = FAULTS[name]
    release.change(*fault.table, fault.change)
    assert release.problems(fault.check) == fault.said


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("인\u202e사", "holds characters that reorder the text: U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("인\x00사", "holds control characters: U+0000"),
        ("인\n사", "holds control characters: U+000A"),
        ("인\u2028사", "holds control characters: U+2028 LINE SEPARATOR"),
        ("인사\U000e0041", "holds hidden tag characters: U+E0041 TAG LATIN CAPITAL LETTER A"),
        ("인\ufffd사", "holds the sign for damaged text: U+FFFD REPLACEMENT CHARACTER"),
        (" 인사", "begins or ends with white space"),
        ("인사\u3000", "begins or ends with white space"),
        (unicodedata.normalize("NFD", "인사"), "is not in Unicode NFC"),
    ],
    ids=ascii,
)
def test_forbidden_characters(release, text: str, said: str):
    release.change("annotations", "KR", answer(text))
    assert release.problems("characters") == [f"error: {COLUMN}.answers {said}; {FIX}"]


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("split", "column", "text", "said"),
    [
        ("IR", "answers", "پنج\u200cشنبه", None),
        ("IR", "answers", "پنج\u200fشنبه", None),
        ("IR", "en_answers", "thurs\u200cday", "U+200C ZERO WIDTH NON-JOINER"),
        ("KR", "answers", "인\u200c사", "U+200C ZERO WIDTH NON-JOINER"),
        ("US", "answers", "good\u00admorning\ufeff!", "U+00AD SOFT HYPHEN, U+FEFF ZERO WIDTH NO-BREAK SPACE"),
    ],
)
def test_invisible_characters_belong_to_some_scripts(
    release, split: str, column: str, text: str, said: str | None
):
    release.change("annotations", split, answer(text, column))
    place = f"data/annotations/{split}-00000.parquet:{release.rows('annotations', split)[0]['ID']}"
    what = f"column annotations.{column} holds characters that nobody sees: {said}; {SPELLING}"
    assert release.problems("characters") == ([] if said is None else [f"warning: {place}: {what}"])


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("split", "column", "text", "said"),
    [
        ("KR", "Translation", "What do pupils do?", "Translation does not name South Korea"),
        ("KR", "Translation", "What do pupils in Mexico do?", "Translation names Mexico, not South Korea"),
        ("US", "Question", "What do pupils in Mexico do?", "Question names Mexico, not the US"),
    ],
)
def test_a_question_that_names_no_country_or_another(release, split: str, column: str, text: str, said: str):
    release.change("short-answer-questions", split, row(**{column: text}))
    assert release.problems("questions") == [
        f"warning: data/short-answer-questions/{split}-00000.parquet:edu-01: {said}; {FIX}"
    ]


@pytest.mark.slow
def test_what_the_recipe_allows_is_a_warning(release):
    """Distractors beside fillers, overlaps that somebody decided."""
    release.change(*MCQS, option(1, "Good-Morning song"))
    row = "edu-01,Good-Morning song,proposed,IR,r1"
    (release.path / "verdicts.csv").write_text(f"template_id,option,verdict,with,reader\n{row}\n", "utf-8")
    release.edit_manifest(lambda manifest: manifest["recipe"]["mcq"].update(verdicts="verdicts.csv"))
    assert release.problems("options") == [f"error: {OVERLAP}; {FIX}"]
    pair = ",Good-Morning song,differs_from,say good morning,r1"
    (release.path / "verdicts.csv").write_text(
        f"template_id,option,verdict,with,reader\n{row}\n{pair}\n", "utf-8"
    )
    fix = "look whether a reviewer decided so in verdicts.csv"
    assert release.problems("options") == [f"warning: {OVERLAP}; {fix}"]
    release.edit_manifest(lambda manifest: manifest["recipe"]["mcq"].update(mode="paper"))
    assert release.problems("options")[-1] == (
        f"warning: {OVERLAP}; paper mode lets it through, default mode does not"
    )


@pytest.mark.slow
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
    assert put(f"{correct}.0") == [f"error: {MCQ}:{found['MCQID']}: {said}; {FIX}"]


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
