"""Scored runs: what a run directory holds once it is scored, and whether runs can stand side by side."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import polars as pl

from blend.eval.runs.run_description import RecordedAnswers, RunDescription, is_of_people
from blend.eval.runs.run_directory import Run, read_frame
from blend.eval.scores_json import ALL, DECISIONS_NAME, FEW_MARK, UNANSWERED, Score, Scores, score_again
from blend.eval.statistics.estimates import Estimate
from blend.eval.task import Task
from blend.schemas.errors import DISTRIBUTION, InputError
from blend.schemas.locales import Locale, registry
from blend.schemas.recipe import in_words
from blend.schemas.summaries import NOTHING, Summarised, Table

_FIGURES = pl.Schema(
    {
        **dict.fromkeys(("metric", "scope", "key"), pl.String()),
        **dict.fromkeys(("value", "low", "high"), pl.Float64()),
        **dict.fromkeys(("n", "clusters"), pl.Int64()),
    }
)
"""`Score`, one row each."""

_ONE_BY_ONE = "split"
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
        return pl.DataFrame([score.model_dump() for score in self.scores.scores], schema=_FIGURES, orient="row")

    @property
    def signature(self) -> str:
        """Everything that can change a figure, the model apart."""
        return self.scores.signature

    def as_tables(self) -> list[Table]:
        """The figures over everything, then those by region, topic and the like."""
        return score_tables(self.scores, self.task)

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


_BY_KEY = (
    *("code", "region", "topic", "answer-spread", "position", "coverage", "culture", "country", "language"),
    *("template", "naming", "prompt", "length", "judge"),
)
"""Scopes that are shown beside the overall figures; all others are in ``scores.json``."""


def score_tables(scores: Scores, task: Task) -> list[Table]:
    """The overall figures, the leading one first, and a table per region, topic and the like."""
    by_scope: dict[str, list[Score]] = {}
    for score in scores.scores:
        by_scope.setdefault(score.scope, []).append(score)
    each = by_scope.get(_ONE_BY_ONE, [])
    tables = [
        overall_table([score for score in each if score.key == key], task, title=key)
        for key in dict.fromkeys(score.key for score in each)
    ]
    # With the mean over regions or the like comparison and report lead as well.
    overall = by_scope.get("overall", [])
    means = [score.metric for score in overall if score.metric.endswith("-macro")]
    lead = task.headline if task.headline in means else next(iter(means), None)
    tables.append(overall_table(sorted(overall, key=lambda score: score.metric != lead), task))
    # A task whose figures are per split has its topics, hundreds of them, in the file alone.
    for scope in () if each else _BY_KEY:
        tables += [_by_key(scope, rows, task) for rows in _with_equal_counts(by_scope.get(scope, []))]
    title = f"{scores.model} on {scores.release}, {scores.task}, rule {scores.rule}"
    first = tables[0]
    of_first = f": {first.title}" if first.title else ""
    shown = (one for one in scores.scores if one.scope in ("overall", _ONE_BY_ONE, *_BY_KEY))
    return [Table(f"{title}{of_first}", first.frame, f"{task.units}{few_note(shown)}"), *tables[1:]]


@cache
def known_regions() -> Mapping[str, Locale]:
    """Locales by the code that scores call their regions."""
    return {locale.split: locale for locale in registry()}


def region_name(code: str) -> str:
    """A region as people call it; its code where the registry does not know it."""
    return known_regions()[code].region_name if code in known_regions() else code


def few_note(shown: Iterable[Score | Estimate]) -> str:
    """What the mark of intervals over few clusters means; empty where none has it."""
    if not any(one.is_over_few for one in shown):
        return ""
    return f" {FEW_MARK} Over two to nine templates, topics or the like: wide, since so few say little."


def overall_table(scores: Sequence[Score], task: Task, *, title: str = "") -> Table:
    """A line per figure, with its interval and count."""
    rows = [
        (
            score.metric if title or score.key == ALL else f"{score.metric} ({score.key})",
            with_interval(score, partial(_number, task, score)),
            score.n,
        )
        for score in scores
    ]
    return Table.of(title, ("figure", "value", "n"), rows)


def _by_key(scope: str, scores: Sequence[Score], task: Task) -> Table:
    """A row per key, a column per figure with its interval, and the number of items behind them."""
    rows: dict[str, list[Any]] = {}
    for score in scores:
        named = f"{region_name(score.key)} ({score.key})" if score.key in known_regions() else score.key
        rows.setdefault(named, []).append(with_interval(score, partial(_number, task, score)))
    counts = {score.key: score.n for score in scores}.values()
    cells = [(key, *row, n) for (key, row), n in zip(rows.items(), counts, strict=True)]
    return Table.of("", (scope, *dict.fromkeys(score.metric for score in scores), "n"), cells)


def _with_equal_counts(scores: Sequence[Score]) -> list[list[Score]]:
    """Scores by figure, figures over the same items together: they can share a column of counts."""
    by_metric: dict[str, list[Score]] = {}
    for score in scores:
        by_metric.setdefault(score.metric, []).append(score)
    groups: dict[tuple[tuple[str, int], ...], list[Score]] = {}
    for rows in by_metric.values():
        groups.setdefault(tuple((score.key, score.n) for score in rows), []).extend(rows)
    return list(groups.values())


def _number(task: Task, score: Score, value: float) -> str:
    """A figure, or an end of its interval, as people read it."""
    # Correlations and agreement of people lie between -1 and 1, whatever the task.
    is_fraction = (
        score.metric.endswith(("-alpha", "-kappa", "-kappa-default")) or "correlation-" in score.metric
    )
    return f"{value:.3f}" if is_fraction else task.number(score.metric, value)


def with_interval(found: Score | Estimate | None, write: Callable[[float], str] = "{:.1f}".format) -> str:
    """A figure with its interval, ``61.3 [58.0, 64.5]``, without a place to break the line within it."""
    if found is None or found.value is None:
        return NOTHING
    if found.low is None or found.high is None:
        return write(found.value)
    ends = f"[{write(found.low)},\u00a0{write(found.high)}]{FEW_MARK if found.is_over_few else ''}"
    return f"{write(found.value)}\u00a0{ends}"


def check_comparable(runs: Sequence[ScoredRun]) -> tuple[str, ...]:
    """Whether the scores of runs can stand in one column: equal signatures, the model apart.

    Of people's answers only what was asked counts, not how a prompt put it: they saw none. Of another tool's,
    how they were asked for is not known, and does not count.

    Returns:
        What a reader of the comparison should know: which runs do not say how they were asked.

    Raises:
        InputError: If not; names the part that differs.
    """
    first, *others = sorted(
        runs, key=lambda run: (is_of_people(run.run.description), _is_recorded(run.run.description))
    )
    notes = []
    for other in others:
        there, here = (_parts(run.scores.signature) for run in (first, other))
        if is_of_people(other.run.description):
            there, here = ({part: parts[part] for part in _ASKED & {*parts}} for parts in (there, here))
        elif _is_recorded(other.run.description) and not _is_recorded(first.run.description):
            asked = ", ".join(f"{part} {there[part]}" for part in _UNSAID if part in there)
            notes.append(
                f"the answers of {other.name} are another tool's, which do not say how they were asked for "
                f"({first.name}: {asked}); how they differ may come from that"
            )
            there, here = (
                {part: parts[part] for part in parts if part not in _UNSAID} for parts in (there, here)
            )
        differing = [
            f"{_PARTS.get(part, part)}: {there.get(part, 'absent')} there, {here.get(part, 'absent')} here"
            for part in dict.fromkeys([*there, *here])
            if there.get(part) != here.get(part)
        ]
        if there.get("rel") != here.get("rel"):
            differing += first.task.asked_apart(first.run, other.run)
        if differing:
            listed = "\n".join(f"  {line}" for line in differing)
            raise InputError(
                f"{other.run.directory}: its scores cannot be compared with those of "
                f"{first.run.directory}, since they differ in\n{listed}\n"
                "run or score both the same way, or compare runs that were"
            )
    return tuple(notes)


def _is_recorded(run: RunDescription) -> bool:
    return isinstance(run.model, RecordedAnswers)


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
