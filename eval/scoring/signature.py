"""Signatures: everything that can change a score, the model apart, in one line."""

import hashlib
import json
from collections.abc import Mapping

from blend.eval.runs.description import RecordedAnswers, RunDescription
from blend.version import __version__

_RELEASE_DIGITS = 8
_PROMPT_DIGITS = 4


def signature(name: str, run: RunDescription, parts: Mapping[str, str]) -> str:
    """The signature of scores.

    Args:
        name: What is measured, for example ``blend-mcq``.
        run: The run.
        parts: What the task adds; between the locales and the prompts.

    Returns:
        ``name|rel:…|loc:…|…|prompt:…|chat:…|sdk:…``, and before ``sdk`` what is not as usual: a limit, how
        texts were generated.
    """
    fields = {
        "rel": _release(run),
        "loc": "+".join(run.options.get("locales") or ["all"]),
        **parts,
        "prompt": "+".join(digest[:_PROMPT_DIGITS] for _, digest in sorted(run.prompts.items())),
        "chat": _chat(run),
        **({"limit": str(run.options["limit"])} if run.options.get("limit") else {}),
        **_decoding(run),
        "sdk": __version__,
    }
    return "|".join([name, *(f"{key}:{value}" for key, value in fields.items())])


def release_name(run: RunDescription) -> str:
    """Name and version of a run's release."""
    return f"{run.release.name}@{run.release.version}"


def _release(run: RunDescription) -> str:
    tables = json.dumps(run.release.tables, sort_keys=True)
    return f"{release_name(run)}#{hashlib.sha256(tables.encode()).hexdigest()[:_RELEASE_DIGITS]}"


def _chat(run: RunDescription) -> str:
    if isinstance(run.model, RecordedAnswers):
        return "unknown"
    return "yes" if run.model.chat else "no"


def _decoding(run: RunDescription) -> dict[str, str]:
    if run.decoding is None:
        return {}
    used = run.decoding
    parts = [f"max{used.max_tokens}"]
    if used.temperature:
        parts += [f"t{used.temperature:g}", f"seed{used.seed}"]
    if used.stop:
        parts.append("stop" + hashlib.sha256(json.dumps(used.stop).encode()).hexdigest()[:_PROMPT_DIGITS])
    return {"dec": "-".join(parts)}
