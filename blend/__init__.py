"""blend: make, publish, regenerate and score multilingual everyday-culture benchmarks.

Everything that a function here takes, returns or raises has its name here as well; `blend.schemas.errors` shows
the errors as a tree. The names are loaded when they are first used, so that importing the package stays cheap.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blend.version import __version__

if TYPE_CHECKING:
    from blend.builders.audit import Audit, audit_questions
    from blend.builders.audit.release import audit_release
    from blend.builders.diff import diff_releases
    from blend.builders.diff.model import ReleaseDiff
    from blend.builders.judges.equivalence import Judge, LexicalJudge, Verdict
    from blend.builders.mcq import build_mcq
    from blend.builders.mcq.result import McqBuild
    from blend.builders.publish import plan_publication, publish_release
    from blend.builders.publish.plan import Publication, PublicationPlan
    from blend.builders.release import build_release
    from blend.builders.saq import Aggregation, aggregate
    from blend.builders.stats import Stats, build_stats
    from blend.builders.triples import FoodBuild, build_food
    from blend.builders.validate import validate_release
    from blend.builders.validate.report import Level, Problem, ValidationReport
    from blend.builders.validate.subject import Subject
    from blend.loaders.datasets import (
        load_annotations,
        load_config,
        load_multiple_choice_questions,
        load_short_answer_prompts,
        load_short_answer_questions,
    )
    from blend.loaders.datasets.frames import read_config
    from blend.loaders.datasets.typed import as_models
    from blend.loaders.recipes import read_recipe
    from blend.loaders.releases import read_manifest
    from blend.loaders.releases.newer import NewerVersionWarning
    from blend.loaders.releases.pull import pull_release
    from blend.loaders.releases.references import resolve_release
    from blend.loaders.responses import ResponseTables, read_responses
    from blend.loaders.responses.decisions import Decision
    from blend.loaders.upstream.blend import BlendTables, read_blend
    from blend.loaders.wikidata.facts import Facts, read_facts
    from blend.loaders.wikidata.snapshot import take_snapshot
    from blend.loaders.wikidata.sparql import EndpointError, RequestPolicy
    from blend.schemas.cultural_options import CulturalOptions
    from blend.schemas.domains import Domain, OriginGroup, find_domain
    from blend.schemas.errors import (
        BlendError,
        ConflictError,
        HubError,
        InputError,
        MissingExtraError,
        RowError,
        RowErrors,
        ServerError,
        StorageError,
        UnknownNameError,
    )
    from blend.schemas.food_options import FoodOptions
    from blend.schemas.locales import Locale, Registry, registry
    from blend.schemas.manifest import ReleaseManifest
    from blend.schemas.recipe import JudgeOptions, McqOptions, Recipe, SaqOptions, Source
    from blend.schemas.snapshots import SnapshotInfo

_CHECKOUT = Path(__file__).resolve().parents[1]
if not (_CHECKOUT / "blend" / "schemas").exists() and (_CHECKOUT / "pyproject.toml").is_file():
    # Python started in a checkout takes this folder for the package, whatever is installed. The other parts lie
    # beside it there, so they are looked for beside it, and what runs is the checkout, whole.
    __path__.append(str(_CHECKOUT))

_NAMES = {
    "blend.builders.audit": ("Audit", "audit_questions"),
    "blend.builders.audit.release": ("audit_release",),
    "blend.builders.diff": ("diff_releases",),
    "blend.builders.diff.model": ("ReleaseDiff",),
    "blend.builders.judges.equivalence": ("Judge", "LexicalJudge", "Verdict"),
    "blend.builders.mcq": ("build_mcq",),
    "blend.builders.mcq.result": ("McqBuild",),
    "blend.builders.publish": ("plan_publication", "publish_release"),
    "blend.builders.publish.plan": ("Publication", "PublicationPlan"),
    "blend.builders.release": ("build_release",),
    "blend.builders.saq": ("Aggregation", "aggregate"),
    "blend.builders.stats": ("Stats", "build_stats"),
    "blend.builders.triples": ("FoodBuild", "build_food"),
    "blend.builders.validate": ("validate_release",),
    "blend.builders.validate.report": ("Level", "Problem", "ValidationReport"),
    "blend.builders.validate.subject": ("Subject",),
    "blend.loaders.datasets": (
        "load_annotations",
        "load_config",
        "load_multiple_choice_questions",
        "load_short_answer_prompts",
        "load_short_answer_questions",
    ),
    "blend.loaders.datasets.frames": ("read_config",),
    "blend.loaders.datasets.typed": ("as_models",),
    "blend.loaders.recipes": ("read_recipe",),
    "blend.loaders.releases": ("read_manifest",),
    "blend.loaders.releases.newer": ("NewerVersionWarning",),
    "blend.loaders.releases.pull": ("pull_release",),
    "blend.loaders.releases.references": ("resolve_release",),
    "blend.loaders.responses": ("ResponseTables", "read_responses"),
    "blend.loaders.responses.decisions": ("Decision",),
    "blend.loaders.upstream.blend": ("BlendTables", "read_blend"),
    "blend.loaders.wikidata.facts": ("Facts", "read_facts"),
    "blend.loaders.wikidata.snapshot": ("take_snapshot",),
    "blend.loaders.wikidata.sparql": ("EndpointError", "RequestPolicy"),
    "blend.schemas.cultural_options": ("CulturalOptions",),
    "blend.schemas.domains": ("Domain", "OriginGroup", "find_domain"),
    "blend.schemas.errors": (
        "BlendError",
        "ConflictError",
        "HubError",
        "InputError",
        "MissingExtraError",
        "RowError",
        "RowErrors",
        "ServerError",
        "StorageError",
        "UnknownNameError",
    ),
    "blend.schemas.food_options": ("FoodOptions",),
    "blend.schemas.locales": ("Locale", "Registry", "registry"),
    "blend.schemas.manifest": ("ReleaseManifest",),
    "blend.schemas.recipe": ("JudgeOptions", "McqOptions", "Recipe", "SaqOptions", "Source"),
    "blend.schemas.snapshots": ("SnapshotInfo",),
}
"""Module to the public names that live there."""

_HOMES = {name: home for home, names in _NAMES.items() for name in names}

__all__ = [
    "Aggregation",
    "Audit",
    "BlendError",
    "BlendTables",
    "ConflictError",
    "CulturalOptions",
    "Decision",
    "Domain",
    "EndpointError",
    "Facts",
    "FoodBuild",
    "FoodOptions",
    "HubError",
    "InputError",
    "Judge",
    "JudgeOptions",
    "Level",
    "LexicalJudge",
    "Locale",
    "McqBuild",
    "McqOptions",
    "MissingExtraError",
    "NewerVersionWarning",
    "OriginGroup",
    "Problem",
    "Publication",
    "PublicationPlan",
    "Recipe",
    "Registry",
    "ReleaseDiff",
    "ReleaseManifest",
    "RequestPolicy",
    "ResponseTables",
    "RowError",
    "RowErrors",
    "SaqOptions",
    "ServerError",
    "SnapshotInfo",
    "Source",
    "Stats",
    "StorageError",
    "Subject",
    "UnknownNameError",
    "ValidationReport",
    "Verdict",
    "__version__",
    "aggregate",
    "as_models",
    "audit_questions",
    "audit_release",
    "build_food",
    "build_mcq",
    "build_release",
    "build_stats",
    "diff_releases",
    "find_domain",
    "load_annotations",
    "load_config",
    "load_multiple_choice_questions",
    "load_short_answer_prompts",
    "load_short_answer_questions",
    "plan_publication",
    "publish_release",
    "pull_release",
    "read_blend",
    "read_config",
    "read_facts",
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
