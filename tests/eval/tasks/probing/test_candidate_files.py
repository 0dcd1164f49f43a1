"""Files of candidates, and what is wrong with them."""

from pathlib import Path

import pytest

from blend.eval.tasks.probing.probing_items import read_candidate_file
from blend.schemas.errors import InputError


def written(folder: Path, text: str, name: str = "words.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_candidates_by_language(tmp_path: Path):
    read = read_candidate_file(written(tmp_path, "candidate,language\nsalt,\n쌀,ko\n egg ,\nsalt,\n"))
    assert read.by_language == {"": ("egg", "salt"), "ko": ("쌀",)}


def test_the_digest_depends_on_what_is_ranked_alone(tmp_path: Path):
    one = read_candidate_file(written(tmp_path, "candidate\nsalt\negg\n"))
    same = read_candidate_file(written(tmp_path, "note,candidate\n1,egg\n2,salt\n", "other.csv"))
    another = read_candidate_file(written(tmp_path, "candidate\negg\n", "less.csv"))
    assert one.digest == same.digest != another.digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("candidate\n", "{path}: no candidates; write one row per candidate"),
        (
            "candidate,language\negg,en\n ,en\n",
            "words.csv:3: column candidate: ' ' is not text; write it, or delete the row",
        ),
    ],
)
def test_a_file_without_candidates_is_refused(tmp_path: Path, text: str, message: str):
    path = written(tmp_path, text)
    with pytest.raises(InputError) as raised:
        read_candidate_file(path)
    assert str(raised.value) == message.format(path=path)


def test_a_file_that_is_not_there(tmp_path: Path):
    with pytest.raises(InputError) as raised:
        read_candidate_file(tmp_path / "words.csv")
    assert str(raised.value) == (
        f"{tmp_path / 'words.csv'}: no such file; `candidates` is 'language', 'country', or a file of "
        f"candidates "
        "(.csv, .tsv, .txt, .xlsx, .jsonl, .parquet)"
    )
    with pytest.raises(InputError) as raised:
        read_candidate_file(written(tmp_path, "egg", "words.doc"))
    assert str(raised.value) == (
        "words.doc: unknown file name ending '.doc'; use one of: .csv, .tsv, .txt, .xlsx, .jsonl, .parquet"
    )
