"""Scores of runs: the goldens once more, from a run directory; odd texts, few samples, and the page."""

from pathlib import Path

import pytest

from blend.eval.evaluation import read_scored, score_run
from blend.eval.report import ScoredRun
from blend.eval.report.pages import build_report
from blend.eval.scores_json import DECISIONS_NAME, Score, read_scores
from blend.eval.scoring import score_answers, write_scores
from blend.eval.tasks.cultural_prompts import CulturalPromptsTask, cultural_scores
from blend.eval.tasks.cultural_prompts.cultural_scores import WORDS_NAME
from blend.eval.tasks.cultural_prompts.cultural_section import cultural_overview
from helpers.messages import wrong


def scores_of(scored) -> dict[tuple[str, str, str], Score]:
    return {(one.metric, one.scope, one.key): one for one in scored.scores.scores}


def rows_of(**texts: list[str]) -> list[dict[str, object]]:
    """Rows about one topic; texts by group."""
    return [
        {"group": group, "topic": "rain", "sample": sample, "text": text}
        for group, of_group in texts.items()
        for sample, text in enumerate(of_group)
    ]


A, B, C = "the rain falls on the hills", "the snow falls on the town today", "no cloud is to be seen here now"


UNPARTED = "texts without blanks between words, of which a whole line counts as one word"
SAY_LITTLE = "but figures of them say little; part their words with blanks first (docs/cultural-prompts.md)"
FRENCH = (
    "le renard brun saute par dessus le chien paresseux et puis il va dans la forêt pour chercher son ami le "
    "loup gris"
)
CHINESE = ["早餐是一天中的第一餐，人们吃米饭。", "重力让苹果落下。"]

TOLD = {
    "one-sample": (
        {"French": [A], "German": [B], "Thai": [C]},
        ("one sample per topic and group: the variance within groups is not defined, and is left out",),
        {"variance-within": None},
    ),
    "missing-sample": (
        {"French": [A, B], "German": [B], "Thai": [C, A]},
        ("1 of 3 pairs of topic and group has fewer than the usual 2 samples",),
        {},
    ),
    "chinese": (
        {"A": [CHINESE[0], B], "B": [A, CHINESE[1]]},
        (f"{UNPARTED}: 2 of 4; kept, {SAY_LITTLE}",),
        {"unparted": 50},
    ),
    "odd": (
        {
            "French": [A, "", FRENCH],
            "German": ["  \n", "I'm sorry, but I can't help with that.", B],
            "Thai": [C, A, "ฝนตกบนภูเขาและลมพัดแรงมากในวันนี้"],
        },
        (
            "texts that refuse: 1 of 9; kept",
            f"{UNPARTED}: 1 of 9; kept, {SAY_LITTLE}",
            (
                "2 of 9 answers (22.2 %) are unanswered: the model said nothing, did not finish a thought, or "
                "was cut at the length allowed; let it write more (`max_tokens`), or not think (`thinking`)"
            ),
        ),
        {"refusal": 100 / 9, "unparted": 100 / 9, "unanswered": 200 / 9},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TOLD)
def test_what_is_odd_about_texts_is_counted_and_told(run_of, name: str):
    texts, warnings, figures = TOLD[name]
    scored = score_answers(run_of(rows_of(**texts)))
    assert scored.warnings == warnings
    found = scores_of(scored)
    assert {name: found[name, "overall", "all"].value for name in figures} == pytest.approx(figures)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kinds", "named"),
    [
        (("", ""), ("en", "fr")),
        (("qa", "qa"), ("qa", "qa-fr")),
        (("qa", ""), ("qa", "fr")),
        (("", "qa"), ("en", "qa-fr")),
    ],
)
def test_texts_in_two_languages_are_not_compared(run_of, kinds: tuple[str, str], named: tuple[str, str]):
    rows = [
        {"group": group, "topic": "rain", "sample": sample, "language": language, "split": kind, "text": text}
        for language, text, kind in zip(("en", "fr"), (A, FRENCH), kinds, strict=True)
        for group in ("French", "German")
        for sample in (0, 1)
    ]
    found = scores_of(score_answers(run_of(rows)))
    of_kinds = {key[1:]: one.value for key, one in found.items() if key[0] == "variance-within"}
    assert [of_kinds["split", name] for name in named] == [0, 0]


@pytest.mark.slow
def test_texts_without_a_kind_beside_others_have_a_name(run_of):
    rows = [
        {"group": group, "topic": "rain", "sample": 0, "split": kind, "text": text}
        for kind in ("", "story")
        for group, text in (("French", A), ("German", B))
    ]
    kinds = {key[2] for key in scores_of(score_answers(run_of(rows))) if key[1] == "split"}
    assert kinds == {"en", "story"}


@pytest.mark.slow
def test_thoughts_are_no_part_of_a_text_and_unfinished_ones_are_none(run_of):
    texts = {"French": [A, B], "German": [B, C], "Thai": [C, A]}
    thought = {
        group: [f"<think>Something for {group} readers.</think>{text}" for text in of]
        for group, of in texts.items()
    }
    plain, thinking = (
        score_answers(run_of(rows_of(**texts))),
        score_answers(run_of(rows_of(**thought), "thinks")),
    )
    assert scores_of(thinking) == scores_of(plain)
    run = run_of(rows_of(**{**thought, "Thai": [f"<think>{C}", A]}), "cut")
    cut = score_answers(run)
    assert scores_of(cut)["unanswered", "overall", "all"].value == pytest.approx(100 / 6)
    assert cut.decisions.filter("unanswered")["tokens"].to_list() == [0]
    write_scores(run, cut)
    scored = ScoredRun("m", run, read_scores(run), CulturalPromptsTask())
    assert cultural_overview(scored)["unanswered, %"] == "16.7"
    assert not scored.table(WORDS_NAME).is_empty()
    words = run.directory / WORDS_NAME
    words.write_bytes(words.read_bytes()[:-1])
    told = f"{words}: has changed since it was written; score the run again, with the options of before: "
    assert wrong(lambda: scored.table(WORDS_NAME)).startswith(told)


@pytest.mark.slow
def test_decisions_that_cannot_be_written_are_told(run_of):
    run = run_of(rows_of(French=[A, B], German=[B, C]))
    path = run.directory / DECISIONS_NAME
    path.mkdir()
    told = f"{path}: is not a regular file; move it away, or name a file"
    assert wrong(lambda: score_run(run)) == told
    path.rmdir()
    assert score_run(run).scores == read_scores(run)


@pytest.mark.slow
def test_scoring_that_is_stopped_leaves_no_scores_beside_other_tables(run_of, monkeypatch: pytest.MonkeyPatch):
    run = run_of(rows_of(French=[A, B], German=[B, C]))
    write_scores(run, score_answers(run))

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as before, pytest.raises(KeyboardInterrupt):
        before.setattr(cultural_scores, "analyse_topics", stopped)
        score_answers(run, bleu="pairwise")
    assert read_scores(run).rule
    monkeypatch.setattr(cultural_scores, "summed_counts", stopped)
    with pytest.raises(KeyboardInterrupt):
        score_answers(run, bleu="pairwise")
    assert "the run is not scored yet" in wrong(lambda: read_scores(run))


SURVEYS = {
    "flat": (
        "Demonym,power,a\nFrench,1,#NULL!\nGerman,1,3\nThai,1,3\n",
        ("own: distances are over 2 dimensions ('power', 'a')",),
    ),
    "few": (
        "Demonym,power\nFrench,1\nMartian,9\n",
        (
            "own: distances are over 1 dimension ('power')",
            "own knows 1 of 3 groups (not, for example, 'German')",
            "own: too few groups to rank (1); no correlation",
        ),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SURVEYS)
def test_surveys_that_rank_nothing_are_told(run_of, tmp_path: Path, name: str):
    text, warnings = SURVEYS[name]
    (tmp_path / "own.csv").write_text(text)
    run = run_of(rows_of(French=[A, B], German=[B, C], Thai=[C, A]))
    scored = score_answers(run, surveys={"own": tmp_path / "own.csv"})
    assert scored.warnings == warnings
    assert scores_of(scored)["tau-bleu-own", "overall", "all"].value is None


def test_one_group_cannot_be_compared(run_of):
    run = run_of(rows_of(French=[A, B]))
    told = f"{run.directory}: texts of one group only (French); nothing can be compared"
    assert wrong(lambda: score_answers(run)) == told


@pytest.fixture
def scored(golden_texts, surveys, run_of) -> Path:
    run = run_of(golden_texts)
    write_scores(run, score_answers(run, surveys=surveys))
    return run.directory


@pytest.mark.landing
def test_the_page_has_every_part(scored: Path):
    page = build_report(read_scored([scored]))
    for part in (
        "Texts for readers of many nationalities",
        "Variance between and within nationalities",
        "Agreement with hofstede, by BLEU",
        "Agreement with wvs, by −WED",
        "Words of every nationality",
        "butrir, kobriastan",
    ):
        assert part in page, part
    # Its samples are no repeats of a question that is correct or wrong.
    assert "Every question was asked" not in page
