"""Topics of own questions that are another topic but for capitals or a plural: ``sports``, ``Sport``."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.recipes.sources import SourceTables
from blend.schemas.recipe import OWN_RESPONSES
from blend.schemas.texts import fold


def with_like_topics_found(sources: Sequence[SourceTables]) -> list[SourceTables]:
    """The sources of a recipe, with a finding for each own topic that is another one spelt otherwise.

    The topic of a source without own responses is the right one, and else the one of more templates.
    """
    others = {
        topic
        for tables in sources
        if tables.info.kind not in OWN_RESPONSES
        for topic in tables.questions["topic"].unique()
    }
    n_own = Counter(topic for tables in sources for topic in tables.templates["topic"])
    usual: dict[str, str] = {}
    for topic in sorted({*others, *n_own}, key=lambda one: (one not in others, -n_own[one], one)):
        usual.setdefault(_bare(topic), topic)
    return [replace(tables, findings=_found(tables, usual)) for tables in sources]


def _found(tables: SourceTables, usual: dict[str, str]) -> pl.DataFrame:
    diagnostics = Diagnostics()
    noted = set[str]()
    for row in tables.templates.to_dicts():
        topic, other = row["topic"], usual[_bare(row["topic"])]
        if topic not in (other, *noted):
            noted.add(topic)
            detail = (
                f"column topic: {topic!r} beside the topic {other!r}; kept as two, write one of them throughout"
            )
            diagnostics.finding("like-topics", row["source"], detail, template_id=row["template_id"])
    return pl.concat([tables.findings, diagnostics.findings_frame()]) if noted else tables.findings


def _bare(topic: str) -> str:
    return " ".join(word.removesuffix("s") for word in fold(topic).split())
