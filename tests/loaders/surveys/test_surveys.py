"""Surveys of values: the tables of the paper, other layouts, and every fault with its whole message."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from blend.loaders.surveys import read_survey
from helpers.messages import wrong

FILES = {
    "hofstede": ("distances_hofstede_raw_with_demonymns.csv", 111, 6, 161),
    "wvs": ("wvs_250_dims_with_demonyms.csv", 58, 259, 174),
}


@pytest.mark.parametrize("name", FILES)
def test_the_tables_of_the_paper(shared: Path, name: str):
    file, n_rows, n_dimensions, n_missing = FILES[name]
    survey = read_survey(shared / "data" / "extrinsic" / file, name)
    assert survey.values.shape == (n_rows, n_dimensions)
    assert np.isnan(survey.values).sum() == n_missing
    assert survey.nominal == (("Q223",) if name == "wvs" else ())


def test_a_table_with_semicolons_and_names_of_countries(tmp_path: Path):
    path = tmp_path / "values.csv"
    path.write_text("ctr;country;pdi;ivr\nBRA;Brazil;69;59\nXXX;Atlantis;1;#NULL!\n")
    survey = read_survey(path, "hofstede")
    assert survey.groups == ("Brazilian", "Atlantis")
    assert survey.dimensions == ("pdi", "ivr")
    np.testing.assert_array_equal(survey.values, [[69, 59], [1, np.nan]])


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_the_kind_of_file_makes_no_difference(tmp_path: Path, kind: str):
    rows = {"Demonym": ["Thai", "Lao"], "a": [1, None], "b": [0.1, 2.5], "c": ["1,5", "#NULL!"]}
    frame, path = pl.DataFrame(rows), tmp_path / f"s.{kind}"
    if kind == "csv":
        # In a CSV file one decimal sign holds for all numbers.
        frame.with_columns(pl.col("c").str.replace(",", ".")).write_csv(path)
    elif kind == "jsonl":
        lines = (
            {key: value for key, value in row.items() if value is not None} for row in frame.rows(named=True)
        )
        path.write_text("\n".join(map(json.dumps, reversed([*lines]))))
    else:
        frame.with_columns(pl.col("a").cast(pl.Float64).fill_null(float("nan"))).write_parquet(path)
    survey = read_survey(path, "own")
    order = [survey.groups.index(name) for name in rows["Demonym"]]
    values = {name: survey.values[order, n] for n, name in enumerate(survey.dimensions)}
    assert {*values} == {"a", "b", "c"}
    np.testing.assert_array_equal([values[name] for name in "abc"], [[1, np.nan], [0.1, 2.5], [1.5, np.nan]])


def test_a_missing_file_says_where_to_get_it(tmp_path: Path):
    path = tmp_path / "wvs.csv"
    assert wrong(lambda: read_survey(path, "wvs")) == (
        f"survey wvs: no such file: {path}; this package does not bring the survey, since its publisher has "
        "terms of use: see https://www.worldvaluessurvey.org/WVSDocumentationWV7.jsp, or the folder data of "
        "https://github.com/shaily99/eecc for the tables of the paper"
    )
