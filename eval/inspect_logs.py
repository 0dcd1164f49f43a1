"""Logs of ``inspect eval blend/TASK``: what they say of the run, so that nobody says it again."""

from pathlib import Path

from blend.eval.evaluation import run_task
from blend.eval.models.chosen import Recorded
from blend.eval.registry import task_of
from blend.eval.runs.answer_logs import read_header
from blend.eval.runs.run_directory import Run
from blend.eval.task import WrittenOptions
from blend.schemas.errors import InputError


def run_of_log(log: str | Path, out: str | Path, *, release: str | Path | None = None) -> Run:
    """Make a run of the answers in a log of one of our tasks for Inspect; it names release, task and options.

    Args:
        log: The log, ``.eval`` or ``.json``.
        out: Directory of the run.
        release: The release where it does not lie where the log says; as `run_task` takes it.

    Raises:
        InputError: If the log is not of one of our tasks, or as `run_task`.
        RowError: If it cannot be read.
    """
    asked = read_header(Path(log)).get("eval") or {}
    package, _, name = str(asked.get("task_registry_name") or asked.get("task")).partition("/")
    options = {**(asked.get("task_args") or {})}
    if package != "blend" or "release" not in options:
        raise InputError(
            f"{log}: not a log of `inspect eval blend/TASK`, so it does not say what was asked; name "
            "release and task yourself: `blend eval run RELEASE --task TASK --answers LOG`"
        )
    named, task = options.pop("release"), name.replace("_", "-")
    epochs = (asked.get("config") or {}).get("epochs") or 1
    if epochs > 1 and issubclass(task_of(task).options, WrittenOptions):
        options = {"samples": epochs, **options}
    answers = Recorded(path=Path(log), name=asked.get("model"))
    return run_task(release or named, task, answers, out, **options)
