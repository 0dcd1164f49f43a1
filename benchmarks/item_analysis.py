"""How far item analysis finds what is there: in simulated answers, and in those of tiny trained models.

    python benchmarks/item_analysis.py --worlds 3
    python benchmarks/item_analysis.py --tiny work

Prints the tables of docs/items.md. Simulated models have abilities of mean 0 and variance 1 (shifted where a
table says so), and 0.4 more or less in each of 16 regions; slopes are lognormal (0, 0.5), difficulties normal
with the spread that the table names. Of four options a model that does not know guesses one. ``--tiny`` trains
eight small language models on parts of the correct answers of the sample's release, asks them its
multiple-choice questions, and plants wrong keys.
"""

import argparse
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.eval.item_analysis.analysis import WORST, analyse_responses
from blend.eval.item_analysis.compact import choose_compact
from blend.eval.item_analysis.item_statistics import item_statistics, wrong_key_evidence
from blend.eval.item_analysis.responses import Responses
from blend.eval.item_analysis.two_parameter import fit_items
from blend.eval.statistics.clusters import FloatArray

SEED = 20261124
REGIONS, TOPICS, OPTIONS = 16, 6, 4
SPREAD_OF_SLOPES = 0.5
"""Standard deviation of the logarithms of slopes, around 0."""
WRONG_KEYS = 0.05
"""Share of the questions whose key is planted to be wrong."""


class World(NamedTuple):
    """Simulated models and items."""

    ability: FloatArray
    slope: FloatArray
    intercept: FloatArray
    chances: FloatArray
    """Chance of each model to be correct in each item, shape ``(n_models, n_items)``."""
    correct: FloatArray
    """What came of it."""
    items: pl.DataFrame
    """As `responses.Responses.items`."""


def simulated(
    rng: np.random.Generator,
    n_models: int,
    n_items: int,
    *,
    spread: float = 1.5,
    shift: float = 0.0,
    guess: float = 0.25,
    region_spread: float = 0.4,
) -> World:
    """Models and items of the two-parameter model, with guessing."""
    region, topic = np.arange(n_items) % REGIONS, rng.integers(0, TOPICS, n_items)
    ability, slope = rng.normal(shift, 1, n_models), np.exp(rng.normal(0, SPREAD_OF_SLOPES, n_items))
    intercept = -slope * rng.normal(0, spread, n_items)
    by_region = ability[:, np.newaxis] + rng.normal(0, region_spread, (n_models, REGIONS))
    chances = guess + (1 - guess) / (1 + np.exp(-(slope * by_region[:, region] + intercept)))
    names = [f"q{number:05}" for number in range(n_items)]
    columns = {"region": [f"r{one:02}" for one in region], "topic": [f"t{one}" for one in topic]}
    items = pl.DataFrame({"item_id": names, "template_id": names, **columns})
    return World(ability, slope, intercept, chances, drawn(rng, chances), items)


def drawn(rng: np.random.Generator, chances: FloatArray) -> FloatArray:
    """Answers, 1 where correct."""
    return (rng.random(chances.shape) < chances).astype(np.float64)


def responses(items: pl.DataFrame, correct: FloatArray, wrong: FloatArray | None = None) -> Responses:
    """As runs of models would be read; where nothing else is said, wrong answers are of one kind."""
    names = tuple(f"m{number:03}" for number in range(len(correct)))
    return Responses(names, items, correct, 1 - correct[np.newaxis] if wrong is None else wrong)


def correlated(first: FloatArray, second: FloatArray, *, ranks: bool = False) -> float:
    """Pearson's correlation, or Spearman's."""
    if ranks:
        first, second = (one.argsort().argsort().astype(np.float64) for one in (first, second))
    return float(np.corrcoef(first, second)[0, 1])


def recovery(worlds: int, n_items: int, models: Sequence[int]) -> Iterator[str]:
    """How far estimates correlate with what was simulated, and how far those of an oracle do."""
    yield (
        "| models | spread of difficulties | abilities | difficulty (share wrong) | oracle | intercepts "
        "| oracle | slopes | oracle | oracle that knows intercepts |"
    )
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for spread in (1.5, 2.5):
        for n_models in models:
            found = []
            for number in range(worlds):
                rng = np.random.default_rng((SEED, n_models, number))
                world = simulated(rng, n_models, n_items, spread=spread, guess=0, region_spread=0)
                model, known = fit_items(world.correct), oracle(world, spread)
                difficulty = 1 - world.chances.mean(axis=0)
                pairs = (
                    (world.ability, model.abilities.mean),
                    (difficulty, item_statistics(world.correct).difficulty),
                    (difficulty, known.difficulty),
                    (world.intercept, model.intercept),
                    (world.intercept, known.intercept),
                    (world.slope, model.slope),
                    (world.slope, known.slope),
                    (world.slope, known.slope_by_intercept),
                )
                found.append([correlated(*pair) for pair in pairs])
            cells = " | ".join(f"{value:.3f}" for value in np.mean(found, axis=0))
            yield f"| {n_models} | {spread:g} | {cells} |"


class Oracle(NamedTuple):
    """Best estimates of items by somebody who knows abilities, and how items are drawn: posterior means."""

    difficulty: FloatArray
    intercept: FloatArray
    slope: FloatArray
    slope_by_intercept: FloatArray
    """Of the slope, once the item's intercept is known as well."""


def oracle(world: World, spread: float) -> Oracle:
    """Estimate items on a grid of slopes (axis 0) and difficulties; the world has no guessing."""
    logs = np.linspace(-4 * SPREAD_OF_SLOPES, 4 * SPREAD_OF_SLOPES, 41)
    slopes, places = np.exp(logs), np.linspace(-4 * spread, 4 * spread, 61)
    of_slope = -((logs / SPREAD_OF_SLOPES) ** 2) / 2
    slope, place = (one.ravel() for one in np.meshgrid(slopes, places, indexing="ij"))
    logits = np.multiply.outer(world.ability, slope) - slope * place
    fits = world.correct.T @ logits - np.logaddexp(0, logits).sum(axis=0)
    weights = _shares(fits + np.repeat(of_slope, len(places)) - (place / spread) ** 2 / 2)
    # An intercept that is known leaves one difficulty to each slope.
    left = -world.intercept[:, np.newaxis] / slopes
    logits = np.multiply.outer(world.ability, slopes)[:, np.newaxis] + world.intercept[:, np.newaxis]
    fits = (world.correct[:, :, np.newaxis] * logits - np.logaddexp(0, logits)).sum(axis=0)
    by_intercept = _shares(fits + of_slope - logs - (left / spread) ** 2 / 2) @ slopes
    wrong = 1 - (1 / (1 + np.exp(-np.multiply.outer(world.ability, slope) + slope * place))).mean(axis=0)
    return Oracle(weights @ wrong, weights @ (-slope * place), weights @ slope, by_intercept)


def _shares(logs: FloatArray) -> FloatArray:
    """Turn logarithms into weights that add up to 1 in each row."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return shares


def coverage(worlds: int, n_items: int) -> Iterator[str]:
    """How often intervals of the discrimination hold that of 20,000 models of the same kind."""
    yield "| models | intervals that hold it | items without one |"
    yield "|--:|--:|--:|"
    for n_models in (6, 10, 20, 50):
        held, absent = [], []
        for number in range(worlds):
            rng = np.random.default_rng((SEED, n_models, number))
            world = simulated(rng, 20_000, min(n_items, 300), region_spread=0)
            truth = item_statistics(world.correct).discrimination
            found = item_statistics(drawn(rng, world.chances[:n_models]))
            known = ~np.isnan(found.discrimination)
            held.append(((found.low <= truth) & (truth <= found.high))[known].mean())
            absent.append(1 - known.mean())
        yield f"| {n_models} | {100 * np.mean(held):.1f} % | {100 * np.mean(absent):.1f} % |"


def wrong_keys(worlds: int, n_items: int) -> Iterator[str]:
    """Share of planted wrong keys in the worst tenth: by evidence, discrimination, and what an oracle finds.

    In the last rows models that do not know prefer one wrong option, each question's own, and it is the key.
    """
    yield "| models | their mean accuracy | wrong options | by evidence | by discrimination | oracle |"
    yield "|--:|--:|---|--:|--:|--:|"
    for shift, preferred in ((0.0, False), (1.0, False), (3.0, False), (0.0, True)):
        for n_models in (6, 10, 20, 40):
            accuracy, found = [], []
            for number in range(worlds):
                rng = np.random.default_rng((SEED, n_models, number))
                world = simulated(rng, n_models, n_items, shift=shift)
                shares = (
                    np.sort(rng.dirichlet((1, 1, 1), n_items)) if preferred else np.full((n_items, 3), 1 / 3)
                )
                # Options are numbered from the correct one; the key is the last one, which is preferred.
                planted = rng.random(n_items) < WRONG_KEYS
                chosen = options_chosen(rng, world.chances, shares)
                chosen = np.where(planted, (chosen + 1) % OPTIONS, chosen)
                accuracy.append(world.chances.mean())
                found.append(
                    (*recalls(answers(world.items, chosen), planted), oracle_recall(world, chosen, planted))
                )
            cells = " | ".join(f"{100 * value:.0f} %" for value in np.mean(found, axis=0))
            what = "one preferred" if preferred else "alike"
            yield f"| {n_models} | {100 * np.mean(accuracy):.0f} % | {what} | {cells} |"


def options_chosen(rng: np.random.Generator, chances: FloatArray, shares: FloatArray) -> NDArray[np.int64]:
    """Options that models choose: 0 with each chance, else 1 to 3 with the item's shares."""
    wrong = 1 + (rng.random(chances.shape)[..., np.newaxis] > shares.cumsum(axis=1)[:, :2]).sum(axis=-1)
    return np.where(rng.random(chances.shape) < chances, 0, wrong)


def answers(items: pl.DataFrame, chosen: NDArray[np.int64]) -> Responses:
    """As runs would be read in which options were chosen, numbered from the key."""
    correct, *wrong = ((chosen == option).astype(np.float64) for option in range(OPTIONS))
    return responses(items, correct, np.stack(wrong))


def recalls(given: Responses, planted: NDArray[np.bool_]) -> tuple[float, float]:
    """Share of planted keys in the worst tenth by evidence, and by discrimination."""
    discrimination = item_statistics(given.correct).discrimination
    return recall(wrong_key_evidence(given), planted), recall(-np.nan_to_num(discrimination, nan=1), planted)


def oracle_recall(world: World, chosen: NDArray[np.int64], planted: NDArray[np.bool_]) -> float:
    """Share of planted keys found by somebody who knows each model's chance in each item."""
    chances = np.minimum(world.chances, 1 - 1e-9)
    weight = np.log(3 * chances / (1 - chances))
    votes = np.stack([(weight * (chosen == option)).sum(axis=0) for option in range(OPTIONS)])
    return recall(np.logaddexp.reduce(votes[1:]) - votes[0], planted)


def recall(rank: FloatArray, planted: NDArray[np.bool_]) -> float:
    """Share of planted keys among the tenth of the items that ranks highest."""
    worst = np.argsort(-rank, kind="stable")[: round(WORST * len(planted))]
    return float(planted[worst].sum() / planted.sum())


def compact(worlds: int, sizes: tuple[int, ...]) -> Iterator[str]:
    """What a tenth of the items says of 40 models that had no part in choosing it, beside a random tenth."""
    yield "| items | accuracy | choice | ranks | mean error | median | 95 % of errors | largest | of a region |"
    yield "|--:|--:|---|--:|--:|--:|--:|--:|--:|"
    for n_items in sizes:
        for shift in (0.0, 2.0):
            found: dict[str, list[tuple[float, ...]]] = {}
            accuracy = []
            for number in range(worlds):
                rng = np.random.default_rng((SEED, n_items, number))
                world = simulated(rng, 60, n_items, shift=shift)
                held_out = responses(world.items, world.correct[20:])
                fitted = responses(world.items, world.correct[:20])
                chosen = choose_compact(fitted, fit_items(fitted.correct), size=0.1)
                at_random = rng.permutation(chosen > 0).astype(np.float64)
                accuracy.append(world.chances.mean())
                for name, weights in (("chosen", chosen), ("at random", at_random)):
                    found.setdefault(name, []).append(compact_figures(held_out, weights))
                # What nobody can tell: how the other items turn out, even if every chance is known.
                unseen = np.where(chosen > 0, world.correct[20:], world.chances[20:]).mean(axis=1)
                full = held_out.shares(np.ones(n_items))
                found.setdefault("all chances known", []).append((*errors_of(full, unseen), np.nan))
            for name, figures in found.items():
                ranks, *errors = np.mean(figures, axis=0)
                cells = " | ".join("" if np.isnan(value) else f"{value:.2f}" for value in errors)
                yield f"| {n_items:,} | {100 * np.mean(accuracy):.0f} % | {name} | {ranks:.3f} | {cells} |"


def compact_figures(held_out: Responses, weights: FloatArray) -> tuple[float, ...]:
    """Rank correlation of weighted and full scores, and errors in points: mean, 95 %, largest, of a region."""
    full, weighted = (held_out.shares(each) for each in (np.ones(len(weights)), weights))
    regions = held_out.items["region"].to_numpy()
    apart = [
        100 * np.abs(held_out.shares(weights * here) - held_out.shares(here.astype(np.float64)))
        for here in (regions == region for region in np.unique(regions))
    ]
    return *errors_of(full, weighted), float(np.nanmean(apart))


def errors_of(full: FloatArray, estimated: FloatArray) -> tuple[float, ...]:
    """Rank correlation of estimates with full scores, and errors in points: mean, median, 95 %, largest."""
    errors = 100 * np.abs(estimated - full)
    quantiles = np.quantile(errors, (0.5, 0.95, 1))
    return correlated(full, estimated, ranks=True), float(errors.mean()), *map(float, quantiles)


TINY = ((16, 0.2), (16, 0.4), (32, 0.35), (32, 0.55), (48, 0.5), (48, 0.7), (64, 0.75), (64, 0.9))
"""Width of each tiny model, and the share of the facts that it is trained on."""


def tiny(folder: Path, steps: int) -> Iterator[str]:
    """Trained models' abilities, and the planted keys that their answers find."""
    import blend
    from blend.loaders.recipes.ready import sample_recipe

    release = folder / "release"
    shutil.rmtree(folder, ignore_errors=True)
    blend.build_release(sample_recipe(), release)
    questions = blend.read_config(release, "multiple-choice-questions")
    facts = questions.select("question", answer=pl.col("options").list.get(pl.col("answer"))).unique(
        maintain_order=True
    )
    decisions = []
    for number, (width, share) in enumerate(TINY):
        rng = np.random.default_rng((SEED, number))
        known = facts.filter(pl.Series(rng.random(len(facts)) < share))
        texts = [f"Question: {question}\nAnswer: {answer}" for question, answer in known.iter_rows()]
        model = train(folder / f"model-{number}", texts, width=width, steps=steps, seed=number)
        run = blend.run_task(
            release, "multiple-choice", model=model, out=folder / f"run-{number}", style="texts"
        )
        decisions.append(blend.score_run(run).decisions().sort("item_id"))
    items = decisions[0].select("item_id", "template_id", "region", "topic")
    chosen = np.stack([one["chosen"].to_numpy() for one in decisions])
    key = decisions[0]["answer"].to_numpy()
    found = analyse_responses(answers(items, (chosen - key) % OPTIONS))
    yield "| model | width | share of the facts | accuracy | ability |"
    yield "|---|--:|--:|--:|--:|"
    overall = found.abilities.filter(region="all")
    for (width, share), (name, _, correct, ability, error) in zip(TINY, overall.iter_rows(), strict=True):
        yield f"| {name} | {width} | {share:g} | {100 * correct:.1f} % | {ability:.2f} ± {error:.2f} |"
    rng = np.random.default_rng(SEED)
    planted = rng.random(len(key)) < WRONG_KEYS
    moved = np.where(planted, (key + rng.integers(1, 4, len(key))) % 4, key)
    by_evidence, by_discrimination = recalls(answers(items, (chosen - moved) % OPTIONS), planted)
    yield (
        f"\nOf {planted.sum()} planted keys among {len(key)}, {100 * by_evidence:.0f} % are in the worst tenth "
        f"by evidence, {100 * by_discrimination:.0f} % by discrimination."
    )


def train(folder: Path, texts: list[str], *, width: int, steps: int, seed: int) -> Path:
    """A GPT-2 of two layers that has seen texts again and again, in the form that transformers reads."""
    import torch
    from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel

    from blend.eval.models.tiny_model import make_tiny_model

    make_tiny_model(folder, seed=seed)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    torch.manual_seed(seed)
    made = GPT2Config.from_pretrained(folder, n_embd=width, n_head=2, n_positions=1024)
    model = GPT2LMHeadModel(made)
    rows = tokenizer([text + tokenizer.eos_token for text in texts], return_tensors="pt", padding=True)
    labels = rows["input_ids"].masked_fill(rows["attention_mask"] == 0, -100)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        batch = torch.randint(len(texts), (32,))
        loss = model(
            rows["input_ids"][batch], attention_mask=rows["attention_mask"][batch], labels=labels[batch]
        ).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    model.save_pretrained(folder)
    return folder


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=3)
    parser.add_argument("--items", type=int, default=1_000)
    parser.add_argument("--models", type=int, nargs="+", default=(6, 10, 20, 50, 200, 1000), help="of recovery")
    parser.add_argument("--compact", type=int, nargs="+", default=(2_000, 5_252))
    parser.add_argument("--tiny", type=Path, metavar="FOLDER", help="train tiny models in this folder instead")
    parser.add_argument("--steps", type=int, default=600)
    used = parser.parse_args()
    tables = (
        [tiny(used.tiny, used.steps)]
        if used.tiny
        else [
            recovery(used.worlds, used.items, used.models),
            coverage(used.worlds, used.items),
            # One world has some 50 wrong keys, and its models can be good or bad.
            wrong_keys(10 * used.worlds, used.items),
            compact(used.worlds, tuple(used.compact)),
        ]
    )
    for table in tables:
        for line in table:
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
