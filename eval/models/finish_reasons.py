"""Finish reasons: why an answer ends, in the words of servers and providers."""

from collections.abc import Mapping
from typing import get_args

from blend.eval.models.protocols import FinishReason

_WORDS: Mapping[FinishReason, str] = {
    # Anthropic and Bedrock say the second and third, TGI the fifth, Cohere the last.
    "stop": "stop end_turn stop_sequence eos eos_token complete",
    # Anthropic, Bedrock, Cohere and Gemini; OpenAI's responses; Mistral; Anthropic.
    "length": "length max_tokens max_output_tokens model_length model_context_window_exceeded max_length",
    "content_filter": (
        # Bedrock the second and third, Anthropic, Cohere, GLM.
        "content_filter content_filtered guardrail_intervened refusal error_toxic sensitive "
        # Gemini, as it is or behind "content_filter: ".
        "safety recitation blocklist prohibited_content spii"
    ),
    # vLLM, OpenRouter, Mistral and Cohere; vLLM and SGLang; DeepSeek; GLM.
    "error": "error abort insufficient_system_resource network_error",
}
"""By what it means for the answer, what it is called in lower case."""

_MEANINGS = {word: meaning for meaning, words in _WORDS.items() for word in words.split()}

FINISH_REASONS: tuple[FinishReason, ...] = tuple(one for one in get_args(FinishReason) if one != "error")
"""Ends of an answer: of itself, cut at the length allowed, or stopped by a content filter, which holds back the
text or the rest of it. What ends with ``error`` is none: the server failed."""


def meaning_of(reason: str) -> FinishReason | None:
    """Find what a finish reason means, in whatever case; null where nobody knows it."""
    # ``FinishReason.STOP`` is how Gemini's own client writes it.
    word = reason.strip().lower().partition(":")[0].rpartition(".")[2]
    return _MEANINGS.get(word)
