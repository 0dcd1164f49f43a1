"""People on a server in memory: who did what, whom to remind, and who is to be forgotten."""

import json

import polars as pl
import pytest

from blend.builders.annotation import forgetting
from blend.builders.annotation.forgetting import forget_person
from blend.builders.annotation.project import ProjectFile, project_key, pseudonym
from blend.builders.annotation.syncing import sync_project
from blend.loaders.label_studio.events import read_events
from blend.loaders.responses import read_responses
from helpers.label_studio.exported import write_lines
from helpers.label_studio.fake_studio import FOOD, WORK, FakeStudio, annotate, page, review, rows, who
from helpers.label_studio.studio_fixtures import chosen, typed
from helpers.messages import wrong

pytestmark = pytest.mark.slow

# Status.


def test_status_says_who_did_what_and_whom_to_remind(reviewed: ProjectFile, fake: FakeStudio):
    file, number = reviewed, fake.of_tasks[fake.task(FOOD)][0]
    fake.draft(WORK, "lee")
    fake.draft(FOOD, "lee", of=fake.annotate(FOOD, "lee", typed("라면")))
    fake.annotate(WORK, "kim", typed("   "))
    fake.person("seo")
    pages, table = file.base / "status.html", file.base / "pay.csv"
    file.path.write_text("rate = 12\n" + file.path.read_text())
    told = annotate("status", file.path, "--html", pages, "--payment", table)
    link, kim = f"http://fake/projects/{number}/data", who(file, "kim")
    assert f"t answer ko-KR: {link}?labeling=1\n" in told
    assert "kim@example.org" in told
    assert "lead@example.org" not in told
    food, page = (f"task={fake.task(task)}" for task in (FOOD, WORK))
    begun = "1 question waits for you, and you have not begun"
    reminders = [
        ("kim", "blank or far too long, open the tab with your name above the question, and change it", page),
        ("lee", "changed and not sent, open the tab with your name above the question, press Update", food),
        ("lee", "begun and not sent, press Submit", page),
        ("lee", "1 question waits for you", "labeling=1"),
        ("rim", "1 question waits for you", "labeling=1"),
        ("seo", begun, "labeling=1"),
    ]
    assert told.partition("Reminders, to be sent by you:\n")[2].splitlines() == [
        f"  {name}@example.org: {what}: {link}?{where}"
        for name, what, where in sorted(reminders, key=lambda row: who(file, row[0]))
    ]
    # Names stand on the screen alone, and nothing finer than a day leaves the pull folder.
    text = pages.read_text("utf-8")
    assert kim in text
    assert f'<a href="{link}?{page}">open</a>' in text
    assert f'<a href="{link}?labeling=1">' in text
    assert "example.org" not in text + table.read_text() + annotate("status", file.path, "--json")
    assert "10:0" not in text
    paid = {row["person"]: row for row in pl.read_csv(table).to_dicts()}
    figures = {"counted": 1, "seconds": 30.0, "let_go": 0, "seconds_let_go": 0.0, "rate": 12.0, "pay": 0.1}
    assert paid[kim] == {"person": kim, **figures}
    found = json.loads(annotate("status", file.path, "--offline", "--json"))
    (korean,) = found["locales"]
    counts = ("questions", "complete", "open", "valid", "needed", "reviewed", "to_review")
    assert [korean[name] for name in counts] == [2, 1, 1, 2, 2, 1, 0]
    assert {row["annotator"] for row in found["reminders"]} == {kim, who(file, "lee")}
    # Those whom the project file names are reminded, and nobody else.
    named = 'locale = "ko-KR"\nannotators = ["han@example.org", "kim@example.org"]'
    file.path.write_text(file.path.read_text().replace('locale = "ko-KR"', named))
    told = annotate("status", file.path)
    assert "  han@example.org: 2 questions wait for you, and you have not begun: " in told
    assert "  seo@" not in told
    assert (
        f"\nunknown-annotator: 1\n{file.pulled}/findings.csv has each of these findings, with where it is.\n"
    ) in annotate("sync", file.path)


def named(file: ProjectFile, **people: str) -> None:
    """Name people of the locale in the project file."""
    lists = "".join(f'{key} = ["{who}@example.org"]\n' for key, who in people.items())
    text = file.path.read_text().replace('locale = "ko-KR"\n', f'locale = "ko-KR"\n{lists}')
    file.path.write_text(text.replace("wanted = 2", "wanted = 1"))


def test_who_is_left_out_and_what_all_who_are_named_have_done_is_told(file: ProjectFile, fake: FakeStudio):
    fake.annotate(FOOD, "clara", typed("라면"))
    fake.annotate(FOOD, "kim", typed("라면"))
    sync_project(file.path)
    named(file, annotators="klara")
    file.path.write_text(file.path.read_text().replace('["klara', '[" Kim@Example.org", "klara'))
    told = (
        "1 annotation by clara@example.org in ko-KR is left out, since the project file names annotators there "
        "and not them.\n"
    )
    assert told in annotate("sync", file.path)
    for more in ([], ["--offline"]):
        assert told in annotate("status", file.path, *more)
    assert "clara@" not in annotate("status", file.path, "--json")
    fake.annotate(FOOD, "klara", chosen("idk"))
    for name in ("kim", "klara"):
        assert "all who are named" not in annotate("status", file.path)
        # Who has sent a blank is reminded to change it: nobody else is needed for that.
        fake.annotate(WORK, name, typed(" "))
        assert "all who are named" not in annotate("status", file.path)
        fake.annotate(WORK, name, chosen("idk"))
    told = annotate("status", file.path)
    assert "all who are named for answer have answered or skipped work-01; name more people.\n" in told


def test_a_page_with_new_answers_waits_for_its_reviewer_and_for_another_one_once_it_is_skipped(
    reviewed: ProjectFile, fake: FakeStudio
):
    named(reviewed, reviewers="rim")
    assert "for a review" not in annotate("status", reviewed.path)
    fake.annotate(FOOD, "seo", typed("죽"))
    annotate("sync", reviewed.path)
    reminder = "  rim@example.org: 1 question waits for a review: http://fake/"
    assert reminder in annotate("status", reviewed.path)
    (korean,) = json.loads(annotate("status", reviewed.path, "--offline", "--json"))["locales"]
    assert (korean["reviewed"], korean["to_review"]) == (0, 1)
    fake.annotate(page(fake), "rim")
    fake.given[fake.task(page(fake))][0] |= {"was_cancelled": True, "lead_time": 2.0}
    told = annotate("status", reviewed.path)
    assert "ko-KR: all who are named for review have answered or skipped food-01; name more people.\n" in told
    assert "for a review" not in told
    found = json.loads(annotate("status", reviewed.path, "--offline", "--json"))
    assert (found["stuck"]["review"], found["locales"][0]["to_review"]) == ({"ko-KR": ["food-01"]}, 1)
    assert [row["seconds"] for row in found["people"]] == [30.0] * 4
    # Whoever is named besides is reminded, and nobody else.
    text = reviewed.path.read_text()
    reviewed.path.write_text(text.replace('"rim@example.org"', '"rim@example.org", "han@example.org"'))
    told = annotate("status", reviewed.path)
    assert "all who are named" not in told
    assert "  han@example.org: 1 question waits for a review, and you have not begun: " in told
    assert told.count("for a review") == 1


RECIPE = 'name = "t"\nversion = "1.0.0"\nsaq = {wanted = 2}\nsources = [{kind = "responses", location = "."}]\n'


def name_recipe(file: ProjectFile, recipe: str, *stages: str) -> None:
    """Write a recipe beside the responses, and name it and more stages in the project file."""
    (file.collected / "recipe.toml").write_text(recipe)
    text = file.path.read_text().replace('"review"', ", ".join(f'"{stage}"' for stage in ("review", *stages)))
    file.path.write_text('recipe = "collected/recipe.toml"\n' + text)


VERDICTS = '[mcq]\nverdicts = "../decided/verdicts.jsonl"\n'


@pytest.mark.parametrize(
    ("recipe", "reason"),
    [
        (RECIPE, "the recipe has answers of enough regions (4 of 4 questions cannot become "),
        # The build takes verdicts that nobody has given yet, and waits for other regions alone.
        (RECIPE + VERDICTS, "the recipe has answers of enough regions (4 of 4 questions cannot become "),
        (RECIPE.replace('"."', '"gone"'), "a build takes what people gave ("),
    ],
)
def test_options_wait_for_what_makes_questions(
    reviewed: ProjectFile, fake: FakeStudio, recipe: str, reason: str
):
    name_recipe(reviewed, recipe, "mcq-review")
    told = annotate("sync", reviewed.path)
    (waits,) = (line for line in told.splitlines() if line.startswith("t mcq-review ko-KR: gets"))
    assert waits.startswith(f"t mcq-review ko-KR: gets its tasks once {reason}")
    assert waits.endswith("), by `blend annotate sync`")
    assert (reviewed.base / "decided" / "verdicts.jsonl").read_text() == ""


# Being forgotten.


def assert_nowhere(file: ProjectFile, annotator: str) -> None:
    """Nothing tells of Kim, nor of what only Kim answered, and what a reviewer wrote for it."""
    for path in [*file.pulled.rglob("*"), *file.collected.rglob("*")]:
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            for trace in ("kim@", annotator, "김밥", json.dumps("김밥").strip('"'), "gimbap"):
                assert trace not in text, path


def test_who_is_forgotten_is_nowhere_and_does_not_come_back(reviewed: ProjectFile, fake: FakeStudio):
    file, kim = reviewed, who(reviewed, "kim")
    fake.draft(WORK, "kim")
    old = json.loads(json.dumps(fake.given))
    assert wrong(lambda: annotate("forget", file.path, "kim@example.org")) == (
        "Delete everything that kim@example.org did in t, here and on http://fake, also from the table of "
        "payment? Nobody is there to answer, and nothing was changed; say --yes"
    )
    assert wrong(lambda: forget_person(file, "p-000000000000")) == (
        "p-000000000000 has done nothing in this project, as far as it was pulled; `blend annotate status` "
        "lists who has"
    )
    account, projects = fake.person("kim"), sorted(fake.of_projects)
    copies = " ".join(f"export/project-{number}-at-* media/export/{number}/" for number in projects)
    kept = f"exports and copies of {file.pulled} that you kept elsewhere, old versions of its events in git"
    assert annotate("forget", file.path, "kim@example.org", "--yes").splitlines() == [
        f"{kim}: 1 line of the events removed from {file.pulled}; they will not come back.",
        "On http://fake: 1 annotation and 1 draft deleted, and 1 page of reviews that showed their answers.",
        f"{file.collected}/responses/ko-KR.jsonl: 1 row now",
        f"{file.collected}/reviews/ko-KR.jsonl: 1 row now",
        "Left to do by hand:",
        f"  delete account {account} on the server, unless the person works in another project there",
        f"  delete the copies of exports in the data folder of the server: {copies}",
        f"  delete {kept}, and status pages",
        "  remove answers that were theirs alone from reviews and sheets of `blend reviews` of your own",
        "  publish a new version of releases that hold what they answered (docs/publishing.md)",
    ]
    assert_nowhere(file, kim)
    (left,) = rows(file, "reviews")
    assert left["groups"] == [{"answers": ["라면"], "en_answers": ["instant noodles"]}]
    # A server that was set back to a backup brings nothing back, nor does another order to forget.
    fake.given[fake.task(FOOD)] = old[str(fake.task(FOOD))]
    fake.touch(fake.task(FOOD), "later")
    sync_project(file.path)
    assert_nowhere(file, kim)
    forget_person(file, kim)
    assert_nowhere(file, kim)
    # The page of the review comes anew with what was decided, once there are answers enough.
    fake.annotate(FOOD, "seo", typed("라면"))
    sync_project(file.path)
    assert fake.of_tasks[fake.task(page(fake))][1].data["answers"][0]["title"] == "라면"
    read_responses(file.collected)
    # The review that was done before stays paid.
    review(fake, "rim", ("라면", "ramen"))
    annotate("status", file.path, "--payment", file.base / "pay.csv")
    paid = pl.read_csv(file.base / "pay.csv").filter(person=who(file, "rim"))
    assert paid.select("counted", "seconds").rows() == [(2, 60.0)]
    assert rows(file, "reviews")[0]["groups"] == [{"answers": ["라면"], "en_answers": ["ramen"]}]


def test_a_page_that_shows_answers_of_the_forgotten_stays_while_others_have_begun_it(
    reviewed: ProjectFile, fake: FakeStudio
):
    file, before = reviewed, page(fake)
    number = fake.task(before)
    # What the person has typed over is not theirs alone.
    lees = fake.annotate(FOOD, "lee", typed("라면", "죽"))
    next(one for one in fake.given[fake.task(FOOD)] if one["id"] == lees)["updated_by"] = fake.person("kim")
    fake.draft(before, "seo")
    told = annotate("forget", file.path, "kim@example.org", "--yes")
    link = f"http://fake/projects/{fake.of_tasks[number][0]}/data?task={number}"
    assert f"  look at {link}: a reviewer has begun it, and it shows what the person answered" in told
    assert f"  have annotation {lees} of {who(file, 'lee')} on {FOOD} sent again by its author" in told
    fake.delete("drafts", fake.typed[number][0]["id"])
    annotate("forget", file.path, "kim@example.org", "--yes")
    assert number not in fake.of_tasks
    sync_project(file.path)
    shown = str([task.data for _, task in fake.of_tasks.values()])
    for trace in ("김밥", who(file, "kim")):
        assert trace not in shown + str(read_events(file.pulled / "events.jsonl"))


def test_forgetting_that_is_stopped_anywhere_goes_on(reviewed: ProjectFile, monkeypatch: pytest.MonkeyPatch):
    kim, own = who(reviewed, "kim"), reviewed.collected / "reviews/ko-KR.own.jsonl"
    own.write_text(json.dumps(rows(reviewed, "reviews")[0] | {"reviewer": "r02"}) + "\n")

    def interrupted(*_arguments: object, **_named: object) -> None:
        raise KeyboardInterrupt

    for step in ("remember", "rewritten", "_erase", "_clear_reviews"):
        with monkeypatch.context() as stopped, pytest.raises(KeyboardInterrupt):
            stopped.setattr(forgetting, step, interrupted)
            forget_person(reviewed, kim)
        # Nor does a pull in between bring anything back.
        sync_project(reviewed.path, only="pull")
    forget_person(reviewed, kim)
    # What people wrote as files themselves is theirs to change, also what somebody else has brought from a
    # table of the same people, and what they reviewed.
    typed_elsewhere = reviewed.collected / "responses/ko-KR.form.jsonl"
    seo = pseudonym("seo@example.org", project_key(reviewed))
    write_lines(typed_elsewhere, [{"template_id": "food-01", "annotator": seo, "answers": ["김밥"]}])
    own.write_text(own.read_text().replace("r02", seo))
    assert (
        f"remove the rows of the person from {typed_elsewhere}, {own}" in forget_person(reviewed, seo).by_hand
    )
    typed_elsewhere.unlink()
    own.unlink()
    assert_nowhere(reviewed, kim)
