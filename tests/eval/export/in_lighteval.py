"""Runs in lighteval's environment: its tasks from a file, its model, its metric; prints what it chose.

``python in_lighteval.py TASKS MODEL`` does what ``lighteval accelerate`` does, but for loading all tasks that
lighteval brings along, of which one downloads a file when it is loaded.
"""

import json
import sys

from lighteval.models.transformers.transformers_model import TransformersModel, TransformersModelConfig
from lighteval.tasks.lighteval_task import LightevalTask
from lighteval.tasks.registry import Registry


def main(tasks: str, model_name: str) -> None:
    config = TransformersModelConfig(model_name=model_name, dtype="float32", device="cpu", batch_size=16)
    model = TransformersModel(config)
    print(json.dumps({task.name: list(answers(LightevalTask(task), model)) for task in table(tasks)}))


def table(tasks: str):
    return Registry.create_custom_tasks_module(tasks).TASKS_TABLE


def answers(task: LightevalTask, model: TransformersModel):
    (metric,) = task.metrics
    docs = task.get_docs()
    for doc, response in zip(docs, model.loglikelihood(docs), strict=True):
        score = metric.compute_sample(doc=doc, model_response=response)["acc"]
        chosen = response.logprobs.index(max(response.logprobs))
        yield {"item_id": doc.specific["item_id"], "chosen": chosen, "score": score}


main(*sys.argv[1:])
