"""``eval.yaml``: what the Hub and Inspect need to run a release as a benchmark, without any code of ours.

The keys are those that inspect-ai 0.3 reads for ``inspect eval hf/org/name/multiple-choice``.
"""

from typing import Any

import yaml

from blend.builders.cards.facts import ReleaseFacts
from blend.builders.cards.rendering import text_of
from blend.schemas.manifest import MULTIPLE_CHOICE, SHORT_ANSWER, region_task
from blend.schemas.rows import ANNOTATIONS, MULTIPLE_CHOICE_QUESTIONS, TRUE_FALSE_QUESTIONS


def benchmark_yaml(facts: ReleaseFacts) -> str | None:
    """The benchmark file of a release; null where it has no questions that can be asked."""
    tables = [table for table in facts.manifest.tables if table.rows]
    tasks = []
    held = {table.config for table in tables}
    if MULTIPLE_CHOICE_QUESTIONS in held:
        tasks.append(_multiple_choice(MULTIPLE_CHOICE, MULTIPLE_CHOICE_QUESTIONS))
    if TRUE_FALSE_QUESTIONS in held:
        asked = _multiple_choice(TRUE_FALSE_QUESTIONS, TRUE_FALSE_QUESTIONS)
        fields = {"input": "prompt", "target": "answer", "metadata": asked["field_spec"]["metadata"]}
        how = {"solvers": [{"name": "generate"}], "scorers": [{"name": "match", "args": {"location": "begin"}}]}
        tasks.append({**asked, "field_spec": fields, **how})
    if regions := [table.split for table in tables if table.config == ANNOTATIONS]:
        tasks.append(_short_answer(SHORT_ANSWER, "+".join(regions)))
        tasks += [_short_answer(region_task(region), region) for region in regions]
    if not tasks:
        return None
    fields = {
        "name": facts.title,
        "description": facts.summary,
        "evaluation_framework": "inspect-ai",
        "tasks": tasks,
    }
    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=110)


def _multiple_choice(name: str, config: str) -> dict[str, Any]:
    return {
        "id": name,
        "config": config,
        "split": "test",
        "field_spec": {
            "input": "question",
            # An index from 0 becomes a letter, since there are choices.
            "target": "answer",
            "choices": "options",
            "metadata": ["MCQID", "ID", "country", "locale", "topic"],
        },
        "solvers": [{"name": "multiple_choice"}],
        "scorers": [{"name": "choice"}],
    }


def _short_answer(name: str, split: str) -> dict[str, Any]:
    """A task of written answers, which Inspect has no rule for but a model that grades."""
    return {
        "id": name,
        "config": ANNOTATIONS,
        "split": split,
        "field_spec": {
            "input": "question",
            # A list, which the grading model is shown as it stands.
            "target": "annotations",
            "metadata": ["ID", "locale", "topic"],
        },
        "solvers": [
            {"name": "prompt_template", "args": {"template": text_of("asking.txt")}},
            {"name": "generate"},
        ],
        "scorers": [{"name": "model_graded_qa", "args": {"template": text_of("grading.txt")}}],
    }
