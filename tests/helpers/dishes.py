"""A few dishes, templates and manifests, as a release has them."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import polars as pl

from blend.schemas.manifest import ReleaseManifest
from blend.schemas.rows import TEMPLATES, TRIPLES

DISHES = (
    # qid, language, name, country, parts
    ("Q1", "en", "poutine", "Canada", ["gravy", "cheese curds"]),
    ("Q2", "en", "sushi", "Japan", ["rice"]),
    ("Q3", "en", "pie", "United Kingdom", ["flour", "gravy"]),
    ("Q2", "ko", "스시", "Japan", ["쌀"]),
    ("Q3", "ko", "파이", "United Kingdom", ["밀가루"]),
    ("Q2", "sv", "sushi", "Japan", ["ris"]),
)
NAMES = {("ko", "Japan"): "일본", ("ko", "United Kingdom"): "영국"}
IN_A_SENTENCE = {"United Kingdom": "the United Kingdom"}
WORDINGS = (
    ("en", "hasParts_1", "[X] is made with [Y].", True),
    ("en", "country_1", "In [C], [X] is made with [Y].", True),
    ("en", "country_2", "In [C], the recipe for [X] calls for [Y].", False),
    ("ko", "hasParts_1", "[X]는 [Y]로 만들어져요.", True),
)


def triples(rows: Any = DISHES) -> pl.DataFrame:
    made = [
        {
            "qid": qid,
            "language": language,
            "label": label,
            "origin_qid": "Q9",
            "origin": NAMES.get((language, country), country),
            "origin_prompt_name": NAMES.get((language, country), IN_A_SENTENCE.get(country, country)),
            "origin_en": country,
            "parts": [{"qid": f"Q{100 + n}", "label": part} for n, part in enumerate(parts)],
            "image": [f"http://pictures/{qid}"],
            "original_parts": [],
        }
        for qid, language, label, country, parts in rows
    ]
    return pl.DataFrame(made, schema=TRIPLES)


def templates(rows: Any = WORDINGS) -> pl.DataFrame:
    made = [(*row[:3], row[1].startswith("country"), row[3]) for row in rows]
    return pl.DataFrame(made, schema=TEMPLATES, orient="row")


def tables(dishes: Any = DISHES, wordings: Any = WORDINGS) -> Mapping[str, pl.DataFrame]:
    return {"food-triples": triples(dishes), "food-templates": templates(wordings)}


def manifest(*held: str) -> ReleaseManifest:
    named = (name.split("/") for name in held)
    tables = tuple(SimpleNamespace(config=config, split=split) for config, split in named)
    return ReleaseManifest.model_construct(name="food", version="1.0.0", tables=tables)  # type: ignore[arg-type]
