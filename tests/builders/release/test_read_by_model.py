"""Options read by a model over HTTP: what its verdicts do to a build, and what is asked of it again."""

import csv
import io
from collections import Counter
from pathlib import Path

import pytest

from blend.builders.judges.chat import MAX_UNREAD
from blend.builders.release import build_release
from blend.loaders.recipes import read_recipe
from blend.loaders.releases.tables import read_config
from blend.loaders.responses.verdicts import read_verdicts
from helpers.in_process import run
from helpers.messages import wrong
from helpers.models.chat_server import Chat, ChatReply
from helpers.questions.lunch import asked_in, lunch, options_in, question, reads

pytestmark = [pytest.mark.integration]

OPINIONS = {"salad": ("also_correct", 0.9), "homework": ("silly", 1), "tacos": ("also_correct", 0.5)}


def judge(chat: Chat, recipe: Path, *more: str) -> str:
    out = recipe.with_name("verdicts.tsv")
    return run("questions", "judge", recipe, "--model", "m1", "--base-url", chat.url, "--out", out, *more)


def sheet_of(recipe: Path, *more: str) -> dict[str, str]:
    """By option about the UK what the sheet says of who has read it."""
    out = recipe.with_name("sheet.csv")
    out.unlink(missing_ok=True)
    run("questions", "options", recipe, "--locale", "en-GB", "--out", out, *more)
    return {row["option"]: row["read"] for row in csv.DictReader(io.StringIO(out.read_text("utf-8-sig")))}


@pytest.mark.landing
def test_refusals_leave_out_and_doubts_go_to_people(chat: Chat, tmp_path: Path):
    recipe = lunch(tmp_path, verdicts="verdicts.tsv")
    reads(chat, OPINIONS)
    assert judge(chat, recipe).splitlines()[0] == (
        f"{tmp_path / 'verdicts.tsv'}: 28 verdicts added, 19 ok, 6 also_correct, 3 silly, 0 wrong; "
        "unsure of 3, which are left to people."
    )
    # A request holds a question about a region, with all its options.
    assert len(chat.requests) == 4
    british = next(asked for asked in map(asked_in, chat.requests) if "the UK" in asked["question"])
    assert british["region"] == "the UK"
    assert Counter(one["role"] for one in british["options"].values()) == {"key": 1, "distractor": 6}
    rows = read_verdicts(tmp_path / "verdicts.tsv")
    assert set(rows["reader"]) == {"chat:m1@prompt-1"}
    assert set(rows["kind"]) == {"model"}
    assert rows.filter(locale="en-GB", option="tacos")["confidence"].to_list() == [0.5]
    build_release(read_recipe(recipe), tmp_path / "release", base=tmp_path)
    rows = read_config(tmp_path / "release", "multiple-choice-questions").filter(locale="en-GB")
    assert {*rows["options"].explode()} == {"sandwich", "pizza", "meat pie", "tacos"}
    unread = {"tacos": "chat:m1@prompt-1: also_correct (0.5)"}
    assert sheet_of(recipe, "--unread") == unread
    assert "salad" not in sheet_of(recipe)
    assert sheet_of(recipe, "--all")["salad"] == "chat:m1@prompt-1: also_correct (0.9)"
    card = (tmp_path / "release" / "README.md").read_text(encoding="utf-8")
    # Four questions of four options; of tacos, offered in three of them, it was unsure.
    assert "natives of the region have read 0, other people 0, a language model alone 13, nobody 3" in card
    # A second run asks nothing, and says so.
    chat.requests.clear()
    assert judge(chat, recipe) == (
        "Nothing to read: people or models have given a verdict on every option that questions may show; "
        "--all adds what was read before and what verdicts leave out.\n"
    )
    assert chat.requests == []


@pytest.mark.landing
def test_what_people_have_read_is_asked_about_only_to_compare(chat: Chat, tmp_path: Path):
    recipe = lunch(tmp_path, verdicts="people.tsv")
    reads(chat, OPINIONS)
    header = "template_id\tlocale\tquestion\toption\tverdict\treader\n"
    rows = "".join(
        f"food-00\ten-GB\t\t{option}\t{kind}\tr1\n" for option, kind in [("tacos", "ok"), ("salad", "silly")]
    )
    (tmp_path / "people.tsv").write_text(header + rows, "utf-8")
    judge(chat, recipe, "--locale", "en-GB")
    asked = {option for _, option in options_in(chat.requests)}
    assert asked == {"sandwich", "pizza", "meat pie", "homework", "soup"}
    chat.requests.clear()
    judge(chat, recipe, "--locale", "en-GB", "--all")
    assert {option for _, option in options_in(chat.requests)} == {"tacos", "salad"}
    # What is known is shown beside.
    assert asked_in(chat.requests[0])["correct answers"] == ["sandwich"]


ONE_AT_A_TIME = {"judge.concurrency": 1}


@pytest.mark.landing
def test_a_reply_that_cannot_be_read_is_asked_again_and_named(chat: Chat, tmp_path: Path):
    recipe = lunch(tmp_path, n_templates=2, verdicts="verdicts.tsv", **ONE_AT_A_TIME)
    fine = reads(chat, OPINIONS)
    chat.script = [ChatReply("Hello!"), ChatReply('{"1": {"verdict": "ok"}}')]
    judge(chat, recipe, "--locale", "en-GB")
    assert [len(body["messages"]) for body in chat.requests] == [2, 4, 4, 2]
    assert "This cannot be read." in chat.requests[2]["messages"][3]["content"]
    (tmp_path / "verdicts.tsv").unlink()
    chat.say = lambda body: ChatReply("No.") if "meal 0" in asked_in(body)["question"] else fine(body)
    assert wrong(lambda: judge(chat, recipe, "--locale", "en-GB")) == (
        "chat:m1@prompt-1: no verdict in 3 tries on food-00 about en-GB; the last reply was 'No.'; have people "
        "decide, or choose another model"
    )
    # What came is kept, and the rest alone is asked for later.
    assert set(read_verdicts(tmp_path / "verdicts.tsv")["template_id"]) == {"food-01"}
    chat.requests.clear()
    chat.say = fine
    judge(chat, recipe, "--locale", "en-GB")
    assert {asked for asked, _ in options_in(chat.requests)} == {question("en-GB")}


@pytest.mark.landing
def test_a_model_that_is_not_up_to_it_is_not_asked_forever(chat: Chat, tmp_path: Path):
    chat.say = lambda _: ChatReply("Hello! How can I help you?")
    told = wrong(lambda: judge(chat, lunch(tmp_path, n_templates=5, **ONE_AT_A_TIME)))
    others = [(f"food-0{n}", tag) for n in range(3) for tag in ("es-MX", "en-AU", "en-GB", "en-US")]
    assert told.startswith("chat:m1@prompt-1: no verdict in 3 tries on food-00 about ")
    assert sum(f"{template_id} about {tag}" in told for template_id, tag in others) == MAX_UNREAD
    assert told.endswith("; after so many the others were not asked")
    assert "\n" not in told
    assert len(chat.requests) == 3 * MAX_UNREAD
    assert not (tmp_path / "verdicts.tsv").exists()
