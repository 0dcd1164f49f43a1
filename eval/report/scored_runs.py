"""Scored runs: what a run directory holds once it is scored, and whether runs can stand side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from blend.eval.runs.run_description import RecordedAnswers, is_of_people
from blend.eval.runs.run_directory import Run, read_frame
from blend.eval.scores_json import ALL, DECISIONS_NAME, UNANSWERED, Score, Scores, score_again
from blend.eval.task import Task
from blend.schemas.errors import DISTRIBUTION, InputError
from blend.schemas.recipe import in_words
from blend.schemas.summaries import NOTHING, Summarised, Table

FIGURES = pl.Schema(
    {
        **dict.fromkeys(("metric", "scope", "key"), pl.String()),
        **dict.fromkeys(("value", "low", "high"), pl.Float64()),
        **dict.fromkeys(("n", "clusters"), pl.Int64()),
    }
)
"""`Score`, one row each."""

ONE_BY_ONE = "split"
"""A scope of few keys and many figures: each key has figures like the overall ones."""

_KEYS = ("item_id", "region", "template_id", "topic", "language", "prompt_id")


@dataclass(frozen=True, slots=True, repr=False)
class ScoredRun(Summarised):
    """A run with its scores."""

    name: str
    """The model, with the directory behind it where several runs of a task have the same one."""
    run: Run
    """The run directory."""
    scores: Scores
    """Its ``scores.json``."""
    task: Task
    """What was asked."""

    @property
    def frame(self) -> pl.DataFrame:
        """Every figure, a row each, with the fields of `Score` as columns."""
        return pl.DataFrame([score.model_dump() for score in self.scores.scores], schema=FIGURES, orient="row")

    @property
    def signature(self) -> str:
        """Everything that can change a figure, the model apart."""
        return self.scores.signature

    def as_tables(self) -> list[Table]:
        """The figures over everything, with their intervals."""
        scores = self.scores
        rows = [
            (*_figure_name(score), number(score, score.value, self.task), interval(score, self.task), score.n)
            for score in scores.scores
            if score.scope in ("overall", ONE_BY_ONE)
        ]
        title = f"{self.name} on {scores.release}, {scores.task}, rule {scores.rule}"
        return [Table.of(title, ("figure", "of", "value", "95 % interval", "n"), rows)]

    def of(self, metric: str, scope: str) -> dict[str, Score]:
        """The scores of a metric in a scope, by key; empty where there are none."""
        return {s.key: s for s in self.scores.scores if s.metric == metric and s.scope == scope}

    def reword(self, text: str) -> str:
        """A text about dishes in the words of what the run is about."""
        return in_words(text, self.run.description.options.get("words"))

    def overall(self, metric: str) -> Score | None:
        """The score of a metric over everything; null where there is none."""
        found = self.of(metric, "overall")
        return found.get(ALL) or next(iter(found.values()), None)

    def decisions(self) -> pl.DataFrame:
        """One row per judged item: its keys in the run, and the columns of ``decisions.parquet``.

        Items without an answer (``correct`` is null) are left out.

        Raises:
            InputError: If the decisions are absent or of other items.
        """
        path = self.run.directory / DECISIONS_NAME
        try:
            decided = read_frame(path, fix=score_again(self.run))
            judged = decided.filter(pl.col("correct").is_not_null())
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


def _figure_name(score: Score) -> tuple[str, str]:
    return score.metric, "" if score.key == ALL else score.key


def number(score: Score, value: float | None, task: Task) -> str:
    """A figure, or an end of its interval, as people read it."""
    if value is None:
        return NOTHING
    # Correlations and agreement of people lie between -1 and 1, whatever the task.
    is_fraction = (
        score.metric.endswith(("-alpha", "-kappa", "-kappa-default")) or "correlation-" in score.metric
    )
    return f"{value:.3f}" if is_fraction else task.number(score.metric, value)


def interval(score: Score, task: Task) -> str:
    """``58.0 – 64.5``; empty where there is none."""
    return "" if score.low is None else f"{number(score, score.low, task)} – {number(score, score.high, task)}"


def check_comparable(runs: Sequence[ScoredRun]) -> None:
    """Whether the scores of runs can stand in one column: equal signatures, the model apart.

    Of people's answers only what was asked counts, not how a prompt put it: they saw none.

    Raises:
        InputError: If not; names the part that differs.
    """
    first, *others = sorted(runs, key=lambda run: is_of_people(run.run.description))
    for other in others:
        there, here = (_parts(run.scores.signature) for run in (first, other))
        if is_of_people(other.run.description):
            there, here = ({part: parts[part] for part in _ASKED & {*parts}} for parts in (there, here))
        differing = [
            f"{_PARTS.get(part, part)}: {there.get(part, 'absent')} there, {here.get(part, 'absent')} here"
            for part in dict.fromkeys([*there, *here])
            if there.get(part) != here.get(part)
        ]
        if there.get("rel") != here.get("rel"):
            differing += first.task.asked_apart(first.run, other.run)
        differing += _on_recorded(first, other, there, here)
        if differing:
            listed = "\n".join(f"  {line}" for line in differing)
            raise InputError(
                f"{other.run.directory}: its scores cannot be compared with those of "
                f"{first.run.directory}, since they differ in\n{listed}\n"
                "run or score both the same way, or compare runs that were"
            )


def _on_recorded(first: ScoredRun, other: ScoredRun, there: dict[str, str], here: dict[str, str]) -> list[str]:
    """Say why one of two runs does not tell how it was asked, where that is all or part of how they differ."""
    recorded = [
        run.run.directory for run in (first, other) if isinstance(run.run.description.model, RecordedAnswers)
    ]
    if len(recorded) != 1 or all(there.get(part) == here.get(part) for part in _UNSAID):
        return []
    return [f"({recorded[0]} holds another tool's answers, which do not say how they were asked for)"]


_UNSAID = ("chat", "dec", "sys", "think", "effort", "body")
"""Parts that nobody knows of recorded answers."""


_PARTS = {
    "name": "what is measured",
    "rel": "release (rel)",
    "loc": "locales (loc)",
    "s": "samples of each question (s)",
    "shots": "examples before each question (shots)",
    "style": "style of the questions (style)",
    "rot": "rotations (rot)",
    "conf": "confidence asked for (conf)",
    "prompt": "prompts (prompt)",
    "chat": "chat template (chat)",
    "limit": "templates per locale (limit)",
    "dec": "decoding (dec)",
    "sys": "system message (sys)",
    "think": "thinking (think)",
    "effort": "reasoning effort (effort)",
    "body": "further fields of requests (body)",
    "marks": "marks around thoughts (marks)",
    "rule": "rule (rule)",
    "judge": "judge and how it was asked (judge)",
    "own-family": "family that judge and model share (own-family)",
    "seed": "seed of the intervals (seed)",
    "order": "order of the groups (order)",
    "lemma": "lemmas (lemma)",
    "local": "local answers that count for English questions (local)",
    "sdk": f"version of {DISTRIBUTION} (sdk)",
}
"""Parts of a signature in words."""


_OF_THE_MODEL = {UNANSWERED, "missing", "dtype", "labels"}
"""Parts that say how a model ran, how often it did not answer and who labelled its answers: its own doing."""


_ASKED = {"name", "rel", "loc", "rule", "seed", "lemma", "local", "sdk"}
"""Parts that say what was asked and how answers were scored, whoever gave them."""


def _parts(signature: str) -> dict[str, str]:
    name, *fields = signature.split("|")
    found = {part: value for part, _, value in (field.partition(":") for field in fields)}
    return {"name": name, **{part: value for part, value in found.items() if part not in _OF_THE_MODEL}}
