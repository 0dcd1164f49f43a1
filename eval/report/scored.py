"""Scored runs: what a run directory holds once it is scored, and whether runs can stand side by side."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from blend.eval.runs.directory import Run, read_run
from blend.eval.runs.table_files import read_frame
from blend.eval.scoring.scores import ALL, DECISIONS_NAME, Score, Scores, read_scores, score_again
from blend.schemas.distribution import DISTRIBUTION
from blend.schemas.domains import in_words
from blend.schemas.errors import InputError

ABOUT_DISHES = ("probe", "free-answers")
"""Tasks about dishes from countries, and not about regions."""

LEADING = {"probe": "precision", "free-answers": "f1"}
"""Column of decisions by which runs of these tasks are compared: average precision, and F1 of a list. Runs of
the others are compared by what is right."""

_KEYS = ("item_id", "region", "template_id", "topic", "language", "prompt_id")


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run with its scores."""

    name: str
    """The model, with the directory behind it where several runs of a task have the same one."""
    run: Run
    """The run directory."""
    scores: Scores
    """Its ``scores.json``."""

    def of(self, metric: str, scope: str) -> dict[str, Score]:
        """The scores of a metric in a scope, by key; empty where there are none."""
        return {s.key: s for s in self.scores.scores if s.metric == metric and s.scope == scope}

    def told(self, text: str) -> str:
        """A text about dishes in the words of what the run is about."""
        return in_words(text, self.run.description.options.get("words"))

    def overall(self, metric: str) -> Score | None:
        """The score of a metric over everything; null where there is none."""
        found = self.of(metric, "overall")
        return found.get(ALL) or next(iter(found.values()), None)

    def decisions(self) -> pl.DataFrame:
        """One row per judged item: its keys in the run, and the columns of ``decisions.parquet``.

        Items without an answer (``right`` is null) are left out.

        Raises:
            InputError: If the decisions are absent or of other items.
        """
        path = self.run.directory / DECISIONS_NAME
        try:
            decided = read_frame(path, fix=score_again(self.run))
            judged = decided.filter(pl.col("right").is_not_null())
            rest = judged.drop([name for name in _KEYS if name != "item_id"], strict=False)
            joined = self.run.items(*_KEYS).join(rest, on="item_id", how="inner", maintain_order="left")
        except pl.exceptions.PolarsError as error:
            raise InputError(
                f"{path}: cannot be read ({str(error).splitlines()[0]}); {score_again(self.run)}"
            ) from error
        if joined.height < judged.height:
            raise InputError(
                f"{path}: holds {judged.height - joined.height} items that were not asked in this run; "
                f"{score_again(self.run)}"
            )
        return joined


def read_scored(directories: Sequence[Path]) -> tuple[ScoredRun, ...]:
    """Scored runs, in the order in which they are named.

    Raises:
        InputError: If a directory is not one of a run, is named twice, or its run is not scored.
    """
    twice = [path for path, n in Counter(Path(os.path.realpath(path)) for path in directories).items() if n > 1]
    if twice:
        raise InputError(f"{twice[0].name}: the run is named twice; name every run once")
    runs = [read_run(directory) for directory in directories]
    scores = [read_scores(run) for run in runs]
    # The same model in two tasks is not two runs to be told apart: each task has its own tables.
    models = Counter((one.task, one.model) for one in scores)
    return tuple(
        ScoredRun(
            one.model if models[one.task, one.model] == 1 else f"{one.model} ({run.directory.name})", run, one
        )
        for run, one in zip(runs, scores, strict=True)
    )


def check_comparable(runs: Sequence[ScoredRun]) -> None:
    """Whether the scores of runs can stand in one column: equal signatures, the model apart.

    Raises:
        InputError: If not; names the part that differs.
    """
    first = runs[0]
    for other in runs[1:]:
        left, right = (_parts(run.scores.signature) for run in (first, other))
        differing = [
            f"{_PARTS.get(part, part)}: {left.get(part, 'absent')} there, {right.get(part, 'absent')} here"
            for part in dict.fromkeys([*left, *right])
            if left.get(part) != right.get(part)
        ]
        if differing:
            listed = "\n".join(f"  {line}" for line in differing)
            raise InputError(
                f"{other.run.directory}: its scores cannot be compared with those of "
                f"{first.run.directory}, since they differ in\n{listed}\n"
                "run or score both the same way, or compare runs that were"
            )


_PARTS = {
    "name": "what is measured",
    "rel": "release (rel)",
    "loc": "locales (loc)",
    "style": "style of the questions (style)",
    "rot": "rotations (rot)",
    "prompt": "prompts (prompt)",
    "chat": "chat template (chat)",
    "limit": "templates per locale (limit)",
    "dec": "decoding (dec)",
    "rule": "rule (rule)",
    "lemma": "lemmas (lemma)",
    "sdk": f"version of {DISTRIBUTION} (sdk)",
}
"""Parts of a signature in words."""


def _parts(signature: str) -> dict[str, str]:
    name, *fields = signature.split("|")
    return {"name": name, **{part: value for part, _, value in (field.partition(":") for field in fields)}}
