"""Models of answers that are simulated: runs on a release whose answers follow the two-parameter model."""

from collections.abc import Collection
from pathlib import Path

import numpy as np
import polars as pl

import blend
from blend.schemas.rows import LETTERS
from helpers.asking import recorded, score


def simulated_runs(
    release: Path,
    folder: Path,
    *,
    models: int = 8,
    wrong_keys: Collection[str] = (),
    **options: object,
) -> list[Path]:
    """Scored runs of multiple choice, the weakest model first; abilities lie evenly between -1.5 and 2.5.

    Args:
        release: What they are asked.
        folder: Where the runs are made, ``m0``, ``m1`` …
        models: How many.
        wrong_keys: Ids of questions of which models hold the option behind the marked one for correct.
        options: Of asking.
    """
    rng = np.random.default_rng(0)
    questions = blend.read_config(release, "multiple-choice-questions").select("mcq_id", "answer")
    difficulty, slope = rng.normal(0, 1, len(questions)), np.exp(rng.normal(0, 0.3, len(questions)))
    turned = questions["mcq_id"].is_in(list(wrong_keys)).to_numpy()
    truth = (questions["answer"].to_numpy() + turned) % 4
    made = []
    for number, ability in enumerate(np.linspace(-1.5, 2.5, models)):
        knows = rng.random(len(questions)) < 1 / (1 + np.exp(-slope * (ability - difficulty)))
        chosen = np.where(knows, truth, (truth + rng.integers(1, 4, len(questions))) % 4)
        folder.mkdir(parents=True, exist_ok=True)
        letters = pl.Series([LETTERS[option] for option in chosen])
        answers, name = questions.select(item_id="mcq_id", response=letters), f"m{number}"
        run = recorded(release, "multiple-choice", answers, folder / name, model=name, **options)
        score(run, on_warning=lambda _: None)
        made.append(run.directory)
    return made
