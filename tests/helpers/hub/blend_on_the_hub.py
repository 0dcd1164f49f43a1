"""BLEnD's files in the shape that its authors' repository on the Hub has, made of files in the usual layout."""

import csv
import json
from pathlib import Path


def as_on_the_hub(usual: Path, folder: Path, *, tables: bool = False) -> Path:
    """Write a copy of a folder with BLEnD's files as the Hub has it.

    Args:
        usual: Folder with ``annotations`` and ``questions``.
        folder: Where to write; gets a folder ``data``.
        tables: Whether questions are tables and not lists.

    Returns:
        ``folder``.
    """
    for path in sorted((usual / "annotations").iterdir()):
        name = path.name.removesuffix("_data.json")
        entries = [{"ID": key, **entry} for key, entry in json.loads(path.read_text("utf-8")).items()]
        for entry in entries:
            entry["en_question"] = _unnamed(entry["en_question"], name)
        _write(folder / "data/annotations_hf" / path.name, json.dumps(entries, ensure_ascii=False))
        questions = usual / "questions" / f"{name}_questions.csv"
        with questions.open(encoding="utf-8", newline="") as file:
            rows = [{key: cell for key, cell in row.items() if key} for row in csv.DictReader(file)]
        for row in rows:
            row["Translation"] = _unnamed(row["Translation"], name)
        copy = folder / "data/questions_hf" / f"{name}_questions.{'csv' if tables else 'json'}"
        if tables:
            _write_table(copy, rows)
        else:
            _write(copy, json.dumps(rows, ensure_ascii=False))
    return folder


def _unnamed(question: str, name: str) -> str:
    return question.replace(name.replace("_", " "), "your country")


def _write_table(path: Path, rows: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
