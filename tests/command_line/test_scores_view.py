"""Scores as a reader of the terminal sees them: a row per region, a column per figure."""

from rich.console import Console

from blend.eval.registry import TASKS
from blend.eval.scores_json import Score, Scores
from blend.views.scores import score_tables


def figure(metric: str, scope: str, key: str, value: float | None, n: int, *ends: float) -> Score:
    low, high = ends or (None, None)
    return Score(metric=metric, scope=scope, key=key, value=value, low=low, high=high, n=n)


SCORES = Scores(
    task="short-answer",
    signature="blend-saq|…",
    rule="default",
    release="blend@1.0.0",
    model="mine\x1b[31m",
    answers="0" * 64,
    scores=(
        figure("sem-b", "overall", "all", 50.04, 1200, 44.0, 56.0),
        figure("parity-gap", "overall", "KR/JB", 12.0, 1200),
        figure("sem-b-macro", "overall", "all", 50.02, 1200, 44.1, 55.9),
        figure("sem-b", "region", "JB", 44.0, 600, 38.0, 50.0),
        figure("sem-b", "region", "KR", 56.0, 600, 50.0, 62.0),
        figure("sem-w", "region", "JB", 40.0, 600, 35.0, 45.0),
        figure("sem-w", "region", "KR", None, 600),
        # Over fewer items: in a table of its own, since it cannot share the column of counts.
        figure("sem-b-gap", "region", "JB", -3.0, 300, -6.0, 0.5),
        figure("sem-b", "language", "local", 49.0, 700, 43.0, 55.0),
        figure("sem-b", "topic", "Sport", 50.0, 30, 1.3, 98.7).model_copy(update={"clusters": 2}),
        figure("sem-b", "topic", "Food", 50.0, 300, 44.0, 56.0).model_copy(update={"clusters": 10}),
        figure("elsewhere", "prompt-pair", "a/b", 1.0, 1),
    ),
)

SHOWN = """
mine\\u001b[31m on blend@1.0.0, short-answer, rule default
Shares are in percent, gaps in points, with 95 % intervals; docs/scores.md
explains each figure.
"""


def test_scores_stand_in_eighty_columns():
    console = Console(width=80, record=True, force_terminal=False)
    with console.capture() as captured:
        for part in score_tables(SCORES, TASKS["multiple-choice"]):
            console.print(part)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    cells = [line for line in lines[3:] if line and set(line) != {"─"}]
    assert lines[:3] == SHOWN.strip().splitlines()
    assert cells == [
        "figure              value  95 % interval      n",
        # With the mean over regions comparison and report lead as well.
        "sem-b-macro          50.0    44.1 – 55.9  1,200",
        "sem-b                50.0    44.0 – 56.0  1,200",
        "parity-gap (KR/JB)   12.0                 1,200",
        "region                        sem-b              sem-w    n",
        "West Java (JB)    44.0 [38.0, 50.0]  40.0 [35.0, 45.0]  600",
        "South Korea (KR)  56.0 [50.0, 62.0]                  –  600",
        "region                 sem-b-gap    n",
        "West Java (JB)  -3.0 [-6.0, 0.5]  300",
        "topic              sem-b    n",
        "Sport  50.0 [1.3, 98.7]*   30",
        "Food   50.0 [44.0, 56.0]  300",
        "language              sem-b    n",
        "local     49.0 [43.0, 55.0]  700",
        "* over two to nine templates, topics or the like: wide, since so few say little.",
    ]
