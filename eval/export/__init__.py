"""Export: a release's questions as tasks of the evaluation harness that somebody already uses.

The prompts and options are those of our own items (`blend.eval.registry`), written out text by text, so that a
harness asks exactly what ``blend eval run`` asks.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from blend.eval.export.harness_questions import Exported, Questions
from blend.eval.export.inspect import inspect_files
from blend.eval.export.lighteval import lighteval_files
from blend.eval.export.lm_eval import lm_eval_files
from blend.eval.release_items import read_items
from blend.eval.task import Task
from blend.loaders.files.new_files import write_new_files
from blend.loaders.files.own_folders import check_own_folder
from blend.schemas.errors import UnknownNameError

HARNESSES: dict[str, Callable[[Questions], Mapping[str, str | bytes]]] = {
    "lm-eval": lm_eval_files,
    "lighteval": lighteval_files,
    "inspect": inspect_files,
}
"""By name of the harness, what writes its files: path in the folder to content."""


def export_tasks(
    release: str | Path,
    harness: str,
    out: Path,
    *,
    task: Task,
    style: str = "letters",
    locales: Sequence[str] | None = None,
    limit: int | None = None,
) -> Exported:
    """Write questions of a release as tasks of a harness.

    Args:
        release: A directory, or ``org/name@v1.0.0`` on the Hub.
        harness: Name of the harness (`HARNESSES`).
        out: Directory to make; it must be empty or not there.
        task: A task whose items have options.
        style: ``letters`` or ``texts``, as ``blend eval run`` has them; inspect knows letters only.
        locales: Regions, by any of their names; all when absent.
        limit: Templates per region at most; all when absent.

    Returns:
        What was written, and how to run it.

    Raises:
        UnknownNameError: If there is no such harness; lists those there are.
        InputError: If the release has no such questions, if the harness has no such style, or if
            ``out`` is not an empty directory.
        StorageError: If it cannot be written; nothing is left there then.
    """
    if harness not in HARNESSES:
        raise UnknownNameError("harness", harness, HARNESSES)
    check_own_folder(out)
    asked = read_items(release, task, locales=locales, limit=limit, style=style)
    questions = Questions.of(asked, style)
    files = HARNESSES[harness](questions)
    written = write_new_files(out, files, parameter="out")
    return Exported(questions.task, len(questions.rows), tuple(questions.regions), tuple(written))
