"""Verdicts in a build: what readers refuse, propose, put right and reword, and what is told of it."""

from random import Random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.cards.card import read_options
from blend.builders.mcq import build_mcq
from blend.builders.mcq.result import READING, unread_findings, unread_summary
from blend.builders.mcq.verdicts import Verdicts
from blend.loaders.responses.verdicts import shipped_verdicts
from blend.schemas.errors import RowErrors
from blend.schemas.frames import KEY
from blend.schemas.locales import registry
from blend.schemas.recipe import JudgeOptions, McqOptions
from helpers.questions.mcq_inputs import (
    FRUIT,
    build_of,
    frames_of,
    loss_of,
    offered_to,
    right_answers,
    shown_to,
    verdicts_of,
)

MORE = {**FRUIT, "es-MX": [("mango", 3)]}
SHORT = {"en-GB": [("apple", 4)], "en-US": [("pear", 3)], "ko-KR": [("plum", 3)]}
UNSHIPPED = McqOptions(judge=JudgeOptions(shipped=False))


def on(option: str, verdict: str, locale: str | None = "en-GB", **more):
    return {"locale": locale, "option": option, "verdict": verdict, **more}


@pytest.mark.parametrize("verdict", ["also_correct", "silly"])
def test_a_refused_option_is_shown_elsewhere_only(verdict: str):
    refused = verdicts_of(on("Pear", verdict))
    before, build = build_of(MORE), build_of(MORE, verdicts=refused)
    assert ("en-US", "pear") in offered_to(MORE, "en-GB")
    assert ("en-US", "pear") not in offered_to(MORE, "en-GB", verdicts=refused)
    assert ("en-US", "pear") in offered_to(MORE, "ko-KR", verdicts=refused)
    others = [frame.filter(pl.col("locale") != "en-GB") for frame in (before.mcqs, build.mcqs)]
    assert others[0].equals(others[1])


def by_natives(*verdicts: str):
    return [on("pear", one, kind="native", reader=f"n{n}") for n, one in enumerate(verdicts)]


def by_model(verdict: str, confidence: float | None):
    return [on("pear", verdict, reader="chat:m1", kind="model", confidence=confidence)]


@pytest.mark.parametrize(
    ("said", "is_shown"),
    [
        ([on("pear", "also_correct"), *by_natives("ok", "ok")], False),
        # Most of three natives outvote a refusal.
        ([on("pear", "also_correct"), *by_natives("ok", "ok", "silly")], True),
        ([on("pear", "also_correct"), *by_natives("ok", "silly", "ok", "silly")], False),
        # A model counts where it is sure or does not say, unless a person has read the option.
        (by_model("silly", None), False),
        (by_model("silly", 0.8), False),
        (by_model("silly", 0.79), True),
        ([*by_model("silly", 1.0), on("pear", "ok")], True),
    ],
)
def test_whose_verdict_counts(said, is_shown: bool):
    assert (("en-US", "pear") in offered_to(MORE, "en-GB", verdicts=verdicts_of(*said))) == is_shown


def test_a_correct_answer_that_is_none_is_not_asked_for():
    wrong = verdicts_of(on("apple", "wrong"))
    two = build_of({**MORE, "en-GB": [("apple", 4), ("cherry", 4)]}, verdicts=wrong)
    assert right_answers(two, "en-GB") == {"cherry"}
    lost = loss_of(build_of(MORE, verdicts=wrong), "en-GB")
    assert lost == ("turned-down", "verdicts say that 'apple' is wrong")


@pytest.mark.parametrize(
    ("verdict", "is_shown"), [("also_correct", True), ("silly", False), ("wrong", False), ("ok", True)]
)
def test_what_a_region_calls_silly_or_wrong_of_its_own_is_offered_nowhere(verdict: str, is_shown: bool):
    only = {**MORE, "en-GB": [("cherry", 4)]}
    said = verdicts_of(on("Cherry", verdict))
    assert (("en-GB", "cherry") in offered_to(only, "en-US", verdicts=said)) == is_shown


def test_a_number_is_refused_in_any_spelling_and_times_near_it_as_well():
    numbers = {tag: [(text, 3)] for tag, text in zip(MORE, ("7", "1", "3", "9", "5"), strict=True)}
    build = build_of(numbers, answer_format="integer", verdicts=verdicts_of(on("07", "silly")))
    assert shown_to(build, "en-US") == {("ko-KR", "3"), ("ar-DZ", "9"), ("es-MX", "5")}
    times = {"en-GB": [("20:00", 3)], "en-US": [("19:00", 3)], "ko-KR": [("18:00", 3)]}
    times["as-AS"] = [("08:00", 3), ("08:30", 2), ("09:00", 2), ("21:30", 2)]
    asked = {"answer_format": "HH:MM", "verdicts": verdicts_of(on("08:00", "wrong", "as-AS"))}
    assert {text for tag, text in offered_to(times, "en-GB", **asked) if tag == "as-AS"} == {"21:30"}


SAID = st.tuples(
    st.sampled_from(["apple", "pear"]),
    st.sampled_from(["ok", "also_correct", "silly", "wrong"]),
    st.tuples(st.sampled_from(["r1", "r2"]), st.sampled_from(["native", "other", "model"])),
)


@given(st.lists(SAID, max_size=8), st.randoms())
def test_the_order_of_verdicts_is_irrelevant(said, rng: Random):
    def read(rows):
        every = [on(option, one, reader=who, kind=kind) for option, one, (who, kind) in rows]
        return Verdicts(verdicts_of(*every), frames_of({"T-1": MORE})[0], registry(), shipped=False)

    first, second = read(said), read(rng.sample(said, len(said)))
    for call in (lambda one: one.refused("T-1", "en-GB"), lambda one: one.wrong("T-1", "en-GB")):
        assert call(first) == call(second)


# Who has read what


def reading_of(build, tag: str) -> dict[str, int]:
    return build.reading.row(by_predicate=pl.col("locale") == tag, named=True)


def test_every_option_shown_counts_once_by_its_best_reader():
    build = build_of(
        FRUIT,
        verdicts=verdicts_of(
            on("apple", "ok"),
            on("pear", "ok"),
            on("pear", "ok", kind="native"),
            on("pear", "ok", reader="chat:m1", kind="model"),
            on("plum", "ok", reader="chat:m1", kind="model"),
        ),
    )
    assert reading_of(build, "en-GB") == {
        "locale": "en-GB", "mcqs": 1, "with_unread": 1, "options": 4, "natives": 1, "others": 1,
        "model": 1, "by_question": 0, "nobody": 1,
    }  # fmt: skip
    assert reading_of(build, "en-US")["nobody"] == 4


def test_a_recipe_may_drop_all_that_nobody_has_read():
    read = verdicts_of(*(on(text, "ok") for text in ("apple", "pear", "plum", "dates")))
    dropping = build_of(MORE, verdicts=read, options=McqOptions(unread="drop"))
    assert shown_to(dropping, "en-GB") == {("en-US", "pear"), ("ko-KR", "plum"), ("ar-DZ", "dates")}
    assert loss_of(dropping, "en-US") == ("unread", "nobody has read the top answer")


def test_the_build_report_says_where_nobody_has_read():
    rows = [("en-GB", 1, 1, 4, 0, 1, 1, 0, 2), ("en-US", 1, 1, 4, 0, 0, 0, 0, 4)]
    reading = pl.DataFrame(rows, READING, orient="row")
    assert dict(unread_findings(reading))["en-GB"] == (
        "1 of 1 multiple-choice questions show options that nobody has read: 2 of 4"
    )
    assert unread_summary(reading) == (
        "2 of 2 multiple-choice questions show options that nobody has read (en-GB 1 of 1, en-US 1 of 1)"
    )


@pytest.mark.parametrize(
    ("counts", "by_question", "sentence"),
    [
        (
            (1, 2, 4, 2),
            0,
            (
                "Of the 9 options of the multiple-choice questions natives of the region have read 1, other "
                "people 2, a language model alone 4, nobody 2. Where no person has, a distractor may well be "
                "correct, too."
            ),
        ),
        ((9, 0, 0, 0), 0, "Natives of the regions have read every option of the multiple-choice questions."),
        # A record is told from an inference.
        ((0, 2, 7, 0), 6, " Of 6 that is known by question alone: "),
    ],
)
def test_the_card_says_who_has_read(counts: tuple[int, int, int, int], by_question: int, sentence: str):
    *people_and_model, nobody = counts
    row = ("ko-KR", 3, 1, 9, *people_and_model, by_question, nobody)
    told = read_options(pl.DataFrame([row], READING, orient="row"))
    assert told is not None
    assert sentence in told[0]
    assert told[1].cells()[0][:6] == ["ko-KR", "9", *(f"{100 * n / 9:.0f}" for n in counts)]
    assert read_options(pl.DataFrame(schema=READING)) is None


# Options that reviewers propose


def test_a_proposed_option_stands_in_where_options_are_short_and_has_been_read():
    build = build_of(SHORT, verdicts=verdicts_of(on("kiwi", "proposed", None, **{"with": "GR"})))
    assert sorted(build.mcqs["locale"]) == ["en-GB", "en-US", "ko-KR"]
    assert ("el-GR", "kiwi") in shown_to(build, "en-GB")
    assert reading_of(build, "en-GB")["others"] == 1
    of_one = build_of(SHORT, verdicts=verdicts_of(on("kiwi", "proposed", "ko-KR", **{"with": "GR"})))
    assert of_one.mcqs["locale"].to_list() == ["ko-KR"]
    enough = build_of(FRUIT, verdicts=verdicts_of(on("kiwi", "proposed", None, **{"with": "GR"})))
    assert enough.mcqs.equals(build_of(FRUIT).mcqs)


@pytest.mark.parametrize(
    ("option", "region"), [("Apple pie", "GR"), ("n/a", "GR"), ("kiwi", "GB"), ("kiwi", "US"), ("Korea", "GR")]
)
def test_a_proposed_option_passes_the_same_rules(option: str, region: str):
    build = build_of(SHORT, verdicts=verdicts_of(on(option, "proposed", **{"with": region})))
    assert build.n_mcqs == 0
    assert loss_of(build, "en-GB") == ("short", "2 of 2 other regions have an option left, 3 are needed")


# Slips, and changes of wording


def test_slips_are_put_right_in_questions_and_options_and_told():
    questions, annotations = frames_of({"T-1": {**MORE, "zh-CN": [("Plantatin", 3)]}})
    asked = questions.with_columns(en_question=pl.lit("What do people used?"))
    rows = verdicts_of(
        {"question": "people used", "verdict": "slip", "with": "people use"},
        on("plantatin", "slip", None, **{"with": "plantain"}),
        on("mango", "silly_anywhere", None),
        on("plantain", "silly", "en-US"),
    )
    builds = [build_mcq(asked, annotations, options=UNSHIPPED, seed=n, verdicts=rows) for n in range(12)]
    assert set(builds[0].questions["en_question"]) == {"What do people use?"}
    told = ("T-1", "ar-DZ", "slip-in-wording", "'people used' is asked as 'people use'")
    assert builds[0].found.rows()[0] == told
    mcqs = pl.concat(build.mcqs for build in builds)
    shown = {tag: set(of["options"].explode()) for (tag,), of in mcqs.group_by("locale")}
    assert "plantain" in shown["en-GB"]
    assert "plantatin" not in set().union(*shown.values())
    assert "plantain" not in shown["en-US"]
    assert not [tag for tag, texts in shown.items() if "mango" in texts and tag != "es-MX"]


ASKED = "What do people in {} mostly eat?"


@pytest.mark.parametrize(
    ("quoted", "counts"),
    [
        (None, True),
        ("What do people in en-GB mostly eat?", True),
        ("What do people in en-US mostly eat?", False),  # another region's words
        ("What do people drink?", False),
    ],
)
def test_a_verdict_counts_for_the_words_that_it_quotes(quoted: str | None, counts: bool):
    questions, annotations = frames_of({"T-1": MORE})
    asked = questions.with_columns(en_question=pl.format(ASKED, "locale"))
    rows = verdicts_of(on("pear", "silly", question=quoted))
    build = build_mcq(asked, annotations, options=UNSHIPPED, seed=0, verdicts=rows)
    assert (Verdicts(rows, asked, registry(), shipped=False).refused("T-1", "en-GB") == ("pear",)) == counts
    told = build.found.select("locale", "reason", "detail").rows()
    what = f"1 verdict on {quoted!r}, asked as {ASKED.format('en-GB')!r}"
    assert told == ([] if counts else [("en-GB", "void-verdicts", what)])


def test_what_is_silly_anywhere_stays_so_whatever_a_question_is_asked_as():
    questions, annotations = frames_of({"T-1": MORE})
    asked = questions.with_columns(en_question=pl.format(ASKED, "locale"))
    anywhere = on("plum", "silly_anywhere", locale=None)
    for rows in ([anywhere], [anywhere, on("pear", "ok", question="What do people drink?")]):
        build = build_mcq(asked, annotations, options=UNSHIPPED, seed=0, verdicts=verdicts_of(*rows))
        elsewhere = build.mcqs.filter(pl.col("locale") != "ko-KR")
        assert "plum" not in elsewhere["options"].explode().to_list()


# What is told


ON_NOTHING = "on options that nobody gave to a question that is asked"


def test_a_column_that_was_sorted_alone_is_told_by_region():
    # Every option is given somewhere, and none of them to the question beside which it stands now.
    other = {tag: [(text, 3)] for tag, text in zip(MORE, ("tea", "milk", "wine", "beer", "juice"), strict=True)}
    rows = verdicts_of(
        on("milk", "silly", source="v.tsv:2"),
        on("pear", "ok", source="v.tsv:3"),
        on("pear", "wrong", source="v.tsv:4"),
        on("plum", "ok", template_id="T-2", source="v.tsv:5"),
        on("tea", "ok", template_id="T-9", question="What else?", source="v.tsv:6"),
        on("rice", "ok", "id-ID", source="v.tsv:7"),
        on("plumm", "silly_anywhere", None, source="v.tsv:8"),
        on("appel", "slip", None, source="v.tsv:9", **{"with": "apple"}),
        on("kiwi", "proposed", "id-ID", source="v.tsv:10", **{"with": "Greece"}),
        on("plum", "silly_anywhere", None, source="v.tsv:11"),
    )
    build = build_mcq(*frames_of({"T-1": MORE, "T-2": other}), options=UNSHIPPED, seed=0, verdicts=rows)
    british = "'tea' (v.tsv:6), 'milk' (v.tsv:2), 'pear' (v.tsv:4), 'plum' (v.tsv:5)"
    assert build.found.rows() == [
        (None, None, "verdicts-on-nothing", f"2 verdicts {ON_NOTHING}: 'plumm' (v.tsv:8), 'appel' (v.tsv:9)"),
        (None, "en-GB", "verdicts-on-nothing", f"4 verdicts {ON_NOTHING}: {british}"),
        (None, "id-ID", "verdicts-on-nothing", f"2 verdicts {ON_NOTHING}: 'rice' (v.tsv:7), 'kiwi' (v.tsv:10)"),
    ]


@pytest.mark.parametrize(
    ("given", "named", "answer_format"),
    [("Plum ", "PLUM", "text"), ("9:00 PM", "21:00", "HH:MM"), ("07", "7", "integer"), ("7", "07", "integer")],
)
def test_an_option_is_known_in_any_spelling(given: str, named: str, answer_format: str):
    read = verdicts_of(on(named, "ok"))
    assert build_of({"en-GB": [(given, 3)]}, answer_format=answer_format, verdicts=read).found.is_empty()


def test_every_unknown_name_is_told():
    rows = verdicts_of(
        on("pear", "ok", template_id="T-9", source="v.tsv:2"),
        on("pear", "ok", "en-XX", source="v.tsv:3"),
        on("kiwi", "proposed", source="v.tsv:4", **{"with": "Grece"}),
    )
    with pytest.raises(RowErrors) as raised:
        build_of(MORE, verdicts=rows)
    told = [str(error).partition(";")[0] for error in raised.value.errors]
    unknown = ("unknown template 'T-9'", "unknown locale 'en-XX'", "unknown locale 'Grece'")
    assert told == [f"v.tsv:{number}: {what}" for number, what in enumerate(unknown, start=2)]


# The package's table


def test_a_persons_verdict_overrules_the_one_of_the_package():
    refusal = shipped_verdicts().filter(verdict="also_correct").row(0, named=True)
    about = [refusal[name] for name in ("template_id", "locale", "option")]
    asked = pl.DataFrame([refusal]).select(*KEY, en_question="question")
    accepted = verdicts_of(on(about[2], "ok", about[1], template_id=about[0], kind="native"))
    alone, overruled = (Verdicts(rows, asked, registry(), shipped=True) for rows in (None, accepted))
    assert about[2] in alone.refused(*about[:2])
    assert about[2] not in overruled.refused(*about[:2])
    assert (alone.read_by(*about, "es-MX"), overruled.read_by(*about, "es-MX")) == ("model", "natives")


@pytest.mark.parametrize(
    ("words", "grouping", "shipped", "by"),
    [
        (None, "upstream", True, "by_question"),
        ("What else?", "upstream", True, None),
        (None, "reviewed", True, None),
        (None, "upstream", False, None),
    ],
)
def test_the_model_of_the_package_read_published_answers_in_the_same_words(words, grouping, shipped, by):
    template_id, tag, question = shipped_verdicts().filter(verdict="read").select(*KEY, "question").row(0)
    questions, annotations = frames_of(
        {template_id: {tag: [("a", 3)], "en-AU": [("b", 3)], "el-GR": [("c", 3)]}}
    )
    asked = questions.with_columns(en_question=pl.lit(words or question))
    given = annotations.with_columns(grouping=pl.lit(grouping))
    read = Verdicts(None, asked, registry(), shipped=shipped, annotations=given)
    assert read.read_by(template_id, tag, "c", "el-GR") == by
    assert read.read_by(template_id, tag, "b", "en-AU") is None
