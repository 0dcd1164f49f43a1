"""Outputs of engines."""

from dataclasses import dataclass
from typing import Any


@dataclass
class RequestOutput:
    """What came of one prompt."""

    prompt_token_ids: list[int]
    outputs: list[Any]
    prompt: str | None = None
    finished: bool = True
    metrics: None = None
    prompt_logprobs: None = None


@dataclass
class PoolingRequestOutput:
    """What came of one prompt that was not to be gone on with."""
