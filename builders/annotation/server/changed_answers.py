"""Changed answers: what another account than its author's has changed, which everybody on a server can do."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.annotation.stages.reading import location_of
from blend.loaders.label_studio.history import identity, last_versions
from blend.schemas.rows.frame_columns import FINDINGS


def changed_by_others(history: Path, tasks: Iterable[Mapping[str, Any]], locale: str) -> pl.DataFrame:
    """Annotations whose last version another account has made, by a stage's history: `frame_columns.FINDINGS`.

    Args:
        history: With the last export in it.
        tasks: Of the stage, with their annotations.
        locale: Its tag.
    """
    last = last_versions(history)
    findings = []
    for task in tasks:
        for annotation in task["annotations"]:
            line = last.get(identity(annotation)) or last.get(str(annotation["id"])) or {}
            if (editor := line.get("changed_by")) is not None:
                findings.append(
                    {
                        "kind": "changed-by-another",
                        "source": f"{location_of(task)}, annotation {annotation['id']}",
                        "locale": locale,
                        "template_id": task["data"].get("template_id"),
                        "detail": (
                            f"{line['annotator']} gave it, and {editor} has changed it since; what it says now "
                            f"counts. history/{history.name} holds the versions that were pulled: ask both"
                        ),
                    }
                )
    return pl.DataFrame(findings, schema=FINDINGS)
