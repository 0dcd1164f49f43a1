"""Which judge decided that two answers mean the same, and what such a judge cannot see."""

from collections.abc import Mapping
from typing import NamedTuple

from blend.schemas.errors import DISTRIBUTION
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.recipe import JudgeOptions


class Judging(NamedTuple):
    """The judges of a release."""

    who: tuple[str, ...]
    """In the order in which they are asked, as sentences."""
    blind: str
    """What they cannot see."""
    verdicts: tuple[tuple[str, int, int], ...]
    """Name of a judge, and how many pairs it called the same and different."""


_WORDS = (
    "**Rules about words**: two answers mean the same if they share a word, whatever its case, accents and "
    "punctuation."
)

_PUBLISHED = (
    "**The published rule**: two answers mean the same if one is part of the other, letter by letter, capitals "
    "and accents included."
)

_SHIPPED = (
    f"**Decisions that come with {DISTRIBUTION}**, on answers of BLEnD's 16 regions that mean the same without "
    "a common word, and on options that are right as well in a question about one of them. A language model "
    "made them under the maintainers' instructions; no native of the regions and no other person has checked "
    "them."
)

_DECISIONS = "**Decisions** that people reviewed, or a model gave before; they overrule everything else."

_BLIND: Mapping[str, str] = {
    "lexical": "Rules see words and not meanings: where no decision names a pair, two words for one thing, a "
    "group and what belongs to it, and two spellings of a name pass for different answers. So a "
    "distractor can be right as well; the fewer pairs are decided, the more often. A "
    "decision holds in every question, also where two answers mean the same in one of them only.",
    "chat": "A language model errs, and more often about cultures of which it has read little. It sees two "
    "answers in English without their question, so that what means the same in one question only is not seen.",
}


def judging_of(manifest: ReleaseManifest) -> Judging:
    """The judges of a release with multiple-choice questions."""
    options, published = manifest.recipe.mcq.judge, manifest.recipe.mcq.mode == "paper"
    who = [_PUBLISHED if published else _WORDS]
    if options.shipped and not published:
        who.insert(0, _SHIPPED)
    if options.decisions is not None:
        who.insert(0, _DECISIONS)
    if (model := _model(options)) is not None:
        who.append(model)
    return Judging(tuple(who), _BLIND[options.kind], _verdicts(manifest))


def _model(options: JudgeOptions) -> str | None:
    if options.kind == "chat":
        return f"**A language model**, `{options.model}`, about pairs that share no word."
    return None


def _verdicts(manifest: ReleaseManifest) -> tuple[tuple[str, int, int], ...]:
    counts: dict[str, dict[str, int]] = {}
    for stage in manifest.report:
        for note, count in stage.notes.items():
            judge, _, verdict = note.rpartition(", ")
            if verdict in ("same", "different") and isinstance(count, int):
                counts.setdefault(judge, {})[verdict] = count
    return tuple((judge, of.get("same", 0), of.get("different", 0)) for judge, of in counts.items())
