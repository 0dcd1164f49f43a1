"""The YAML header of the card: what makes a directory of parquet files load as configurations and splits."""

from collections.abc import Sequence
from typing import Any

import yaml

from blend.builders.cards.credits import source_kinds
from blend.builders.cards.facts import ReleaseFacts
from blend.schemas.arrow_types import card_features
from blend.schemas.manifest import ReleaseManifest, TableInfo
from blend.schemas.rows import CULTURAL_PROMPTS, MULTIPLE_CHOICE_CONFIGS, QUESTION_CONFIGS, model_of

_SIZES = ("1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T")
"""Where one of the Hub's size categories ends and the next begins: 1,000 rows, and ten times that each time."""

_TASKS = {
    "question-answering": "open-domain-qa",
    "multiple-choice": "multiple-choice-qa",
    "fill-mask": None,
    "text-generation": None,
}
"""Task categories of the Hub with the task in them, if there is a fitting one."""

KEYWORDS = ("culture", "everyday-knowledge", "multilingual", "benchmark", "evaluation-only")
"""What one would search for."""


def card_header(facts: ReleaseFacts) -> str:
    """The header without its ``---`` lines.

    ``dataset_info`` repeats columns and row counts for readers that do not open the files. It overrides the
    files' types in silence, so it is derived from the models that the files are written by.
    """
    tables = facts.tables
    tasks = list(dict.fromkeys(_task(config) for config in tables))
    header: dict[str, Any] = {
        "pretty_name": facts.title,
        "license": facts.manifest.recipe.license,
        "language": facts.languages,
        "task_categories": tasks,
        "task_ids": [_TASKS[task] for task in tasks if _TASKS[task] is not None],
        "annotations_creators": _of_sources(facts, "annotations"),
        "language_creators": _of_sources(facts, "language"),
        "multilinguality": ["multilingual" if len(facts.languages) > 1 else "monolingual"],
        "source_datasets": _of_sources(facts, "extended"),
        "size_categories": [size_category(sum(table.rows for table in facts.manifest.tables))],
        "tags": list(KEYWORDS),
        "configs": configs_of(facts.manifest),
        "dataset_info": [_info(config, of_config, facts) for config, of_config in tables.items()],
    }
    return yaml.safe_dump(header, sort_keys=False, allow_unicode=True, width=1000)


def configs_of(manifest: ReleaseManifest) -> list[dict[str, Any]]:
    """The configurations with their splits and the files of these, which make a release load."""
    splits: dict[str, list[dict[str, str]]] = {}
    for table in manifest.tables:
        pattern = f"data/{table.config}/{table.split}-*.parquet"
        splits.setdefault(table.config, []).append({"split": table.split, "path": pattern})
    return [{"config_name": config, "data_files": files} for config, files in splits.items()]


def _of_sources(facts: ReleaseFacts, about: str) -> list[str]:
    """A tag of every source, without repetitions; a dataset of the Hub is named by its id."""
    tags = []
    for source in facts.manifest.recipe.sources:
        tag = getattr(source_kinds()[source.kind], about)
        if about == "extended" and source.kind == "blend" and source.revision is not None:
            tag = f"extended|{source.location}"
        tags.append(tag)
    return list(dict.fromkeys(tags))


def _task(config: str) -> str:
    if config in MULTIPLE_CHOICE_CONFIGS:
        return "multiple-choice"
    if config == CULTURAL_PROMPTS:
        return "text-generation"
    return "question-answering" if config in QUESTION_CONFIGS else "fill-mask"


def _info(config: str, tables: Sequence[TableInfo], facts: ReleaseFacts) -> dict[str, Any]:
    """The entry of a configuration in ``dataset_info``, keys in the order in which `datasets` writes them."""
    sizes = {file.path: file.size for file in facts.manifest.files}
    # ``num_bytes`` must be there or `datasets` warns and ignores the rows; it checks the free disk by it.
    splits = [
        {
            "name": table.split,
            "num_bytes": sum(facts.loaded_bytes[path] for path in table.files),
            "num_examples": table.rows,
        }
        for table in tables
    ]
    return {
        "config_name": config,
        "features": card_features(model_of(config)),
        "splits": splits,
        "download_size": sum(sizes[path] for table in tables for path in table.files),
        "dataset_size": sum(facts.loaded_bytes[path] for table in tables for path in table.files),
    }


def size_category(rows: int) -> str:
    """The Hub's category of so many rows, ``10K<n<100K``."""
    reached = sum(rows >= 1000 * 10**power for power in range(len(_SIZES)))
    if reached == 0:
        return f"n<{_SIZES[0]}"
    return f"n>{_SIZES[-1]}" if reached == len(_SIZES) else f"{_SIZES[reached - 1]}<n<{_SIZES[reached]}"
