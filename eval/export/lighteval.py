"""Tasks for lighteval: a Python file with one task per region, and the questions beside it.

The format is that of lighteval 0.13: a module with a ``TASKS_TABLE``, named by ``--custom-tasks``. Tasks whose
names are equal up to a colon are run together by that part of the name.
"""

from collections.abc import Mapping

import polars as pl

from blend.eval.export.harness_questions import Questions, parquet_bytes

_TASKS = '''\
"""{release}: {n} multiple-choice questions about {k} regions, style {style}.

    lighteval accelerate "model_name=MODEL" "{task}" --custom-tasks {file}
    lighteval accelerate "model_name=MODEL" "{task}:{first}" --custom-tasks {file}
"""

from pathlib import Path

from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

DATA = Path(__file__).resolve().with_name("data")
REGIONS = {regions}


def question(line: dict, task_name: str | None = None) -> Doc:
    return Doc(
        task_name=task_name,
        query=line["prompt"],
        # lighteval puts nothing between prompt and option.
        choices=[f" {{option}}" for option in line["options"]],
        gold_index=line["answer"],
        specific={{"item_id": line["item_id"]}},
    )


TASKS_TABLE = [
    LightevalTaskConfig(
        name=f"{task}:{{region}}",
        prompt_function=question,
        hf_repo=str(DATA / region),
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        metrics=[Metrics.loglikelihood_acc],
    )
    for region in REGIONS
]
'''


def lighteval_files(questions: Questions) -> Mapping[str, str | bytes]:
    """The files of lighteval tasks: path in the folder to content."""
    file = f"{questions.task}.py"
    files: dict[str, str | bytes] = {
        file: _TASKS.format(
            release=questions.release,
            n=f"{len(questions.rows):,}",
            k=len(questions.regions),
            style=questions.style,
            task=questions.task,
            file=file,
            first=questions.regions[0],
            regions=repr(questions.regions),
        )
    }
    for region in questions.regions:
        rows = questions.rows.filter(pl.col("region") == region)
        files[f"data/{region}/test.parquet"] = parquet_bytes(rows)
    return files
