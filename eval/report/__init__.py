"""Report: scored runs side by side, on one page and in comparisons that say what chance can do.

This module says what a run directory holds once it is scored: figures, and answer by answer.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import polars as pl

from blend.eval.runs.answers import WRITTEN, split_answers
from blend.eval.runs.run_directory import Run, read_frame
from blend.eval.scores_json import ALL, DECISIONS_NAME, FEW_MARK, Score, Scores, score_again
from blend.eval.statistics.estimates import Estimate
from blend.eval.task import TaskData
from blend.schemas.locales import registry
from blend.schemas.recipe import in_words
from blend.schemas.summaries import NOTHING, Summarised, Table

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
    task: TaskData
    """What was asked."""

    @property
    def frame(self) -> pl.DataFrame:
        """Every figure, a row each, with the fields of `Score` as columns."""
        rows = [score.model_dump() for score in self.scores.scores]
        # Types of columns that may be null in all rows.
        maybe_null = {**dict.fromkeys(("value", "low", "high"), pl.Float64), "clusters": pl.Int64}
        return pl.DataFrame(rows, schema_overrides=maybe_null)

    @property
    def signature(self) -> str:
        """Everything that can change a figure, the model apart."""
        return self.scores.signature

    def as_tables(self) -> list[Table]:
        """The figures over everything, then those by region, topic and the like."""
        return score_tables(self.scores, self.task)

    def of(self, metric: str, *scopes: str) -> dict[str, Score]:
        """The scores of a metric in one scope or several, by key; empty where there are none."""
        return {s.key: s for s in self.scores.scores if s.metric == metric and s.scope in scopes}

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
            RowError: If they are absent or have changed since they were written.
        """
        judged = self.table(DECISIONS_NAME).filter(pl.col("correct").is_not_null())
        rest = judged.drop([name for name in _KEYS if name != "item_id"], strict=False)
        return self.run.items(*_KEYS).join(rest, on="item_id", how="inner", maintain_order="left")

    def table(self, name: str) -> pl.DataFrame:
        """One of `Scores.tables`.

        Raises:
            RowError: If it is absent or has changed since it was written.
        """
        digest = self.scores.tables.get(name, "")
        return read_frame(self.run.directory / name, sha256=digest, fix=score_again(self.run))


_BY_KEY = (
    *("code", "region", "topic", "answer-spread", "position", "culture", "country", "language"),
    *("template", "naming", "prompt", "length", "judge"),
)
"""Scopes that are shown beside the overall figures; all others are in ``scores.json``."""


def score_tables(scores: Scores, task: TaskData) -> list[Table]:
    """The overall figures, the leading one first, and a table per region, topic and the like."""
    by_scope: dict[str, list[Score]] = {}
    for score in scores.scores:
        by_scope.setdefault(score.scope, []).append(score)
    of_splits: dict[str, list[Score]] = {}
    for score in by_scope.get(_ONE_BY_ONE, []):
        of_splits.setdefault(score.key, []).append(score)
    tables = [overall_table(of_split, task, title=key) for key, of_split in of_splits.items()]
    # With the mean over regions or the like comparison and report lead as well.
    overall = by_scope.get("overall", [])
    means = [score.metric for score in overall if score.metric.endswith("-macro")]
    lead = task.headline if task.headline in means else next(iter(means), None)
    tables.append(overall_table(sorted(overall, key=lambda score: score.metric != lead), task))
    # A task whose figures are per split has its topics, hundreds of them, in the file alone.
    for scope in () if of_splits else _BY_KEY:
        tables += _by_key(scope, by_scope.get(scope, []), task)
    title = f"{scores.model} on {scores.release}, {scores.task}, rule {scores.rule}"
    first = tables[0]
    of_first = f": {first.title}" if first.title else ""
    shown = (one for one in scores.scores if one.scope in ("overall", _ONE_BY_ONE, *_BY_KEY))
    return [Table(f"{title}{of_first}", first.frame, f"{task.units}{few_note(shown)}"), *tables[1:]]


def region_name(code: str) -> str:
    """A region as people call it (`Registry.label`); its code where the registry does not know it."""
    return _region_names().get(code, code)


@cache
def _region_names() -> Mapping[str, str]:
    """By the code that scores call them."""
    return {locale.split: registry().label(locale) for locale in registry()}


def with_code(name: str, code: str) -> str:
    """What something is called with its code, once."""
    return name if name == code or name.endswith(f"({code})") else f"{name} ({code})"


def few_note(shown: Iterable[Score | Estimate]) -> str:
    """What the mark of intervals over few clusters means; empty where none has it."""
    if not any(one.is_over_few for one in shown):
        return ""
    return f" {FEW_MARK} Over two to nine templates, topics or the like: wide, since so few say little."


def overall_table(scores: Sequence[Score], task: TaskData, *, title: str = "") -> Table:
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


def _by_key(scope: str, scores: Sequence[Score], task: TaskData) -> Iterator[Table]:
    """A row per key and a column per figure with its interval; figures over the same items share a table."""
    by_metric: dict[str, list[Score]] = {}
    for score in scores:
        by_metric.setdefault(score.metric, []).append(score)
    groups: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for metric, of in by_metric.items():
        groups.setdefault(tuple((score.key, score.n) for score in of), []).append(metric)
    for counts, metrics in groups.items():
        columns = [
            [with_interval(score, partial(_number, task, score)) for score in by_metric[metric]]
            for metric in metrics
        ]
        named = [with_code(region_name(key), key) for key, _ in counts]
        rows = zip(named, *columns, (n for _, n in counts), strict=True)
        yield Table.of("", (scope, *metrics, "n"), rows)


def _number(task: TaskData, score: Score, value: float) -> str:
    """A figure, or an end of its interval, as people read it."""
    # Agreement of people lies between -1 and 1, whatever the task.
    is_fraction = score.metric.endswith(("-alpha", "-kappa", "-kappa-default"))
    return f"{value:.3f}" if is_fraction else task.number(score.metric, value)


def with_interval(found: Score | Estimate | None, write: Callable[[float], str] = "{:z.1f}".format) -> str:
    """A figure with its interval, ``61.3 [58.0, 64.5]``, without a place to break the line within it."""
    if found is None or found.value is None:
        return NOTHING
    if found.low is None or found.high is None:
        return write(found.value)
    ends = f"[{write(found.low)},\u00a0{write(found.high)}]{FEW_MARK if found.is_over_few else ''}"
    return f"{write(found.value)}\u00a0{ends}"


# What a model answered to each item, whether it counts, and why.

REASONS: Mapping[str, str] = {
    "likeliest": "the likeliest option",
    "strict": "read from the JSON that was asked for",
    "lenient": "read from the reply",
    "unparsable": "the reply names no option",
    "unanswered": "unanswered: nothing was said, a thought did not end, or the text was cut or filtered",
    "value": "the same number, time or date as a gold answer",
    "words": "the same words as a gold answer",
    "containment": "holds a gold answer",
    "lemmas": "the same base forms as a gold answer",
    "no match": "matches no gold answer",
    "hedged": "hedged: lists more answers than count",
    "refused": "refused: says that it does not answer",
    "not scored": "the question is not scored",
    "missing": "no answer was kept",
}
"""Why an answer is correct or not, by the word that decisions have for it."""


class Candidate(NamedTuple):
    """An answer that a question knows: gold, or a distractor."""

    text: str
    """The answer; variants of one are joined by `VARIANTS`."""
    is_gold: bool = True
    """Whether it counts as correct."""
    votes: int | None = None
    """Annotators behind it; null where they are not counted."""
    note: str = ""
    """Where it stands, or whose answer it is."""


VARIANTS = " / "
"""What stands between variants of one answer."""


class KnownQuestion(NamedTuple):
    """What is known of a question besides the prompt."""

    candidates: tuple[Candidate, ...]
    """Gold answers, most votes first, or options in their order."""
    title: str = ""
    """The question alone; empty where it is the first line of the prompt."""


KnownQuestions = Mapping[str, KnownQuestion]
"""What is known of questions, by ``item_id``."""


def single_answers(run: ScoredRun) -> pl.DataFrame:
    """Read the answers of a run with their decisions.

    Returns:
        One row per item, in the order of the items: ``item_id``; ``correct``, null without an answer; ``why``,
        a word of `REASONS`, or an error as it was told; ``answer``, what the model answered, and ``reply``,
        what it wrote where a task reads its answer from that; ``thought``, what it thought before; ``matched``,
        the gold answer that it matched; and the other columns of the decisions. What there is not is null.
    """
    written = split_answers(run.run.answers("item_id", *WRITTEN, "error")).drop("finish_reason")
    decided = run.decisions().drop("answer", "reply", "thought", strict=False)
    absent = [pl.lit(None, pl.String).alias(name) for name in ("why", "matched") if name not in decided.columns]
    asked = run.run.items("item_id").join(
        decided.with_columns(absent), on="item_id", how="left", maintain_order="left"
    )
    no_answer = pl.coalesce("error", "why", pl.lit("missing"))
    return (
        asked.join(written, on="item_id", how="left", maintain_order="left")
        .with_columns(
            why=pl.when(pl.col("correct").is_null()).then(no_answer).otherwise("why"),
            answer="text",
            reply=pl.lit(None, pl.String),
        )
        .drop("text", "error")
    )


def answer_groups(groups: Iterable[Mapping[str, Any]], column: str = "answers") -> tuple[Candidate, ...]:
    """Gold answers, most votes first, of groups of annotators' answers; in their order where votes are unknown.

    Args:
        groups: `rows.AnswerGroup`.
        column: ``answers`` or ``en_answers``; groups that have none are left out.
    """
    voted = sorted(groups, key=lambda group: -(group["count"] or 0))
    return tuple(
        Candidate(VARIANTS.join(dict.fromkeys(group[column])), votes=group["count"])
        for group in voted
        if group[column]
    )
