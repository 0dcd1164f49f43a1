"""Error messages: what, where, what to do; many problems of few causes are few lines."""

import pickle

import pytest

from blend.schemas.errors import (
    RowError,
    RowErrors,
    UnknownNameError,
    close_to,
    did_you_mean,
    raise_all,
    summarise,
)

ONE = RowError("a fourth answer", where="r.csv:2, column answer_4", fix="keep three")
TWO = RowError("unknown question 'x'", where="r.csv:3, column template_id", fix="add it")


def test_a_row_error_says_where_what_and_what_to_do():
    assert str(ONE) == "r.csv:2, column answer_4: a fourth answer; keep three"


def test_several_errors_are_one_message():
    with pytest.raises(RowErrors) as caught:
        raise_all([ONE, TWO])
    assert str(caught.value) == f"2 problems:\n{ONE}\n{TWO}"
    assert caught.value.errors == (ONE, TWO)


def test_a_name_in_another_case_is_the_one_that_was_meant():
    assert did_you_mean("Q6", ["q5", "q6", "Q60"]) == "did you mean 'q6'? "


def test_of_many_names_the_nearest_three_are_listed():
    names = [f"{first}{second}-XX" for first in "abcde" for second in "abc"]
    error = UnknownNameError("locale", "ab_XX", names, more="write your own")
    assert str(error) == (
        "unknown locale 'ab_XX'; did you mean 'ab-XX'? the nearest of the 15 there are: ab-XX, eb-XX, ea-XX, "
        "or write your own"
    )


def test_an_error_is_the_same_when_it_comes_back_from_another_process():
    found = pickle.loads(pickle.dumps(ONE))
    assert (type(found), str(found)) == (RowError, str(ONE))
    assert (found.what, found.where, found.fix) == (ONE.what, ONE.where, ONE.fix)


@pytest.mark.parametrize(
    ("name", "valid", "hint"),
    [
        ("Al-en-02", ["Al-en-04", "Al-en-12"], ""),
        ("Al-en-2", ["Al-en-02", "Al-en-04"], " (did you mean 'Al-en-02'?)"),
        ("Al-em-04", ["Al-en-04"], " (did you mean 'Al-en-04'?)"),
    ],
)
def test_another_number_is_another_question(name: str, valid: list[str], hint: str):
    assert close_to(name, valid) == hint


# No cause and no count is lost.


def missing(number: int, file: str = "reviews/ko-KR.jsonl") -> RowError:
    what = f"nobody answered '{'x' * number}' to 'q{number}'"
    return RowError(what, where=f"{file}:{number}", fix="write the answer exactly as typed, or remove it")


def other(number: int) -> RowError:
    return RowError(f"column 'c{number}' is missing", where="questions.csv:1", fix=f"add column 'c{number}'")


def test_many_of_one_cause_are_counted_beside_the_others():
    files = ["a.jsonl", "b.jsonl"]
    problems = [missing(number, files[number % 2]) for number in range(1, 231)] + [other(1), other(2)]
    assert str(RowErrors(problems)) == (
        "232 problems:\n"
        "b.jsonl:1: nobody answered 'x' to 'q1'; write the answer exactly as typed, or remove it\n"
        "a.jsonl:2: nobody answered 'xx' to 'q2'; write the answer exactly as typed, or remove it\n"
        "b.jsonl:3: nobody answered 'xxx' to 'q3'; write the answer exactly as typed, or remove it\n"
        "… and 227 more of this kind: a.jsonl (114), b.jsonl (113)\n"
        "questions.csv:1: column 'c1' is missing; add column 'c1'\n"
        "questions.csv:1: column 'c2' is missing; add column 'c2'"
    )
    assert len(RowErrors(problems).errors) == 232, "a program has all of them"


def test_one_cause_in_many_files_and_locales():
    problems = [
        RowError(
            f"question 'q' is not asked in {tag} (did you mean 'p'?)",
            where=f"{tag}.csv:2, column id",
            fix="add it",
        )
        for tag in ("ko-KR", "su-JB", "en-US", "am-ET", "zh-CN", "fil-PH", "es-MX", "ja-JP", "fa-IR", "id-ID")
        for _ in range(3)
    ]
    assert summarise(problems)[-1] == (
        "… and 27 more of this kind: su-JB.csv (3), en-US.csv (3), am-ET.csv (3), zh-CN.csv (3), fil-PH.csv "
        "(3) and 4 other files"
    )
