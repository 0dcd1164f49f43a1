"""How likely options that nobody has read are refused, and what `max_risk` makes of a region that joins.

``python benchmarks/option_risk.py BLEND --fit`` writes the coefficients of ``decisions/blend/option_risk.tsv``,
from the published answers (the folder BLEND of the authors' repository) and what the package's model refused.
``--words`` first counts the words of ``decisions/blend/type_words.tsv`` anew. Without either it prints the
tables of docs/mcq.md: every region in turn is one that nobody has read, with coefficients fitted without it.
``--risks`` says at which risks, ``--chart`` draws them; ``--silly`` prints those of `max_silly` instead.
"""

import argparse
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.builders.judges import default_judges
from blend.builders.mcq.default import build_default
from blend.builders.mcq.keyness import answer_index
from blend.builders.mcq.options import Option, shown
from blend.builders.mcq.overlap import base_forms
from blend.builders.mcq.result import McqBuild
from blend.builders.mcq.unread.option_risk import (
    FEATURES,
    READING_FEATURES,
    READINGS,
    RULES,
    SILLY,
    TYPE_FEATURES,
    OptionRisk,
)
from blend.builders.mcq.verdicts.exclusions import SILLY as SILLY_VERDICT
from blend.builders.mcq.verdicts.exclusions import Exclusions
from blend.builders.mcq.verdicts.offered_options import offered_options
from blend.loaders.responses.decisions import pair_key
from blend.loaders.responses.shipped import shipped_decisions, shipped_option_texts, shipped_readings
from blend.loaders.upstream.blend import BlendTables, read_blend
from blend.schemas.language.locales import registry
from blend.schemas.recipe.recipe import JudgeOptions, McqOptions
from blend.schemas.rows.frame_columns import KEY

NAMES: Mapping[str, Sequence[str]] = {
    RULES: FEATURES,
    READINGS: (*FEATURES, *READING_FEATURES),
    SILLY: (*FEATURES, *TYPE_FEATURES),
}
DECISIONS = Path(__file__).resolve().parents[1] / "decisions" / "blend"
COEFFICIENTS, WORDS = DECISIONS / "option_risk.tsv", DECISIONS / "type_words.tsv"
FEWEST_ANSWERS = 2
"""Regions and templates in which a word is found, from which on the package brings it along."""
UNREAD = McqOptions(judge=JudgeOptions(shipped=False))
RISKS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
SILLY_RISKS = (None, 0.2, 0.15, 0.1, 0.08, 0.06, 0.04)
RIDGE = 1.0
"""Weight of squared coefficients, so that few rows say little."""

Floats = npt.NDArray[np.float64]
Models = dict[str, dict[str, float]]


def read_options(tables: BlendTables) -> pl.DataFrame:
    """List by offering region every option that the package's model has read: ``refused``, ``silly``, features.

    Features of reading are null where the answer was not read about enough other regions.
    """
    questions, annotations = tables.questions, tables.annotations
    # Decisions about pairs say what is the same answer: those options were never read.
    offered = offered_options(
        questions, annotations, options=UNREAD, seed=0, judges=default_judges(McqOptions()), locales=registry()
    )
    rows = offered.filter(role="distractor").join(shipped_readings(), on=["template_id", "locale"], how="semi")
    verdicts = Exclusions(None, questions, registry(), shipped=True)
    risk = OptionRisk(questions, annotations, shipped=True)
    found = []
    for row in rows.iter_rows(named=True):
        key = row["template_id"], row["locale"]
        refused = row["option"] in verdicts.of(*key).distractors
        silly = is_silly(verdicts, *key, row["option"])
        for origin in row["regions"]:
            features = risk.features(*key, row["option"], origin)
            features |= risk.type_features(*key, row["option"], origin)
            found.append(
                {
                    "template_id": key[0],
                    "locale": key[1],
                    "option": row["option"],
                    "refused": refused,
                    "silly": silly,
                    **features,
                }
            )
    return pl.DataFrame(found, infer_schema_length=None)


def is_silly(verdicts: Exclusions, template_id: str, asked: str, text: str) -> bool:
    """Whether the package's model found an option silly, about the region or by itself."""
    by_itself = shipped_option_texts().get(template_id)
    if by_itself is not None and text in by_itself.refused:
        return True
    return any(reader.kind == SILLY_VERDICT for reader in verdicts.counting(template_id, asked, text))


def label(model: str) -> str:
    """Name the column that a model tells."""
    return "silly" if model == SILLY else "refused"


def fit(rows: pl.DataFrame, model: str) -> dict[str, float]:
    """Fit a logistic regression with a little ridge by Newton's method; an option counts once."""
    names = NAMES[model]
    rows = rows.drop_nulls(names)
    values = rows.select(names).to_numpy().astype(float)
    refused = rows[label(model)].to_numpy().astype(float)
    weights: Floats = 1 / rows.select(pl.len().over("template_id", "locale", "option")).to_series().to_numpy()
    ridge = RIDGE * np.diag([float(name != "intercept") for name in names])
    found = np.zeros(len(names))
    for _ in range(30):
        expected = probabilities(values, found)
        slope = values.T @ (weights * (refused - expected)) - ridge @ found
        curve = (values * (weights * expected * (1 - expected))[:, None]).T @ values + ridge
        found += np.linalg.solve(curve, slope)
    return dict(zip(names, found.tolist(), strict=True))


def probabilities(values: Floats, coefficients: Floats) -> Floats:
    """Of rows of features."""
    found: Floats = 1 / (1 + np.exp(-values @ coefficients))
    return found


def area(scores: Floats, refused: npt.NDArray[np.bool_]) -> float:
    """Area under the curve: how often a refused option has the higher risk of two, ties half."""
    ranks = pl.Series(scores).rank("average").to_numpy()
    n = int(refused.sum())
    return float((ranks[refused].sum() - n * (n + 1) / 2) / (n * (len(scores) - n)))


def write_words(tables: BlendTables, path: Path) -> None:
    """Count by base form of a word and template the regions in which somebody gave it."""
    regions: dict[tuple[str, str], set[str]] = defaultdict(set)
    for template_id, tag, text, _ in answer_index(tables.annotations).iter_rows():
        for word in base_forms(shown(text)):
            regions[word, template_id].add(tag)
    rows = [(*key, len(tags)) for key, tags in sorted(regions.items())]
    counts = pl.DataFrame(rows, ["word", "template_id", "regions"], orient="row")
    often = counts.filter(pl.col("regions").sum().over("word") >= FEWEST_ANSWERS)
    often.write_csv(path, separator="\t", quote_style="never")


def write_coefficients(rows: pl.DataFrame, path: Path) -> None:
    """Fit all models on all rows."""
    lines = [(model, name, round(value, 4)) for model in NAMES for name, value in fit(rows, model).items()]
    pl.DataFrame(lines, ["model", "feature", "coefficient"], orient="row").write_csv(path, separator="\t")


def held_out(rows: pl.DataFrame) -> dict[str, Models]:
    """Fit all models without each region in turn."""
    return {
        str(tag): {model: fit(rows.filter(pl.col("locale") != tag), model) for model in NAMES}
        for tag in rows["locale"].unique().sort()
    }


class HeldOutRisk(OptionRisk):
    """Risk about each region by the coefficients that were fitted without it."""

    def __init__(self, tables: BlendTables, models: Mapping[str, Models], *, shipped: bool) -> None:
        super().__init__(tables.questions, tables.annotations, shipped=shipped)
        self._held_out = models

    def of(self, template_id: str, asked: str, option: Option) -> float:
        """Estimate it with another region's coefficients."""
        self._models = self._held_out[asked]
        return super().of(template_id, asked, option)

    def silly(self, template_id: str, asked: str, option: Option) -> float:
        """Estimate it with another region's coefficients."""
        self._models = self._held_out[asked]
        return super().silly(template_id, asked, option)


def built(
    tables: BlendTables,
    risk: OptionRisk,
    most: float | None,
    *,
    shipped: bool,
    silly: float | None = None,
    exclusions: pl.DataFrame | None = None,
) -> McqBuild:
    """Build as if nobody but those who gave ``exclusions`` had read about the region asked about."""
    # Verdicts on the options of all regions are put aside at once: those about others decide nothing about one,
    # but for what they refuse at home.
    return build_default(
        tables.questions,
        tables.annotations,
        options=UNREAD.model_copy(update={"max_risk": most, "max_silly": silly}),
        seed=0,
        judges=default_judges(McqOptions() if shipped else UNREAD),
        fillers=None,
        exclusions=exclusions,
        locales=registry(),
        risk=risk,
    )


class Verdicts:
    """What the package's model says of options; of what it had not before it, how likely it refuses it."""

    def __init__(self, tables: BlendTables, rows: pl.DataFrame, risk: OptionRisk) -> None:
        self._refused = Exclusions(None, tables.questions, registry(), shipped=True)
        self._read = set(rows.select("template_id", "locale", "option").iter_rows())
        self._risk = risk
        self._same = {pair_key(d.answer_a, d.answer_b) for d in shipped_decisions() if d.verdict == "same"}
        given = answer_index(tables.annotations).group_by(*KEY).agg("text").iter_rows()
        self._given = {(one, tag): {shown(text) for text in texts} for one, tag, texts in given}

    def silly(self, template_id: str, asked: str, text: str, origin: str) -> tuple[float, bool]:
        """How likely an option is silly, and whether the model has said so."""
        if is_silly(self._refused, template_id, asked, text):
            return 1.0, True
        if (template_id, asked, text) in self._read:
            return 0.0, True
        return self._risk.silly(template_id, asked, _option(text, origin)), False

    def refusal(self, template_id: str, asked: str, text: str, origin: str) -> tuple[float, bool]:
        """How likely an option is refused, and whether the model has said so."""
        if text in self._refused.of(template_id, asked).distractors:
            return 1.0, True
        if any(pair_key(text, one) in self._same for one in self._given[template_id, asked]):
            return 1.0, True
        if (template_id, asked, text) in self._read:
            return 0.0, True
        return self._risk.of(template_id, asked, _option(text, origin)), False


def _option(text: str, origin: str) -> Option:
    return Option(text, registry().get(origin), 1, frozenset())


Verdict = Callable[[str, str, str, str], tuple[float, bool]]
"""`Verdicts.refusal` or `Verdicts.silly`."""


def disputed(mcqs: pl.DataFrame, verdict: Verdict) -> pl.DataFrame:
    """Count pairs with the region, questions, those disputed, and options that the model never saw."""
    found = []
    for row in mcqs.iter_rows(named=True):
        wrong = [i for i in range(4) if i != row["answer"]]
        each = [
            verdict(row["template_id"], row["locale"], row["options"][i], row["option_locales"][i])
            for i in wrong
        ]
        chance = 1 - math.prod(1 - refused for refused, _ in each)
        found.append((row["template_id"], row["locale"], chance, sum(not known for _, known in each)))
    columns = ["template_id", "locale", "disputed", "unseen"]
    return (
        pl.DataFrame(found, columns, orient="row")
        .group_by("locale")
        .agg(
            pairs=pl.col("template_id").n_unique(),
            mcqs=pl.len(),
            disputed=pl.col("disputed").sum(),
            unseen=pl.col("unseen").sum(),
        )
        .sort("locale")
    )


def print_areas(rows: pl.DataFrame, model: str, models: Mapping[str, Models]) -> None:
    """Print how well a model tells about each region that it was not fitted on."""
    areas = []
    for tag, of_region in models.items():
        held = rows.drop_nulls(NAMES[model]).filter(locale=tag)
        scores = probabilities(held.select(NAMES[model]).to_numpy(), np.array(list(of_region[model].values())))
        areas.append(area(scores, held[label(model)].to_numpy()))
    print(f"area under the curve, {model}: {np.mean(areas):.3f} ({min(areas):.3f} to {max(areas):.3f})")


def print_left_out(rows: pl.DataFrame, models: Mapping[str, Models], most: float = 0.1) -> None:
    """Print what `max_silly` leaves out of all options that were read, of regions that it was not fitted on."""
    above = []
    for tag, of_region in models.items():
        held = rows.filter(locale=tag)
        risks = probabilities(held.select(NAMES[SILLY]).to_numpy(), np.array(list(of_region[SILLY].values())))
        above.append(held.filter(pl.Series(risks > most)))
    found = pl.concat(above)
    print(
        f"above {most}: {100 * len(found) / len(rows):.1f} % of all options, of which "
        f"{100 * found['silly'].sum() / len(found):.0f} % are silly and "
        f"{100 * found['refused'].sum() / len(found):.0f} % refused; "
        f"{100 * found['silly'].sum() / rows['silly'].sum():.0f} % of all that are silly"
    )


def print_silly(tables: BlendTables, rows: pl.DataFrame, models: Mapping[str, Models]) -> None:
    """Print what is left of silly options at each `max_silly`, alone and with a `max_risk`."""
    risk = HeldOutRisk(tables, models, shipped=False)
    verdicts = Verdicts(tables, rows, risk)
    for most in (None, 0.2):
        for silly in SILLY_RISKS:
            mcqs = built(tables, risk, most, shipped=False, silly=silly).frame()
            found, refused = disputed(mcqs, verdicts.silly), disputed(mcqs, verdicts.refusal)
            shares = found["disputed"] / found["mcqs"]
            print(
                f"max_risk {most}, max_silly {silly}: {found['pairs'].sum():,} pairs, {len(mcqs):,} questions, "
                f"{100 * found['disputed'].sum() / len(mcqs):.1f} % with a silly option "
                f"({100 * shares.min():.0f} to {100 * shares.max():.0f} by region), "
                f"{100 * refused['disputed'].sum() / len(mcqs):.1f} % refused",
                flush=True,
            )


def draw(figures: pl.DataFrame, path: Path) -> None:
    """Draw the share disputed by the pairs that are left."""
    import altair as alt

    sums = figures.group_by("model", "max_risk").agg(pl.col("pairs", "mcqs", "disputed").sum())
    label = pl.col("max_risk").cast(pl.String).fill_null("off")
    points = sums.with_columns(label, share=pl.col("disputed") / pl.col("mcqs")).sort("model", "pairs")
    base = alt.Chart(alt.Data(values=points.to_dicts())).encode(
        x=alt.X("pairs:Q", title="pairs of template and region", scale=alt.Scale(zero=False)),
        y=alt.Y("share:Q", title="questions with an option refused", axis=alt.Axis(format="%")),
        color=alt.Color("model:N", title="estimate"),
    )
    chart = base.mark_line(point=True) + base.mark_text(dy=-9).encode(text="max_risk:N")
    chart.properties(width=520, height=320, background="white").save(str(path))
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")


def main() -> None:
    """Write the coefficients, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blend", type=Path)
    parser.add_argument("--fit", type=Path, nargs="?", const=COEFFICIENTS, help="write the coefficients there")
    parser.add_argument("--words", type=Path, nargs="?", const=WORDS, help="first write the words there")
    parser.add_argument("--silly", action="store_true", help="print the tables of max_silly")
    parser.add_argument("--risks", type=float, nargs="+", default=RISKS)
    parser.add_argument("--by-region", type=Path, help="also write the figures by region there, as TSV")
    parser.add_argument("--chart", type=Path, help="also draw the trade-off there, as SVG")
    used = parser.parse_args()
    tables = read_blend(used.blend)
    if used.words:
        write_words(tables, used.words)
    rows = read_options(tables)
    if used.fit:
        write_coefficients(rows, used.fit)
        print(f"{len(rows):,} options; coefficients are in {used.fit}")
        return
    models = held_out(rows)
    for model in NAMES:
        print_areas(rows, model, models)
    if used.silly:
        print_left_out(rows, models)
        print_silly(tables, rows, models)
        return
    figures = []
    for model in (RULES, READINGS):
        risk = HeldOutRisk(tables, models, shipped=model == READINGS)
        verdicts = Verdicts(tables, rows, risk)
        for most in (None, *sorted(used.risks, reverse=True)):
            mcqs = built(tables, risk, most, shipped=model == READINGS).frame()
            found = disputed(mcqs, verdicts.refusal)
            figures.append(found.with_columns(model=pl.lit(model), max_risk=pl.lit(most, pl.Float64)))
            shares = found["disputed"] / found["mcqs"]
            print(
                f"{model} {most}: {found['pairs'].sum():,} pairs, {found['mcqs'].sum():,} questions, "
                f"{100 * found['disputed'].sum() / found['mcqs'].sum():.1f} % disputed "
                f"({100 * shares.min():.0f} to {100 * shares.max():.0f} by region), "
                f"{100 * found['unseen'].sum() / found['mcqs'].sum() / 3:.1f} % of options not seen",
                flush=True,
            )
    if used.by_region:
        pl.concat(figures).write_csv(used.by_region, separator="\t")
    if used.chart:
        draw(pl.concat(figures), used.chart)


if __name__ == "__main__":
    main()
