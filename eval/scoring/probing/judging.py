"""Judging a run of probing: from its directory to decisions, scores and what stands in the signature."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from blend.eval.models.protocols import ModelDescription
from blend.eval.runs.directory import Run
from blend.eval.runs.probing import TOKENS_NAME
from blend.eval.runs.table_files import read_frame
from blend.eval.scoring.judged import Judged
from blend.eval.scoring.probing import judge_probing
from blend.eval.scoring.probing.vectors import WordVectors, read_vectors
from blend.eval.scoring.scores import ALL, Score, plain
from blend.loaders.files.content import file_identity
from blend.schemas.errors import UnknownNameError
from blend.schemas.probing import MAX_MASKS

RULES = ("default",)
_DIGITS = 8


def judge_run(run: Run, answers: pl.DataFrame, *, rule: str, vectors: Mapping[str, Path], seed: int) -> Judged:
    """Judge the answers of a run.

    Args:
        run: A run of the task ``probe``.
        answers: What was answered.
        rule: ``default``; probing has no other.
        vectors: Files of word vectors by language, the empty language for all.
        seed: Seed of the intervals.

    Raises:
        UnknownNameError: If there is no such rule, or vectors are given for a language that was not asked in.
        InputError: If a file of vectors cannot be used.
    """
    if rule not in RULES:
        raise UnknownNameError("rule", rule, RULES)
    model = run.description.model
    scorer = model.scorer if isinstance(model, ModelDescription) else None
    candidates = run.candidates()
    items, gold = run.items(), run.gold()
    for language in vectors:
        if language and language not in set(items["language"]):
            raise UnknownNameError("language of --vectors", language, set(items["language"]))
    known = {
        language: read_vectors(path, _labels(language, items, gold, candidates))
        for language, path in vectors.items()
    }
    options = run.description.options
    unknown = _unknown_tokens(run)
    judged = judge_probing(
        items, gold, answers, candidates, scorer=scorer, causal=options["causal"], vectors=known, seed=seed
    )
    return judged._replace(
        scores=(*judged.scores, *unknown), signature_parts=_signature_parts(options, scorer, known)
    )


def _unknown_tokens(run: Run) -> list[Score]:
    """The share of candidates with a token that the model does not know, which are ranked all the same."""
    path = run.directory / TOKENS_NAME
    if file_identity(path) is None:
        return []
    tokens = read_frame(path)
    n_unknown = tokens.filter(pl.col("n_unknown") > 0).height
    return [plain("unknown-tokens", "overall", ALL, 100 * n_unknown / tokens.height, n=tokens.height)]


def asked_parts(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    """What of a configuration was asked, where it is not all of it."""
    values = {_KEYS[name]: options[name] for name in names if options[name] is not None}
    return {key: value if isinstance(value, str) else "+".join(value) for key, value in values.items()}


_KEYS = {"languages": "lang", "names": "names", "countries": "country", "prompts": "tmpl"}


def _labels(language: str, items: pl.DataFrame, gold: pl.DataFrame, candidates: pl.DataFrame) -> set[str]:
    """Every label that may be looked up in a language, or in any."""
    rows = pl.concat([items.select("language"), gold.select("gold", "candidate_set")], how="horizontal")
    if language:
        rows = rows.filter(pl.col("language") == language)
    of_sets = candidates.filter(pl.col("candidate_set").is_in(rows["candidate_set"].unique().to_list()))
    return {*of_sets["candidate"], *rows["gold"].explode().drop_nulls()}


def _signature_parts(
    options: Mapping[str, Any], scorer: str | None, vectors: Mapping[str, WordVectors]
) -> dict[str, str]:
    """What of the options can change a figure; how a model is asked only where it was asked that way."""
    parts = {"cfg": options["config"], "cand": options["candidates"]}
    parts |= asked_parts(options, ("languages", "names", "countries", "prompts"))
    if scorer == "masked" and options["max_masks"] != MAX_MASKS:
        parts["masks"] = str(options["max_masks"])
    if scorer == "causal" and options["causal"] != "sound":
        parts["causal"] = options["causal"]
    if vectors:
        parts["vec"] = "+".join(
            f"{language or 'all'}-{known.sha256[:_DIGITS]}" for language, known in sorted(vectors.items())
        )
    return parts
