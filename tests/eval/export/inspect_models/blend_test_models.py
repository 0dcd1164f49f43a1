"""Models for Inspect, found by it through the entry point beside this file; they run in Inspect's environment.

Inspect's own `mockllm` counts tokens with a file that it downloads; these count none.
"""

import ast
import json
import urllib.request
from pathlib import Path
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

LETTERS = "ABCD"


@modelapi("blend-letters")
def letters() -> type[ModelAPI]:
    """A model on a server that may only write an option letter: it writes the likeliest one."""
    return Letters


@modelapi("blend-recorded")
def recorded() -> type[ModelAPI]:
    """A model whose answers were written down before, by question and options (``-M answers=FILE``)."""
    return Recorded


@modelapi("blend-by-heart")
def by_heart() -> type[ModelAPI]:
    """A model that answers every question with one word, and grades such answers by whether people gave it."""
    return ByHeart


class Letters(ModelAPI):
    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - its name there
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        logprobs = self._logprobs(input[-1].text)
        return ModelOutput.from_content(self.model_name, LETTERS[logprobs.index(max(logprobs))])

    def _logprobs(self, prompt: str) -> list[float]:
        asked = {
            "model": self.model_name,
            "prompt": [f"{prompt} {letter}" for letter in LETTERS],
            "max_tokens": 0,
            "echo": True,
            "logprobs": 1,
        }
        request = urllib.request.Request(
            f"{self.base_url}/completions", json.dumps(asked).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as reply:
            choices = json.load(reply)["choices"]
        assert [choice["logprobs"]["tokens"][-1] for choice in choices] == [f" {letter}" for letter in LETTERS]
        return [choice["logprobs"]["token_logprobs"][-1] for choice in choices]


class Recorded(ModelAPI):
    def __init__(self, model_name: str, *, answers: str, **others: Any) -> None:
        super().__init__(model_name)
        self._answers: dict[str, str] = json.loads(Path(answers).read_text(encoding="utf-8"))

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - its name there
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        # Behind Inspect's instruction, which ends at the first empty line.
        question = input[-1].text.partition("\n\n")[2]
        return ModelOutput.from_content(self.model_name, self._answers[question])


class ByHeart(ModelAPI):
    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - its name there
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        prompt = input[-1].text
        _, _, told = prompt.partition("Their answers, with the number of people who gave each (count): ")
        if not told:
            return ModelOutput.from_content(self.model_name, self.model_name)
        criterion, _, rest = told.partition("\n\nThe model's answer: ")
        given = {answer for group in ast.literal_eval(criterion) for answer in group["answers"]}
        answer, _, instructions = rest.partition("\n\nThe answer counts")
        assert "GRADE: C" in instructions
        return ModelOutput.from_content(self.model_name, f"GRADE: {'C' if answer in given else 'I'}")
