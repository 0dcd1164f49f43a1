"""blend: make, publish, regenerate and score multilingual everyday-culture benchmarks.

The names below are loaded when they are first used, so that importing the package stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from blend.version import __version__

if TYPE_CHECKING:
    from blend.builders.diff import diff_releases
    from blend.builders.mcq import build_mcq
    from blend.builders.publish import publish_release
    from blend.builders.release import build_release
    from blend.builders.saq import aggregate
    from blend.builders.stats import build_stats
    from blend.builders.triples import build_food
    from blend.builders.validate import validate_release
    from blend.loaders.datasets import (
        load_annotations,
        load_multiple_choice_questions,
        load_short_answer_questions,
    )
    from blend.loaders.recipes import read_recipe
    from blend.loaders.releases import read_config, read_manifest
    from blend.loaders.releases.pull import pull_release
    from blend.loaders.releases.references import resolve_release
    from blend.loaders.responses import read_responses
    from blend.loaders.upstream.blend import read_blend
    from blend.loaders.wikidata.snapshot import take_snapshot
    from blend.schemas.locales import Locale, Registry, registry

_HOMES = {
    "Locale": "blend.schemas.locales",
    "Registry": "blend.schemas.locales",
    "aggregate": "blend.builders.saq",
    "build_food": "blend.builders.triples",
    "build_mcq": "blend.builders.mcq",
    "build_release": "blend.builders.release",
    "build_stats": "blend.builders.stats",
    "diff_releases": "blend.builders.diff",
    "load_annotations": "blend.loaders.datasets",
    "load_multiple_choice_questions": "blend.loaders.datasets",
    "load_short_answer_questions": "blend.loaders.datasets",
    "publish_release": "blend.builders.publish",
    "pull_release": "blend.loaders.releases.pull",
    "read_blend": "blend.loaders.upstream.blend",
    "read_config": "blend.loaders.releases",
    "read_manifest": "blend.loaders.releases",
    "read_recipe": "blend.loaders.recipes",
    "read_responses": "blend.loaders.responses",
    "registry": "blend.schemas.locales",
    "resolve_release": "blend.loaders.releases.references",
    "take_snapshot": "blend.loaders.wikidata.snapshot",
    "validate_release": "blend.builders.validate",
}

__all__ = [
    "Locale",
    "Registry",
    "__version__",
    "aggregate",
    "build_food",
    "build_mcq",
    "build_release",
    "build_stats",
    "diff_releases",
    "load_annotations",
    "load_multiple_choice_questions",
    "load_short_answer_questions",
    "publish_release",
    "pull_release",
    "read_blend",
    "read_config",
    "read_manifest",
    "read_recipe",
    "read_responses",
    "registry",
    "resolve_release",
    "take_snapshot",
    "validate_release",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'blend' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
