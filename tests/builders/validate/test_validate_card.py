"""Faults of the card, and of loading with ``datasets``; food tables beside those of questions."""

from pathlib import Path

import datasets
import polars as pl
import pytest
import yaml

from blend.builders.parquet import Table, write_table
from blend.builders.validate import CHECKS, validate_release
from blend.loaders.releases import read_manifest
from blend.schemas.rows import FOOD_TRIPLES, TRIPLES, Triple

REBUILD = "rebuild the release"


def edit_header(release, change) -> None:
    """Change the card's YAML header."""

    def edited(text: str) -> str:
        _, header, body = text.split("---\n", 2)
        fields = yaml.safe_load(header)
        change(fields)
        return f"---\n{yaml.safe_dump(fields, allow_unicode=True, sort_keys=False)}---\n{body}"

    release.edit("README.md", edited)


def test_no_card(release):
    (release.path / "README.md").unlink()
    assert release.problems("card") == [f"error: README.md: cannot be read: no such file; {REBUILD}"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Data\n", "does not begin with a YAML header between two lines ---"),
        ("---\n- a\n---\n# Data\n", "the header is not a YAML mapping"),
        (
            "---\na: [\n---\n# Data\n",
            (
                "the header is not YAML (while parsing a flow node expected the node content, but found "
                "'<stream end>' in \"<unicode string>\", line 1, column 5: a: [ ^)"
            ),
        ),
    ],
)
def test_no_header(release, text: str, said: str):
    release.edit("README.md", lambda _: text)
    assert release.problems("card") == [f"error: README.md: {said}; {REBUILD}"]


def test_a_card_in_another_encoding(release):
    (release.path / "README.md").write_bytes("---\ntitle: café\n---\n".encode("latin-1"))
    assert release.problems("card") == [f"error: README.md: is not in UTF-8; {REBUILD}"]


@pytest.mark.landing
@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda fields: fields.pop("configs"), "configs: is absent, release.json makes a list of 4"),
        (
            lambda fields: fields["configs"].pop(1),
            "configs: is a list of 3, release.json makes a list of 4",
        ),
        (
            lambda fields: fields["configs"][0]["data_files"][0].update(split="UK"),
            "configs[0].data_files[0].split: is 'UK', release.json makes 'US'",
        ),
        (
            lambda fields: fields["configs"][0]["data_files"][0].pop("path"),
            "configs[0].data_files[0].path: is absent, release.json makes 'data/annotations/US-*.parquet'",
        ),
        (lambda fields: fields.update(license="mit"), "license: is 'mit', release.json makes 'cc-by-4.0'"),
    ],
)
def test_a_header_that_does_not_follow_from_the_manifest(release, change, said: str):
    edit_header(release, change)
    assert release.problems("card") == [f"error: README.md, {said}; {REBUILD}"]


@pytest.mark.landing
@pytest.mark.slow
def test_a_wrong_number_of_rows(release):
    splits = [{"name": "KR", "num_examples": 41, "num_bytes": 1}]
    info = [{"config_name": "annotations", "splits": splits}]
    edit_header(release, lambda fields: fields.update(dataset_info=info))
    assert release.problems("card") == [
        (
            "error: README.md, dataset_info, annotations: split KR has num_examples 41, release.json says 40; "
            f"{REBUILD}"
        )
    ]


@pytest.mark.landing
@pytest.mark.slow
def test_licence_name_and_languages(release):
    def change(fields):
        fields.update(pretty_name="")
        fields["language"] = [tag for tag in fields["language"] if tag != "su"] + ["xx-yyyyyyyyyy"]

    edit_header(release, change)
    assert release.problems("card") == [
        f"error: README.md: language 'xx-yyyyyyyyyy' is not a BCP 47 tag; {REBUILD}",
        f"error: README.md: language lacks su; {REBUILD}",
        f"warning: README.md: has no pretty_name; {REBUILD}",
    ]


@pytest.mark.landing
@pytest.mark.slow
def test_columns_that_nobody_describes(release):
    for page in ("README.md", "reports/details.md"):
        release.edit(page, lambda text: text.replace("`grouping`", "grouping").replace("`idks`", "idks"))
    assert release.problems("card") == [
        f"error: README.md: does not describe the columns idks, grouping of annotations; {REBUILD}"
    ]


@pytest.mark.landing
@pytest.mark.slow
def test_food_tables_are_read_like_any_other(release):
    entity = {"qid": "Q7802", "label": "bread"}
    row = dict.fromkeys(TRIPLES) | {
        "qid": "Q3",
        "language": "en",
        "label": "toast\u202e",
        "origin_qid": "Q145",
        "origin": "United Kingdom",
        "origin_prompt_name": "the United Kingdom",
        "origin_via": ["P495"],
        "origin_is_historical": False,
        "stated_origin_qid": "Q145",
        "continents": ["Europe"],
        "parts": [entity],
        "materials": [],
        "image": [],
        "original_parts": [],
        "unlabelled_parts": [],
    }
    batches = [pl.DataFrame([row, row], schema=TRIPLES)]
    info = write_table(Table(FOOD_TRIPLES, "en", Triple, batches), release.path)
    release.edit_manifest(lambda manifest: manifest["tables"].append(info.model_dump(mode="json")))
    checks = {
        name: check for name, check in CHECKS.items() if name not in ("files", "card", "croissant", "loading")
    }
    report = validate_release(release.path, checks=checks)
    problems = [str(p) for result in report.checks for p in result.examples if p.level == "error"]
    place = "data/food-triples/en-00000.parquet"
    reordered = "column label holds characters that reorder the text: U+202E RIGHT-TO-LEFT OVERRIDE"
    fix = "correct the source and rebuild the release"
    assert problems == [
        f"{place}:Q3: the id occurs again; first in {place}; {fix}",
        f"{place}:Q3: {reordered}; {fix}",
        f"{place}:Q3: {reordered}; {fix}",
    ]


@pytest.mark.landing
@pytest.mark.integration
def test_a_release_that_loads(sample_release: Path):
    shown = datasets.is_progress_bar_enabled()
    (result,) = validate_release(sample_release, checks={"loading": CHECKS["loading"]}).checks
    assert [str(problem) for problem in result.examples] == []
    assert datasets.is_progress_bar_enabled() == shown


@pytest.mark.nightly
@pytest.mark.integration
def test_releases_that_do_not_load_as_they_should(release):
    edit_header(release, lambda fields: fields["configs"][0]["data_files"][1].update(split="KO"))
    wrong_type = [{"config_name": "short-answer-questions", "features": [{"name": "ID", "dtype": "string"}]}]
    edit_header(release, lambda fields: fields.update(dataset_info=wrong_type))
    problems = release.problems("loading")
    fix = "compare the card's header with release.json, and rebuild the release"
    assert problems[:2] == [
        f"error: load_dataset(…, 'annotations'{streaming}): has the splits US, KO, DZ, CN, IR, MX, ET, KP, JB, "
        f"JP, not US, KR, DZ, CN, IR, MX, ET, KP, JB, JP; {fix}"
        for streaming in ("", ", streaming=True")
    ]
    assert problems[2].startswith("error: load_dataset(…, 'short-answer-questions'): fails with ")


@pytest.mark.nightly
@pytest.mark.integration
def test_what_datasets_warns_of_is_heard(release, capfd):
    tables = [table for table in read_manifest(release.path).tables if table.config == "annotations"]
    splits = [{"name": table.split, "num_examples": table.rows} for table in tables]  # and no num_bytes
    info = [{"config_name": "annotations", "splits": splits}]
    edit_header(release, lambda fields: fields.update(dataset_info=info))
    (problem,) = release.problems("loading")
    assert problem.startswith("warning: load_dataset(…): datasets warns, ")
    assert "Ignoring part of dataset_info from the dataset card" in problem
    assert "Ignoring" not in "".join(capfd.readouterr())
