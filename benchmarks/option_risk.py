"""The fitted data of ``decisions/blend``: how likely an option that nobody has read is refused.

Makes the coefficients of ``option_risk.tsv`` from the published answers (the folder BLEND of the authors'
repository) and the package's verdicts on their options. Prints by model how often a refused option has the
higher estimate of two: about each region, by a fit on all others.

    python benchmarks/option_risk.py BLEND --fit
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.builders.judges import default_judges
from blend.builders.mcq.to_review import offered_options
from blend.builders.mcq.unread_options import FEATURES, REFUSED_ELSEWHERE, OptionRisk
from blend.builders.mcq.verdicts import Verdicts
from blend.loaders.responses.shipped import shipped_verdicts
from blend.loaders.upstream.blend import BlendTables, read_blend
from blend.schemas.locales import registry
from blend.schemas.recipe import JudgeOptions, McqOptions

NAMES: Mapping[str, Sequence[str]] = {"rules": FEATURES, "readings": (*FEATURES, REFUSED_ELSEWHERE)}
"""Features by model."""
DECISIONS = Path(__file__).resolve().parents[1] / "decisions" / "blend"
COEFFICIENTS = DECISIONS / "option_risk.tsv"
UNREAD = McqOptions(judge=JudgeOptions(shipped=False))
RIDGE = 1.0
"""Weight of squared coefficients, so that few rows say little."""

Floats = npt.NDArray[np.float64]


def read_options(tables: BlendTables) -> pl.DataFrame:
    """List by offering region every option that the package's model read: ``refused``, features.

    Features of reading are null where the answer was not read about enough other regions.
    """
    questions, annotations = tables.questions, tables.annotations
    # Decisions about pairs say what is the same answer: those options were never read.
    verdicts = Verdicts(None, questions, registry(), shipped=True)
    offered = offered_options(
        questions,
        annotations,
        options=UNREAD,
        seed=0,
        judges=default_judges(McqOptions()),
        verdicts=verdicts,
        everything=True,
        locales=registry(),
    )
    read = shipped_verdicts().filter(verdict="read")
    rows = offered.filter(role="distractor").join(read, on=["template_id", "locale"], how="semi")
    risk = OptionRisk(annotations, shipped=True)
    found = []
    for row in rows.iter_rows(named=True):
        key = row["template_id"], row["locale"]
        refused = row["option"] in verdicts.of(*key).distractors
        for origin in row["regions"]:
            features = risk.features(*key, row["option"], origin)
            found.append(
                {
                    "template_id": key[0],
                    "locale": key[1],
                    "option": row["option"],
                    "refused": refused,
                    **features,
                }
            )
    return pl.DataFrame(found, infer_schema_length=None)


def fit(rows: pl.DataFrame, model: str) -> dict[str, float]:
    """Fit a logistic regression with a little ridge by Newton's method; an option counts once."""
    names = NAMES[model]
    rows = rows.drop_nulls(names)
    values = rows.select(names).to_numpy().astype(float)
    refused = rows["refused"].to_numpy().astype(float)
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


def write_coefficients(rows: pl.DataFrame, path: Path) -> None:
    """Fit all models on all rows."""
    lines = [(model, name, round(value, 4)) for model in NAMES for name, value in fit(rows, model).items()]
    pl.DataFrame(lines, ["model", "feature", "coefficient"], orient="row").write_csv(path, separator="\t")


def held_out_areas(rows: pl.DataFrame, model: str) -> list[float]:
    """Measure how well a model tells about each region by a fit on all others."""
    names, areas = NAMES[model], []
    for tag in rows["locale"].unique().sort():
        held = rows.drop_nulls(names).filter(locale=tag)
        fitted = np.array(list(fit(rows.filter(pl.col("locale") != tag), model).values()))
        scores = probabilities(held.select(names).to_numpy(), fitted)
        areas.append(area(scores, held["refused"].to_numpy()))
    return areas


def main() -> None:
    """Write what was asked for, and print how well the models tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blend", type=Path)
    parser.add_argument("--fit", type=Path, nargs="?", const=COEFFICIENTS, help="write the coefficients there")
    used = parser.parse_args()
    tables = read_blend(used.blend)
    rows = read_options(tables)
    if used.fit:
        write_coefficients(rows, used.fit)
        print(f"{len(rows):,} options; coefficients are in {used.fit}")
    for model in NAMES:
        areas = held_out_areas(rows, model)
        print(f"area under the curve, {model}: {np.mean(areas):.3f} ({min(areas):.3f} to {max(areas):.3f})")


if __name__ == "__main__":
    main()
