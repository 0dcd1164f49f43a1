"""What a push says it did, with one task and with several."""

import pytest

from blend.loaders.label_studio.plan import ProjectPlan, WantedProject
from blend.loaders.label_studio.remote import RemoteProject, RemoteTask, marked
from blend.views.annotation import push_lines

WANTED = WantedProject("trial/answer/ko-KR", "trial answer ko-KR", "<View/>", 2, ())
REMOTE = RemoteProject(1, WANTED.title, marked(WANTED.name), WANTED.config, 2)


@pytest.mark.parametrize(
    ("n", "left", "answered", "begun"),
    [
        (
            1,
            "1 task is not asked for any more, and stays",
            "1 task would show something else now, and stays as people have annotated it",
            "1 task stays though it would be shown anew or removed: it has a draft",
        ),
        (
            2,
            "2 tasks are not asked for any more, and stay",
            "2 tasks would show something else now, and stay as people have annotated them",
            "2 tasks stay though they would be shown anew or removed: they have drafts",
        ),
    ],
)
def test_one_task_is_and_two_are(n: int, left: str, answered: str, begun: str):
    tasks = tuple(RemoteTask(number, {}, 1, 2) for number in range(n))
    nothing = "Everything is there: 1 project. Nothing was changed."
    plan = ProjectPlan(WANTED, REMOTE, (), left=tasks)
    assert push_lines([plan], dry_run=False) == [f"{WANTED.title}: {left}", nothing]
    plan = ProjectPlan(WANTED, REMOTE, (), answered=tasks)
    assert push_lines([plan], dry_run=False) == [f"{WANTED.title}: {answered}", nothing]
    plan = ProjectPlan(WANTED, REMOTE, (), begun=tasks)
    assert push_lines([plan], dry_run=False) == [f"{WANTED.title}: {begun}", nothing]


def test_the_first_questions_that_ask_in_other_words_are_named():
    tasks = tuple(RemoteTask(number, {"template_id": f"food-{number}"}, 1, 2) for number in range(1, 8))
    plan = ProjectPlan(WANTED, REMOTE, (), answered=tasks, reworded=tasks)
    assert push_lines([plan], dry_run=True)[0] == (
        f"{WANTED.title}: 7 tasks that people have annotated ask in other words than now, and stay: food-1, "
        "food-2, food-3, food-4, food-5 and 2 more; give what asks for something else now an id of its own, so "
        "that it is asked anew"
    )
