"""BLEnD's files in the shape that its authors' repository on the Hub has, made of files in the usual layout."""

import csv
import json
from pathlib import Path

CHOICES = "data/mc_questions_file.csv"
SPLITS = {"UK": "GB", "South_Korea": "KR"}


def as_on_the_hub(usual: Path, folder: Path, *, tables: bool = False) -> Path:
    """Write a copy of a folder with BLEnD's files as the Hub has it, and a table of choices with every fault.

    Args:
        usual: Folder with ``annotations`` and ``questions``.
        folder: Where to write; gets a card and a folder ``data``.
        tables: Whether questions are tables and not lists.

    Returns:
        ``folder``.
    """
    listed: dict[str, list[tuple[str, str]]] = {"annotations": [], "short-answer-questions": []}
    for path in sorted((usual / "annotations").iterdir()):
        name = path.name.removesuffix("_data.json")
        entries = [{"ID": key, **entry} for key, entry in json.loads(path.read_text("utf-8")).items()]
        for entry in entries:
            entry["en_question"] = _unnamed(entry["en_question"], name)
        listed["annotations"].append((SPLITS[name], f"data/annotations_hf/{path.name}"))
        _write(folder / "data/annotations_hf" / path.name, json.dumps(entries, ensure_ascii=False))
        questions = usual / "questions" / f"{name}_questions.csv"
        with questions.open(encoding="utf-8", newline="") as file:
            rows = [{key: cell for key, cell in row.items() if key} for row in csv.DictReader(file)]
        for row in rows:
            row["Translation"] = _unnamed(row["Translation"], name)
        copy = folder / "data/questions_hf" / f"{name}_questions.{'csv' if tables else 'json'}"
        listed["short-answer-questions"].append((SPLITS[name], copy.relative_to(folder).as_posix()))
        if tables:
            _write_table(copy, rows)
        else:
            _write(copy, json.dumps(rows, ensure_ascii=False))
    _write_table(folder / CHOICES, [_choice(number) for number in range(8)])
    _write(folder / "README.md", _card({**listed, "multiple-choice-questions": [("test", CHOICES)]}))
    return folder


def _unnamed(question: str, name: str) -> str:
    return question.replace(name.replace("_", " "), "your country")


def _choice(number: int) -> dict[str, str]:
    return {
        "MCQID": f"q{max(number, 1)}",
        "ID": "Al-en-01",
        "country": "UK",
        "prompt": "Which?",
        "choices": json.dumps(dict(zip("ABCD", ("crisps", "fruit", "tea", "rice"), strict=True))),
        "choice_countries": json.dumps(dict.fromkeys("ABCD", "UK")),
        "answer_idx": "DDDDDABE"[number],
    }


def _card(configs: dict[str, list[tuple[str, str]]]) -> str:
    lines = ["---", "license: cc-by-sa-4.0", "configs:"]
    for name, files in configs.items():
        lines += [f"- config_name: {name}", "  data_files:"]
        lines += [f"  - split: {split}\n    path: {path}" for split, path in files]
    return "\n".join([*lines, "---", "# BLEnD", ""])


def _write_table(path: Path, rows: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
