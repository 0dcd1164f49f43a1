"""Synthetic regions: a dataset of any number of regions, made from the answers of real ones.

`make_regions` returns frames for builders; run as a script, this writes a directory in BLEnD's layout:

    python benchmarks/make_regions.py 66 OUT [--blend DIR]

Without ``--blend`` the sample in the package is the base. A dataset of more regions than the base has holds
the base unchanged, and then invented regions, each the same whatever the total.
"""

import argparse
import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import polars as pl
import tomli_w

from blend.schemas.arrow_types import nested_frame
from blend.schemas.formats import AnswerFormat
from blend.schemas.frames import ANNOTATIONS, KEY, QUESTIONS
from blend.schemas.locales import Locale, Registry, registry

RENAMED = 0.2
"""Share of the answers that an invented region calls by names of its own; with it, two invented regions share
about as many English answer words as two real ones (8.0 % of what either has, against 8.4 %)."""

_LANGUAGES = ("en", "es")
"""Languages of invented locales; the second one where there are no codes left."""
_IDKS = ("idk", "no-answer", "not-applicable")


@dataclass(frozen=True, slots=True)
class Regions:
    """Questions and annotations of real and invented regions."""

    questions: pl.DataFrame
    """`QUESTIONS`, by template and locale."""
    annotations: pl.DataFrame
    """`ANNOTATIONS`, by template and locale; one row per question."""
    locales: Registry
    """The packaged registry and the invented locales behind it."""


def make_regions(
    questions: pl.DataFrame,
    annotations: pl.DataFrame,
    n_regions: int,
    *,
    seed: int = 0,
    renamed: float = RENAMED,
) -> Regions:
    """Extend a dataset to a number of regions, with answers and votes as they are really distributed.

    An invented region speaks English; where there are not codes enough, they speak a second language as well,
    and each is a locale of its own. For each template it takes the answers, votes and non-answers of one
    real region, drawn by a digest of seed, region and template, so that neither the number of regions nor their
    order changes any of them. A share of its answers (to free-text questions) gets words of its own, in every
    variant: otherwise two regions that drew the same one would agree in everything.

    Args:
        questions: `QUESTIONS` of the base.
        annotations: `ANNOTATIONS` of the base, one row per question.
        n_regions: Locales wanted; fewer than the base has are its first ones in registry order.
        seed: Another seed draws other answers.
        renamed: Share of the answers that get names of their own, in [0, 1].

    Returns:
        The dataset.

    Raises:
        ValueError: If more are wanted than there are two-letter codes and languages for.
    """
    known = registry()
    base = sorted(questions["locale"].unique(), key=known.rank)
    invented = _invented(known, n_regions - len(base))
    rows = annotations.join(questions, on=KEY, suffix="_of_question").sort(KEY)
    donors = _Donors(rows, base, seed, renamed)
    kept = pl.col("locale").is_in(base[:n_regions])
    frames = [(questions.filter(kept), annotations.filter(kept)), *map(donors.frames, invented)]
    return Regions(
        pl.concat([asked for asked, _ in frames]).sort(KEY),
        pl.concat([given for _, given in frames]).sort(KEY),
        known.extended(invented),
    )


def base_tables(blend: Path | None = None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Questions and annotations of a directory of BLEnD's files, or of the sample in the package."""
    if blend is not None:
        from blend.loaders.upstream.blend import read_blend

        published = read_blend(blend)
        return published.questions, published.annotations
    from blend.builders.release.inputs import read_inputs
    from blend.builders.saq import aggregate
    from blend.loaders.recipes import RecipeInPlace, sample_recipe

    recipe = sample_recipe()
    inputs = read_inputs(RecipeInPlace.of(recipe))
    made = aggregate(inputs.questions, inputs.responses, inputs.reviews, options=recipe.saq)
    return inputs.questions, made.annotations


def write_regions(regions: Regions, folder: Path) -> None:
    """Write ``annotations/*.json`` and ``questions/*.csv`` as BLEnD has them, and ``locales.toml``.

    `loaders.upstream.blend.read_blend` reads the folder with the registry
    ``registry_with(folder / "locales.toml")``; the file holds the invented locales, and is
    not written without any.
    """
    for part in ("annotations", "questions"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    invented = [locale for locale in regions.locales if locale.tag not in registry()]
    if invented:
        entries = [locale.model_dump(mode="json", exclude_none=True) for locale in invented]
        (folder / "locales.toml").write_text(tomli_w.dumps({"locale": entries}), encoding="utf-8")
    rows = regions.questions.join(regions.annotations, on=KEY, suffix="_of_annotation").sort(KEY)
    for (tag,), of_region in rows.partition_by("locale", as_dict=True).items():
        _write_region(of_region, regions.locales.get(str(tag)).upstream, folder)


class _Donors:
    """The base regions, whose answers invented regions take."""

    def __init__(self, rows: pl.DataFrame, base: Sequence[str], seed: int, renamed: float) -> None:
        known = registry()
        self._rows: dict[str, dict[str, dict[str, Any]]] = {}
        for row in rows.iter_rows(named=True):
            self._rows.setdefault(row["template_id"], {})[row["locale"]] = row
        self._names = {tag: _names(known.get(tag)) for tag in base}
        self._base = tuple(base)
        self._seed = seed
        self._renamed = renamed

    def frames(self, locale: Locale) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Questions and annotations of every template."""
        questions, annotations = zip(
            *(self._row(locale, template, of) for template, of in self._rows.items()), strict=True
        )
        return pl.DataFrame(questions, QUESTIONS), nested_frame(annotations, ANNOTATIONS)

    def _row(
        self, locale: Locale, template: str, of: dict[str, dict[str, Any]]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        draw = sha256(f"{self._seed}|{locale.tag}|{template}".encode()).digest()
        donors = [tag for tag in self._base if tag in of]
        donor = donors[int.from_bytes(draw[:8], "big") % len(donors)]
        row = of[donor]
        source = f"annotations/{locale.upstream}_data.json:{template}"
        asked = self._names[donor].sub(locale.region_name, row["en_question"])
        question = {name: row[name] for name in QUESTIONS} | {
            "locale": locale.tag,
            "language": locale.language,
            "question": asked,
            "en_question": asked,
            "source": f"questions/{locale.upstream}_questions.csv:{template}",
        }
        free = row["answer_format"] == AnswerFormat.TEXT
        groups = [
            _group(group, locale.region.lower() if free and own else None)
            for group, own in zip(row["annotations"], _own(draw, self._renamed), strict=False)
        ]
        annotation = {name: row[name] for name in ANNOTATIONS}
        return question, annotation | {"locale": locale.tag, "annotations": groups, "source": source}


def _invented(known: Registry, n: int) -> list[Locale]:
    taken = {code for locale in known for code in (locale.region, locale.split, locale.parent, locale.upstream)}
    codes = [code for code in map("".join, product(ascii_uppercase, repeat=2)) if code not in taken]
    invented = list(product(_LANGUAGES, codes))
    if n > len(invented):
        raise ValueError(f"{n} invented locales wanted, but there are codes for {len(invented)}")
    return [_locale(language, code) for language, code in invented[: max(n, 0)]]


def _locale(language: str, code: str) -> Locale:
    name, file = f"Region {code}", code if language == _LANGUAGES[0] else f"{code}_{language}"
    return Locale(
        tag=f"{language}-{code}",
        language=language,
        region=code,
        region_name=name,
        upstream=f"Region_{file}",
        prompt_name=name,
        nationalities=(),
        aliases=(),
        native_name=name,
        direction="ltr",
        script="Latn",
        parent="GB",
        split=file,
    )


def _names(locale: Locale) -> re.Pattern[str]:
    """Any English name of the region, with its article if it has one."""
    names = sorted({locale.prompt_name, *locale.names}, key=len, reverse=True)
    return re.compile(rf"\b(?:the )?(?:{'|'.join(map(re.escape, names))})(?!\w)")


def _own(draw: bytes, renamed: float) -> Iterator[bool]:
    """Whether each answer of a question gets a name of its own; endless, as the digest is used again."""
    while True:
        yield from (byte < 256 * renamed for byte in draw[8:])


def _group(group: dict[str, Any], code: str | None) -> dict[str, Any]:
    english = group["en_answers"] or group["answers"]
    if code is not None:
        english = [_own_name(answer, code) for answer in english]
    return {"answers": english, "en_answers": english, "count": group["count"]}


def _own_name(answer: str, code: str) -> str:
    # Backwards, so that no name holds the name it was made from: paper mode compares by substring.
    return " ".join(word[::-1] + code for word in answer.split()) or answer


def _write_region(rows: pl.DataFrame, upstream: str, folder: Path) -> None:
    entries = {
        row["template_id"]: {
            "question": row["question"],
            "en_question": row["en_question"],
            "annotations": row["annotations"],
            "idks": {key: row["idks"][key] for key in _IDKS}
            | {other["reason"]: other["count"] for other in row["idks"]["others"]},
        }
        for row in rows.iter_rows(named=True)
    }
    text = json.dumps(entries, ensure_ascii=False, indent=1)
    (folder / "annotations" / f"{upstream}_data.json").write_text(text, encoding="utf-8")
    columns = ["template_id", "topic", "source_label", "question", "en_question"]
    with (folder / "questions" / f"{upstream}_questions.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["", "ID", "Topic", "Source", "Question", "Translation"])
        writer.writerows((i, *cells) for i, cells in enumerate(rows.select(columns).iter_rows()))


def main() -> None:
    """Write a dataset of so many regions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n_regions", type=int, help="regions wanted, real ones included")
    parser.add_argument("out", type=Path, help="directory to write")
    parser.add_argument("--blend", type=Path, help="directory of BLEnD's files; without it, the sample")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    questions, annotations = base_tables(options.blend)
    write_regions(make_regions(questions, annotations, options.n_regions, seed=options.seed), options.out)


if __name__ == "__main__":
    main()
