"""Check of models' verdicts on options: whether the release says how they compare with people's."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import REBUILD, Problem, error, warning
from blend.loaders.releases.model_reports import read_model_report
from blend.loaders.responses.exclusions import models_in, read_exclusions
from blend.schemas.errors import BlendError, RowError
from blend.schemas.frames import KEY
from blend.schemas.manifest import MODEL_VERDICTS_NAME, leads_out
from blend.schemas.recipe import McqOptions
from blend.schemas.reports import ModelReport

_ASK = "have people read some of the same options, or the model what people have read (docs/questions.md)"


def check_model_verdicts(release: Release) -> Iterator[Problem]:
    """Models' verdicts are compared.

    * error: the release's file of exclusions holds verdicts of models, and `reports/model_verdicts.json` is
      missing, is of other models, of more verdicts or of another `mcq.model_confidence`, or does not add up
    * warning: no person has read any of the options on which a model is sure
    """
    try:
        report = read_model_report(release.path)
    except RowError as broken:
        yield error(MODEL_VERDICTS_NAME, broken.what, REBUILD)
        return
    options = release.manifest.recipe.mcq
    try:
        held = _verdicts_held(release.path, options)
    except BlendError as broken:
        yield error(str(options.exclusions), f"cannot be read ({str(broken).splitlines()[0]})", REBUILD)
        return
    if report is None:
        if held:
            what = f"is missing, and {options.exclusions} holds verdicts of {', '.join(held)}"
            yield error(MODEL_VERDICTS_NAME, what, REBUILD)
        return
    if report.confidence != options.model_confidence:
        what = f"is of a confidence of {report.confidence:g}, the recipe says {options.model_confidence:g}"
        yield error(MODEL_VERDICTS_NAME, what, REBUILD)
    yield from _compare(report, held)


def _verdicts_held(release: Path, options: McqOptions) -> Mapping[str, int]:
    """Count the options on which each model has given a verdict, whether it counts or not."""
    path = options.exclusions
    if options.mode == "paper" or path is None or leads_out(path):
        return {}
    verdicts = read_exclusions(release / path)
    about = verdicts.unique([*KEY, "option", "reviewer"])["reviewer"].to_list()
    return {name: about.count(name) for name in models_in(verdicts)}


def _compare(report: ModelReport, held: Mapping[str, int]) -> Iterator[Problem]:
    stated = {one.reviewer: one for one in report.each}
    for name in sorted(stated.keys() | held.keys()):
        model, n_held = stated.get(name), held.get(name, 0)
        n_stated = 0 if model is None else model.verdicts + model.unsure
        if model is None or n_stated > n_held:
            what = f"says that {name} has read {n_stated:,} options, the exclusions say {n_held:,}"
            yield error(MODEL_VERDICTS_NAME, what, REBUILD)
        elif model.verdicts and not model.compared:
            yield warning(MODEL_VERDICTS_NAME, f"nobody has checked what {name} says", _ASK)
