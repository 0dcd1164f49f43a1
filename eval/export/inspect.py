"""Tasks for Inspect (``inspect-ai``): a Python file, and beside it the questions and how a letter is read.

Inspect asks for a written answer, so only the style with option letters makes sense there.
"""

from collections.abc import Mapping

from blend.eval.export.harness_questions import Questions
from blend.eval.export.letter_pattern import letter_pattern
from blend.schemas.errors import InputError

_TASK = '''\
"""{release}: {n} multiple-choice questions about {k} regions.

    inspect eval {file} --model PROVIDER/MODEL
    inspect eval {file} --model PROVIDER/MODEL -T region={first}
"""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.scorer import accuracy, grouped, pattern, stderr
from inspect_ai.solver import generate

QUESTIONS = Path(__file__).with_name("questions.jsonl")
LETTER = Path(__file__).with_name("letter.regex")


@task
def {task}(region: str | None = None) -> Task:
    questions = json_dataset(
        str(QUESTIONS),
        FieldSpec(input="prompt", target="letter", id="item_id", metadata=["region", "topic", "template_id"]),
    )
    if region is not None:
        questions = questions.filter(lambda sample: sample.metadata["region"] == region)
    return Task(
        dataset=questions,
        solver=[generate()],
        # A letter that the answer announces, or that stands alone; an answer without one is wrong.
        scorer=pattern(LETTER.read_text(encoding="utf-8"), ignore_case=False),
        # Questions of one template are not independent, so the standard error is clustered by template.
        metrics=[accuracy(), stderr(cluster="template_id"), grouped(accuracy(), "region", all=False)],
        version="{version}",
    )
'''


def inspect_files(questions: Questions) -> Mapping[str, str | bytes]:
    """The files of an Inspect task: path in the folder to content.

    Raises:
        InputError: If the style is not ``letters``.
    """
    if questions.style != "letters":
        raise InputError(
            f"Inspect asks for a written answer, so the style {questions.style!r} cannot be exported to it; "
            "choose the `style` letters, or lm-eval"
        )
    file = f"{questions.task}.py"
    columns = ("item_id", "prompt", "letter", "region", "topic", "template_id")
    return {
        file: _TASK.format(
            release=questions.release,
            n=f"{len(questions.rows):,}",
            k=len(questions.regions),
            first=questions.regions[0],
            file=file,
            task=questions.task,
            version=questions.version,
        ),
        "letter.regex": letter_pattern(),
        "questions.jsonl": questions.rows.select(columns).write_ndjson(),
    }
