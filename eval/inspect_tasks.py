"""Tasks for Inspect: our items as its dataset, our rules as its scorer, found by its entry point.

    inspect eval blend/multiple_choice -T release=org/name@v1.0.0 -T locales=KR,US --model PROVIDER/MODEL

Options of a task are given with ``-T`` by their names in the library. ``--epochs N`` asks every question N
times. What was answered becomes a run, as every log of Inspect does. Only Inspect imports this module.
"""

import json
import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Metric, Score, Scorer, Target, accuracy, grouped, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import registry_info

from blend.eval.items import TaskItems
from blend.eval.models import Decoding, draw_seeds
from blend.eval.release_items import read_items
from blend.eval.runs import ReleaseItems
from blend.eval.runs.answer_logs import inspect_answer
from blend.eval.runs.answers import spoken_text
from blend.eval.task import CandidateOptions, ItemRule
from blend.eval.task_protocol import Task as OurTask
from blend.eval.tasks import TASKS, task_of

ABOUT = ("region", "locale", "topic", "template_id", "prompt_id", "language", "sample")
"""Columns of items that stand in a sample's metadata."""


def _enter(asked: OurTask) -> None:
    """Enter a task of ours, with the options that it has, as ``blend/NAME``."""

    def made(release: str, **options: Any) -> Task:
        read, rules = _asked(asked.name, release, json.dumps(options))
        return Task(
            dataset=MemoryDataset(list(_samples(read.asked, rules or {})), name=read.release.name),
            solver=_drawn(),
            scorer=None if rules is None else default_rule(asked.name, release, options),
            metrics=None if rules is None else _metrics(asked),
            # The likeliest token each time, as `blend eval run` asks; `--temperature` says otherwise.
            config=GenerateConfig(temperature=0.0),
            version=read.release.version,
        )

    made.__name__, made.__doc__ = asked.name.replace("-", "_"), asked.title
    if "/" not in registry_info(task(name=made.__name__)(made)).name:
        # Inspect does not see that what is installed editable is a package's.
        task(name=f"blend/{made.__name__}")(made)


for _ours in TASKS.values():
    if not issubclass(_ours.options, CandidateOptions):
        _enter(_ours)


@lru_cache(maxsize=2)
def _asked(name: str, release: str, options: str) -> tuple[ReleaseItems, Mapping[str, ItemRule] | None]:
    """What is asked of a release, and what decides on the answers."""
    chosen = task_of(name)
    read = read_items(release, chosen, **{**chosen.of_texts, **json.loads(options)})
    return read, chosen.item_rules(read.asked)


def _samples(asked: TaskItems, rules: Mapping[str, ItemRule]) -> Iterator[Sample]:
    items = asked.items
    if "sample" in asked.gold.columns:
        # Texts for readers of many nationalities, several with each prompt.
        items = items.join(asked.gold.select("item_id", "sample"), on="item_id", maintain_order="left")
    for item in items.iter_rows(named=True):
        rule = rules.get(item["item_id"])
        about = {name: item[name] for name in ABOUT if item.get(name) is not None}
        yield Sample(item["prompt"], target=rule.accepted if rule else "", id=item["item_id"], metadata=about)


def _metrics(asked: OurTask) -> list[Metric]:
    """Overall with an error clustered by template, by region, and over regions, each counted once."""
    # Where answers are not all correct or wrong, the same mean is not called accuracy.
    average = accuracy() if asked.compared_by == OurTask.compared_by else mean()
    of_regions = grouped(average, "region", all="groups", all_label="macro")
    return [average, stderr(cluster="template_id"), of_regions]


@solver
def _drawn() -> Solver:
    """Ask; answers that are drawn start at the seed of their prompt and epoch, as in runs of our own."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        asked = get_model().config
        if not asked.temperature:
            return await generate(state)
        sample = state.metadata.get("sample", 0) + state.epoch - 1
        [seed] = draw_seeds([state.input_text], [sample], Decoding(seed=asked.seed or 0))
        return await generate(state, seed=seed)

    return solve


@scorer(metrics=[accuracy(), stderr()])  # logs and viewers show the name of the function
def default_rule(name: str, release: str, options: dict[str, Any]) -> Scorer:
    """Decide on answers by the default rule of their task."""
    _, rules = _asked(name, release, json.dumps(options))
    assert rules is not None

    async def score(state: TaskState, target: Target) -> Score:
        del target  # the rules know more of it
        if not state.output.choices:
            return Score(value=math.nan, explanation="no output")
        answer = inspect_answer(state.output.model_dump())
        found = rules[str(state.sample_id)].decide(spoken_text(answer.text, answer.finish_reason))
        value = math.nan if found.share is None else found.share
        return Score(value=value, answer=found.read_as, explanation=found.why)

    return score
