"""Tasks of lm-eval from a release, as the command writes them."""

from collections.abc import Sequence
from pathlib import Path

from blend.builders.export import _Exported, export_lm_eval
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items


def exported(
    release: Path,
    out: Path,
    *,
    style: str = "letters",
    locales: Sequence[str] | None = None,
    limit: int | None = None,
) -> _Exported:
    read = read_items(release, TASKS["multiple-choice"], locales=locales, limit=limit, style=style)
    asked = read.asked
    items = asked.items.join(asked.gold.select("item_id", "answer"), on="item_id", maintain_order="left")
    return export_lm_eval(items, out, name=read.release.name, version=read.release.version, style=style)
