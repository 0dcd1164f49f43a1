"""blend: make, publish, regenerate and score multilingual everyday-culture benchmarks.

The names below are loaded when they are first used, so that importing the package stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from blend.version import __version__

if TYPE_CHECKING:
    from blend.builders.mcq import build_mcq
    from blend.builders.release import build_release
    from blend.builders.saq import aggregate
    from blend.builders.stats import build_stats
    from blend.loaders.blend_files import read_blend
    from blend.loaders.recipes import read_recipe
    from blend.loaders.releases import read_config, read_manifest
    from blend.loaders.responses import read_responses
    from blend.schemas.locales import Locale, Registry, registry

_HOMES = {
    "Locale": "blend.schemas.locales",
    "Registry": "blend.schemas.locales",
    "aggregate": "blend.builders.saq",
    "build_mcq": "blend.builders.mcq",
    "build_release": "blend.builders.release",
    "build_stats": "blend.builders.stats",
    "read_blend": "blend.loaders.blend_files",
    "read_config": "blend.loaders.releases",
    "read_manifest": "blend.loaders.releases",
    "read_recipe": "blend.loaders.recipes",
    "read_responses": "blend.loaders.responses",
    "registry": "blend.schemas.locales",
}

__all__ = [
    "Locale",
    "Registry",
    "__version__",
    "aggregate",
    "build_mcq",
    "build_release",
    "build_stats",
    "read_blend",
    "read_config",
    "read_manifest",
    "read_recipe",
    "read_responses",
    "registry",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'blend' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
