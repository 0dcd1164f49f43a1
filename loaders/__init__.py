"""Everything that is read in: raw responses, upstream formats, recipes, releases.

For users of a published dataset: ``load_annotations``, ``load_short_answer_questions`` and
``load_short_answer_prompts``, ``load_multiple_choice_questions``, ``load_config`` and ``as_models``, described
in ``docs/loading.md``. Each is imported when first used, so that importing the package stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blend.loaders.datasets import load_annotations as load_annotations
    from blend.loaders.datasets import load_config as load_config
    from blend.loaders.datasets import load_multiple_choice_questions as load_multiple_choice_questions
    from blend.loaders.datasets import load_short_answer_prompts as load_short_answer_prompts
    from blend.loaders.datasets import load_short_answer_questions as load_short_answer_questions
    from blend.loaders.datasets.typed import as_models as as_models
    from blend.loaders.releases.newer import NewerVersionWarning as NewerVersionWarning

_HOMES = {
    "NewerVersionWarning": "blend.loaders.releases.newer",
    "as_models": "blend.loaders.datasets.typed",
    "load_annotations": "blend.loaders.datasets",
    "load_config": "blend.loaders.datasets",
    "load_multiple_choice_questions": "blend.loaders.datasets",
    "load_short_answer_prompts": "blend.loaders.datasets",
    "load_short_answer_questions": "blend.loaders.datasets",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'blend.loaders' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
