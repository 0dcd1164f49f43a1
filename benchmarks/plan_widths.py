"""How well a plan predicts what a collection tells apart, by resampling BLEnD's 16 regions.

``python benchmarks/plan_widths.py BLEND`` prints the tables of docs/plan.md from the published answers (the
folder BLEND of the authors' repository): widths predicted from other regions, from a pilot of 100 templates, or
as `blend plan` prints them, beside those that resampled templates show, and what three of five annotators
predict of all five. The models are six baselines of the audit, whose answers are computed. ``--fit`` writes the
figures of the regions that `blend plan` brings along, ``decisions/blend/collection_regions.tsv``. ``--draws``
and ``--pilots`` say how often to draw.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.builders.audit.checking import checked_questions
from blend.builders.audit.leaks import LEAKS
from blend.builders.audit.learning import combined_scores
from blend.builders.audit.measuring import outcome_of
from blend.builders.audit.question_arrays import question_arrays
from blend.builders.audit.solvers import KNOWS_OTHERS, NEEDS_ALL, SOLVERS, Known
from blend.builders.mcq import build_mcq
from blend.builders.mcq.published_mcqs import published_rows
from blend.builders.stats.mcq import (
    ACCURACY_CORRELATION,
    CORRELATION,
    DISAGREEMENT,
    half_width,
    smallest_difference,
)
from blend.builders.stats.planning import MOST_ANNOTATORS, region_figures
from blend.builders.stats.vote_chances import vote_shares
from blend.loaders.upstream.blend import BlendTables, read_blend
from blend.schemas.language.locales import registry
from blend.schemas.recipe.recipe import McqOptions

FIGURES = Path(__file__).resolve().parents[1] / "decisions" / "blend" / "collection_regions.tsv"
MODELS = ("typical", "classifier", "frequent", "widespread", "combined", "region-blind")
KNOWS_REGION = ("names-region", "typical", "classifier")
"""What the last of them, which weighs what the rest of the world answers, does not see."""
YOUNGER = ("elimination", "elimination-2", "longest")
"""Baselines younger than the figures of docs/plan.md, which none of the models weighs."""
SIZES = (100, 200, 300)
"""Templates asked."""
SHOWN = 200
PILOT = 100
"""Templates of a pilot."""
FEW = 3
QUANTILE = 1.959963984540054
QUANTILES = QUANTILE + 0.8416212335729143
"""Of the normal distribution for two sides of 5 %, and with 80 % power."""
WANTED = 5
SOURCES = ("others", "pilot", "printed")
"""Of a prediction: the other regions, a pilot, or what `blend plan` prints of the region."""
CLOSE_ENOUGH = 0.15
SEED = 20261123

Floats = npt.NDArray[np.float64]


class Supply(NamedTuple):
    """What templates that are asked give: columns of `planning.REGION_FIGURES`."""

    share: float
    """Share of them that gives multiple-choice questions."""
    mcqs: float
    """Mean number of questions of each that does."""
    size: float


class Answered(NamedTuple):
    """Questions of a region, by template asked: how many, and the sums of a quantity and of its squares."""

    counts: Floats
    sums: Floats
    squares: Floats

    @property
    def supply(self) -> Supply:
        """What the templates give."""
        n = self.counts.sum()
        pairs = np.count_nonzero(self.counts)
        return Supply(pairs / len(self.counts), n / pairs, (self.counts**2).sum() / n)

    def some(self, templates: npt.NDArray[np.int64]) -> "Answered":
        """Take templates by number."""
        return Answered(self.counts[templates], self.sums[templates], self.squares[templates])


class Spread(NamedTuple):
    """How much a quantity varies among questions, and how much alike it is within a template."""

    variance: float
    correlation: float


SINGLE, PAIR = Spread(0.25, ACCURACY_CORRELATION), Spread(DISAGREEMENT, CORRELATION)
"""What `blend plan` takes of one model and of two."""


def spread_of(answered: Answered) -> Spread:
    """Estimate the variance, and the correlation that gives the design effect of the sample (Kish 1965)."""
    n = answered.counts.sum()
    mean = answered.sums.sum() / n
    variance = float(answered.squares.sum() / n - mean**2)
    if not variance:
        return Spread(0.0, 1.0)
    effect = ((answered.sums - answered.counts * mean) ** 2).sum() / (n * variance)
    return Spread(variance, float((effect - 1) / (answered.supply[2] - 1)))


def answers_of_models(tables: BlendTables, mcqs: pl.DataFrame) -> pl.DataFrame:
    """What each model gets right, one row per question: 1, 0, or the share that a guess among equals gets."""
    rows = published_rows(mcqs, tables.questions, locales=registry())
    asked = question_arrays(
        checked_questions(
            rows.select("question", "options", "answer", "topic", group="locale", template="template_id")
        )
    )
    votes = tables.annotations.select("annotations", template="template_id", group="locale").explode(
        "annotations"
    )
    texts = votes.drop_nulls("annotations").unnest("annotations")
    evidence = (
        texts.select("template", "group", text="en_answers", votes="count")
        .explode("text")
        .drop_nulls("text")
        .group_by("template", "group", "text")
        .agg(pl.col("votes").sum())
        .sort("template", "group", "text")
    )
    known = Known(evidence, evidence, registry())
    scores = {
        name: one.scores(asked, known)
        for name, one in {**SOLVERS, **LEAKS}.items()
        if name not in (*NEEDS_ALL, *YOUNGER)
    }
    for name, unknown in (("combined", KNOWS_OTHERS), ("region-blind", KNOWS_REGION)):
        seen = [found for by, found in scores.items() if by not in (*unknown, "combined")]
        scores[name] = combined_scores(asked, np.stack(seen, axis=1))
    found = {name: outcome_of(asked, scores[name]) for name in MODELS}
    right = {name: np.where(one.opinion, one.credit, 1 / asked.sizes) for name, one in found.items()}
    return asked.questions.select(template_id="template", locale="group").with_columns(
        pl.Series(name, values) for name, values in right.items()
    )


def quantities() -> dict[str, pl.Expr]:
    """Name the models, and the differences of every two."""
    return {name: pl.col(name) for name in MODELS} | {
        f"{a} - {b}": pl.col(a) - pl.col(b) for a, b in combinations(MODELS, 2)
    }


def answered(right: pl.DataFrame, templates: pl.DataFrame, quantity: pl.Expr) -> Answered:
    """Add up a quantity over the questions of every template that a region was asked."""
    sums = right.group_by("template_id").agg(n=pl.len(), sum=quantity.sum(), squares=(quantity**2).sum())
    rows = templates.join(sums, on="template_id", how="left", maintain_order="left").fill_null(0)
    return Answered(*(rows[name].to_numpy().astype(float) for name in ("n", "sum", "squares")))


def observed(answered: Answered, n: int, *, draws: int, seed: tuple[int, ...]) -> float:
    """Find the standard error of the mean over questions of ``n`` templates: its spread over draws.

    They are drawn with replacement, since the region's templates stand for all that could be asked.
    """
    drawn = np.random.default_rng((SEED, *seed)).integers(len(answered.counts), size=(draws, n))
    return float((answered.sums[drawn].sum(axis=1) / answered.counts[drawn].sum(axis=1)).std(ddof=1))


def predicted(spread: Spread, supplies: Sequence[Supply], n: int, *, differs: bool) -> Floats:
    """Widths by the formulas of `blend plan`: half an interval, or the smallest difference told apart."""
    share, per_pair, size = np.array(supplies).T
    rows = pl.DataFrame({"mcqs": n * share * per_pair, "size": size})
    of = pl.col("mcqs"), pl.col("size")
    width = (
        smallest_difference(*of, disagreement=spread.variance, correlation=spread.correlation)
        if differs
        else half_width(*of, variance=spread.variance, correlation=spread.correlation)
    )
    return rows.select(width).to_series().to_numpy()


def widths(tables: BlendTables, right: pl.DataFrame, *, draws: int, pilots: int) -> pl.DataFrame:
    """Compare widths: one row per region, quantity, number of templates and source."""
    asked = {
        str(tag): of_locale.select("template_id").unique().sort("template_id")
        for (tag,), of_locale in tables.annotations.group_by("locale")
    }
    tags, found = sorted(asked), []
    for number, (name, quantity) in enumerate(quantities().items()):
        each = {tag: answered(right.filter(locale=tag), asked[tag], quantity) for tag in tags}
        spreads, differs = {tag: spread_of(one) for tag, one in each.items()}, number >= len(MODELS)
        for region, tag in enumerate(tags):
            others = [other for other in tags if other != tag]
            spread = Spread(*np.mean([spreads[other] for other in others], axis=0))
            elsewhere = Supply(*np.mean([each[other].supply for other in others], axis=0))
            rng = np.random.default_rng((SEED, region))
            tried = [rng.choice(len(asked[tag]), PILOT, replace=False) for _ in range(pilots)]
            sources: dict[str, tuple[Spread, list[Supply]]] = {
                "others": (spread, [elsewhere]),
                "pilot": (spread, [each[tag].some(templates).supply for templates in tried]),
                "printed": (PAIR if differs else SINGLE, [each[tag].supply]),
            }
            for n in SIZES:
                seen = observed(each[tag], n, draws=draws, seed=(number, region, n))
                seen *= QUANTILES if differs else QUANTILE
                if differs:
                    # As in the formula: two models cannot differ more often than exactly one of them is right.
                    seen = max(seen, seen**2 / spreads[tag].variance)
                for source, (taken, supplies) in sources.items():
                    these = predicted(taken, supplies, n, differs=differs)
                    found.extend((tag, name, differs, n, source, seen, width) for width in these)
    columns = ["locale", "quantity", "differs", "templates", "source", "observed", "predicted"]
    return pl.DataFrame(found, columns, orient="row")


def medians_of(found: pl.DataFrame) -> pl.DataFrame:
    """Take a region's median over models, or pairs of them, and pilots."""
    key = ("locale", "templates", "differs", "source")
    return found.group_by(key).agg(pl.col("observed", "predicted").median()).sort(key)


def is_near() -> pl.Expr:
    """Whether a prediction is close enough."""
    return (pl.col("predicted") / pl.col("observed") - 1).abs() <= CLOSE_ENOUGH


def summarised(rows: pl.DataFrame) -> Iterator[str]:
    """Write the tables of docs/plan.md."""
    medians = medians_of(rows)
    yield "| templates | figure | predicted by | regions within 15 % | single figures | ratio | further off |"
    yield "|--:|---|---|--:|--:|--:|---|"
    for n, differs, source in product(SIZES, (False, True), SOURCES):
        key = {"templates": n, "differs": differs, "source": source}
        of_regions, single = medians.filter(**key), rows.filter(**key)
        ratio = (single["predicted"] / single["observed"]).median()
        yield (
            f"| {n} | {'difference' if differs else 'interval'} | {source} | "
            f"{of_regions.filter(is_near()).height} of {of_regions.height} | "
            f"{100 * single.select(is_near().mean()).item():.0f} % | {ratio:.2f} | "
            f"{', '.join(of_regions.filter(~is_near())['locale'])} |"
        )
    yield ""
    head = " | ".join(("observed", *SOURCES))
    yield f"| region, {SHOWN} templates | interval: {head} | difference: {head} |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    shown = medians.filter(templates=SHOWN)
    for (tag,), of_region in shown.group_by("locale", maintain_order=True):
        cells = []
        for differs in (False, True):
            by = {row["source"]: row for row in of_region.filter(differs=differs).iter_rows(named=True)}
            shares = [by["others"]["observed"], *(by[source]["predicted"] for source in SOURCES)]
            cells += [f"{100 * share:.1f}" for share in shares]
        yield f"| {tag} | {' | '.join(cells)} |"


def constants(right: pl.DataFrame) -> Iterator[str]:
    """Say what models, and pairs of them, have in the middle; correlations are means over regions."""
    templates = [(one, one.select("template_id").unique()) for one in right.partition_by("locale")]
    alike = {
        name: np.mean([spread_of(answered(*one, quantity)).correlation for one in templates])
        for name, quantity in quantities().items()
    }
    single, pair = [alike[name] for name in MODELS], [alike[name] for name in alike if name not in MODELS]
    differs = ((pl.col(a) - pl.col(b)).abs().mean() for a, b in combinations(MODELS, 2))
    apart = [float(right.select(one).item()) for one in differs]
    yield f"correlation of being right: {np.median(single):.2f} ({min(single):.2f} to {max(single):.2f})"
    yield f"correlation of differences: {np.median(pair):.2f} ({min(pair):.2f} to {max(pair):.2f})"
    yield f"disagreement: {np.median(apart):.2f} ({min(apart):.2f} to {max(apart):.2f})"


def fewer(annotations: pl.DataFrame, n: int) -> pl.DataFrame:
    """Draw ``n`` of a question's annotators; who of those that answered gave which answers is drawn as well."""
    rng, rows = np.random.default_rng((SEED, n)), []
    for row in annotations.sort("template_id", "locale").iter_rows(named=True):
        votes, idks = [one["count"] for one in row["annotations"]], row["idks"]
        others = sum(one["count"] for one in idks["others"])
        silent = [idks["idk"], idks["no-answer"], idks["not-applicable"], others]
        answering = max(WANTED - sum(silent), *votes, 0)
        chosen = rng.permutation(answering + sum(silent))[:n]
        # The first ones have answered; each reason of the others has its own numbers behind them.
        ends = np.cumsum([answering, *silent])
        left = [int(((chosen >= low) & (chosen < high)).sum()) for low, high in pairwise(ends)]
        given = [int(np.isin(chosen, rng.permutation(answering)[:count]).sum()) for count in votes]
        idks = dict(zip(("idk", "no-answer", "not-applicable"), left, strict=False))
        groups = [
            {**one, "count": count} for one, count in zip(row["annotations"], given, strict=True) if count
        ]
        others = [{"answer": "", "count": left[3]}] if left[3] else []
        rows.append({**row, "annotations": groups, "idks": {**idks, "others": others}})
    return pl.DataFrame(rows, schema=annotations.schema)


def by_annotators(annotations: pl.DataFrame) -> Iterator[str]:
    """Compare the shares of questions that a majority agrees on, by region."""
    few = fewer(annotations, FEW)
    shares = {
        (of, n): vote_shares(rows, [n], wanted=of)["majority"]
        for rows, of in ((few, FEW), (annotations, WANTED))
        for n in (FEW, WANTED)
    }
    for n, of in ((FEW, WANTED), (WANTED, FEW)):
        apart = (shares[of, n] - shares[n, n]).abs()
        yield (
            f"majority of {n}, predicted by {of} annotators: {shares[of, n].mean():.1%}, observed "
            f"{shares[n, n].mean():.1%}; by region {apart.mean():.1%} apart, at most {apart.max():.1%}"
        )


def main() -> None:
    """Write the figures of the regions, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blend", type=Path)
    parser.add_argument("--fit", type=Path, nargs="?", const=FIGURES, help="write figures of the regions there")
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--pilots", type=int, default=100)
    used = parser.parse_args()
    tables = read_blend(used.blend)
    mcqs = build_mcq(tables.questions, tables.annotations, options=McqOptions(), seed=0).frame()
    if used.fit:
        annotators = list(range(2, MOST_ANNOTATORS + 1))
        figures = region_figures(tables.annotations, mcqs, annotators=annotators, wanted=WANTED)
        figures = figures.with_columns(pl.col(pl.Float64).round(4), mcqs_from=pl.lit("BLEnD"))
        figures.write_csv(used.fit, separator="\t")
        print(f"{figures.height} rows are in {used.fit}")
        return
    right = answers_of_models(tables, mcqs)
    print(*constants(right), *by_annotators(tables.annotations), sep="\n")
    print("", *summarised(widths(tables, right, draws=used.draws, pilots=used.pilots)), sep="\n")


if __name__ == "__main__":
    main()
