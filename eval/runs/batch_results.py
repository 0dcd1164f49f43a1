"""Batch results: the lines that providers and tools write for requests, each read as the reply of a chat is.

OpenAI (chats, completions and Responses) and ``vllm run-batch``, Anthropic, Gemini and datatrove's
``InferenceRunner`` are known; whoever reads the reply of a live request reads theirs.

References:
    OpenAI, Batch API, https://platform.openai.com/docs/guides/batch.
    Anthropic, Message Batches, https://docs.claude.com/en/docs/build-with-claude/batch-processing.
    Google, Gemini Batch API, https://ai.google.dev/gemini-api/docs/batch-api.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from blend.eval.models.protocols import Generation
from blend.eval.models.server_replies import BadReplyError, is_filtered, read_text, served_name
from blend.schemas.texts import clean

Reply = Mapping[Any, Any]

_SHOWN = 200

_HELD_BACK: Reply = {
    "choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}],
    "usage": {"completion_tokens": 0},
}


class RequestResult(NamedTuple):
    """What came back for one request."""

    request_id: str
    """Id of the request."""
    answer: Generation
    """The answer, or why there is none."""
    served_as: str | None
    """Name under which the model answered; null where nobody says."""


def result_in(record: object) -> RequestResult | None:
    """The result in a record of a file that came back; null for anything else."""
    try:
        found = _named_reply(record)
    except (AttributeError, LookupError, TypeError):  # something else where a provider has its own
        return None
    if found is None:
        return None
    name, reply = found
    if isinstance(reply, str):
        return RequestResult(name, Generation.failed(reply), None)
    try:
        answer = read_text(reply)
    except BadReplyError as error:
        answer = Generation.failed(str(error))
    return RequestResult(name, answer, served_name(reply))


def _named_reply(record: object) -> tuple[str, Reply | str] | None:
    """The id of a request with the reply of a chat to it, or with why there is none."""
    match record:
        case {"custom_id": str(name), "result": {"type": "succeeded", "message": {**message}}}:
            return name, _of_anthropic(message)
        case {"custom_id": str(name), "result": {"type": str(end), **result}}:
            return name, _failed(result.get("error") or end)
        case {"key": str(name), "response": {**response}}:
            return name, _of_gemini(response)
        case {"key": str(name), "error": error}:
            return name, _failed(error)
        case {"id": str(name), "metadata": {"rollout_results": [*rollouts]}}:
            return name, _of_datatrove(rollouts[0] if rollouts else {"error": "no answer"})
        case {"custom_id": str(name), "error": error} if error:
            return name, _failed(error)
        case {"custom_id": str(name), "response": {"status_code": int(code), **response}} if code >= 400:
            return name, _failed(response.get("body"), code)
        case {"custom_id": str(name), "response": {"body": {"error": error}}} if error:
            return name, _failed(error)
        case {"custom_id": str(name), "response": {"body": {"output": [*output], **body}}}:
            return name, _of_responses(output, body)
        case {"custom_id": str(name), "response": {"body": {**body}}}:
            return name, body
        case _:
            return None


def _failed(error: object, code: int | None = None) -> Reply | str:
    if is_filtered(error):
        return _HELD_BACK
    return reason_of(error) if code is None else f"HTTP {code}, {reason_of(error)!r}"


def reason_of(error: object) -> str:
    """What a provider says went wrong."""
    match error:
        case {"error": inner} if inner:
            return reason_of(inner)
        case {"message": str(text)} | {"code": str(text)}:
            return clean(text)[:_SHOWN]
        case _:
            return clean(str(error))[:_SHOWN]


def _chat(content: object, end: object, usage: Reply, model: object, reasoning: object = None) -> Reply:
    message = {"content": content, "reasoning": reasoning}
    return {"model": model, "choices": [{"message": message, "finish_reason": end}], "usage": usage}


def _of_anthropic(message: Reply) -> Reply:
    # Its blocks are called as the parts of a chat's content are.
    usage = _usage(message.get("usage") or {})
    return _chat(message.get("content"), message.get("stop_reason"), usage, message.get("model"))


def _of_responses(output: list[Any], body: Reply) -> Reply:
    content = [
        part if one.get("type") == "message" else {"type": "reasoning", "text": part["text"]}
        for one in output
        for part in one.get("content") or one.get("summary") or ()
        if one.get("type") in ("message", "reasoning")
    ]
    ends = {"completed": "stop", "incomplete": (body.get("incomplete_details") or {}).get("reason")}
    end = ends.get(body.get("status", "")) or body.get("status")
    return _chat(content, end, _usage(body.get("usage") or {}), body.get("model"))


def _usage(usage: Reply) -> Reply:
    return {
        "prompt_tokens": usage.get("input_tokens"),
        "completion_tokens": usage.get("output_tokens"),
        "completion_tokens_details": usage.get("output_tokens_details"),
    }


def _of_gemini(response: Reply) -> Reply:
    if not response.get("candidates"):
        return _HELD_BACK if response.get("promptFeedback") else response
    candidate, usage = response["candidates"][0], response.get("usageMetadata") or {}
    content = [
        {"type": "reasoning" if part.get("thought") else "text", "text": part.get("text", "")}
        for part in (candidate.get("content") or {}).get("parts") or ()
    ]
    thought, answered = usage.get("thoughtsTokenCount"), usage.get("candidatesTokenCount")
    counts = {
        "prompt_tokens": usage.get("promptTokenCount"),
        "completion_tokens": (answered or 0) + (thought or 0) if usage else None,
        "completion_tokens_details": {"reasoning_tokens": thought},
    }
    return _chat(content, candidate.get("finishReason"), counts, response.get("modelVersion"))


def _of_datatrove(rollout: Reply) -> Reply | str:
    if rollout.get("error"):
        return _failed(rollout)
    usage = rollout.get("usage") or {}
    # The field in which `cluster` keeps the name of who answered.
    model = usage.get("model")
    return _chat(rollout["text"], rollout.get("finish_reason"), usage, model, rollout.get("reasoning"))
