"""What a model that reads options first does to questions about a region that nobody has read.

``python benchmarks/recorded_judge.py BLEND`` prints the tables of docs/mcq.md. Each judge here is drawn, by
digest, from the verdicts of the package, which a language model gave: they stand for the truth. It refuses a
stated share of what they refuse (recall) and a stated share of what they accept (false alarms), and is always
sure. Its verdicts then take the way of a real model's: as exclusions by ``chat:…``, until all that is offered
is read.
BLEND is the folder of the authors' repository; ``--by-region`` also writes the figures by region.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
from option_risk import UNREAD, HeldOutRisk, Verdicts, built, disputed, held_out, read_options

from blend.builders.judges import default_judges
from blend.builders.mcq.verdicts.exclusions import SILLY, WRONG, Exclusions
from blend.builders.mcq.verdicts.offered_options import offered_options
from blend.builders.release.verdict_agreement import compared_verdicts
from blend.loaders.upstream.blend import BlendTables, read_blend
from blend.schemas.language.locales import registry
from blend.schemas.language.personal_data import MODEL
from blend.schemas.recipe.recipe import McqOptions
from blend.schemas.release.model_report import ANY_REFUSAL
from blend.schemas.rows.frame_columns import EXCLUSIONS, KEY
from blend.schemas.sheets.option_sheets import KEY_ROLE, OK

RECALLS = (0.5, 0.7, 0.9)
FALSE_ALARMS = (0.02, 0.05)
OPTION = (*KEY, "option")


class Truth:
    """What the package's model says of an option; of what it had not before it, a draw by its risk."""

    def __init__(self, tables: BlendTables, verdicts: Verdicts, seed: int) -> None:
        self._verdicts, self._seed = verdicts, seed
        self._excluded = Exclusions(None, tables.questions, registry(), shipped=True)

    def kind(self, row: Mapping[str, Any]) -> str:
        """Decide a row of `OFFERED_OPTIONS`."""
        template_id, asked, text = (row[name] for name in OPTION)
        if row["role"] == KEY_ROLE:
            return WRONG if text in self._excluded.of(template_id, asked).golds else OK
        origin = row["regions"][0]
        if not self.refusal(template_id, asked, text, origin)[0]:
            return OK
        chance, known = self._verdicts.silly(template_id, asked, text, origin)
        return SILLY if known and chance else "also-right"

    def refusal(self, template_id: str, asked: str, text: str, origin: str) -> tuple[float, bool]:
        """Decide whether a distractor is refused, and say whether the model did."""
        chance, known = self._verdicts.refusal(template_id, asked, text, origin)
        return float(drawn(self._seed, "unseen", template_id, asked, text) < chance), known


def drawn(seed: int, *parts: str) -> float:
    """Draw a number from 0 to 1 that depends on seed and parts alone."""
    digest = sha256("\x1f".join((str(seed), *parts)).encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64


def judged(rows: pl.DataFrame, truth: Truth, recall: float, false_alarms: float, seed: int) -> pl.DataFrame:
    """Give verdicts on offered options: those of a judge, and the true ones beside them, as `EXCLUSIONS`."""
    name = f"chat:finds {recall:.0%}, false alarms {false_alarms:.0%}"

    def given() -> Iterator[tuple[Any, ...]]:
        for row in rows.iter_rows(named=True):
            about = tuple(row[part] for part in OPTION)
            true = truth.kind(row)
            hit = drawn(seed, "judge", *about) < (false_alarms if true == OK else recall)
            refusal = true if true != OK else WRONG if row["role"] == KEY_ROLE else "also-right"
            yield *about, refusal if hit else OK, name, 1.0
            yield *about, true, MODEL, None

    columns = [*OPTION, "kind", "reviewer", "confidence"]
    found = pl.DataFrame(list(given()), columns, orient="row")
    absent = {one: pl.lit(None, dtype) for one, dtype in EXCLUSIONS.items() if one not in columns}
    return found.with_columns(**absent).select(list(EXCLUSIONS)).cast(dict(EXCLUSIONS))


def recorded(
    tables: BlendTables, truth: Truth, recall: float, false_alarms: float, *, shipped: bool, seed: int
) -> pl.DataFrame:
    """Have a drawn judge read what is offered, and what takes the place of what it refuses, as `EXCLUSIONS`.

    True verdicts on the same options stand beside its own.
    """
    every = judged(pl.DataFrame(schema={}), truth, recall, false_alarms, seed)
    while True:
        exclusions = Exclusions(judge_of(every), tables.questions, registry(), shipped=False)
        offered = offered_options(
            tables.questions,
            tables.annotations,
            options=UNREAD,
            seed=0,
            judges=default_judges(McqOptions() if shipped else UNREAD),
            exclusions=exclusions,
            locales=registry(),
        )
        new = offered.join(every, on=OPTION, how="anti")
        if new.is_empty():
            return every
        every = pl.concat([every, judged(new, truth, recall, false_alarms, seed)])


def judge_of(every: pl.DataFrame) -> pl.DataFrame:
    """Leave out what is true."""
    return every.filter(pl.col("reviewer") != MODEL)


def missed(every: pl.DataFrame) -> float:
    """Share of what a judge accepts and should refuse: what a release's calibration expects."""
    found = compared_verdicts(judge_of(every), every.filter(reviewer=MODEL)).filter(locale="all")
    assert set(found["kind"]) >= {ANY_REFUSAL, OK}
    return 1 - float(found.filter(kind=OK)["precision"].item())


def shown_refused(mcqs: pl.DataFrame, truth: Truth) -> float:
    """Share of the distractors shown, each once per template and region, that should be refused."""
    pairs = pl.struct(option="options", origin="option_locales")
    shown = mcqs.select(*KEY, "answer", "options", "option_locales").explode("options", "option_locales")
    gold = mcqs.select(*KEY, options=pl.col("options").list.get(pl.col("answer")))
    wrong = shown.join(gold, on=[*KEY, "options"], how="anti").select(*KEY, pairs.alias("one")).unnest("one")
    rows = wrong.unique([*KEY, "option"]).iter_rows()
    found = [truth.refusal(*row)[0] for row in rows]
    return sum(found) / len(found)


def first_templates(tables: BlendTables, n: int | None) -> BlendTables:
    """Keep the first ``n`` templates; all when null."""
    kept = tables.questions["template_id"].unique(maintain_order=True)[:n].implode()
    questions, annotations = (
        table.filter(pl.col("template_id").is_in(kept)) for table in (tables.questions, tables.annotations)
    )
    return tables._replace(questions=questions, annotations=annotations)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blend", type=Path)
    parser.add_argument("--recalls", type=float, nargs="+", default=RECALLS)
    parser.add_argument("--false-alarms", type=float, nargs="+", default=FALSE_ALARMS)
    parser.add_argument("--seed", type=int, default=0, help="of the draws")
    parser.add_argument("--templates", type=int, help="take only the first so many")
    parser.add_argument("--by-region", type=Path, help="also write the figures by region there, as TSV")
    used = parser.parse_args()
    tables = first_templates(read_blend(used.blend), used.templates)
    rows = read_options(tables)
    models = held_out(rows)
    figures = []
    for shipped in (False, True):
        risk = HeldOutRisk(tables, models, shipped=shipped)
        truth = Truth(tables, Verdicts(tables, rows, risk), used.seed)
        judges: Sequence[tuple[float, float] | None] = [None, *product(used.recalls, used.false_alarms)]
        for judge in judges:
            every = exclusions = None
            if judge is not None:
                every = recorded(tables, truth, *judge, shipped=shipped, seed=used.seed)
                exclusions = judge_of(every)
            mcqs = built(tables, risk, None, shipped=shipped, exclusions=exclusions).frame()
            found = disputed(mcqs, truth.refusal)
            shares = found["disputed"] / found["mcqs"]
            name = "no judge" if judge is None else f"finds {judge[0]:.0%}, false alarms {judge[1]:.0%}"
            expected = "" if every is None else f" ({100 * missed(every):.1f} % expected)"
            print(
                f"{'joining' if shipped else 'no file'}, {name}: {found['pairs'].sum():,} pairs, "
                f"{len(mcqs):,} questions, {100 * found['disputed'].sum() / len(mcqs):.1f} % disputed "
                f"({100 * shares.min():.0f} to {100 * shares.max():.0f} by region), of the options shown "
                f"{100 * shown_refused(mcqs, truth):.1f} %{expected}",
                flush=True,
            )
            figures.append(found.with_columns(judge=pl.lit(name), joining=pl.lit(shipped)))
    if used.by_region:
        pl.concat(figures).write_csv(used.by_region, separator="\t")


if __name__ == "__main__":
    main()
