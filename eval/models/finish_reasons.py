"""Finish reasons: why an answer ends, in the words of servers and providers."""

from collections.abc import Mapping

from blend.eval.models.protocols import FinishReason

_MEANINGS: Mapping[FinishReason, frozenset[str]] = {
    "stop": frozenset(
        (
            "stop",
            "end_turn",  # Anthropic and Bedrock, as the next one
            "stop_sequence",
            "eos",
            "eos_token",  # TGI
            "complete",  # Cohere
        )
    ),
    "length": frozenset(
        (
            "length",
            "max_tokens",  # Anthropic, Bedrock, Cohere, Gemini
            "max_output_tokens",  # OpenAI's responses
            "model_length",  # Mistral
            "model_context_window_exceeded",  # Anthropic
            "max_length",
        )
    ),
    "content_filter": frozenset(
        (
            "content_filter",
            "content_filtered",  # Bedrock, as the next one
            "guardrail_intervened",
            "refusal",  # Anthropic
            "error_toxic",  # Cohere
            "sensitive",  # GLM
            # Gemini, as it is or behind "content_filter: "
            "safety",
            "recitation",
            "blocklist",
            "prohibited_content",
            "spii",
        )
    ),
    "error": frozenset(
        (
            "error",  # vLLM, OpenRouter, Mistral, Cohere
            "abort",  # vLLM and SGLang
            "insufficient_system_resource",  # DeepSeek
            "network_error",  # GLM
        )
    ),
}
"""By what it means for the answer, what it is called in lower case."""

FINISH_REASONS: tuple[FinishReason, ...] = tuple(meaning for meaning in _MEANINGS if meaning != "error")
"""Ends of an answer: of itself, cut at the length allowed, or stopped by a content filter, which holds back the
text or the rest of it. What ends with ``error`` is none: the server failed."""


def meaning_of(reason: str) -> FinishReason | None:
    """Find what a finish reason means, in whatever case; null where nobody knows it."""
    # ``FinishReason.STOP`` is how Gemini's own client writes it.
    word = reason.strip().lower().partition(":")[0].rpartition(".")[2]
    return next((meaning for meaning, words in _MEANINGS.items() if word in words), None)
