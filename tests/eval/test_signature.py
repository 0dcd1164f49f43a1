"""Signatures: every option of asking and of scoring changes one, or stands here with why it changes no number.

A new option fails here until it is in one of the two.
"""

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.evaluation import run_task, score_run
from blend.eval.items import repeated
from blend.eval.models import ChatOptions, Decoding, ModelDescription, chosen
from blend.eval.models.chosen import callers_model
from blend.eval.release_items import read_items
from blend.eval.runs import AskedRelease, ReleaseItems, signature
from blend.eval.runs.ask_model import ask_model
from blend.eval.runs.run_directory import Run, open_run
from blend.eval.scoring import score_answers
from blend.eval.task import checked_options, offered
from blend.eval.tasks import TASKS
from blend.schemas.frames import CULTURAL_PROMPT_ROWS
from helpers import dishes
from helpers.kill_points import Echo
from helpers.models.own_models import Ranker

MODEL = ModelDescription(backend="transformers", id="m", chat=True, delimiter="", dtype="float32")
DRAWING = Decoding(temperature=0.5)

OF_A_RUN: Mapping[str, Mapping[str, Any]] = {
    "release": {"release": AskedRelease(name="other", version="1.0.0", tables={})},
    "dtype": {"model": MODEL.model_copy(update={"dtype": "bfloat16"})},
    "chat": {"model": MODEL.model_copy(update={"chat": False})},
    "max_tokens": {"decoding": DRAWING.model_copy(update={"max_tokens": 7})},
    "temperature": {"decoding": DRAWING.model_copy(update={"temperature": 0.7})},
    "seed": {"decoding": DRAWING.model_copy(update={"seed": 1})},
    "system": {"chat_options": ChatOptions(system="x")},
    "thinking": {"chat_options": ChatOptions(thinking="on")},
    "extra_body": {"chat_options": ChatOptions(extra_body={"top_k": 1})},
}
"""Parameters of `run_task`, and what of a description they change."""

OF_ASKING: Mapping[str, Any] = {
    "locales": ["ko-KR"],
    "limit": 9,
    "samples": 3,
    "shots": 2,
    "shots_seed": 1,
    "style": "texts",
    "rotations": 2,
    "confidence": True,
    "prompts": ["x"],
    "languages": ["local"],
    "config": "food-aligned",
    "countries": ["Japan"],
    "names": "en",
    "candidates": "country",
    "max_masks": 2,
    "causal": "statement",
    "kinds": ["qa"],
    "nationalities": ["Thai"],
}
"""Options of asking, each with another value than any run has."""

OF_SCORING: Mapping[str, Any] = {
    "seed": 1,
    "lemmas": "none",
    "vectors": "1 2\nrice 1 2\n",
    "bleu": "pairwise",
    "distance": "standardised",
    "surveys": "Demonym,a,b\nThai,3,2\nBrazilian,2,4\nDominican,9,5\n",
}
"""Options of scoring, beside the rule; a text is that of a file."""

REFUSED = {task: {"locales"} for task in ("probing", "free-listing", "cultural-prompts")}
"""Options that tasks have only to refuse them: what is asked is in no region."""

CHANGES_NO_NUMBER = {
    "model": "a signature is all but the model",
    "path": "which model it is; in run.json",
    "name": "as `path`",
    "url": "where the model is; its address is in run.json",
    "revision": "as `path`",
    "device": "computes the same up to the noise of the number type, which is in the signature",
    "batch_size": "as `device`",
    "concurrency": "answers do not depend on their neighbours",
    "batch_out": "the same requests by another way, with the same answers",
    "batch_in": "as `batch_out`",
    "price": "what answers cost",
    "budget": "stops a run, which goes on or lacks answers; how many are missing stands in the signature",
    "shard": "as `concurrency`; the same items are asked",
    "out": "a folder",
    "decoding": "its fields stand here",
    "asking": "its fields stand here",
    "on_plan": "hears only",
    "on_progress": "hears only",
    "options": "those of the task",
    "run": "the run itself",
    "task": "begins the signature by its measure, which is its own",
    "dask": "where it is computed",
    "top": "how many words are kept of a list; their numbers stay",
    "allow_missing": "lets a number pass that is refused without it; how many are missing stands in the "
    "signature (tests/eval/test_missing.py)",
}


def parameters(function: Callable[..., Any]) -> set[str]:
    return set(inspect.signature(function).parameters)


def test_every_option_is_told_apart_or_has_a_reason():
    of_tasks = {
        name for task in TASKS.values() for kind in (task.options, task.scoring) for name in offered(kind)
    }
    of_objects = {
        name
        for kind in (chosen.Local, chosen.Server, chosen.Decoding, chosen.Asking)
        for name in kind.model_fields
    }
    every = parameters(run_task) | parameters(score_run) | of_objects | of_tasks
    tried = {*OF_A_RUN, *OF_ASKING, *OF_SCORING, "rule"}
    assert every == tried | set(CHANGES_NO_NUMBER)
    assert not tried & set(CHANGES_NO_NUMBER)


@pytest.fixture(scope="module")
def runs(rungs_release: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    """A small run of every task, in which what can be repeated is, behind an example; each made once."""
    folder = tmp_path_factory.mktemp("runs")
    return cache(lambda name: _run(_asked(name, rungs_release), folder / name))


OF_EVERY_TEXT = {"kind": "qa", "category": "c", "topic": "rain", "region": "r", "language": "en"}


def _asked(name: str, release: Path) -> ReleaseItems:
    if name in ("multiple-choice", "true-false", "short-answer"):
        task = TASKS[name]
        given = {name: n for name, n in (("shots", 1), ("samples", 2)) if name in offered(task.options)}
        return read_items(release, task, limit=2, **given, **task.of_texts)
    people = {"nationality": ["Brazilian", "Dominican", "Thai"], "country_codes": [["BR"], ["DM"], ["TH"]]}
    texts = pl.DataFrame(people).with_columns(
        *(pl.lit(of).alias(name) for name, of in OF_EVERY_TEXT.items()),
        prompt_id=pl.format("p/{}", "nationality"),
        prompt=pl.format("Tell a {} of rain.", "nationality"),
        template_id=pl.lit("t"),
    )
    tables = dict(dishes.tables()) | {"cultural-prompts": texts.select([*CULTURAL_PROMPT_ROWS])}
    config = {} if name == "cultural-prompts" else {"config": "food-triples"}
    samples = {} if name == "probing" else {"samples": 2}
    options = checked_options(TASKS[name].options, {**config, **samples}, task=name)
    items = TASKS[name].items(tables, options)
    items = repeated(items, 2) if name == "free-listing" else items
    return ReleaseItems(AskedRelease(name="x", version="1.0.0", tables={}), name, options.kept(), items)


def _run(asked: ReleaseItems, out: Path) -> Run:
    ranks = asked.asked.kind == "candidates"
    model = callers_model(Ranker(), "candidates") if ranks else Echo()
    run = open_run(out, asked, MODEL, None if ranks else DRAWING)
    ask_model(run, model)
    return run


def changed(run: Run, **update: Any) -> Run:
    return dataclasses.replace(run, description=run.description.model_copy(update=update))


def signed(run: Run, **options: Any) -> str:
    return score_answers(run, allow_missing=True, **options).scores.signature


def test_every_task_has_a_measure_of_its_own():
    assert len({task.measure for task in TASKS.values()}) == len(TASKS)


@pytest.mark.parametrize("name", OF_A_RUN)
def test_parameters_of_asking(runs: Callable[[str], Run], name: str):
    description = runs("multiple-choice").description
    other = description.model_copy(update=dict(OF_A_RUN[name]))
    assert signature("blend-mcq", other, {}) != signature("blend-mcq", description, {})


@pytest.mark.sampled
@pytest.mark.parametrize("task", TASKS)
def test_options_of_asking(runs: Callable[[str], Run], task: str):
    run = runs(task)
    # How candidates are scored concerns models of one kind each.
    kinds = {"max_masks": "masked", "causal": "causal"}
    found = set()
    for name in offered(TASKS[task].options).keys() - CHANGES_NO_NUMBER.keys() - REFUSED.get(task, set()):
        base = changed(run, model=MODEL.model_copy(update={"scorer": kinds[name]})) if name in kinds else run
        assert base.description.options.get(name) != OF_ASKING[name]
        update: dict[str, Any] = {"options": {**base.description.options, name: OF_ASKING[name]}}
        if (task, name) == ("short-answer", "prompts"):
            # Their texts are what counts.
            update = {"prompts": {"plain": "0" * 64}}
        signature_of_it = signed(changed(base, **update))
        assert signature_of_it not in {signed(base), *found}, name
        found.add(signature_of_it)


@pytest.mark.sampled
@pytest.mark.parametrize("task", TASKS)
def test_options_of_scoring(runs: Callable[[str], Run], task: str, tmp_path: Path):
    run = runs(task)

    def written(text: str) -> Path:
        (tmp_path / f"{len(list(tmp_path.iterdir()))}.csv").write_text(text, encoding="utf-8")
        return max(tmp_path.iterdir())

    rules = [rule for rule in TASKS[task].rules if rule not in ("default", "judge")]
    tried = {name: OF_SCORING[name] for name in offered(TASKS[task].scoring).keys() - CHANGES_NO_NUMBER.keys()}
    for name, value in {**tried, "seed": 1, **({"rule": rules[-1]} if rules else {})}.items():
        before: dict[str, Any] = {}
        given: list[Any] = [value]
        if name in ("vectors", "surveys"):
            # The content of a file counts, not its name.
            files = [written(value), written(value.replace(",2,4", ",8,4").replace("rice 1", "rice 3"))]
            given = [{"wvs" if name == "surveys" else "": one} for one in files]
        if name == "distance":
            before = {"surveys": {"wvs": written(OF_SCORING["surveys"])}}
        signatures = {signed(run, **before), *(signed(run, **before, **{name: one}) for one in given)}
        assert len(signatures) == 1 + len(given), name
