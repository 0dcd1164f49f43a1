"""Documents: everything in a release that people and catalogues read, as texts by path.

The YAML header of the card makes a directory of parquet files load as configurations and splits. Croissant 1.1,
https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html, describes it with a record set for every
configuration and split. Fields are derived from the row models, as the files' columns are.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import tomli_w
import yaml
from pydantic import BaseModel

from blend.builders.cards.card import render_card, render_details
from blend.builders.cards.facts import ReleaseFacts, canary, citation, license_of, source_kinds
from blend.builders.cards.rendering import kind_of, plain, render, text_of
from blend.schemas.errors import DISTRIBUTION
from blend.schemas.manifest import (
    ANSWERS_NAME,
    BENCHMARK_NAME,
    CARD_NAME,
    CARD_PAGE_NAME,
    CHANGELOG_NAME,
    CROISSANT_NAME,
    DATASHEET_NAME,
    MULTIPLE_CHOICE,
    SHORT_ANSWER,
    FileInfo,
    ReleaseManifest,
    TableInfo,
    region_task,
)
from blend.schemas.models import field_sentences, first_line_of
from blend.schemas.reports import questions
from blend.schemas.rows import (
    ANNOTATIONS,
    CULTURAL_PROMPTS,
    MULTIPLE_CHOICE_QUESTIONS,
    NOT_BY_LANGUAGE,
    QUESTION_CONFIGS,
    TRUE_FALSE_QUESTIONS,
    key_of,
    model_of,
)
from blend.schemas.texts import pluralise


def documents(facts: ReleaseFacts) -> Mapping[str, str]:
    """The card, the datasheet, the changelog, the Croissant metadata and the benchmark file.

    Args:
        facts: The release.

    Returns:
        Path in the release to text; the same for the same release. ``datasheet.toml`` only where there are
        answers.
    """
    texts = {CARD_NAME: render_card(facts, header=_card_header(facts))}
    texts[CARD_PAGE_NAME] = render_details(facts)
    texts[DATASHEET_NAME] = _render_datasheet(facts)
    if facts.manifest.recipe.datasheet is not None:
        # As TOML that reads back as the same datasheet.
        answers = facts.datasheet.model_dump(exclude_none=True, exclude_defaults=True)
        texts[ANSWERS_NAME] = tomli_w.dumps(answers)
    texts[CHANGELOG_NAME] = facts.changelog
    texts[CROISSANT_NAME] = _croissant(facts)
    if (benchmark := _benchmark_yaml(facts)) is not None:
        texts[BENCHMARK_NAME] = benchmark
    return texts


# ``eval.yaml``: what the Hub and Inspect need to run a release as a benchmark, without any code of ours.


def _benchmark_yaml(facts: ReleaseFacts) -> str | None:
    """The benchmark file of a release; null where it has no questions that can be asked."""
    tables = [table for table in facts.manifest.tables if table.rows]
    held = {table.config for table in tables}
    regions = [table.split for table in tables if table.config == ANNOTATIONS]
    asked = [(name, name, "test") for name in (MULTIPLE_CHOICE_QUESTIONS, TRUE_FALSE_QUESTIONS) if name in held]
    if regions:
        asked.append((ANNOTATIONS, SHORT_ANSWER, "+".join(regions)))
    asked += [(ANNOTATIONS, region_task(region), region) for region in regions]
    if not asked:
        return None
    how = yaml.safe_load(text_of("asked.yaml"))
    ids = {MULTIPLE_CHOICE_QUESTIONS: MULTIPLE_CHOICE}
    fields = {
        "name": facts.title,
        "description": facts.summary,
        "evaluation_framework": "inspect-ai",
        "tasks": [
            {"id": ids.get(name, name), "config": config, "split": split, **how[config]}
            for config, name, split in asked
        ],
    }
    # By JSON, so that no task refers to what it has in common with another one.
    return yaml.safe_dump(json.loads(json.dumps(fields)), sort_keys=False, allow_unicode=True, width=110)


# The datasheet of a release: every question, the authors' answers, and what the build itself can tell.


def _render_datasheet(facts: ReleaseFacts) -> str:
    """The datasheet, ``DATASHEET.md``: questions by section, those without answer listed at the top."""
    asked = list(questions(facts.datasheet))
    return render(
        "DATASHEET.md.j2",
        facts=facts,
        canary=canary(facts.manifest.name),
        n_questions=len(asked),
        unanswered=[question.key for question in asked if question.answer is None],
        sections=[(heading, list(of)) for heading, of in groupby(asked, key=lambda one: one.section)],
        known=_known(facts),
    )


def _known(facts: ReleaseFacts) -> Mapping[str, str]:
    """Answer from the release what it knows of itself, by the question's key."""
    rows = [f"`{name}` {sum(table.rows for table in tables):,}" for name, tables in facts.tables.items()]
    steps = ", ".join(stage.stage for stage in facts.manifest.report)
    findings = sum(sum(stage.findings.values()) for stage in facts.manifest.report)
    without = facts.total("questions") - facts.total("answered")
    asked = f"{pluralise(facts.total('questions'), 'question')} {'has' if without == 1 else 'have'} no answer."
    missing = {"composition.missing": f"{without:,} of {asked}"} if facts.locales else {}
    return {
        "composition.count": f"Rows by configuration: {', '.join(rows)}.",
        **missing,
        "composition.errors": f"{findings:,} oddities of the input, and rows left out for a reason, are listed "
        "one by one in `reports/findings.jsonl`.",
        "preprocessing.steps": f"Steps: {steps}. The recipe with all options is `recipe.toml`; the counts of "
        "every step stand in `release.json`.",
        "preprocessing.software": f"Built with {DISTRIBUTION} {facts.manifest.sdk_version}.",
        "maintenance.old_versions": "A version is a tag that never moves; `CHANGELOG.md` says what changed.",
    }


# What machines read: the header of the card, and ``croissant.json``.

_TASKS = {
    "question-answering": "open-domain-qa",
    "multiple-choice": "multiple-choice-qa",
    "fill-mask": None,
    "text-generation": None,
}
"""Task categories of the Hub with the task in them, if there is a fitting one."""

_KEYWORDS = ("culture", "everyday-knowledge", "multilingual", "benchmark", "evaluation-only")
"""What one would search for."""


def _card_header(facts: ReleaseFacts) -> str:
    """The header without its ``---`` lines.

    Without ``dataset_info``, which would override in silence what every file says of its columns.
    """
    tasks = list(dict.fromkeys(_task(config) for config in facts.tables))
    header: dict[str, Any] = {
        "pretty_name": facts.title,
        "license": facts.manifest.recipe.license,
        "language": facts.languages,
        "task_categories": tasks,
        "task_ids": [_TASKS[task] for task in tasks if _TASKS[task] is not None],
        "annotations_creators": _of_sources(facts, "annotations"),
        "language_creators": _of_sources(facts, "language"),
        "multilinguality": ["multilingual" if len(facts.languages) > 1 else "monolingual"],
        "source_datasets": _of_sources(facts, "extended"),
        "tags": list(_KEYWORDS),
        "configs": _configs(facts.manifest),
    }
    return yaml.safe_dump(header, sort_keys=False, allow_unicode=True, width=1000)


def _configs(manifest: ReleaseManifest) -> list[dict[str, Any]]:
    """The configurations with their splits and the files of these, which make a release load."""
    splits: dict[str, list[dict[str, str]]] = {}
    for table in manifest.tables:
        pattern = f"data/{table.config}/{table.split}-*.parquet"
        splits.setdefault(table.config, []).append({"split": table.split, "path": pattern})
    return [{"config_name": config, "data_files": files} for config, files in splits.items()]


def _of_sources(facts: ReleaseFacts, about: str) -> list[str]:
    """A tag of every source, without repetitions; a dataset of the Hub is named by its id."""
    tags = []
    for source in facts.manifest.recipe.sources:
        tag = source_kinds()[source.kind][about]
        if about == "extended" and source.kind == "blend" and source.revision is not None:
            tag = f"extended|{source.location}"
        tags.append(tag)
    return list(dict.fromkeys(tags))


def _task(config: str) -> str:
    if config == MULTIPLE_CHOICE_QUESTIONS:
        return "multiple-choice"
    if config == CULTURAL_PROMPTS:
        return "text-generation"
    return "question-answering" if config in QUESTION_CONFIGS else "fill-mask"


_PARQUET = "application/x-parquet"

_TYPES = {"bool": "sc:Boolean", "int64": "cr:Int64", "double": "cr:Float64", "string": "sc:Text"}

_CONTEXT = "croissant_context.json"
"""File of the vocabulary's own context, whole, though we use a part: readers warn of any other."""


_RESPONSIBLE = {
    "composition.errors": "dataBiases",
    "composition.missing": "dataCollectionMissingData",
    "composition.sensitive": "personalSensitiveInformation",
    "collection.mechanisms": "dataCollection",
    "preprocessing.raw": "dataCollectionRawData",
    "preprocessing.steps": "dataPreprocessingProtocol",
    "uses.other_tasks": "dataUseCases",
    "uses.risks": "dataSocialImpact",
    "uses.not_for": "dataLimitations",
    "maintenance.updates": "dataReleaseMaintenancePlan",
}
"""Questions of the datasheet to properties of Croissant's vocabulary for responsible AI."""


def _croissant(facts: ReleaseFacts) -> str:
    """The text of ``croissant.json``.

    Every parquet file is a ``FileObject`` with its digest and an address relative to the release; every
    configuration and split is a ``RecordSet`` named ``annotations/KR``. A table in several files reads them
    through a ``FileSet``. Lists of records become sub-fields.

    Returns:
        JSON-LD, indented, with a final line feed; the same for the same release.
    """
    manifest, recipe = facts.manifest, facts.manifest.recipe
    held = {file.path: file for file in manifest.files}
    terms = license_of(recipe.license)
    answers = facts.datasheet.answers
    metadata = {
        "@context": json.loads(text_of(_CONTEXT)),
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": manifest.name,
        "alternateName": facts.title,
        "description": f"{facts.summary} For evaluation only: {canary(manifest.name)}",
        "version": manifest.version,
        "license": terms.url or terms.name,
        "citeAs": citation(recipe, facts.authors),
        "inLanguage": facts.languages,
        "keywords": list(_KEYWORDS),
        "isLiveDataset": False,
        **(
            {"creator": [{"@type": "sc:Person", "name": name} for name in facts.authors]}
            if facts.authors
            else {}
        ),
        **({"url": recipe.homepage} if recipe.homepage is not None else {}),
        **{f"rai:{name}": answer for key, name in _RESPONSIBLE.items() if (answer := answers[key]) is not None},
        "distribution": [entry for table in manifest.tables for entry in _distribution(table, held)],
        "recordSet": [_record_set(table, facts.reword) for table in manifest.tables],
    }
    return json.dumps(metadata, ensure_ascii=False, indent=2) + "\n"


def _distribution(table: TableInfo, files: Mapping[str, FileInfo]) -> Iterator[dict[str, Any]]:
    for path in table.files:
        yield {
            "@type": "cr:FileObject",
            "@id": path,
            "name": path.rpartition("/")[2],
            "contentUrl": path,
            "contentSize": f"{files[path].size} B",
            "encodingFormat": _PARQUET,
            "sha256": files[path].sha256,
        }
    if len(table.files) > 1:
        yield {
            "@type": "cr:FileSet",
            "@id": f"{_name(table)}/files",
            "name": f"{_name(table)}/files",
            "encodingFormat": _PARQUET,
            "includes": list(table.files),
        }


def _record_set(table: TableInfo, reword: Callable[[str], str]) -> dict[str, Any]:
    model = model_of(table.config)
    reword = str if table.config in NOT_BY_LANGUAGE else reword
    name = _name(table)
    source: dict[str, Any] = (
        {"fileObject": {"@id": table.files[0]}}
        if len(table.files) == 1
        else {"fileSet": {"@id": f"{name}/files"}}
    )
    key = model.model_fields[key_of(table.config)].alias or key_of(table.config)
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{reword(first_line_of(model))} {pluralise(table.rows, 'record')}.",
        "key": {"@id": f"{name}/{key}"},
        "field": _fields(model, name, source, reword, column=None, path=()),
    }


def _fields(
    model: type[BaseModel],
    parent: str,
    source: Mapping[str, Any],
    reword: Callable[[str], str],
    *,
    column: str | None,
    path: tuple[str, ...],
) -> list[dict[str, Any]]:
    """The fields of a model; below a column, ``path`` leads to them."""
    fields = []
    for name, info in model.model_fields.items():
        published = info.alias or name
        kind, is_list = kind_of(info.annotation)
        field: dict[str, Any] = {
            "@type": "cr:Field",
            "@id": f"{parent}/{published}",
            "name": published,
            "description": reword(plain(field_sentences(model).get(name, ""))),
        }
        if is_list:
            field |= {"isArray": True, "arrayShape": "-1"}
        location = (column or published, (*path, published) if column else ())
        if isinstance(kind, str):
            field |= {"dataType": _TYPES[kind], "source": _source(source, *location)}
        else:
            field["subField"] = _fields(
                kind, field["@id"], source, reword, column=location[0], path=location[1]
            )
        fields.append(field)
    return fields


def _source(source: Mapping[str, Any], column: str, path: Sequence[str]) -> dict[str, Any]:
    extracted = {**source, "extract": {"column": column}}
    # One step at a time: a step into a list is taken in each of its members. Quotes, for names with a hyphen.
    steps = [{"jsonPath": f"'{step}'"} for step in path]
    return {**extracted, "transform": steps} if steps else extracted


def _name(table: TableInfo) -> str:
    return f"{table.config}/{table.split}"
