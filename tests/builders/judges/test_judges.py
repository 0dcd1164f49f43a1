"""Judges: which are made from a recipe's options, in which order, and what decisions decide."""

import subprocess
import sys
from datetime import date
from typing import Any

import pytest

from blend.builders.judges import DecisionsJudge, make_judges
from blend.builders.judges.chat import ChatJudge
from blend.builders.judges.equivalence import LexicalJudge, Verdict, decide
from blend.loaders.responses.decisions import Decision
from blend.schemas.errors import BlendError, InputError, MissingExtraError
from blend.schemas.recipe import JudgeOptions


def decided(a: str, b: str, verdict: str, who: str = "mina") -> Decision:
    row = {"answer_a": a, "answer_b": b, "verdict": verdict, "who": who, "when": date(2026, 11, 30)}
    return Decision.model_validate(row)


DECISIONS = [
    decided("soccer", "football", "same"),
    decided("rice", "rice pudding", "different"),
    decided("gin", "juniper spirit", "same", who="chat:m1"),
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


def test_a_decision_overrules_the_lexical_rules():
    judges = make_judges(JudgeOptions(), decisions=DECISIONS)
    assert decide(judges, [("rice", "rice pudding"), ("rice", "rice soup"), ("soccer", "football")]) == [
        Verdict(False, "decisions:mina"),
        Verdict(True, "lexical"),
        Verdict(True, "decisions:mina"),
    ]


def test_contradictory_decisions_are_an_error():
    with pytest.raises(BlendError) as caught:
        DecisionsJudge([*DECISIONS, decided("Football", "Soccer", "different", who="jo")])
    assert str(caught.value) == (
        "'Football' and 'Soccer' are decided both 'same' and 'different', by 'mina' and 'jo'; "
        "keep one of the two"
    )


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        ({}, [LexicalJudge]),
        ({"kind": "chat", "model": "m1", "decisions": "d.tsv"}, [LexicalJudge, ChatJudge]),
    ],
)
def test_the_order_of_judges(options: dict[str, Any], kinds: list[type]):
    made = make_judges(JudgeOptions(**options), record=ignore)
    assert [type(judge) for judge in made] == kinds
    made = make_judges(JudgeOptions(**options), decisions=DECISIONS, record=ignore)
    assert [type(judge) for judge in made] == [DecisionsJudge, *kinds]


def test_judges_have_names():
    chat = make_judges(JudgeOptions(kind="chat", model="m1", decisions="d.tsv"), record=ignore)
    assert [judge.name for judge in chat] == ["lexical", "chat:m1"]


WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"kind": "chat", "decisions": "d.tsv"},
        "mcq.judge: kind = 'chat' needs a model; add its name as the server knows it",
    ),
    (
        {"kind": "chat", "model": "m1"},
        (
            "mcq.judge: kind = 'chat' needs a file of decisions, which keeps every verdict so that a rebuild "
            "asks nothing again; add decisions = 'decisions.tsv'"
        ),
    ),
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
    with pytest.raises(BlendError) as caught:
        make_judges(JudgeOptions(**options), record=ignore)
    assert str(caught.value) == message


@pytest.mark.parametrize("url", ["localhost:8000/v1", "http://[", "server"])
def test_what_is_not_an_address_is_an_error(monkeypatch: pytest.MonkeyPatch, url: str):
    problem = (
        f"{url!r} is not the address of a server; write it in full, for example 'http://localhost:8000/v1'"
    )
    with pytest.raises(InputError) as caught:
        ChatJudge("m1", record=ignore, base_url=url)
    assert str(caught.value) == f"`base_url` {problem}"
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(InputError) as caught:
        make_judges(JudgeOptions(kind="chat", model="m1", decisions="d.tsv"), record=ignore)
    assert str(caught.value) == f"OPENAI_BASE_URL {problem}"


def test_verdicts_of_a_chat_model_must_go_somewhere():
    with pytest.raises(BlendError) as caught:
        make_judges(JudgeOptions(kind="chat", model="m1", decisions="d.tsv"))
    assert str(caught.value) == "mcq.judge: verdicts of a chat model must be kept; pass record to make_judges"


IN_A_CHECKOUT = '{} needs an optional dependency; in a checkout of blend-sdk: pip install -e ".[{}]"'


@pytest.mark.parametrize(
    ("module", "judge", "message"),
    [
        (
            "openai",
            ChatJudge("m1", record=ignore),
            IN_A_CHECKOUT.format("chat:m1", "judge"),
        ),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, module: str, judge: ChatJudge, message: str
):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError) as caught:
        judge.verdicts([("soccer", "football")])
    assert str(caught.value) == message


@pytest.mark.nightly
@pytest.mark.slow
def test_importing_and_making_judges_loads_no_slow_library():
    code = (
        "import sys; from blend.builders.judges import make_judges;"
        "from blend.schemas.recipe import JudgeOptions;"
        "make_judges(JudgeOptions(kind='chat', model='m', decisions='d'), record=print);"
        "print({'openai', 'anyio', 'torch', 'transformers'} & sys.modules.keys())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("set()\n", "")
