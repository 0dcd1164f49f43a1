"""What newcomers' first tables held by mistake and nothing told: each has its sentence now."""

from pathlib import Path

import pytest

from blend.loaders.files.toml import registry_with
from blend.loaders.responses import read_responses
from blend.schemas.errors import BlendError

LOCALE = """
[[locale]]
tag = "sl-SI"
language = "sl"
region = "SI"
region_name = "Slovenia"
upstream = "Slovenia"
prompt_name = "Slovenia"
nationalities = ["Slovenian", "Slovene"]
native_name = "Slovenija"
direction = "ltr"
script = "Latn"
parent = "SI"
split = "SI"
"""
TABLES = {
    "templates.csv": """template_id,topic,source_locale,text
fruit,Food,,What is the best fruit in {country}?
drink,Food,,Which hot drink is popular in {country}?
sport,Sport,,What is the best water sport in {country}?
children,Family,,How many children are usual in {country}? (Arabic numerals)
""",
    "questions.csv": """template_id,locale,question,en_question
fruit,sl-SI,Katero sadje je v Sloveniji najboljše?,What is the best fruit in Slovenia?
drink,sl-SI,Kateri topel napitek je v Sloveniji priljubljen?,Which hot drink is popular in Slovenia?
sport,sl-SI,Kateri vodni šport je v Sloveniji najboljši?,What is the best water sport in Slovenia?
children,sl-SI,Koliko otrok imajo pari v Sloveniji?,How many children are usual in Slovenia? (Arabic numerals)
""",
    "prompts.csv": """prompt_id,locale,prompt,en_prompt
plain,sl-SI,"Odgovori na kratko, brez razlage. {q}","Answer briefly, without explanation. {q}"
""",
    "responses/sl-SI.csv": """template_id,annotator,answer_1,answer_2,non_answer,reason
fruit,p1,jabolko,češnja,,
drink,p1,kava,čaj,,
sport,p1,plavanje,,,
children,p1,2,,,
fruit,p2,Jabolko,,,
drink,p2,čaj,,,
sport,p2,,,idk,
children,p2,3,,,
""",
}


def read(folder: Path, *changes: tuple[str, str, str], locale: str = LOCALE) -> list[str]:
    """What is told of the tables with some texts replaced: findings, or the error."""
    tables = dict(TABLES)
    for name, old, new in changes:
        assert old in tables[name]
        tables[name] = tables[name].replace(old, new)
    for name, text in tables.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    path = folder.parent / "locales.toml"
    path.write_text(locale, encoding="utf-8")
    try:
        found = read_responses(folder, locales=registry_with(path)).findings
    except BlendError as error:
        return str(error).splitlines()
    return [f"{source}: {detail}" for source, detail in found.select("source", "detail").iter_rows()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "collected"
    made.mkdir()
    return made


TEMPLATES, QUESTIONS, PROMPTS = "templates.csv", "questions.csv", "prompts.csv"
RESPONSES = "responses/sl-SI.csv"
TOLD = {
    "another country": (
        (QUESTIONS, "Katero sadje je v Sloveniji", "Katero sadje je v Avstriji"),
        "questions.csv:2: column question: names 'Avstriji', but not 'Slovenija'; kept",
    ),
    "a question that was cut off": (
        (QUESTIONS, "je v Sloveniji najboljše?", "je v Sloveniji najb"),
        (
            "questions.csv:2: column question: ends in ' je v Sloveniji najb', the others in a mark; kept, was "
            "it cut off?"
        ),
    ),
    "English in the local column": (
        (QUESTIONS, "Koliko otrok imajo pari v Sloveniji?", "How many children do couples have in Slovenia?"),
        "questions.csv:5: column question: reads like English; kept",
    ),
    "a prompt of the example": (
        (PROMPTS, "Odgovori na kratko, brez razlage", "Svara stutt, uttan greiningar"),
        "prompts.csv:2: column prompt: hardly reads like Slovenian; kept",
    ),
    "č as è": (
        (RESPONSES, "češnja", "èešnja"),
        f"{RESPONSES}:2: column answer_2: 'èešnja' may be 'češnja', read in a wrong encoding; kept",
    ),
    "reasons and non-answers exchanged": (
        (RESPONSES, "non_answer,reason", "reason,non_answer"),
        f"{RESPONSES}:8: column reason holds the non-answer 'idk'; move it to column non_answer",
    ),
    "no column of answers": (
        (RESPONSES, "answer_1,answer_2", "answer_2,answer_3"),
        (
            f"{RESPONSES}: column 'answer_1' is missing; name the column of (first) answers so; there are "
            "'template_id', 'annotator', 'answer_2', 'answer_3', 'non_answer', 'reason'"
        ),
    ),
    "the header once more": (
        (RESPONSES, "fruit,p2", "Template_ID,annotator,answer_1,answer_2,non_answer,reason\nfruit,p2"),
        f"{RESPONSES}:6: the header once more; delete the row; keep one header, in the first row",
    ),
    "a form of answer in the local language alone": (
        (QUESTIONS, "priljubljen?", "priljubljen? (HH:MM; npr. 18:00)"),
        (
            "questions.csv:3: column question asks for a form of answer, 'HH:MM', its English and its template "
            "for text, which counts; write BLEnD's hint into both, such as (e.g., HH:MM)"
        ),
    ),
    "a row copied and its template forgotten": (
        (RESPONSES, "sport,p1", "drink,p1"),
        (
            f"{RESPONSES}:4: annotator 'p1' answers 'drink' in sl-SI also in {RESPONSES}:3; delete one of the "
            "two, or correct its template_id"
        ),
    ),
    "a total": (
        (RESPONSES, "children,p2,3,,,\n", "children,p2,3,,,\nSkupaj,,8,,,\n"),
        (
            f"{RESPONSES}:10, column annotator: the value is blank; write who answered, or delete the row if "
            "it is none of a person's, such as a total"
        ),
    ),
}


def test_tables_without_a_mistake(folder: Path):
    assert read(folder) == []


@pytest.mark.parametrize("name", TOLD)
def test_a_mistake_is_told(folder: Path, name: str):
    change, told = TOLD[name]
    assert read(folder, change) == [told]


def test_prompts_in_each_other_s_column(folder: Path):
    change = (PROMPTS, "prompt,en_prompt", "en_prompt,prompt")
    assert read(folder, change) == [
        "prompts.csv:2: column en_prompt: hardly reads like English; kept",
        "prompts.csv:2: column prompt: reads like English; kept",
    ]


def test_rows_of_one_person_under_another_name(folder: Path):
    p1 = "".join(line + "\n" for line in TABLES[RESPONSES].splitlines() if ",p1," in line)
    last = "children,p2,3,,,\n"
    who = "annotator 'p3' answers all 4 questions as 'p1' in"
    told = f"{RESPONSES}:10: {who} {RESPONSES}:2 does; kept, and both count"
    assert read(folder, (RESPONSES, last, last + p1.replace(",p1,", ",p3,"))) == [told]
    other = p1.replace(",p1,", ",p3,").replace("plavanje", "Plavanje")
    assert read(folder, (RESPONSES, last, last + other)) == []


def test_own_questions_of_one_person_under_another_name(folder: Path):
    """Who is asked one of BLEnD's as well does not answer all questions as another one does."""
    snack = "Al-en-01,Food,,What is a snack in {country}?\n"
    in_slovenia = "Al-en-01,sl-SI,Kaj je prigrizek v Sloveniji?,What is a snack in Slovenia?\n"
    p1 = "".join(line + "\n" for line in TABLES[RESPONSES].splitlines() if ",p1," in line)
    further = p1.replace(",p1,", ",p3,") + "Al-en-01,p1,kruh,,,\nAl-en-01,p3,sir,,,\n"
    last = "children,p2,3,,,\n"
    added = [
        (TEMPLATES, "fruit,Food", f"{snack}fruit,Food"),
        (QUESTIONS, "fruit,sl-SI", f"{in_slovenia}fruit,sl-SI"),
        (RESPONSES, last, last + further),
    ]
    numbered = [
        (name, f"{kind},", f"Sl-sl-0{number},")
        for number, kind in enumerate(("fruit", "drink", "sport", "children"), start=1)
        for name in (TEMPLATES, QUESTIONS, RESPONSES)
    ]
    who = "annotator 'p3' answers all 4 questions 'Sl-sl…' as 'p1' in"
    told = f"{RESPONSES}:10: {who} {RESPONSES}:2 does, 4 of them as nobody else; kept, and both count"
    assert read(folder, *added, *numbered) == [told]
    common = [(RESPONSES, ",p2,Jabolko,,", ",p2,jabolko,češnja,"), (RESPONSES, ",p2,čaj,,", ",p2,kava,čaj,")]
    common.append((RESPONSES, "sport,p2,,,idk", "sport,p2,plavanje,,"))
    assert read(folder, *common, *added, *numbered) == []


def test_numbers_that_were_dragged_down(folder: Path):
    last = "children,p2,3,,,\n"
    further = "".join(f"children,p{number},{number + 1},,,\n" for number in range(3, 6))
    told = [
        f"{RESPONSES}:9: 4 answers to 'children' count up from '3' to '6'; kept, was the column filled down?"
    ]
    assert read(folder, (RESPONSES, last, last + further)) == told
    assert read(folder, (RESPONSES, last, last + further.replace(",p4,5", ",p4,2"))) == []


@pytest.mark.parametrize("name", ["sl-SI.csv", "sl-SI.xlsx"])
def test_responses_beside_their_folder(folder: Path, name: str):
    read(folder)
    (folder / RESPONSES).rename(folder / name)
    with pytest.raises(BlendError) as told:
        read_responses(folder)
    what = f"{name}: responses that are not read here; move it into the folder 'responses', or elsewhere"
    assert what in str(told.value).splitlines()


ENTRY = "locales.toml, entry 1 (sl-SI)"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('parent = "SI"', 'parent = "FO"', "parent 'FO' is not Slovenia, which region_name names; write SI"),
        ('direction = "ltr"', 'direction = "rtl"', "direction 'rtl' is not that of script 'Latn'; write ltr"),
        (
            '["Slovenian", "Slovene"]',
            '["Faroese"]',
            "nationalities has 'Faroese', the people of Faroe Islands, and parent is SI; correct one of them",
        ),
    ],
)
def test_what_is_left_of_a_locale_that_was_copied(folder: Path, old: str, new: str, told: str):
    assert read(folder, locale=LOCALE.replace(old, new)) == [f"{ENTRY}: {told}"]


def test_a_tag_with_its_letters_turned_around(folder: Path):
    turned = LOCALE.replace('"sl"', '"si"').replace('"sl-SI"', '"si-SL"').replace('"SI"', '"SL"')
    told = "locales.toml, entry 1 (si-SL): region 'SL' is not Slovenia, which region_name names; write SI"
    assert read(folder, locale=turned) == [told]
