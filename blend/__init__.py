"""blend: make, publish, regenerate and score multilingual everyday-culture benchmarks.

Everything that a function here takes, returns or raises has its name here as well; `blend.schemas.errors` shows
the errors as a tree. The names are loaded when they are first used, so that importing the package stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blend.builders.audit import Audit as Audit
    from blend.builders.audit import audit_questions as audit_questions
    from blend.builders.audit.release import audit_release as audit_release
    from blend.builders.diff import diff_releases as diff_releases
    from blend.builders.diff.model import ReleaseDiff as ReleaseDiff
    from blend.builders.judges.equivalence import Judge as Judge
    from blend.builders.judges.equivalence import LexicalJudge as LexicalJudge
    from blend.builders.judges.equivalence import Verdict as Verdict
    from blend.builders.mcq import build_mcq as build_mcq
    from blend.builders.mcq.result import McqBuild as McqBuild
    from blend.builders.publish import plan_publication as plan_publication
    from blend.builders.publish import publish_release as publish_release
    from blend.builders.publish.plan import Publication as Publication
    from blend.builders.publish.plan import PublicationPlan as PublicationPlan
    from blend.builders.release import build_release as build_release
    from blend.builders.saq import Aggregation as Aggregation
    from blend.builders.saq import aggregate as aggregate
    from blend.builders.stats import Stats as Stats
    from blend.builders.stats import build_stats as build_stats
    from blend.builders.triples import TripleBuild as TripleBuild
    from blend.builders.triples import build_triples as build_triples
    from blend.builders.validate import validate_release as validate_release
    from blend.builders.validate.checked_release import Release as Release
    from blend.builders.validate.report import Level as Level
    from blend.builders.validate.report import Problem as Problem
    from blend.builders.validate.report import ValidationReport as ValidationReport
    from blend.eval.evaluation import compare_runs as compare_runs
    from blend.eval.evaluation import run_task as run_task
    from blend.eval.evaluation import score_run as score_run
    from blend.eval.evaluation import write_report as write_report
    from blend.eval.judging.judge_run import judge_run as judge_run
    from blend.eval.models.callers_model import CandidateModel as CandidateModel
    from blend.eval.models.callers_model import OptionModel as OptionModel
    from blend.eval.models.callers_model import TextModel as TextModel
    from blend.eval.models.chosen import Decoding as Decoding
    from blend.eval.models.chosen import Local as Local
    from blend.eval.models.chosen import Recorded as Recorded
    from blend.eval.models.chosen import Server as Server
    from blend.eval.report.model_comparison import ModelComparison as ModelComparison
    from blend.eval.report.scored_runs import ScoredRun as ScoredRun
    from blend.eval.runs.run_directory import Run as Run
    from blend.loaders.contributions import Collection as Collection
    from blend.loaders.contributions import read_collection as read_collection
    from blend.loaders.contributions.checking import ContributionCheck as ContributionCheck
    from blend.loaders.contributions.checking import check_contributions as check_contributions
    from blend.loaders.datasets import as_models as as_models
    from blend.loaders.datasets import load as load
    from blend.loaders.datasets import read_config as read_config
    from blend.loaders.recipes import read_recipe as read_recipe
    from blend.loaders.releases import read_manifest as read_manifest
    from blend.loaders.releases.newer import NewerVersionWarning as NewerVersionWarning
    from blend.loaders.releases.pull import pull_release as pull_release
    from blend.loaders.releases.references import resolve_release as resolve_release
    from blend.loaders.responses import ResponseTables as ResponseTables
    from blend.loaders.responses import read_responses as read_responses
    from blend.loaders.responses.decisions import Decision as Decision
    from blend.loaders.upstream.blend import BlendTables as BlendTables
    from blend.loaders.upstream.blend import read_blend as read_blend
    from blend.loaders.wikidata.facts import Facts as Facts
    from blend.loaders.wikidata.facts import read_facts as read_facts
    from blend.loaders.wikidata.snapshot import take_snapshot as take_snapshot
    from blend.loaders.wikidata.snapshot_files import NoItemError as NoItemError
    from blend.loaders.wikidata.sparql import EndpointError as EndpointError
    from blend.loaders.wikidata.sparql import RequestPolicy as RequestPolicy
    from blend.schemas.errors import ArgumentError as ArgumentError
    from blend.schemas.errors import BlendError as BlendError
    from blend.schemas.errors import BlendWarning as BlendWarning
    from blend.schemas.errors import ConflictError as ConflictError
    from blend.schemas.errors import HubError as HubError
    from blend.schemas.errors import InputError as InputError
    from blend.schemas.errors import MissingExtraError as MissingExtraError
    from blend.schemas.errors import RowError as RowError
    from blend.schemas.errors import RowErrors as RowErrors
    from blend.schemas.errors import ServerError as ServerError
    from blend.schemas.errors import StorageError as StorageError
    from blend.schemas.errors import UnknownNameError as UnknownNameError
    from blend.schemas.locales import Locale as Locale
    from blend.schemas.locales import Registry as Registry
    from blend.schemas.locales import registry as registry
    from blend.schemas.manifest import ReleaseManifest as ReleaseManifest
    from blend.schemas.manifest import SnapshotInfo as SnapshotInfo
    from blend.schemas.recipe import CulturalOptions as CulturalOptions
    from blend.schemas.recipe import Domain as Domain
    from blend.schemas.recipe import JudgeOptions as JudgeOptions
    from blend.schemas.recipe import McqOptions as McqOptions
    from blend.schemas.recipe import OriginGroup as OriginGroup
    from blend.schemas.recipe import Recipe as Recipe
    from blend.schemas.recipe import SaqOptions as SaqOptions
    from blend.schemas.recipe import Source as Source
    from blend.schemas.recipe import TripleOptions as TripleOptions
    from blend.schemas.recipe import find_domain as find_domain
    from blend.version import __version__ as __version__

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
    "blend.builders.triples": ("TripleBuild", "build_triples"),
    "blend.builders.validate": ("validate_release",),
    "blend.builders.validate.report": ("Level", "Problem", "ValidationReport"),
    "blend.builders.validate.checked_release": ("Release",),
    "blend.eval.evaluation": ("compare_runs", "run_task", "score_run", "write_report"),
    "blend.eval.judging.judge_run": ("judge_run",),
    "blend.eval.models.callers_model": ("CandidateModel", "OptionModel", "TextModel"),
    "blend.eval.models.chosen": ("Decoding", "Local", "Recorded", "Server"),
    "blend.eval.report.model_comparison": ("ModelComparison",),
    "blend.eval.report.scored_runs": ("ScoredRun",),
    "blend.eval.runs.run_directory": ("Run",),
    "blend.loaders.contributions": ("Collection", "read_collection"),
    "blend.loaders.contributions.checking": ("ContributionCheck", "check_contributions"),
    "blend.loaders.datasets": ("as_models", "load", "read_config"),
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
    "blend.loaders.wikidata.snapshot_files": ("NoItemError",),
    "blend.loaders.wikidata.sparql": ("EndpointError", "RequestPolicy"),
    "blend.schemas.recipe": (
        "CulturalOptions",
        "Domain",
        "JudgeOptions",
        "McqOptions",
        "OriginGroup",
        "Recipe",
        "SaqOptions",
        "Source",
        "TripleOptions",
        "find_domain",
    ),
    "blend.schemas.errors": (
        "ArgumentError",
        "BlendError",
        "BlendWarning",
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
    "blend.schemas.locales": ("Locale", "Registry", "registry"),
    "blend.schemas.manifest": ("ReleaseManifest", "SnapshotInfo"),
    "blend.version": ("__version__",),
}
"""Module to the public names that live there."""

_HOMES = {name: home for home, names in _NAMES.items() for name in names}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'blend' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
