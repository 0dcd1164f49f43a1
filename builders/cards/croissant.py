"""Croissant: the release described for machines, with a record set for every configuration and split.

Croissant 1.1, https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html. Fields are derived from the
row models, as the files' columns are.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from blend.builders.cards.credits import canary, citation, license_of
from blend.builders.cards.facts import ReleaseFacts
from blend.builders.cards.header import KEYWORDS
from blend.builders.cards.rendering import first_sentence, kind_of, plain, text_of
from blend.schemas.manifest import FileInfo, ReleaseManifest, TableInfo
from blend.schemas.models import field_sentences
from blend.schemas.reports import questions
from blend.schemas.rows import NOT_BY_LANGUAGE, key_of, model_of
from blend.schemas.texts import pluralise

_PARQUET = "application/x-parquet"

_TYPES = {"bool": "sc:Boolean", "int64": "cr:Int64", "double": "cr:Float64", "string": "sc:Text"}

_CONTEXT = "croissant_context.json"
"""File of the vocabulary's own context, whole, though we use a part: readers warn of any other."""


RESPONSIBLE = {
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


def render_croissant(facts: ReleaseFacts) -> str:
    """The text of ``croissant.json``.

    Every parquet file is a ``FileObject`` with its digest and an address relative to the release; every
    configuration and split is a ``RecordSet`` named ``annotations/KR``. A table in several files reads them
    through a ``FileSet``. Lists of records become sub-fields.

    Returns:
        JSON-LD, indented, with a final line feed; the same for the same release.
    """
    made, recipe = made_from_manifest(facts.manifest, facts.reword), facts.manifest.recipe
    terms = license_of(recipe.license)
    answers = {question.key: question.answer for question in questions(facts.datasheet)}
    metadata = {
        **{key: made[key] for key in ("@context", "@type", "conformsTo", "name")},
        "alternateName": facts.title,
        "description": f"{facts.summary} For evaluation only: {canary(facts.manifest.name)}",
        "version": made["version"],
        "license": terms.url or terms.name,
        "citeAs": citation(recipe, facts.authors),
        "inLanguage": facts.languages,
        "keywords": list(KEYWORDS),
        "isLiveDataset": made["isLiveDataset"],
        **({"creator": [_person(name) for name in facts.authors]} if facts.authors else {}),
        **({"url": recipe.homepage} if recipe.homepage is not None else {}),
        **{f"rai:{name}": answer for key, name in RESPONSIBLE.items() if (answer := answers[key]) is not None},
        **{key: made[key] for key in ("distribution", "recordSet")},
    }
    return json.dumps(metadata, ensure_ascii=False, indent=2) + "\n"


def made_from_manifest(manifest: ReleaseManifest, reword: Callable[[str], str] = str) -> dict[str, Any]:
    """The properties that follow from a manifest alone, but for the wording of their descriptions."""
    held = {file.path: file for file in manifest.files}
    return {
        "@context": json.loads(text_of(_CONTEXT)),
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": manifest.name,
        "version": manifest.version,
        "isLiveDataset": False,
        "distribution": [entry for table in manifest.tables for entry in _distribution(table, held)],
        "recordSet": [_record_set(table, reword) for table in manifest.tables],
    }


def _person(name: str) -> dict[str, str]:
    return {"@type": "sc:Person", "name": name}


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
        "description": f"{reword(first_sentence(model))} {pluralise(table.rows, 'record')}.",
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
