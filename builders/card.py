"""The dataset card: what a release holds, in words, with the YAML header that makes it load."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import polars as pl
import yaml
from jinja2 import Environment, StrictUndefined

from blend.schemas.arrow import arrow_schema, published_names
from blend.schemas.configs import CONFIGS, MULTIPLE_CHOICE_QUESTIONS
from blend.schemas.locales import Locale
from blend.schemas.manifest import ReleaseManifest, TableInfo

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))

_TASKS = ("question-answering", "multiple-choice")


def render_card(manifest: ReleaseManifest, locales: Sequence[Locale], figures: pl.DataFrame) -> str:
    """The card of a release, ``README.md``.

    Args:
        manifest: The release, all tables named.
        locales: Its locales, in order.
        figures: One row per locale: ``locale``, ``questions``, ``answered``, ``groups``, ``votes``, ``mcqs``
            and ``proposed`` (questions whose answers no person has merged), all counts.

    Returns:
        Markdown with a YAML header: ``configs`` with the files of every split, languages, licence, size.
    """
    by_locale = {row["locale"]: row for row in figures.iter_rows(named=True)}
    rows = [
        {
            **by_locale[locale.tag],
            "tag": locale.tag,
            "split": locale.split,
            "language": locale.language_name,
            "region": locale.region_name,
        }
        for locale in locales
    ]
    configs = _by_config(manifest.tables)
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)  # noqa: S701 - Markdown, not HTML
    template = (files("blend.dataset_cards") / "README.md.j2").read_text(encoding="utf-8")
    return environment.from_string(template).render(
        header=_header(manifest, configs, locales),
        title=manifest.recipe.title or manifest.name,
        manifest=manifest,
        locales=rows,
        n_mcqs=int(figures["mcqs"].sum()),
        proposed=int(figures["proposed"].sum()),
        examples=[(config, tables[0].split) for config, tables in configs.items()],
        configs=[_described(config, tables) for config, tables in configs.items()],
    )


def _header(
    manifest: ReleaseManifest, configs: Mapping[str, Sequence[TableInfo]], locales: Sequence[Locale]
) -> str:
    rows = sum(table.rows for table in manifest.tables)
    header: dict[str, Any] = {
        "pretty_name": manifest.recipe.title or manifest.name,
        "license": manifest.recipe.license,
        "language": sorted({locale.language for locale in locales} | {"en"}),
        "task_categories": [
            t for t in _TASKS if t != "multiple-choice" or MULTIPLE_CHOICE_QUESTIONS in configs
        ],
        "size_categories": [next((name for limit, name in _SIZES if rows < limit), "1M<n<10M")],
        # The types stand in the files; repeating them here would silently override those.
        "configs": [
            {
                "config_name": config,
                "data_files": [
                    {"split": t.split, "path": f"data/{config}/{t.split}-*.parquet"} for t in tables
                ],
            }
            for config, tables in configs.items()
        ],
    }
    return yaml.safe_dump(header, sort_keys=False, allow_unicode=True, width=1000)


def _described(config: str, tables: Sequence[TableInfo]) -> dict[str, Any]:
    model = CONFIGS[config]
    types = {field.name: str(field.type) for field in arrow_schema(model)}
    names = published_names(model)
    return {
        "name": config,
        "summary": (model.__doc__ or "").strip().splitlines()[0],
        "splits": ", ".join(f"`{table.split}` ({table.rows:,})" for table in tables),
        "fields": [
            {"name": names[name], "type": types[names[name]], "description": field.description}
            for name, field in model.model_fields.items()
        ],
    }


def _by_config(tables: Sequence[TableInfo]) -> dict[str, list[TableInfo]]:
    by_config: dict[str, list[TableInfo]] = {}
    for table in tables:
        by_config.setdefault(table.config, []).append(table)
    return by_config
