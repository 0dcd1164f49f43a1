"""What a push says it did, with one task and with several."""

from blend.loaders.label_studio.plan import ProjectPlan, RemoteProject, RemoteTask, WantedProject, marked
from blend.views.annotation import push_lines

WANTED = WantedProject("trial/answer/ko-KR", "trial answer ko-KR", "<View/>", 2, ())
REMOTE = RemoteProject(1, WANTED.title, marked(WANTED.name), WANTED.config, 2)
TASK = RemoteTask(1, {"template_id": "a"}, 1, 2)


def test_one_task_is_and_two_are():
    one, two = (
        push_lines(
            [ProjectPlan(WANTED, REMOTE, (), kept=(RemoteTask(1, {"template_id": "a"}, 1, 2),) * n)],
            dry_run=False,
        )
        for n in (1, 2)
    )
    so = "that people have annotated or begun"
    it = f"1 task {so} stays, though it would show something else now, or is not asked for any more: a"
    they = f"2 tasks {so} stay, though they would show something else now, or are not asked for any more: a, a"
    nothing = "Everything is there: 1 project. Nothing was changed."
    assert one == [f"{WANTED.title}: {it}", nothing]
    assert two == [f"{WANTED.title}: {they}", nothing]
