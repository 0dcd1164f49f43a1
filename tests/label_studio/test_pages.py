"""The pages in a real browser: on a phone, by keyboard, and what they say when something is missing."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from blend.builders.annotation.project import ORDER, ProjectFile, StageName
from blend.builders.annotation.starting import check_project
from blend.builders.annotation.status import project_status, pulled_accounts
from blend.builders.annotation.ui_strings import ui_strings_of
from blend.loaders.responses.verdicts import read_verdicts
from helpers.in_process import run
from helpers.label_studio.annotation_projects import push, push_sample
from helpers.label_studio.annotator_in_browser import Annotator, annotator
from helpers.label_studio.studio_fixtures import StudioForTests, ticked, typed
from helpers.questions.lunch import lunch

pytestmark = pytest.mark.integration  # a real Label Studio and a real browser

Answering = Callable[..., AbstractContextManager[Annotator]]

IN_PERSIAN = ("answer", "review", "mcq-review")
"""The stages of which the instruction is translated."""


@pytest.fixture
def answering(label_studio: StudioForTests, project: Callable[..., ProjectFile], chromium: str) -> Answering:
    """Opens the first of two questions for somebody, in a language."""

    @contextmanager
    def opened(tag: str, *, phone: bool = False) -> Iterator[Annotator]:
        file = project(label_studio.url, wanted="1")
        push(file.path)
        with annotator(chromium, label_studio.url, phone=phone) as person:
            person.sign_up(f"{file.project.name}@example.org")
            person.begin(label_studio.project(f"{file.project.name} answer {tag}"))
            yield person

    return opened


@pytest.fixture
def sampled(label_studio: StudioForTests, tmp_path: Path, chromium: str) -> Callable[..., Any]:
    """Brings stages of the sample, without its answers to edu-01, to the server, for somebody new."""
    name = f"p{sha256(str(tmp_path).encode()).hexdigest()[:10]}"

    @contextmanager
    def opened(
        tag: str, stages: Sequence[StageName], *, phone: bool = False
    ) -> Iterator[tuple[Annotator, dict[StageName, int]]]:
        push_sample(tmp_path, name, label_studio.url, tag, stages, keys="questions_per_topic = 3")
        with annotator(chromium, label_studio.url, phone=phone) as person:
            person.sign_up(f"{name}@example.org")
            yield person, {stage: label_studio.project(f"{name} {stage} {tag}") for stage in stages}

    return opened


def values(sent: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """What was sent, by the name of the control."""
    return [(one["from_name"], next(iter(one["value"].values()))) for one in sent]


def shown(person: Annotator, text: str) -> bool:
    """Whether a sentence of the page can be seen."""
    return person.page.locator(".blend").get_by_text(text, exact=True).is_visible()


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize("tag", ["fa-IR", "en-US"])
def test_all_stages_fit_on_a_phone(sampled: Callable[..., Any], tag: str):
    with sampled(tag, ORDER, phone=True) as (person, projects):
        for stage, number in projects.items():
            person.begin(number)
            person.submit_button().wait_for()
            # Label Studio shows its pages at nine tenths of their size: 433 pixels of them on 390 of a phone.
            wide, high, whole = person.page.evaluate(
                "[innerWidth, innerHeight, document.documentElement.scrollWidth]"
            )
            assert wide == whole == 433, stage
            button = person.submit_button().bounding_box()
            assert button is not None
            assert 0 <= button["x"] <= wide - button["width"], stage
            assert button["y"] + button["height"] <= high, stage
            assert person.submit_button().is_enabled(), stage
            beyond = person.page.evaluate(
                "[...document.querySelectorAll('.blend *')].filter(part => {"
                " const box = part.getBoundingClientRect();"
                " return part.offsetWidth && (box.right > innerWidth + 1 || box.left < -1) })"
                ".map(part => part.outerHTML.slice(0, 200))"
            )
            assert beyond == [], stage
            side = person.page.evaluate("getComputedStyle(document.querySelector('.blend')).direction")
            # A page of which the instruction is not translated is in English, and runs as English does.
            assert side == ("rtl" if tag == "fa-IR" and stage in IN_PERSIAN else "ltr"), stage
        person.begin(projects["review"])
        assert shown(person, ui_strings_of(tag[:2])["hold_to_drag"])


def test_what_is_typed_counts_without_enter_and_nothing_is_not_sent(answering: Answering):
    with answering("fa-IR", phone=True) as person:
        first, needed = person.question(), ui_strings_of("fa")["answers_needed"]
        person.submit_button().click()
        person.page.locator(".ant-modal, [role=dialog]").get_by_text(needed).wait_for()
        person.page.reload()
        person.fields().first.fill("نان")
        assert values(person.submit(by_button=True)) == [("answers", ["نان"])]
        person.next_question(first)
        person.fields().first.fill("۱۷:۰۰")
        person.page.get_by_test_id("textarea-add-button").first.click()
        person.fields().first.fill("۱۸:۰۰")
        assert values(person.submit(by_button=True)) == [("answers", ["۱۷:۰۰", "۱۸:۰۰"])]


def test_who_does_not_know_sends_no_answer_and_can_take_it_back(answering: Answering):
    idk, aside = (ui_strings_of("ko")[name] for name in ("idk", "answers_put_aside"))
    with answering("ko-KR", phone=True) as person:
        first = person.question()
        person.type_answers("밥")
        assert not shown(person, aside)
        person.page.get_by_label(idk).click()
        assert shown(person, aside)
        assert not person.fields().first.is_visible()
        assert values(person.submit(by_button=True)) == [("non_answer", ["idk"])]
        person.next_question(first)
        person.type_answers("18:00")
        for _ in range(2):
            person.page.get_by_label(idk).click()
        assert not shown(person, aside)
        assert values(person.submit(by_button=True)) == [("answers", ["18:00"])]


def test_one_tab_leads_into_the_line_and_what_is_typed_beside_it_chooses_nothing(answering: Answering):
    with answering("ko-KR") as person:
        first = person.question()
        assert shown(person, ui_strings_of("ko")["start"])
        person.tab()
        person.type_answers("밥", "국", "김치")
        assert not person.fields().first.is_visible()
        person.page.keyboard.type("13:24")
        assert values(person.submit(tab=False)) == [("answers", ["밥", "국", "김치"])]
        person.next_question(first)
        person.tab()
        person.press("Shift+3")
        assert person.page.get_by_label(ui_strings_of("ko")["idk"]).is_checked()
        person.press("Shift+4")
        person.page.keyboard.press("Tab")
        person.page.keyboard.type("안 먹어요")
        assert values(person.submit()) == [("non_answer", ["other"]), ("reason", ["안 먹어요"])]


@pytest.mark.parametrize("stage", ["collect", "answer"])
def test_tab_leads_from_the_instruction_into_the_line_and_nothing_is_skipped_or_sent(
    sampled: Callable[..., Any], stage: StageName
):
    with sampled("en-US", [stage]) as (person, projects):
        person.begin(projects[stage])
        skip = person.page.get_by_test_id("bottombar-skip-button")
        assert skip.count() == int(stage == "collect")
        sent: list[str] = []
        person.page.on("request", lambda asked: sent.append(asked.url) if "/annotations" in asked.url else None)
        instruction = person.page.locator(".blend").get_by_text("Ctrl+Enter")
        header = person.page.get_by_text(ui_strings_of("en")["instruction"])
        # Opened, read with the mouse, and folded again.
        for clicked in (header, instruction, header):
            clicked.click()
            person.page.keyboard.press("Tab")
            person.page.keyboard.type("cheese on toast ")
            assert person.fields().first.input_value() == "cheese on toast "
            person.fields().first.clear()
        if stage == "answer":
            person.press("Control+Space")
            person.page.wait_for_timeout(1_000)
        assert sent == []


def test_options_are_read_by_keyboard_alone_and_by_a_third_where_two_differ(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], chromium: str
):
    settings = {"stages": '["mcq-review"]', "recipe": '"collected/recipe.toml"'}
    file = project(label_studio.url, locales=["en-GB"], **settings)
    lunch(file.collected)
    push(file.path)
    title = f"{file.project.name} mcq-review en-GB"
    ((name, task),) = label_studio.tasks(title).items()
    assert name.startswith("mcq-review/en-GB/food-00/")
    with annotator(chromium, label_studio.url) as person:
        person.sign_up(f"{file.project.name}@example.org")
        person.begin(label_studio.project(title))
        for key in ("b", "Shift+A", "f", "f"):
            person.press(key)
        assert values(person.submit(tab=False)) == [("also_right", ["pizza"]), ("silly", ["meat pie"])]
        assert person.complaints == []
    label_studio.annotate(task, label_studio.person("jun"), ticked("silly", "meat pie"))
    assert f"{title}: 1 task asked of more people\n" in run("annotate", "sync", file.path)
    remote = label_studio.sdk.tasks.get(str(task))
    assert (remote.overlap, remote.is_labeled) == (3, False)
    verdicts = read_verdicts(file.base / "decided" / "verdicts.jsonl")
    shown = ["sandwich", "meat pie", "pizza", "tacos", "homework", "salad", "soup"]
    assert sorted(verdicts.select("option", "verdict").iter_rows()) == sorted(
        [(option, "silly" if option == "meat pie" else "ok") for option in shown]
        + [(option, {"meat pie": "silly", "pizza": "also_correct"}.get(option, "ok")) for option in shown]
    )
    # What natives have read is not asked again, and what they are at stays.
    recipe = file.collected / "recipe.toml"
    text = recipe.read_text().partition("[mcq]")[0]
    recipe.write_text(f'{text}[mcq]\nverdicts = "../decided/verdicts.jsonl"\n')
    assert run("annotate", "sync", file.path, "--only", "push").startswith("Everything is there")
    assert len(label_studio.tasks(title)) == 1


@pytest.mark.parametrize("phone", [True, False])
def test_reminders_lead_to_what_the_person_has_begun_or_sent(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], chromium: str, phone: bool
):
    file = project(label_studio.url, locales=["ko-KR"], wanted="3")
    push(file.path)
    name, title = file.project.name, f"{file.project.name} answer ko-KR"
    food, work = sorted(label_studio.tasks(title).items())
    with annotator(chromium, label_studio.url, phone=phone) as person:
        person.sign_up(f"{name}@example.org")
        me, other = label_studio.person(name), label_studio.person("other")
        label_studio.annotate(food[1], me, typed("   "))
        person.begin(label_studio.project(title))
        with person.page.expect_response(lambda answer: "/drafts" in answer.url):
            person.type_answers("18:00")
        for _, task in (food, work):
            label_studio.annotate(task, other, typed("theirs"))
        accounts = pulled_accounts(file.path)
        status = project_status(check_project(file.path), today=datetime.now(UTC).date(), accounts=accounts)
        mine = {number: who for who, number in status.names.items()}[f"{name}@example.org"]
        reminders = status.tables["reminders"].frame.filter(annotator=mine)
        links = dict(reminders.select("reminder", "link").iter_rows())
        person.page.goto(links["begun and not sent, press Submit"])
        person.page.locator(".blend").get_by_text("18:00").wait_for()
        person.submit_button().wait_for()
        (blank,) = (what for what in links if what.startswith("blank or far too long, open the tab"))
        person.page.goto(links[blank])
        person.page.locator(".blend").get_by_text("theirs").wait_for()
        tab = person.page.locator(".lsf-annotation-button", has_text=name[:6])
        tab.tap() if phone else tab.click()
        person.page.locator(".blend").get_by_text("theirs").wait_for(state="detached")
        person.type_answers("밥")
        with person.page.expect_response(lambda answer: answer.request.method == "PATCH") as sent:
            person.page.get_by_test_id("bottombar-update-button").click()
        assert sent.value.json()["completed_by"] == me
    given = {one.completed_by: one.result for one in label_studio.sdk.annotations.list(food[1])}
    assert given[other][0]["value"] == {"text": ["theirs"]}
    assert "밥" in given[me][0]["value"]["text"]
