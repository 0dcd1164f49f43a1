"""Exclusions: what people of a region excluded is not shown about it again, and elsewhere as before."""

from pathlib import Path
from random import Random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.builders.release import build_release
from blend.loaders.recipes.ready import sample_recipe
from blend.loaders.releases.tables import read_config
from blend.loaders.responses.exclusions import read_exclusions
from blend.schemas.errors import BlendError, RowErrors
from blend.schemas.frames import EXCLUSIONS
from blend.schemas.locales import registry
from blend.schemas.recipe import McqOptions
from helpers.questions.mcq_inputs import FRUIT, build_of, frames_of, loss_of, offered_to, shown_to

ROW = {"template_id": "T-1", "locale": "en-GB", "option": "Pear", "kind": "also-right", "reviewer": "r1"}
MORE = {**FRUIT, "es-MX": [("mango", 3)]}


def exclusions_of(*rows):
    return pl.DataFrame([{**ROW, **row} for row in rows], schema=EXCLUSIONS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["also-right", "silly"])
def test_an_excluded_option_is_shown_elsewhere_only(kind):
    excluded = exclusions_of({"kind": kind})
    before, build = build_of(MORE), build_of(MORE, exclusions=excluded)
    assert ("en-US", "pear") in offered_to(MORE, "en-GB")
    assert ("en-US", "pear") not in offered_to(MORE, "en-GB", exclusions=excluded)
    assert ("en-US", "pear") in offered_to(MORE, "ko-KR", exclusions=excluded)
    others = [frame.filter(pl.col("locale") != "en-GB") for frame in (before.frame(), build.frame())]
    assert others[0].equals(others[1])


@pytest.mark.slow
def test_what_was_read_and_accepted_changes_nothing():
    for option in ("Pear", "apple"):
        build = build_of(MORE, exclusions=exclusions_of({"option": option, "kind": "ok"}))
        assert build.frame().equals(build_of(MORE).frame())


@pytest.mark.parametrize(
    ("natives", "is_shown"),
    [(["ok", "ok"], False), (["ok", "ok", "silly"], True), (["ok", "silly", "ok", "silly"], False)],
)
def test_most_of_three_natives_outvote_a_refusal(natives: list[str], is_shown: bool):
    by_natives = [{"kind": kind, "native": "yes", "reviewer": f"n{n}"} for n, kind in enumerate(natives)]
    excluded = exclusions_of({"kind": "also-right"}, *by_natives)
    assert (("en-US", "pear") in offered_to(MORE, "en-GB", exclusions=excluded)) == is_shown


@pytest.mark.slow
def test_a_right_answer_that_is_none_is_not_asked_for():
    two = {**MORE, "en-GB": [("apple", 4), ("cherry", 4)]}
    build = build_of(two, exclusions=exclusions_of({"option": "apple", "kind": "wrong"}))
    asked = build.frame().filter(locale="en-GB")
    assert {options[answer] for options, answer in asked.select("options", "answer").rows()} == {"cherry"}
    none_left = build_of(MORE, exclusions=exclusions_of({"option": "apple", "kind": "wrong"}))
    assert none_left.frame().filter(locale="en-GB").is_empty()
    assert loss_of(none_left, "en-GB") == ("turned-down", "verdicts say that 'apple' is wrong")


@pytest.mark.parametrize(("kind", "is_shown"), [("also-right", True), ("silly", False), ("wrong", False)])
def test_what_a_region_calls_silly_or_wrong_of_its_own_is_offered_nowhere(kind, is_shown):
    only = {**MORE, "en-GB": [("cherry", 4)]}
    build = build_of(only, exclusions=exclusions_of({"option": "Cherry", "kind": kind}))
    excluded = exclusions_of({"option": "Cherry", "kind": kind})
    assert (("en-GB", "cherry") in offered_to(only, "en-US", exclusions=excluded)) == is_shown
    assert (("en-GB", "refused-at-home", 1) in build.outcomes.rows()) != is_shown


def test_a_number_is_refused_in_any_spelling():
    numbers = {"en-GB": [("7", 3)], "en-US": [("1", 3)], "ko-KR": [("3", 3)], "ar-DZ": [("9", 3)]}
    numbers["es-MX"] = [("5", 3)]
    exclusions = exclusions_of({"option": "07", "kind": "silly"})
    build = build_of(numbers, answer_format="integer", exclusions=exclusions)
    assert shown_to(build, "en-US") == {("ko-KR", "3"), ("ar-DZ", "9"), ("es-MX", "5")}


def test_every_mistake_is_told():
    rows = exclusions_of(
        {"template_id": "T-9"}, {"locale": "en-XX"}, {"kind": "bad"}, {"option": " ", "reviewer": None}
    )
    with pytest.raises(RowErrors) as raised:
        build_of(MORE, exclusions=rows)
    told = [str(error).partition(" the nearest of ")[0] for error in raised.value.errors]
    assert told == [
        "exclusions, row 1: unknown template 'T-9'; write the id of a template that is built",
        "exclusions, row 2: unknown locale 'en-XX';",
        "exclusions, row 3: unknown kind 'bad'; the kinds are also-right, silly, wrong, ok",
        "exclusions, row 4: an exclusion without option, reviewer; fill it in or delete the row",
    ]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_release_uses_and_carries_them(tmp_path: Path):
    whole = build_release(sample_recipe(), tmp_path / "before")
    mcqs = read_config(tmp_path / "before", "multiple-choice-questions")
    first = mcqs.row(0, named=True)
    excluded = first["options"][(first["answer"] + 1) % 4]
    header = "template_id,locale,option,kind,reviewer,why\n"
    line = f'{first["template_id"]},{first["locale"]},"{excluded}",also-right,r1,\n'
    (tmp_path / "mine.csv").write_text(header + line, encoding="utf-8")
    recipe = sample_recipe().model_copy(update={"mcq": McqOptions(exclusions="mine.csv")})
    manifest = build_release(recipe, tmp_path / "after", base=tmp_path)
    asked = read_config(tmp_path / "after", "multiple-choice-questions").filter(
        template_id=first["template_id"], locale=first["locale"]
    )
    assert excluded not in asked["options"].explode().to_list()
    assert [info.kind for info in manifest.sources] == ["sample", "exclusions"]
    assert manifest.recipe.mcq.exclusions == "exclusions.csv"
    assert (tmp_path / "after" / "exclusions.csv").read_text(encoding="utf-8") == header + line
    assert whole.recipe.mcq.exclusions is None


@pytest.mark.nightly
@pytest.mark.slow
def test_verdicts_on_other_words_are_told_and_kept_where_only_the_wording_changed(tmp_path: Path):
    build_release(sample_recipe(), tmp_path / "before")
    first = read_config(tmp_path / "before", "multiple-choice-questions").row(0, named=True)
    key = {name: first[name] for name in ("template_id", "locale")}
    excluded = first["options"][(first["answer"] + 1) % 4]
    before = first["question"].replace(" ", " really ", 1)
    row = {**key, "option": excluded, "kind": "silly", "reviewer": "r1", "question": before}
    pl.DataFrame([row]).write_csv(tmp_path / "verdicts.csv")

    def built(name: str, **options: str) -> tuple[list[str], list[str]]:
        mcq = McqOptions(exclusions="verdicts.csv", **options)
        recipe = sample_recipe().model_copy(update={"mcq": mcq})
        build_release(recipe, tmp_path / name, base=tmp_path)
        asked = read_config(tmp_path / name, "multiple-choice-questions").filter(**key)
        findings = pl.read_ndjson(tmp_path / name / "reports" / "findings.jsonl")
        void = findings.filter(pl.col("kind") == "void-verdicts", **key)
        return asked["options"].explode().to_list(), void["detail"].to_list()

    shown, void = built("void")
    assert excluded in shown
    assert void == [f"1 verdict on {before!r}, asked as {first['question']!r}"]
    wording = {"template_id": first["template_id"], "wording": " really ", "corrected": " ", "reviewer": "r2"}
    pl.DataFrame([wording]).write_csv(tmp_path / "wordings.csv")
    shown, void = built("kept", wordings="wordings.csv")
    assert excluded not in shown
    assert void == []
    carried = (tmp_path / "kept" / "wordings.csv").read_bytes()
    assert carried == (tmp_path / "wordings.csv").read_bytes()


KINDS = st.sampled_from(["ok", "also-right", "silly", "wrong"])
PEOPLE = st.tuples(st.sampled_from(["r1", "r2"]), st.sampled_from(["yes", None]), st.none())
MODELS = st.tuples(st.sampled_from(["chat:m1", "chat:m2"]), st.none(), st.sampled_from([None, 0.1, 0.8, 1.0]))
OPTIONS = ["apple", "pear"]


def verdicts_of(rows):
    columns = ("option", "kind", "reviewer", "native", "confidence")
    named = [dict(zip(columns, (option, kind, *reader), strict=True)) for option, kind, reader in rows]
    return Exclusions(exclusions_of(*named), frames_of({"T-1": MORE})[0], registry(), shipped=False)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(OPTIONS), KINDS, PEOPLE | MODELS), max_size=8), st.randoms())
def test_what_people_say_overrules_models_in_whatever_order(rows, rng: Random):
    by_people = [row for row in rows if row[2][0] in ("r1", "r2")]
    read = {option for option, _, _ in by_people}
    without = [row for row in rows if row in by_people or row[0] not in read]
    every, shuffled, fewer = map(verdicts_of, (rows, rng.sample(rows, len(rows)), without))
    about = ("T-1", "en-GB")
    assert every.of(*about) == shuffled.of(*about) == fewer.of(*about)
    assert every.refused("T-1", "GB") == shuffled.refused("T-1", "GB") == fewer.refused("T-1", "GB")
    accepted = read - {option for option, kind, _ in by_people if kind != "ok"}
    assert accepted.isdisjoint({*every.of(*about).distractors, *every.of(*about).golds})
    assert not any(reader.is_model for option in read for reader in every.counting(*about, option))


@pytest.mark.parametrize(("confidence", "counts"), [(None, True), (0.8, True), (0.79, False)])
def test_a_model_counts_where_it_is_sure_or_does_not_say(confidence: float | None, counts: bool):
    verdict = exclusions_of({"reviewer": "chat:m1", "confidence": confidence})
    assert (("en-US", "pear") not in offered_to(MORE, "en-GB", exclusions=verdict)) == counts


@pytest.mark.slow
def test_a_verdict_that_quotes_its_question_may_be_of_a_template_that_is_not_built():
    build = build_of(MORE, exclusions=exclusions_of({"template_id": "T-9", "question": "What else?"}))
    assert build.frame().equals(build_of(MORE).frame())


NAME_THE_PERSON = "leave the cell empty, or name the person in the column reviewer"
A_FRACTION = "write a number from 0 to 1, such as 0.9, or leave the cell empty"


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ("r1,maybe,", "column native: unknown value 'maybe'; write yes or no"),
        ("chat:m1,yes,", f"column native: 'chat:m1' is a model, not a native; {NAME_THE_PERSON}"),
        *(
            (f"chat:m1,,{value}", f"column confidence: unknown value {value!r}; {A_FRACTION}")
            for value in ("sure", "1.1", "-0.1", "nan", "90%")
        ),
    ],
)
def test_a_cell_of_a_file_that_cannot_be(tmp_path: Path, cells: str, told: str):
    header = "template_id,locale,option,kind,reviewer,native,confidence\n"
    (tmp_path / "mine.csv").write_text(f"{header}T-1,en-GB,pear,ok,{cells}\n", encoding="utf-8")
    with pytest.raises(BlendError) as raised:
        read_exclusions(tmp_path / "mine.csv")
    assert str(raised.value) == f"mine.csv:2, {told}"


def test_a_confidence_is_a_fraction_with_its_ends(tmp_path: Path):
    rows = "".join(f"T-1,en-GB,pear,ok,chat:m{n},{value}\n" for n, value in enumerate(["0", "1", "0.5", ""]))
    header = "template_id,locale,option,kind,reviewer,confidence\n"
    (tmp_path / "mine.csv").write_text(header + rows, encoding="utf-8")
    assert read_exclusions(tmp_path / "mine.csv")["confidence"].to_list() == [0, 1, 0.5, None]


def test_a_file_that_is_not_there(tmp_path: Path):
    with pytest.raises(BlendError) as raised:
        read_exclusions(tmp_path / "no.csv")
    told = "there is no such file of exclusions; correct its name (mcq.exclusions in a recipe)"
    assert str(raised.value) == f"{tmp_path}/no.csv: {told}"
