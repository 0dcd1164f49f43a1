"""Runs made of answers that were kept: as tables, results of batches, or log-probabilities, one folder each."""

import hashlib
import json
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import blend

RUNS = Path(__file__).parent / "runs"

MAY_DIFFER = {
    "answers": "a digest of the run's files, which another layout of the directory changes",
    "verdicts": "likewise",
    "tables": "digests of Parquet files, which another version of polars writes otherwise",
}
"""Keys of ``scores.json`` and its ``usage`` that are not held, with why; all others are."""

SIGNATURE_MAY_DIFFER = {"sdk": "the version of blend is what changes"}
"""Parts of the signature that are not held, with why."""


FIGURE = ("value", "low", "high", "n", "clusters")
"""What ``scores.json`` says of a metric, scope and key, in the order in which records list it."""


class KeptLogprobs:
    """A model that says what ``logprobs.jsonl`` kept of one: its log-probabilities of options and candidates.

    Public names take these from an object alone, as no table of answers holds them. A row is found by a digest
    of the prompt and the options, or of the prompt and the candidates in the order of their code points.
    """

    def __init__(self, file: Path, name: str) -> None:
        self.name = name
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        self._kept = {row["asked"]: row["logprobs"] for row in rows}

    def option_logprobs(self, prompts: list[str], options: list[list[str]]) -> list[list[float]]:
        return [self._find(prompt, texts) for prompt, texts in zip(prompts, options, strict=True)]

    def candidate_logprobs(self, prompts: list[str], candidates: list[list[str]]) -> list[list[float | None]]:
        found = []
        for prompt, texts in zip(prompts, candidates, strict=True):
            by_text = dict(zip(sorted(texts), self._find(prompt, sorted(texts)), strict=True))
            found.append([by_text[text] for text in texts])
        return found

    def _find(self, prompt: str, texts: Sequence[str]) -> list[Any]:
        key = hashlib.sha256(json.dumps([prompt, [*texts]]).encode()).hexdigest()[:16]
        assert key in self._kept, f"{self.name} keeps no answer to {prompt!r} with {[*texts]}"
        found: list[Any] = self._kept[key]
        return found


def description(name: str) -> dict[str, Any]:
    """What ``run.toml`` says: release, task, model, options of asking, and a table for each scoring."""
    return tomllib.loads((RUNS / name / "run.toml").read_text(encoding="utf-8"))


def make_run(name: str, release: Path | str, out: Path) -> None:
    """Make the run of what a folder keeps, by public names; nobody is asked."""
    said, folder = description(name), RUNS / name
    options = dict(said.get("asked", {}))
    written = {name: options.pop(name) for name in ("max_tokens", "temperature") if name in options}
    way = {name: options.pop(name) for name in ("price",) if name in options}
    table = next(iter(folder.glob("answers.*")), None)
    model: Any
    if table is not None:
        model = blend.Recorded(path=table, name=said["model"])
    elif (folder / "batch.jsonl").exists():
        way |= {"batch_in": folder / "batch.jsonl"}
        model = blend.Server(name=said["model"])
    else:
        model = KeptLogprobs(folder / "logprobs.jsonl", said["model"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", blend.BlendWarning)
        how = {"decoding": blend.Decoding(**written), "asking": blend.Asking(**way)}
        blend.run_task(release, said["task"], model, out, **how, **options)


def score(name: str, out: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """Score a run with the options of one table ``scored``, and read what is held of ``scores.json``."""
    chosen = {key: _with_paths(value, RUNS / name) for key, value in options.items() if key != "name"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", blend.BlendWarning)
        blend.score_run(out, **chosen)
    return held(json.loads((out / "scores.json").read_text(encoding="utf-8")))


def held(scores: dict[str, Any]) -> dict[str, Any]:
    """What of ``scores.json`` is recorded: a figure is a list of what `FIGURE` names."""
    kept = {key: value for key, value in scores.items() if key not in MAY_DIFFER}
    if kept["usage"] is not None:
        kept["usage"] = {key: value for key, value in kept["usage"].items() if key not in MAY_DIFFER}
    kept["signature"] = held_signature(scores["signature"])
    figures = kept.pop("scores")
    assert all([*figure] == ["metric", "scope", "key", *FIGURE] for figure in figures)
    named = {f"{f['metric']} {f['scope']} {f['key']}": [f[field] for field in FIGURE] for f in figures}
    assert len(named) == len(figures), "two figures have one metric, scope and key"
    return kept | {"scores": named}


def held_signature(signature: str) -> list[str]:
    """The parts of a signature that are recorded."""
    return [part for part in signature.split("|") if part.partition(":")[0] not in SIGNATURE_MAY_DIFFER]


def _with_paths(value: Any, folder: Path) -> Any:
    """Names of files as paths in the folder of the run."""
    if isinstance(value, dict):
        return {key: _with_paths(part, folder) for key, part in value.items()}
    return folder / value if isinstance(value, str) and (folder / value).is_file() else value
