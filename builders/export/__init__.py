"""Tasks for lm-eval (EleutherAI's Language Model Evaluation Harness): a group with one task per region.

The prompts and options are those of our own items, written out text by text, so that lm-eval asks exactly what
``blend eval run`` asks. The format is that of lm-eval 0.4: YAML files that name a Parquet file beside them.
"""

import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl
import yaml

from blend.loaders.files.new_files import write_new_files

_README = """\
# {release} for lm-eval

{n} multiple-choice questions about {k} regions, style `{style}`. Run them from this folder, since the tasks
name their data relative to it:

    lm_eval --include_path . --tasks {group} --model hf --model_args pretrained=MODEL

The group's accuracy is the mean over regions, each counted once; the accuracy of a region is that of
`blend eval run --task multiple-choice -T style={style}` on the same questions.
"""


_COLUMNS = ("item_id", "region", "locale", "topic", "template_id", "prompt", "options", "answer")
"""Columns of the data of a task."""


class _Exported(NamedTuple):
    """Files that an export wrote."""

    task: str
    """Name of the group of tasks, to run it by."""
    n_questions: int
    """Questions in all."""
    regions: tuple[str, ...]
    """Regions asked about, in the order of the release."""
    files: tuple[str, ...]
    """Paths of the files below the directory, in text order."""


def export_lm_eval(items: pl.DataFrame, out: Path, *, name: str, version: str, style: str) -> _Exported:
    """Write questions of a release as tasks of lm-eval.

    Args:
        items: The questions as they are asked: ``item_id``, ``region``, ``locale``, ``topic``, ``template_id``,
            ``prompt``, ``options`` and ``answer``, the index of the correct option.
        out: Directory to make; it must be empty or not there.
        name: Name of the release.
        version: Its version.
        style: ``letters`` or ``texts``, as ``blend eval run`` has them.

    Returns:
        What was written, and how to run it.

    Raises:
        InputError: If ``out`` is not an empty directory.
        StorageError: If it cannot be written; nothing is left there then.
    """
    group = re.sub(r"\W+", "_", f"{name}_mcq_{style}")
    tables = {str(region): part for (region,), part in items.group_by("region", maintain_order=True)}
    readme = _README.format(
        release=f"{name}@{version}", n=f"{items.height:,}", k=len(tables), style=style, group=group
    )
    files: dict[str, str | bytes] = {"README.md": readme, f"{group}.yaml": _group(group, tables, version)}
    for region, table in tables.items():
        data, task = f"data/{region}.parquet", _name(group, region)
        files |= {data: _parquet(table.select(_COLUMNS)), f"{task}.yaml": _task(task, data, version)}
    written = write_new_files(out, files, parameter="out")
    return _Exported(group, items.height, tuple(tables), tuple(written))


def _name(group: str, region: str) -> str:
    return f"{group}_{region}"


def _group(group: str, regions: Mapping[str, pl.DataFrame], version: str) -> str:
    return _yaml(
        {
            "group": group,
            "task": [_name(group, region) for region in regions],
            # Regions count alike, whatever their number of questions.
            "aggregate_metric_list": [{"metric": "acc", "aggregation": "mean", "weight_by_size": False}],
            "metadata": {"version": version},
        }
    )


def _task(name: str, data: str, version: str) -> str:
    return _yaml(
        {
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
    )


def _parquet(rows: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    rows.write_parquet(buffer)
    return buffer.getvalue()


def _yaml(value: Mapping[str, object]) -> str:
    return yaml.safe_dump(dict(value), sort_keys=False, allow_unicode=True)
