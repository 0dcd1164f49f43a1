"""Which judge decided that two answers mean the same, and what such a judge cannot see."""

import tomllib
from typing import NamedTuple

from blend.builders.cards.rendering import text_of
from blend.schemas.errors import DISTRIBUTION
from blend.schemas.manifest import ReleaseManifest


class Judging(NamedTuple):
    """The judges of a release."""

    who: tuple[str, ...]
    """In the order in which they are asked, as sentences."""
    blind: str
    """What they cannot see."""
    verdicts: tuple[tuple[str, int, int], ...]
    """Name of a judge, and how many pairs it called the same and different."""


def judging_of(manifest: ReleaseManifest) -> Judging:
    """The judges of a release with multiple-choice questions."""
    options, is_published = manifest.recipe.mcq.judge, manifest.recipe.mcq.mode == "paper"
    asked = {
        "decisions": manifest.recipe.mcq.verdicts is not None,
        "shipped": options.shipped and not is_published,
        "published": is_published,
        "words": not is_published,
        "model": options.kind == "chat",
    }
    texts = tomllib.loads(text_of("judges.toml"))
    who = (texts["who"][key] for key, is_asked in asked.items() if is_asked)
    sentences = tuple(text.format(sdk=DISTRIBUTION, model=options.model) for text in who)
    return Judging(sentences, texts["blind"][options.kind], _verdicts(manifest))


def _verdicts(manifest: ReleaseManifest) -> tuple[tuple[str, int, int], ...]:
    counts: dict[str, dict[str, int]] = {}
    for stage in manifest.report:
        for note, count in stage.notes.items():
            judge, _, verdict = note.rpartition(", ")
            if verdict in ("same", "different") and isinstance(count, int):
                counts.setdefault(judge, {})[verdict] = count
    return tuple((judge, of.get("same", 0), of.get("different", 0)) for judge, of in counts.items())
