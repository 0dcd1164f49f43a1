"""How often intervals of corrected scores hold what people would find, and how wide they are.

    python benchmarks/corrected_scores.py --worlds 2000

In every simulated world a model answers questions in four languages; a string rule and a judge decide each
reply, with errors of their own per language, and people label some, drawn by both verdicts. Replies to the
questions of one template are alike, and so are errors. Prints a table: the share of intervals that hold the
truth, with their median width in points, for the mean over languages, for one language, likewise for as many
labels without a judge, and for the judge without labels.
"""

import argparse
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.eval.judging.reply_sheet import first_of_strata
from blend.eval.statistics import FloatArray
from blend.eval.statistics.estimates import Estimate
from blend.eval.statistics.prediction_powered import corrected_means

LABELS = (50, 100, 200, 500)
"""Labels in each language."""

JUDGES: dict[str, tuple[tuple[float, float], ...]] = {
    "good": ((0.95, 0.05),) * 4,
    "worse in two languages": ((0.95, 0.05), (0.95, 0.05), (0.80, 0.30), (0.70, 0.20)),
    "better in one language": ((0.85, 0.15), (0.85, 0.15), (0.85, 0.15), (0.99, 0.01)),
    "always says correct": ((1.0, 1.0),) * 4,
    "says what chance says": ((0.5, 0.5),) * 4,
}
"""By language, the share of correct replies that a judge calls correct, and that of others."""

RULE = ((0.75, 0.03),) * 4
"""The same of the string rule."""

KNOWN = (0.35, 0.5, 0.65, 0.8)
"""Share of questions that the model knows, by language: the truth."""

N_TEMPLATES, N_REPLIES = 400, 3
"""Templates of a language, and replies to each."""

SEED = 20261123

FIGURES = ("mean over languages", "a language", "labels alone", "judge alone")


class World(NamedTuple):
    """Replies of all languages, shape ``(n_replies,)`` each."""

    language: NDArray[np.intp]
    template: NDArray[np.intp]
    correct: FloatArray
    rule: FloatArray
    judge: FloatArray


def simulated(judge: str, rng: np.random.Generator) -> World:
    """Replies with what people, rule and judge say of each."""
    shape = (len(KNOWN), N_TEMPLATES, N_REPLIES)

    def drawn(chances: tuple[float, ...], spread: float) -> FloatArray:
        # Beta-binomial: the chance varies over templates, so that draws of one are alike; never quite 0 or 1.
        mean = np.clip(np.array(chances), 1e-9, 1 - 1e-9)[:, np.newaxis]
        of_template = rng.beta(mean * spread, (1 - mean) * spread, size=shape[:2])[:, :, np.newaxis]
        return (rng.random(shape) < of_template).astype(np.float64)

    correct = drawn(KNOWN, 2)
    rule, judged = (
        np.where(correct == 1, *(drawn(tuple(rate[side] for rate in rates), 4) for side in (0, 1)))
        for rates in (RULE, JUDGES[judge])
    )
    language, template, _ = np.indices(shape)
    return World(*(column.ravel() for column in (language, template, correct, rule, judged)))


def drawn_labels(
    world: World, strata: FloatArray, n: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], FloatArray]:
    """Replies that people label, ``n`` of each language, and their chances: as ``judge-sheet`` draws them."""
    rows, chances = [], []
    for language in range(len(KNOWN)):
        shuffled = rng.permutation(np.flatnonzero(world.language == language))
        drawn = first_of_strata(pl.DataFrame({"row": shuffled, "stratum": strata[shuffled]}), n)
        rows.append(drawn["row"].to_numpy())
        chances.append(drawn["probability"].to_numpy())
    return np.concatenate(rows), np.concatenate(chances)


def found_in(judge: str, n: int, number: int) -> dict[str, list[tuple[Estimate, float]]]:
    """Estimates in one world with what is true of each, by the names of `FIGURES`."""
    rng = np.random.default_rng((SEED, list(JUDGES).index(judge), n, number))
    world = simulated(judge, rng)
    cells, nothing = 2 * world.rule + world.judge, np.zeros_like(world.rule)
    labelled, chances = drawn_labels(world, cells, n, rng)
    at_random, equal = drawn_labels(world, nothing, n, rng)
    every, ones = np.arange(len(cells)), np.ones(len(cells))
    means = {
        "a language": corrected_means(
            cells, world.template, labelled, world.correct[labelled], chances, world.language
        ),
        "labels alone": corrected_means(
            nothing, world.template, at_random, world.correct[at_random], equal, world.language
        ),
        "judge alone": corrected_means(nothing, world.template, every, world.judge, ones, world.language),
    }
    each = np.eye(len(KNOWN))
    macro = means["a language"].combined(each.mean(axis=0))
    return {
        "mean over languages": [(macro, float(np.mean(KNOWN)))],
        **{name: list(zip(map(one.combined, each), KNOWN, strict=True)) for name, one in means.items()},
    }


def coverage(judge: str, n: int, *, worlds: int) -> dict[str, tuple[float, float]]:
    """Share of intervals that hold the truth, and their median width in points, by the names of `FIGURES`."""
    holds: dict[str, list[bool]] = {name: [] for name in FIGURES}
    widths: dict[str, list[float]] = {name: [] for name in FIGURES}
    for number in range(worlds):
        for name, of_world in found_in(judge, n, number).items():
            for one, truth in of_world:
                assert one.low is not None
                assert one.high is not None
                holds[name].append(one.low <= truth <= one.high)
                widths[name].append(100 * (one.high - one.low))
    return {name: (float(np.mean(holds[name])), float(np.median(widths[name]))) for name in FIGURES}


def main() -> None:
    """Print how often intervals hold and how wide they are, by judge and number of labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=2_000)
    parser.add_argument("--labels", type=int, nargs="+", default=LABELS)
    used = parser.parse_args()
    print("| judge | labels in a language |", " | ".join(FIGURES), "|")
    print("|---|" + "---:|" * (1 + len(FIGURES)))
    for judge in JUDGES:
        for n in used.labels:
            found = coverage(judge, n, worlds=used.worlds)
            cells = [f"{100 * share:.1f} % ({width:.1f})" for share, width in found.values()]
            print(f"| {judge} | {n} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
