"""The net of people's work: one journey on a real Label Studio, and what is held after each of its steps.

It knows commands, the server's own interface and files, and no module, so that it holds what people gave while
the code under it changes. ``people/NN-STEP.txt`` is what ``responses/``, ``reviews/`` and, at the end, the
tables of the release held, line for line. ``pytest tests/nets/test_net_people.py --record`` records
them anew.

Nothing is normalised. What may differ does not come into these files:

* pseudonyms, since key file and addresses are fixed, and with them the pseudonyms;
* times and the server's numbers, which neither responses nor reviews nor tables hold;
* the name of the project on the server, another at each run, as tests share a server;
* the bytes of Parquet, which depend on the library that writes it: rows are compared;
* card, reports and manifest of the release, which state versions: the nets of releases hold these.
"""

import json
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from helpers.label_studio.studio_fixtures import StudioForTests, chosen, ranked, typed
from nets.commands import blend

RECORDED = Path(__file__).parent / "people"

HoldText = Callable[[str, Path, str], None]

MINA, JUN, SEO, RIM = "net-mina", "net-jun", "net-seo", "net-rim"
"""Two annotators, one who takes the place of the second, and a reviewer."""

SECRET, SECRET_ENGLISH = "아무도모르는꿀", "honey that nobody knows"
"""What only he answered who is forgotten, and what the reviewer wrote for it."""

PROJECT = """\
name = "{name}"
stages = ["answer", "review"]
recipe = "recipe.toml"
[[locales]]
locale = "ko-KR"
[server]
url = "{url}"
"""
RECIPE = """\
name = "net-of-people"
version = "0.1.0"
license = "cc-by-4.0"
[saq]
wanted = 2
[[sources]]
kind = "responses"
location = "collected"
"""


def answer(*texts: str, reason: str | None = None) -> list[dict[str, Any]]:
    """A page of answers as the browser sends it, or of another reason to give none."""
    if reason is not None:
        return [chosen("other"), typed(reason, control="reason")]
    return [typed(*texts)] if texts else []


def review(
    page: dict[str, Any], groups: dict[str, Sequence[str]], invalid: Sequence[str] = (), reason: str = ""
) -> list[dict[str, Any]]:
    """A page of a review as the browser sends it.

    Args:
        page: The task that the reviewer is shown.
        groups: The answers of every group by its English.
        invalid: What is no answer, and below why.
        reason: Of all of these.
    """
    items = {item["title"]: item["id"] for item in page["data"]["answers"]}
    columns = {f"g{n}": [items[one] for one in group] for n, group in enumerate(groups.values(), start=1)}
    columns["invalid"] = [items[one] for one in invalid]
    english = [typed(text, control=f"english_{n}") for n, text in enumerate(groups, start=1)]
    return [ranked(**columns), *english, *([typed(reason, control="reason")] if reason else [])]


class Journey:
    """A lead's folder, and the people who work for it, each signed in by an account of their own."""

    def __init__(self, folder: Path, studio: StudioForTests, signed_in: ExitStack, hold: HoldText) -> None:
        self.folder, self._studio, self._hold = folder, studio, hold
        people = (MINA, JUN, SEO, RIM)
        self._browsers = {name: signed_in.enter_context(studio.signed_in(name)) for name in people}
        self._sent: dict[tuple[str, int], int] = {}
        self._steps: list[str] = []

    def sync(self) -> None:
        """Bring questions to the server, get what people did, and ask them for what is missing."""
        blend("annotate", "sync", self.folder / "project.toml")

    def project(self, stage: str) -> int:
        """The project on the server where the people of a stage work."""
        return self._studio.project(f"{self.folder.name} {stage} ko-KR")

    def tasks(self, stage: str) -> list[dict[str, Any]]:
        """All tasks of a stage with what was sent, as everybody's browser gets them."""
        query = {"project": self.project(stage), "page_size": 100, "fields": "all"}
        listed = self._browsers[RIM].get("/api/tasks/", params=query).raise_for_status()
        return list(listed.json()["tasks"])

    def page(self, stage: str, template: str) -> dict[str, Any]:
        """The task of a question, the newest if there are several."""
        of_it = [task for task in self.tasks(stage) if task["data"]["template_id"] == template]
        return max(of_it, key=lambda task: int(task["id"]))

    def answers(self, person: str, template: str, *texts: str, reason: str | None = None) -> None:
        """Somebody answers a question, or corrects what they have answered."""
        self._send(person, self.page("answer", template), answer(*texts, reason=reason))

    def reviews(self, template: str, groups: dict[str, Sequence[str]], *invalid: str, reason: str = "") -> None:
        """The reviewer sends the newest page of a question, or corrects it."""
        page = self.page("review", template)
        self._send(RIM, page, review(page, groups, invalid, reason))

    def _send(self, person: str, page: dict[str, Any], result: list[dict[str, Any]]) -> None:
        """Press *Submit*, or *Update* on a page that the person has submitted."""
        browser, body = self._browsers[person], {"result": result, "lead_time": 12.5}
        if number := self._sent.get((person, page["id"])):
            browser.patch(f"/api/annotations/{number}/", json=body).raise_for_status()
        else:
            made = browser.post(f"/api/tasks/{page['id']}/annotations/", json=body).raise_for_status()
            self._sent[person, page["id"]] = made.json()["id"]

    def leaves_a_draft(self, person: str, template: str, *texts: str) -> None:
        """Somebody types, and goes away without *Submit*."""
        path = f"/api/tasks/{self.page('answer', template)['id']}/drafts"
        draft = {"result": answer(*texts), "lead_time": 3}
        self._browsers[person].post(path, json=draft).raise_for_status()

    def deletes_project(self, stage: str) -> None:
        self._browsers[RIM].delete(f"/api/projects/{self.project(stage)}/").raise_for_status()

    def deletes_task(self, stage: str, template: str) -> None:
        number = self.page(stage, template)["id"]
        self._browsers[RIM].delete(f"/api/tasks/{number}/").raise_for_status()

    def everything(self) -> Iterator[tuple[str, str]]:
        """Whatever the files of the folder and the tasks on the server say, with letters as they are."""
        for path in self.folder.rglob("*"):
            if path.is_file():
                text = path.read_text(encoding="utf-8", errors="ignore")
                yield str(path), text + in_letters(text)
        for stage in ("answer", "review"):
            yield stage, json.dumps(self.tasks(stage), ensure_ascii=False)

    def step(self, name: str, held: str | None = None) -> None:
        """Compare with what is recorded what is held after a step: responses and reviews when not given."""
        self._steps.append(f"{len(self._steps) + 1:02}-{name}.txt")
        held = files_of(self.folder / "collected", "responses", "reviews") if held is None else held
        self._hold(f"People's work after {name}", RECORDED / self._steps[-1], held)

    def end(self) -> None:
        """Hold that every recorded file is of a step."""
        assert sorted(path.name for path in RECORDED.glob("*.txt")) == self._steps


def in_letters(text: str) -> str:
    r"""A text of which JSON has written ``\uXXXX``."""
    return re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)


def files_of(folder: Path, *kinds: str) -> str:
    """Every file of some folders, line for line below its name."""
    paths = sorted(path for kind in kinds for path in (folder / kind).rglob("*") if path.is_file())
    return "\n".join(
        f"== {path.relative_to(folder).as_posix()}\n{path.read_text(encoding='utf-8')}" for path in paths
    )


def tables_of(release: Path) -> str:
    """Every table of a release, a row a line."""
    paths = sorted((release / "data").rglob("*.parquet"))
    return "\n".join(
        f"== {path.relative_to(release).as_posix()}\n{pl.read_parquet(path).write_ndjson()}" for path in paths
    )


@pytest.fixture
def journey(label_studio: StudioForTests, tmp_path: Path, hold_text: HoldText) -> Iterator[Journey]:
    folder = tmp_path / f"net-{secrets.token_hex(4)}"
    shutil.copytree(RECORDED / "collected", folder / "collected")
    (folder / "project.toml").write_text(PROJECT.format(name=folder.name, url=label_studio.url))
    (folder / "recipe.toml").write_text(RECIPE)
    (folder / "annotators.key").write_text("5e" * 32 + "\n")
    with ExitStack() as signed_in:
        yield Journey(folder, label_studio, signed_in, hold_text)


@pytest.mark.landing
@pytest.mark.integration
def test_what_people_gave_is_held_after_every_step(journey: Journey):
    people_answer(journey)
    they_are_reviewed(journey)
    one_is_forgotten(journey)
    the_server_loses_work(journey)
    release = journey.folder / "release"
    blend("build", journey.folder / "recipe.toml", "--out", release)
    blend("validate", release)
    journey.step("release", tables_of(release))
    journey.end()


def people_answer(they: Journey) -> None:
    they.sync()
    for template, minas, juns in (
        ("food-01", ["밥", "국", "김치"], ["밥", "빵"]),
        ("food-02", ["비빔밥"], ["라면", "김밥", "떡볶이"]),
        ("food-03", ["소주", "맥주"], []),
        ("gift-01", ["과일", "한과", "홍삼"], []),
        ("holiday-01", ["설날"], ["추석"]),
        ("sport-01", ["축구", "야구"], ["축구"]),
        ("work-01", ["18:00"], ["18:00", "18:30"]),
    ):
        they.answers(MINA, template, *minas)
        if juns:
            they.answers(JUN, template, *juns)
    they.answers(JUN, "food-03", reason="술을 마시지 않아요")
    they.sync()
    they.step("answered")
    # Each after a fetch of its own, so that no other change can bring it along.
    for step, person, template, answers in (
        ("first-edited", MINA, "food-01", ["쌀밥", "국", "김치"]),
        ("middle-edited", MINA, "gift-01", ["과일", "떡", "홍삼"]),
        ("last-edited", JUN, "work-01", ["18:00", "19:00"]),
    ):
        they.answers(person, template, *answers)
        they.sync()
        they.step(step)
    they.answers(MINA, "sport-01", "축구")
    they.answers(JUN, "holiday-01")
    they.sync()
    they.step("cleared")
    they.answers(MINA, "food-02", "비빔밥", "국수")
    they.answers(JUN, "gift-01", "과일", SECRET)
    they.leaves_a_draft(SEO, "holiday-01", "한글날")
    they.sync()
    they.step("added")


def they_are_reviewed(they: Journey) -> None:
    they.reviews("food-01", {"rice": ["쌀밥", "밥"], "soup": ["국"], "kimchi": ["김치"], "bread": ["빵"]})
    noodles = {"bibimbap": ["비빔밥"], "noodles": ["라면", "국수"], "gimbap": ["김밥"]}
    they.reviews("food-02", noodles, "떡볶이", reason="간식")
    they.reviews(
        "gift-01", {"fruit": ["과일"], "rice cake": ["떡"], "ginseng": ["홍삼"], SECRET_ENGLISH: [SECRET]}
    )
    they.reviews("work-01", {"18:00": ["18:00"], "19:00": ["19:00"]})
    they.sync()
    they.step("reviewed")
    they.answers(MINA, "food-01", "오트밀", "국", "김치")
    they.answers(JUN, "food-02", "라면", "김밥")
    they.reviews("work-01", {"18:00": ["18:00"]}, "19:00", reason="야근")
    they.sync()
    they.step("edited-after-the-review")
    they.reviews(
        "food-01", {"rice": ["밥"], "porridge": ["오트밀"], "soup": ["국"], "kimchi": ["김치"], "bread": ["빵"]}
    )
    they.sync()
    they.step("reviewed-again")


def one_is_forgotten(they: Journey) -> None:
    traces = (SECRET, SECRET_ENGLISH, f"{JUN}@example.org")
    assert [trace for trace in traces if not any(trace in text for _, text in they.everything())] == []
    blend("annotate", "forget", they.folder / "project.toml", f"{JUN}@example.org", "--yes")
    they.step("forgotten")
    they.sync()
    they.step("forgotten-and-fetched")
    assert [(where, trace) for where, text in they.everything() for trace in traces if trace in text] == []


def the_server_loses_work(they: Journey) -> None:
    they.deletes_project("answer")
    for step in ("project-deleted", "project-made-anew"):
        they.sync()
        they.step(step)
    they.answers(SEO, "food-01", "밥", "빵")
    for template, answer in (
        ("gift-01", "과일"),
        ("holiday-01", "추석"),
        ("work-01", "18:00"),
        ("sport-01", "야구"),
    ):
        they.answers(SEO, template, answer)
    they.sync()
    they.reviews("holiday-01", {"Lunar New Year": ["설날"], "Chuseok": ["추석"]})
    they.sync()
    they.step("another-in-place")
    they.deletes_task("answer", "sport-01")
    they.sync()
    they.step("task-deleted")
