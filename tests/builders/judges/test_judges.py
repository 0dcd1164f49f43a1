"""Judges: which are made from a recipe's options, in which order, and what decisions decide."""

import sys
from typing import Any

import pytest

from blend.builders.judges import DecisionsJudge, JudgePanel, Verdict, why_suspected
from blend.builders.judges.chat import ChatJudge, make_judges
from blend.loaders.responses.verdicts import Decision
from blend.schemas.errors import InputError, MissingExtraError
from blend.schemas.recipe import JudgeOptions
from helpers.messages import message_of, wrong
from helpers.questions.mcq_inputs import Says

DECISIONS = [
    Decision("soccer", "football", True, "mina", "v.tsv:2"),
    Decision("rice", "rice pudding", False, "mina", "v.tsv:3"),
    Decision("gin", "juniper spirit", True, "chat:m1", "v.tsv:4"),
]


def ignore(_: object) -> None:
    pass


def test_decisions_name_who_decided_and_say_nothing_else():
    judge = DecisionsJudge(DECISIONS)
    pairs = [("Football", "soccer "), ("rice pudding", "rice"), ("juniper spirit", "Gin"), ("rice", "soccer")]
    assert judge.verdicts(pairs) == [
        Verdict(True, "decisions:mina"),
        Verdict(False, "decisions:mina"),
        Verdict(True, "chat:m1"),
        None,
    ]


def test_contradictory_decisions_are_an_error():
    told = wrong(lambda: DecisionsJudge([*DECISIONS, Decision("Football", "Soccer", False, "jo", "v.tsv:5")]))
    assert told == (
        "v.tsv:5, column verdict: 'Football' and 'Soccer' are not the same here, but are in v.tsv:2; "
        "delete one of the two rows"
    )


@pytest.mark.parametrize(
    ("options", "kinds"),
    [({}, []), ({"kind": "chat", "model": "m1"}, [ChatJudge])],
)
def test_the_order_of_judges(options: dict[str, Any], kinds: list[type]):
    for shipped in (True, False):
        made = make_judges(JudgeOptions(shipped=shipped, **options), record=ignore)
        assert [type(judge) for judge in made] == [DecisionsJudge] * shipped + kinds


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"kind": "chat"}, "mcq.judge: kind = 'chat' needs a model; add its name as the server knows it"),
    (
        {"model": "m1"},
        (
            "mcq.judge: model 'm1' is given, but kind = 'lexical' asks no model; "
            "write kind = 'chat', or remove model"
        ),
    ),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_options_that_do_not_fit_are_an_error(options: dict[str, Any], message: str):
    assert wrong(lambda: make_judges(JudgeOptions(**options), record=ignore)) == message


@pytest.mark.parametrize("url", ["localhost:8000/v1", "http://[", "server"])
def test_what_is_not_an_address_is_an_error(monkeypatch: pytest.MonkeyPatch, url: str):
    problem = (
        f"{url!r} is not the address of a server; write it in full, for example 'http://localhost:8000/v1'"
    )
    told = message_of(InputError, lambda: ChatJudge("m1", record=ignore, base_url=url))
    assert told == f"`base_url` {problem}"
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    told = message_of(InputError, lambda: make_judges(JudgeOptions(kind="chat", model="m1"), record=ignore))
    assert told == f"OPENAI_BASE_URL {problem}"


def test_verdicts_of_a_chat_model_must_go_somewhere():
    assert wrong(lambda: make_judges(JudgeOptions(kind="chat", model="m1"))) == (
        "mcq.judge: kind = 'chat' needs a table of verdicts, which keeps every one so that a rebuild asks "
        "nothing again; add verdicts = 'verdicts.tsv' to [mcq]"
    )


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError) as caught:
        ChatJudge("m1", record=ignore).verdicts([("soccer", "football")])
    install = 'in a checkout of blend-sdk: pip install -e ".[judge]"'
    assert str(caught.value) == f"chat:m1 needs an optional dependency; {install}"


CAUSES = {
    ("ball", "basketball"): "ball is part of basketball",
    ("nezami", "nizami"): "spelling",
    ("gatka", "gadka"): "spelling",
    ("pan", "saucepan"): "",
    ("chess", "rowing"): "",
    ("", "rowing"): "",
}


def test_why_two_answers_are_suspected():
    assert {pair: why_suspected(*pair) for pair in CAUSES} == CAUSES


def test_the_first_opinion_counts_and_nobody_is_asked_after_it():
    a, b, c, d = pairs = [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]
    first = Says("first", {a: True, c: False})
    second = Says("second", {a: False, b: True, c: True})
    panel = JudgePanel([first, second])
    assert panel.same(pairs) == {a: True, b: True, c: False, d: False}
    assert panel.counts == {("first", True): 1, ("second", True): 1, ("first", False): 1}
    assert first.asked == pairs
    assert second.asked == [b, d]
