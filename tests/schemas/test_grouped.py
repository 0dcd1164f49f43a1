"""Many problems of few causes are few lines; no cause and no count is lost."""

from blend.schemas.errors import RowError, RowErrors, summarise


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
