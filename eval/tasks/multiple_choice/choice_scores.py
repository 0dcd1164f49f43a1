"""Multiple choice: from answers to decisions and scores, and what the report shows of them.

``docs/scores.md`` has every formula. Every interval is over templates: the questions made of one template are
not independent.
"""

from collections.abc import Callable, Iterator, Sequence

import polars as pl

from blend.eval.items import own_prompt
from blend.eval.report import (
    VARIANTS,
    Candidate,
    KnownQuestion,
    KnownQuestions,
    ScoredRun,
    region_name,
    single_answers,
)
from blend.eval.report.report_sections import (
    Section,
    heat_section,
    pairs,
    region_sections,
    scores_section,
)
from blend.eval.runs.run_directory import Run
from blend.eval.scores_json import (
    ALL,
    UNANSWERED,
    UNREAD,
    Score,
    ScoredItems,
    gap_scores,
    macro_score,
    missing_share,
    plain,
    share_scores,
    whole_and_parts,
)
from blend.eval.statistics.agreement import auroc, expected_calibration_error
from blend.eval.task import Progress, ScoringOptions
from blend.eval.tasks.multiple_choice.choices import (
    BY_LETTER,
    CONFIDENT,
    DEFAULT,
    PROMPTS,
    RULES,
    SEMEVAL,
    decided,
)
from blend.schemas.rows import LETTERS, AnswerSpread

DECISIONS = pl.Schema(
    {
        **dict.fromkeys(("item_id", "question_id", "locale", "region"), pl.String()),
        **dict.fromkeys(("template_id", "topic", "prompt_id"), pl.String()),
        **dict.fromkeys(("rotation", "answer", "chosen"), pl.Int64()),
        "chosen_region": pl.String(),
        "correct": pl.Boolean(),
        "rule": pl.String(),
        "why": pl.String(),
    }
)
"""One row per item, in the order of the items: what was asked; indices from 0 of the correct and of the chosen
option; the region behind the chosen one; whether it is correct (null: there is no answer); the rule; and why,
in a word (as of `choices.decided`, or ``unanswered``). Where answers have one, ``confidence`` as well,
the share that the model gives its choice."""

BY_REGION = {"region": "region"}


def score_choice_run(run: Run, options: ScoringOptions, _on_progress: Progress) -> ScoredItems:
    """Decide the answers to multiple-choice questions, and score them.

    Returns:
        `DECISIONS`, and the scores: those of all items first, then by region, topic, answer
        spread, position, culture. By the rule `SEMEVAL` only of questions as published, and with those of the
        rule ``default`` beside them, ``accuracy-default``.

    Raises:
        UnknownNameError: If there is no such rule for these answers (`choices.decided`); lists the rules.
    """
    asked, rule, seed = run.description.options, options.rule, options.seed
    style = "json" if run.description.holds_texts else asked["style"]
    says_confidence = asked["confidence"]
    reader = CONFIDENT if says_confidence else BY_LETTER

    def decide(rows: pl.DataFrame) -> pl.DataFrame:
        rows = rows.filter(rotation=0) if rule == SEMEVAL else rows
        region = pl.col("option_regions").list.get(pl.col("chosen"), null_on_oob=True)
        return decided(rows, style=style, rule=rule, reader=reader).with_columns(chosen_region=region)

    judged = decided_in_parts(run, decide)
    written = judged if judged["answered"].all() else judged.filter("answered")
    kept = judged if rule == SEMEVAL else written
    sure = ["confidence"] if says_confidence or style != "json" else []
    others = RULES[style][1:]
    scores = (
        *accuracies(kept, seed),
        *_by_answer_spread(kept, seed),
        *(score for name in others for score in _share(f"accuracy-{name}", kept, pl.col(name), seed)),
        *parsing_shares(written, seed),
        *(_beside(written, seed) if rule == SEMEVAL else ()),
        missing_share(written.height, judged.height),
        *_all_positions(kept, seed),
        *_positions(kept, seed),
        *_default_culture(kept, seed),
        *(_confidence_scores(kept) if sure else ()),
    )
    named = {"style": asked["style"], "rot": str(asked["rotations"])}
    if says_confidence:
        named["conf"] = "stated"
    if asked["style"] == "texts":
        # The logs of lm-eval hold what is likeliest in all; by default it is per byte.
        by_sum = rule == DEFAULT and run.description.holds_texts
        named["rule"] = "sum" if by_sum else rule
    warnings: tuple[str, ...] = ()
    if says_confidence and written.height and written["confidence"].null_count() == written.height:
        warnings = ("no answer that names an option says how sure the model is, so there are no figures of it",)
    return ScoredItems(judged.select(*DECISIONS, *sure).cast(DECISIONS), scores, named, warnings)


def decided_in_parts(run: Run, decide: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
    """Decide the items of a run of questions part by part.

    Args:
        run: The run.
        decide: Decides rows of items with their gold and what was answered, null where there is no answer; the
            rows that it returns hold no texts.
    """
    asked = ("item_id", "locale", "region", "template_id", "topic", "prompt_id")
    sample = ("sample",) if run.description.options.get("samples", 1) > 1 else ()
    parts = run.answered_items("logprobs", "option_bytes", items=(*asked, *sample))
    # In one piece: sums of fractions do not depend on the parts.
    return pl.concat([decide(rows) for rows in parts], rechunk=True)


def _share(metric: str, rows: pl.DataFrame, share: pl.Expr, seed: int, **by: str) -> list[Score]:
    """A share of all rows, and by scope."""
    return share_scores(metric, rows.with_columns(value=share), by, seed)


def _beside(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Accuracy by the default rule, which leaves out what has no answer."""
    correct = rows.with_columns(value="correct")
    by_region = share_scores("accuracy-default", correct, BY_REGION, seed)
    return [*by_region, macro_score("accuracy-macro-default", correct, seed)]


def accuracies(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Accuracy over all items, by region, topic and both; its mean over regions, and the gap between them.

    Before them the first two by pair of template and region, and behind them by region: a pair counts the same
    however many questions it has.
    """
    # In the order of the items, so that sums of fractions are the same in every run.
    pairs = rows.group_by("template_id", "region", maintain_order=True).agg(value=pl.col("correct").mean())
    by_pair = share_scores("accuracy-by-pair", pairs, BY_REGION, seed, macro=True)
    by = {"region": "region", "topic": "topic", "region-topic": ("region", "topic")}
    correct = rows.with_columns(value="correct")
    by_item = share_scores("accuracy", correct, by, seed, macro=True)
    return [*by_pair[:2], *by_item[:2], *gap_scores(correct, seed), *by_item[2:], *by_pair[2:]]


def _by_answer_spread(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Accuracy by how many other regions gave the correct answer, the most widespread ones first.

    Nothing of a release in paper mode, where that is not known.
    """
    known = rows.drop_nulls("answer_spread").with_columns(value="correct")
    _, *by_spread = share_scores("accuracy", known, {"answer-spread": "answer_spread"}, seed)
    return sorted(by_spread, key=lambda score: list(AnswerSpread).index(AnswerSpread(score.key)))


def parsing_shares(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Count the answers that name an option strictly, or none, and those that are none.

    Nothing where options were scored.
    """
    why = pl.col("why")
    if not rows["why"].is_in(["strict", "lenient", UNREAD, UNANSWERED]).any():
        return []
    return [
        *_share("parsed-strictly", rows, why == "strict", seed),
        *_share(UNREAD, rows, why == UNREAD, seed, **BY_REGION),
        *_share(UNANSWERED, rows, why == UNANSWERED, seed, **BY_REGION),
    ]


def _all_positions(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Share of questions answered correctly wherever the correct option stood; only with rotations.

    A question of which an answer is missing is left out.
    """
    rotations = rows["rotation"].n_unique()
    if rotations < 2:
        return []
    each = [name for name in ("question_id", "sample", "region", "template_id") if name in rows.columns]
    asked = rows.group_by(each).agg(correct=pl.col("correct").all(), asked=pl.len())
    questions = asked.filter(pl.col("asked") == rotations)
    return _share("correct-in-all-positions", questions, pl.col("correct"), seed, **BY_REGION)


def _positions(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Score how often letters were chosen and were correct, of answers that choose any; and their distance."""
    chosen = rows.select("template_id", "chosen", "answer").drop_nulls("chosen")
    scores = [
        score.model_copy(update={"scope": "position", "key": letter})
        for index, letter in enumerate(LETTERS)
        for metric, column in (("chosen", "chosen"), ("correct", "answer"))
        for score in _share(f"position-{metric}", chosen, pl.col(column) == index, seed)
    ]
    of_chosen, of_correct = ([score.value or 0 for score in scores[start::2]] for start in (0, 1))
    # Total variation: half of the summed differences of the two distributions, in percent.
    distance = sum(abs(one - other) / 2 for one, other in zip(of_chosen, of_correct, strict=True))
    bias = distance if chosen.height else None
    return [plain("position-bias", "overall", ALL, bias, n=chosen.height), *scores]


def _default_culture(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Of the wrong choices, how often a culture was chosen where it was among the distractors.

    By the culture chosen, and by region asked about and culture chosen (``KR/US``).
    """
    wrong = rows.filter(pl.col("chosen").is_not_null() & ~pl.col("correct"))
    # A row for each option that was shown; the correct one is none of the distractors.
    shown = wrong.select(
        *("region", "template_id", "answer", "chosen"),
        culture="option_regions",
        position=pl.int_ranges(pl.col("option_regions").list.len()),
    ).explode("culture", "position")
    offered = shown.filter(pl.col("position") != pl.col("answer")).with_columns(
        value=pl.col("position") == pl.col("chosen")
    )
    by = {"culture": "culture", "region-culture": ("region", "culture")}
    _, *by_culture = share_scores("default-culture", offered, by, seed)
    return by_culture


def _confidence_scores(rows: pl.DataFrame) -> Iterator[Score]:
    """Calibration error and area under the curve, overall and by region; nothing without any confidence."""
    if rows["confidence"].null_count() == rows.height:
        return
    for scope, key, part in whole_and_parts("region", rows):
        known = part.drop_nulls("confidence")
        sure, correct = known["confidence"].to_numpy(), known["correct"].to_numpy()
        for metric, measure in (("ece", expected_calibration_error), ("auroc", auroc)):
            value = measure(sure, correct)
            yield plain(metric, scope, key, None if value is None else 100 * value, n=known.height)


# What the report shows: answer spread, cultures, positions, confidence, and the questions themselves.


def choice_sections(runs: Sequence[ScoredRun]) -> tuple[Section | None, ...]:
    """The sections on comparable runs; null without figures for one."""
    own = _spread_section(runs), _cultures_section(runs), _positions_section(runs), _confidence_section(runs)
    return *region_sections(runs), *own


def chosen_options(run: ScoredRun) -> pl.DataFrame:
    """See `single_answers`; the answer is the text of the option chosen, or else what the model said."""
    rows = single_answers(run)
    options = run.run.gold("item_id", "option_texts")
    option = pl.col("option_texts").list.get(pl.col("chosen"), null_on_oob=True)
    return rows.join(options, on="item_id", how="left", maintain_order="left").with_columns(
        answer=pl.coalesce(option, "answer"), reply=pl.when(option.is_not_null()).then("answer")
    )


def asked_questions(run: ScoredRun) -> KnownQuestions:
    """List the questions, each with its options, their letters and regions, by ``item_id``."""
    before, _, after = PROMPTS[run.run.description.options["style"]].partition("{question}")
    # What stands between the question and its options, or the end.
    behind = after.partition("{")[0]
    gold = run.run.gold("item_id", "answer", "option_texts", "option_regions")
    items = run.run.items()
    rows = items.select("item_id", own_prompt(items)).join(gold, on="item_id", how="left")
    found = {}
    for item_id, prompt, answer, texts, regions in rows.iter_rows():
        notes = (
            LETTERS if regions is None else map(", ".join, zip(LETTERS, map(region_name, regions), strict=True))
        )
        options = tuple(
            Candidate(text, index == answer, note=note)
            for index, (text, note) in enumerate(zip(texts, notes, strict=True))
        )
        question = prompt.removeprefix(before).partition(behind)[0]
        found[item_id] = KnownQuestion(options, f"{question} {VARIANTS.join(texts)}")
    return found


def _spread_section(runs: Sequence[ScoredRun]) -> Section | None:
    """Accuracy by how many other regions gave the correct answer as well."""
    return scores_section(
        "By how widespread the correct answer is",
        "People of six or more other regions gave a universal answer as well, of one to five a shared one, of "
        "none a specific one. A universal answer can be known from anywhere.",
        "correct answer",
        {"accuracy, %": "accuracy"},
        runs,
        "answer-spread",
    )


def _cultures_section(runs: Sequence[ScoredRun]) -> Section | None:
    """Whose culture was chosen, of the wrong answers, where it was on offer."""
    of_runs = {run.name: pairs(run.of("default-culture", "region-culture")) for run in runs}
    return heat_section(
        "Whose culture a model falls back to",
        "Of the wrong answers to questions about the region of the row: how often the culture of the column, "
        "or its answer, was chosen where it was one of the three distractors. 33 is chance; a bright column "
        "is a culture that the model takes for everyone’s. A cell is empty where that culture was never on "
        "offer.",
        of_runs,
        sorted({region for scores in of_runs.values() for region, _ in scores}, key=region_name),
        "chosen when wrong, %",
        head=("region", "culture"),
    )


def _positions_section(runs: Sequence[ScoredRun]) -> Section | None:
    """How often every letter was chosen, beside how often it was the correct one."""
    return scores_section(
        "Position bias",
        "How often every letter was chosen, beside how often it was correct. Without bias both are alike.",
        "letter",
        {"chosen, %": "position-chosen", "correct, %": "position-correct"},
        runs,
        "position",
    )


def _confidence_section(runs: Sequence[ScoredRun]) -> Section | None:
    """How far confidence says whether a model is correct."""
    return scores_section(
        "Confidence",
        "How sure a model is of the option that it chooses. ECE: how far its confidence is from its accuracy, "
        "0 at best. AUROC: how often a correct answer is the more confident of a correct and a wrong one; 50 "
        "is chance.",
        "region",
        {"ECE, %": "ece", "AUROC, %": "auroc"},
        runs,
        "overall",
        "region",
    )
