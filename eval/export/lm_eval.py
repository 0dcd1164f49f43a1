"""Tasks for lm-eval (EleutherAI's Language Model Evaluation Harness): a group with one task per region.

The format is that of lm-eval 0.4: YAML files that name a Parquet file beside them.
"""

from collections.abc import Mapping

import polars as pl
import yaml

from blend.eval.export.harness_questions import Questions, parquet_bytes

_README = """\
# {release} for lm-eval

{n} multiple-choice questions about {k} regions, style `{style}`. Run them from this folder, since the tasks
name their data relative to it:

    lm_eval --include_path . --tasks {task} --model hf --model_args pretrained=MODEL

The group's accuracy is the mean over regions, each counted once; the accuracy of a region is that of
`blend eval run --task multiple-choice --style {style}` on the same questions.
"""


def lm_eval_files(questions: Questions) -> Mapping[str, str | bytes]:
    """The files of an lm-eval group: path in the folder to content."""
    tasks = {region: f"{questions.task}_{region}" for region in questions.regions}
    files: dict[str, str | bytes] = {
        "README.md": _README.format(
            release=questions.release,
            n=f"{len(questions.rows):,}",
            k=len(tasks),
            style=questions.style,
            task=questions.task,
        ),
        f"{questions.task}.yaml": _yaml(
            {
                "group": questions.task,
                "task": list(tasks.values()),
                # Regions count alike, whatever their number of questions.
                "aggregate_metric_list": [{"metric": "acc", "aggregation": "mean", "weight_by_size": False}],
                "metadata": {"version": questions.version},
            }
        ),
    }
    for region, task in tasks.items():
        data = f"data/{region}.parquet"
        files[data] = parquet_bytes(questions.rows.filter(pl.col("region") == region))
        files[f"{task}.yaml"] = _yaml(_task(task, data, questions.version))
    return files


def _task(name: str, data: str, version: str) -> dict[str, object]:
    return {
        "task": name,
        "dataset_path": "parquet",
        "dataset_kwargs": {"data_files": {"test": data}},
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "{{prompt}}",
        "doc_to_choice": "{{options}}",
        "doc_to_target": "answer",
        "target_delimiter": " ",
        "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
        "metadata": {"version": version},
    }


def _yaml(value: Mapping[str, object]) -> str:
    return yaml.safe_dump(dict(value), sort_keys=False, allow_unicode=True)
