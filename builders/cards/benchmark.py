"""``eval.yaml``: what the Hub and Inspect need to run a release as a benchmark, without any code of ours.

The keys are those that inspect-ai 0.3 reads for ``inspect eval hf/org/name/multiple-choice``.
"""

import yaml

from blend.builders.cards.facts import ReleaseFacts
from blend.schemas.rows.configs import MULTIPLE_CHOICE_QUESTIONS

TASK = "multiple-choice"
"""Id of the task; `blend eval push` names it in a model's results."""


def benchmark_yaml(facts: ReleaseFacts) -> str | None:
    """The benchmark file of a release; null where it has no multiple-choice questions."""
    if not any(table.config == MULTIPLE_CHOICE_QUESTIONS and table.rows for table in facts.manifest.tables):
        return None
    fields = {
        "name": facts.title,
        "description": facts.summary,
        "evaluation_framework": "inspect-ai",
        "tasks": [
            {
                "id": TASK,
                "config": MULTIPLE_CHOICE_QUESTIONS,
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
        ],
    }
    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=110)
