"""What people's tables hold by mistake, and no form shows: each is refused or told, in the whole sentence."""

import csv
import io
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from blend.loaders.files.diagnostics import Diagnostics, Placed
from blend.loaders.recipes.ready import sample_path
from blend.loaders.responses import read_responses
from blend.loaders.responses.links import AskedQuestion
from blend.loaders.responses.odd_texts import find_other_languages
from blend.schemas.errors import BlendError
from blend.schemas.locales import registry
from blend.schemas.personal_data import as_read, several_pseudonyms

VALID = Path(__file__).parents[1] / "valid" / "responses"
RESPONSES, QUESTIONS = "responses/ko-KR.csv", "questions.csv"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(VALID, tmp_path / "collected"))


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="")


DESTROYED = (
    "the cell holds question marks in place of letters, made by a spreadsheet; save the original again as "
    ".xlsx or 'CSV UTF-8'; if somebody typed question marks, that is no answer: leave it out, or write why "
    "there is none"
)
PHONE = "a phone number tells who somebody is; write a pseudonym, for example a01"

REFUSED = {
    "a blank locale": (
        QUESTIONS,
        "food-01,ko-KR",
        "food-01,",
        "questions.csv:2, column locale: the value is blank; fill it in",
    ),
    "an answer in Excel's ANSI CSV": (RESPONSES, "밥,", "??,", f"{RESPONSES}:2, column answer_1: {DESTROYED}"),
    "a reason": (RESPONSES, "아침을 안 먹어요", "??? ? ????", f"{RESPONSES}:4, column reason: {DESTROYED}"),
    "a question": (
        QUESTIONS,
        "대한민국에서는 몇 시에 퇴근하나요? (HH:MM)",
        "??????? ? ?? ?????? (HH:MM)",
        f"questions.csv:4, column question: {DESTROYED}",
    ),
    "two people in a cell": (
        RESPONSES,
        "a02",
        '"a02, a04"',
        f"{RESPONSES}:3, column annotator: 'a02, a04' names several people; give each a row of their own",
    ),
    "one person in two spellings": (
        RESPONSES,
        "food-01,a03",
        "work-02,A01,3,,,,\nfood-01,a03",
        (
            f"{RESPONSES}:4, column annotator: 'A01' is 'a01' in {RESPONSES}:2, and would count as another "
            "person; spell one person's pseudonym in one way throughout"
        ),
    ),
    "names in a cell": (
        RESPONSES,
        "a02",
        "Anna og Jógvan",
        f"{RESPONSES}:3, column annotator: 'Anna og Jógvan' names several people; give each a row of their own",
    ),
    "a telephone number": (RESPONSES, "a02", "+995 555 12 34 56", f"{RESPONSES}:3, column annotator: {PHONE}"),
    "another one": (RESPONSES, "a02", "010-1234-5678", f"{RESPONSES}:3, column annotator: {PHONE}"),
    **{
        f"{text} as a question": (
            QUESTIONS,
            "대한민국 사람들은 아침으로 무엇을 먹나요?",
            text,
            f"questions.csv:2, column question: {text!r} is not a text yet; write it, or delete the row",
        )
        for text in ("TODO", "xxx", "...")
    },
    "a page in a cell": (
        RESPONSES,
        "밥,",
        f"{'밥' * 2001},",
        (
            f"{RESPONSES}:2, column answer_1: an answer of 2,001 characters, '{'밥' * 20}…'; "
            "write the answer alone, in at most 2,000 characters"
        ),
    ),
    "headers of another form": (
        RESPONSES,
        "template_id,annotator,answer_1,answer_2,answer_3,non_answer,reason",
        "Timestamp,Who,Breakfast?,Drink?,Leave?,Why,More",
        (
            f"{RESPONSES}:1: columns 'template_id', 'annotator' are missing; rename the columns that hold "
            "them: there are 'Timestamp', 'Who', 'Breakfast?', 'Drink?', 'Leave?', 'Why' …; or let `blend "
            "responses import` read a form with a column per question"
        ),
    ),
}


@pytest.mark.parametrize(("name", "old", "new", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(folder: Path, name: str, old: str, new: str, message: str):
    replace(folder / name, old, new)
    with pytest.raises(BlendError) as told:
        read_responses(folder, reviewing=True)
    assert str(told.value) == message


@pytest.mark.parametrize("who", ["a1", "a-01", "a 01", "aO1", "а01", "A_1", "a01.", "á01", "(a01"])
def test_one_person_in_two_spellings(folder: Path, who: str):
    replace(folder / RESPONSES, "food-01,a03", f"work-02,{who},3,,,,\nfood-01,a03")
    letters = " (letters are Cyrillic and Latin)" if who == "а01" else ""
    with pytest.raises(BlendError) as told:
        read_responses(folder, reviewing=True)
    assert str(told.value) == (
        f"{RESPONSES}:4, column annotator: {who!r} is 'a01' in {RESPONSES}:2{letters}, and would count as "
        "another person; spell one person's pseudonym in one way throughout"
    )


def test_different_people_are_not_one():
    who = ["a1", "a10", "a100", "b1", "a-b1", "p-0a1b", "1", "10", "rater 7", "rater 17", "team-3/b"]
    assert len({as_read(one) for one in who}) == len(who)


@pytest.mark.parametrize(
    "who", ["rater 7", "team-3/b", "reader from Seoul, a native", "Rater, a native", "A/B"]
)
def test_one_person_is_not_several(who: str):
    assert several_pseudonyms(who) == []


NAMED = {
    "prompt.csv": "nothing of that name is read; did you mean prompts.csv? Rename it, or move it elsewhere",
    "Prompts.csv": "nothing of that name is read; did you mean prompts.csv? Rename it, or move it elsewhere",
    "questions (1).xlsx": (
        "nothing of that name is read; did you mean questions.xlsx? Rename it, or move it elsewhere"
    ),
    "questions.ods": "another spreadsheet's own format; save it as .xlsx, or as CSV in UTF-8",
    "more.csv": "responses that are not read here; move it into the folder 'responses', or elsewhere",
}


@pytest.mark.parametrize(("name", "message"), NAMED.items(), ids=NAMED)
def test_a_table_that_nothing_reads(folder: Path, name: str, message: str):
    if (folder / name.casefold()).exists() and name != name.casefold():
        (folder / name.casefold()).unlink()
    shutil.copy(folder / RESPONSES, folder / name)
    with pytest.raises(BlendError) as told:
        read_responses(folder)
    assert str(told.value) == f"{name}: {message}"


CALLED = "the folders with a file for each locale are called 'responses' and 'reviews'"
RENAMED = {"reveiws": "the folder of reviews is called 'reviews'", "checked": CALLED}


@pytest.mark.parametrize(("name", "fix"), RENAMED.items(), ids=RENAMED)
def test_a_folder_of_reviews_under_another_name_is_refused(folder: Path, name: str, fix: str):
    (folder / "reviews").rename(folder / name)
    with pytest.raises(BlendError) as told:
        read_responses(folder)
    message = f"{name}: a folder that is not read; {fix}; rename it, or move it elsewhere"
    assert message in str(told.value).splitlines()


def test_whatever_else_lies_in_the_folder_is_told(folder: Path):
    (folder / "drafts").mkdir()
    (folder / "old.xlsx").touch()
    assert read_responses(folder).findings.filter(kind="not-read").select("source", "detail").rows() == [
        ("drafts", "the folders read here are called 'responses' and 'reviews', not 'drafts'; not read"),
        ("old.xlsx", "no file of raw responses is called old.xlsx; not read"),
    ]


@pytest.mark.parametrize("name", ["exclusions.csv", "fillers.csv", "notes.txt", "~$prompts.xlsx"])
def test_other_files_may_stand_beside(folder: Path, name: str):
    (folder / name).write_text("template_id,option,region,reviewer\n", encoding="utf-8")
    assert len(read_responses(folder).responses) == len(read_responses(VALID).responses)


def test_a_line_end_in_a_question_is_a_blank(folder: Path):
    before = read_responses(folder).questions["question"].to_list()
    path = folder / QUESTIONS
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    rows[1][2] = rows[1][2].replace(" ", "\r\n", 1)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    found = read_responses(folder)
    assert found.questions["question"].to_list() == before
    assert found.findings.filter(kind="control-character").select("source", "detail").rows() == [
        ("questions.csv:2", "column question holds U+000D, U+000A; now a blank")
    ]


def test_an_address_in_a_reason_is_refused(folder: Path):
    replace(folder / RESPONSES, "아침을 안 먹어요", "ask mina@example.org")
    with pytest.raises(BlendError) as told:
        read_responses(folder)
    assert str(told.value) == (
        f"{RESPONSES}:4, column reason: an e-mail address tells who somebody is; remove it from the reason"
    )


def test_an_address_in_a_reason_is_told_while_answers_are_reviewed(folder: Path):
    replace(folder / RESPONSES, "아침을 안 먹어요", "ask mina@example.org")
    found = read_responses(folder, reviewing=True).findings
    assert found.filter(kind="personal-data")["detail"].to_list() == [
        "column reason holds an e-mail address (not shown); kept"
    ]


def findings_of(folder: Path) -> set[str]:
    found = read_responses(folder, reviewing=True).findings
    return {f"{kind}: {detail}" for kind, detail in found.select("kind", "detail").rows()}


@pytest.mark.parametrize(("who", "is_told"), [("223344", True), ("22 33 44", True), ("12345", False)])
def test_an_annotator_by_a_local_number(folder: Path, who: str, is_told: bool):
    replace(folder / RESPONSES, "a02", who)
    assert (
        "personal-data: column annotator may be a phone number (not shown); kept" in findings_of(folder)
    ) == is_told


@pytest.mark.parametrize(
    ("reason", "is_told"), [("tlf. 223344", True), ("2020-01-02", False), ("10:30, 12345 won", False)]
)
def test_a_local_number_in_a_reason(folder: Path, reason: str, is_told: bool):
    replace(folder / RESPONSES, "아침을 안 먹어요", f'"{reason}"')
    finding = "personal-data: column reason may hold a phone number (not shown); kept"
    assert (finding in findings_of(folder)) == is_told


@pytest.mark.parametrize(
    ("answer", "finding"),
    [
        ("idk", "placeholder-answer: column answer_1 holds 'idk', which may be no answer; kept"),
        ("NA", "placeholder-answer: column answer_1 holds 'NA', which may be no answer; kept"),
        ("TODO", "placeholder-answer: column answer_1 holds 'TODO', which may be no answer; kept"),
        ("-", "placeholder-answer: column answer_1 holds '-', which may be no answer; kept"),
        ("N/A", "placeholder-answer: column answer_1 holds 'N/A', which may be no answer; kept"),
        (
            "🐑",
            (
                "answer-without-words: column answer_1 holds '🐑', without letters and digits; kept, and equal "
                "to no other answer"
            ),
        ),
        (
            "breyÃ°",
            "wrong-encoding: column answer_1: 'breyÃ°' may be 'breyð', read in a wrong encoding; kept",
        ),
        (
            "skerpikj›t",
            (
                "wrong-encoding: column answer_1: 'skerpikj›t' has a sign within a word, as of a wrong "
                "encoding; kept"
            ),
        ),
        ("brey&eth;", "html-markup: column answer_1: '&eth;' is spelled as on a web page; kept"),
        ("<b>bread</b>", "html-markup: column answer_1: '<b>' is spelled as on a web page; kept"),
    ],
)
def test_what_stands_in_place_of_an_answer_is_told(folder: Path, answer: str, finding: str):
    replace(folder / RESPONSES, "밥,국", f"{answer},국")
    assert finding in findings_of(folder)


@pytest.mark.parametrize(
    "answer",
    ["밥 🍚", "fish & chips", "R&B", "1 < 2", "MAÇÃ", "l·l", "goût", "£5", "“밥”", "5×5", "naïve", "«pain»"],
)
def test_what_is_an_answer_is_not_told(folder: Path, answer: str):
    before = findings_of(folder)
    replace(folder / RESPONSES, "밥,국", f'"{answer}",국')
    assert not {one for one in findings_of(folder) - before if "undecided" not in one}


TOLD = {
    "a number to call": (
        RESPONSES,
        "밥,국",
        "ring +298 212223,국",
        "personal-data: column answer_1 holds a phone number (not shown); kept",
    ),
    "an address": (
        RESPONSES,
        "밥,국",
        "mina@example.org,국",
        "personal-data: column answer_1 holds an e-mail address (not shown); kept",
    ),
    "Latin letters in a word of another script": (
        RESPONSES,
        "밥,국",
        "xлеб,국",
        (
            "mixed-scripts: column answer_1: 'xлеб' is spelled in Cyrillic and Latin letters; kept, and no "
            "variant of a word in one"
        ),
    ),
    "letters destroyed in part": (
        RESPONSES,
        "밥,국",
        "kahvalt?da,국",
        "question-marks: column answer_1: 'kahvalt?da' may have been letters that an encoding lacks; kept",
    ),
    **{
        f"{text} at the edge": (
            RESPONSES,
            "밥,국",
            f"{text},국",
            f"question-marks: column answer_1: {text!r} may have been letters that an encoding lacks; kept",
        )
        for text in ("?elat", "kaf?")
    },
    "another country": (
        QUESTIONS,
        "대한민국 사람들은 아침",
        "일본 사람들은 아침",
        "other-country: column question: names '일본', but not '대한민국'; kept",
    ),
}


@pytest.mark.parametrize(("name", "old", "new", "finding"), TOLD.values(), ids=TOLD)
def test_told(folder: Path, name: str, old: str, new: str, finding: str):
    before = set(read_responses(folder, reviewing=True).findings.iter_rows())
    replace(folder / name, old, new)
    found = read_responses(folder, reviewing=True).findings.filter(pl.col("kind") != "undecided-answer")
    kind, source, locale, template_id, detail = (set(found.iter_rows()) - before).pop()
    assert f"{kind}: {detail}" == finding
    assert (source, locale, template_id) == (f"{name}:2", "ko-KR", "food-01")


UNKNOWN = "needs an entry in a locale file (`locale_file`, see docs/recipe.md), and no such file is named"


def test_a_file_that_is_named_for_its_region(folder: Path):
    (folder / RESPONSES).rename(folder / "responses" / "South Korea.csv")
    with pytest.raises(BlendError) as told:
        read_responses(folder, reviewing=True)
    assert str(told.value).startswith(
        "responses/South Korea.csv: unknown locale 'South Korea'; name the file for its locale, or add column "
        "locale; did you mean 'ko-KR'? "
    )
    assert str(told.value).endswith(UNKNOWN)


def test_a_forgotten_locale_file_is_one_problem_per_file(folder: Path):
    path = folder / QUESTIONS
    path.write_text(path.read_text(encoding="utf-8").replace("ko-KR", "ge-KA"), encoding="utf-8")
    (folder / RESPONSES).rename(folder / "responses" / "ge-KA.csv")
    with pytest.raises(BlendError) as told:
        read_responses(folder, reviewing=True)
    lines = [line for line in str(told.value).splitlines() if "unknown locale" in line]
    assert [line.partition("; ")[0] for line in lines] == [
        "questions.csv:2, column locale: unknown locale 'ge-KA'",
        "responses/ge-KA.csv: unknown locale 'ge-KA'",
    ]


@pytest.mark.parametrize(
    "answer", ["밥?", "뭐??", "T셔츠", "¿arroz?", "wi-fi", "COVID-19", "PC방", "밥 ?", "Ω-3 масло"]
)
def test_what_people_write_is_not_told(folder: Path, answer: str):
    replace(folder / RESPONSES, "밥,국", f"{answer},국")
    found = read_responses(folder, reviewing=True).findings
    assert not found.filter(pl.col("kind").is_in(["mixed-scripts", "question-marks"])).rows()


@pytest.mark.parametrize("name", ["Thumbs.db", "desktop.ini", ".DS_Store", "~$ko-KR.xlsx", ".~lock.ko-KR.csv#"])
def test_what_a_desktop_leaves_in_a_folder_is_passed_over(folder: Path, name: str):
    (folder / "responses" / name).write_bytes(b"\0\1")
    (folder / "reviews" / name).write_bytes(b"\0\1")
    assert len(read_responses(folder).responses) == len(read_responses(VALID).responses)


def test_one_of_several_files_in_another_encoding(folder: Path):
    path = folder / RESPONSES
    path.write_bytes(path.read_text(encoding="utf-8").encode("cp949"))
    found = read_responses(folder, encoding="cp949")
    assert found.responses["answers"].to_list() == read_responses(VALID).responses["answers"].to_list()
    detail = "the file is UTF-8, not cp949; read as UTF-8"
    assert found.findings.filter(kind="other-encoding").select("source", "detail").rows() == [
        ("questions.csv", detail)
    ]


def test_a_question_that_was_copied_into_another_row(folder: Path):
    replace(
        folder / QUESTIONS, "대한민국 사람들은 휴가가 며칠인가요?", "대한민국 사람들은 아침으로 무엇을 먹나요? "
    )
    found = read_responses(folder, reviewing=True).findings.filter(kind="repeated-question")
    assert found.select("source", "locale", "template_id", "detail").rows() == [
        (
            "questions.csv:5",
            "ko-KR",
            "work-02",
            "column question is that of 'food-01' in questions.csv:2; kept, and asked twice",
        )
    ]


def rows_of(folder: Path, *rows: str) -> list[tuple[str, ...]]:
    """The findings about copied answers, of 10 questions on three topics and rows of responses."""
    ids = [f"q-{number}" for number in range(10)]
    templates = [f"{one},{'ABC'[number % 3]},,What is {one} of {{country}}?" for number, one in enumerate(ids)]
    questions = [f"{one},ko-KR,무엇 {one} 대한민국?,What is {one} of South Korea?" for one in ids]
    tables = {
        "templates.csv": ["template_id,topic,source_locale,text", *templates],
        QUESTIONS: ["template_id,locale,question,en_question", *questions],
        RESPONSES: ["template_id,annotator,answer_1,answer_2", *rows],
    }
    shutil.rmtree(folder / "reviews")
    (folder / "responses" / "am-ET.jsonl").unlink()
    for name, lines in tables.items():
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    found = read_responses(folder).findings
    kinds = ["copied-responses", "filled-down", "counting-annotators"]
    return found.filter(pl.col("kind").is_in(kinds)).drop("template_id").rows()


def test_answers_of_one_person_under_two_pseudonyms(folder: Path):
    one, other = ([f"q-{number},{who},answer {number}," for number in range(8)] for who in ("a1", "b1"))
    detail = f"annotator 'b1' answers all 8 questions as 'a1' in {RESPONSES}:2 does; kept, and both count"
    assert rows_of(folder, *one, *other) == [("copied-responses", f"{RESPONSES}:10", "ko-KR", detail)]


def test_answers_of_two_people(folder: Path):
    one, other = ([f"q-{number},{who},answer {number}," for number in range(8)] for who in ("a1", "b1"))
    assert rows_of(folder, *one, *other[:-1], "q-7,b1,another,") == []


@pytest.mark.parametrize(
    ("answers", "is_told"), [(["Tea"] * 5, True), (["tea"] * 4, False), (["3"] * 9, False)]
)
def test_one_answer_to_unlike_questions(folder: Path, answers: list[str], is_told: bool):
    rows = [f"q-{number},a1,milk {number},{answer}" for number, answer in enumerate(answers)]
    detail = "annotator 'a1' answers 5 questions on 3 topics with 'tea'; kept, was the column filled down?"
    assert rows_of(folder, *rows) == ([("filled-down", f"{RESPONSES}:2", "ko-KR", detail)] if is_told else [])


@pytest.mark.parametrize(("names", "is_told"), [("m{:02}", True), ("p{}7", False)])
def test_annotators_that_count_up(folder: Path, names: str, is_told: bool):
    rows = [f"q-{number},{names.format(number + 1)},answer {number}," for number in range(10)]
    detail = (
        "10 annotators from 'm01' to 'm10' have one response each; kept as so many people, was the column "
        "filled down?"
    )
    told = [("counting-annotators", f"{RESPONSES}:2", "ko-KR", detail)]
    assert rows_of(folder, *rows) == (told if is_told else [])


def test_a_reviewer_who_is_an_annotator(folder: Path):
    path = folder / "reviews" / "ko-KR.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"r01"', '"A-1"'), encoding="utf-8")
    found = read_responses(folder).findings.filter(kind="own-answers-reviewed")
    assert found.select("source", "locale", "detail").rows() == [
        ("reviews/ko-KR.jsonl:1", "ko-KR", "reviewer 'A-1' is an annotator of ko-KR too; kept")
    ]


@pytest.mark.parametrize("text", ["TODO {q}", "xxx: {q}"])
def test_a_prompt_that_is_not_written_yet(folder: Path, text: str):
    rows = f"prompt_id,locale,prompt,en_prompt\nplain,ko-KR,{text},Answer. {{q}}\nbare,ko-KR,{{q}}:,{{q}}\n"
    (folder / "prompts.csv").write_text(rows, encoding="utf-8")
    with pytest.raises(BlendError) as told:
        read_responses(folder)
    shown = text.replace("{q}", "").strip(" :")
    assert str(told.value) == (
        f"prompts.csv:2, column prompt: {shown!r} is not a text yet; write it, or delete the row"
    )


@pytest.fixture(scope="module")
def asked() -> list[Placed[AskedQuestion]]:
    """The questions of the sample, in ten languages."""
    with sample_path() as folder:
        text = (folder / "questions.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(io.StringIO(text, newline=""))
    return [Placed(f"{row['template_id']} {row['locale']}", AskedQuestion(**row)) for row in rows]


def told_of(asked: list[Placed[AskedQuestion]]) -> list[tuple[str, ...]]:
    diagnostics = Diagnostics()
    find_other_languages(asked, registry(), diagnostics)
    return [(kind, source, detail) for kind, source, _, _, detail in diagnostics.findings]


def swapped(
    asked: list[Placed[AskedQuestion]], into: str, pick: Callable[[AskedQuestion], bool], text: str = ""
) -> list[Placed[AskedQuestion]]:
    """The questions, one of them with the text of another."""
    text = text or next(row.question for _, row in asked if pick(row))
    return [Placed(at, row.model_copy(update={"question": text}) if at == into else row) for at, row in asked]


def test_a_question_in_another_language(asked: list[Placed[AskedQuestion]]):
    assert told_of(asked) == []
    of = {
        tag: swapped(
            asked, "food-02 es-MX", lambda row, tag=tag: (row.template_id, row.locale) == ("food-02", tag)
        )
        for tag in ("su-JB", "ko-KR", "en-US")
    }
    where = "column question:"
    assert {tag: told_of(rows)[0] for tag, rows in of.items()} == {
        "su-JB": ("other-language", "food-02 es-MX", f"{where} hardly reads like Spanish; kept"),
        "en-US": ("other-language", "food-02 es-MX", f"{where} reads like English; kept"),
        "ko-KR": (
            "other-language",
            "food-02 es-MX",
            f"{where} is not in the script of the other questions in Spanish; kept",
        ),
    }


def test_few_questions_say_nothing_of_a_language(asked: list[Placed[AskedQuestion]]):
    few = [placed for placed in asked if placed.row.template_id in ("food-01", "food-02")]
    # No dictionary knows Amharic, and two questions do not show in which script it is written.
    assert told_of(swapped(few, "food-02 am-ET", lambda row: row.locale == "ko-KR")) == []


def test_a_question_of_the_country_next_door(asked: list[Placed[AskedQuestion]]):
    rows = swapped(
        asked, "food-02 es-MX", lambda row: False, "¿Qué le agrega la gente a un plato de sopa en España?"
    )
    assert told_of(rows) == [
        ("other-country", "food-02 es-MX", "column question: names 'España', but not 'México'; kept")
    ]
