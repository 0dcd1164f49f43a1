"""The published procedure of making multiple-choice questions, step by step in plain Python, all in memory.

What ``build_scale.py`` compares paper mode with. It takes the same steps as the code of BLEnD's authors:
every region collects the answers of all others for every question, candidates are compared string by string
with a memory of earlier comparisons, every question is put together and its options written as JSON one by
one, and becomes a row of a CSV text. It leaves out what only costs time there: pandas, printing, and
writing files anew after every question. The language model's verdict is the constant "not similar". ``--check``
compares the questions with the golden checksum.

    python benchmarks/published_procedure.py path/to/BLEnD/data [--check COUNTS.json]

References:
    Myung et al. (2024), BLEnD, section 3 and Appendix, https://arxiv.org/abs/2406.09948.
"""

import argparse
import csv
import hashlib
import io
import json
import re
import time
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

COUNTRIES = (
    "UK", "US", "South_Korea", "Algeria", "China", "Indonesia", "Spain", "Iran", "Mexico", "Assam", "Greece",
    "Ethiopia", "Northern_Nigeria", "Azerbaijan", "North_Korea", "West_Java",
)  # fmt: skip
"""In the order of the published code, which decides between equal votes."""

INSTRUCTION = (
    " Without any explanation, choose only one from the given alphabet choices(e.g., A, B, C). "
    'Provide as JSON format: {"answer_choice":""}\n\n'
)
FORMATS = {"HH:MM": r"^\d\d:\d\d$", "MM/DD": r"^\d{1,2}/\d{1,2}$"}

Entries = dict[str, dict[str, Any]]
"""By question id, an entry of an annotations file."""
Same = defaultdict[str, dict[str, bool]]
"""By two answers, whether they were found the same."""


class Row(NamedTuple):
    """A multiple-choice question as published."""

    mcq_id: str
    question_id: str
    country: str
    prompt: str
    choices: str
    choice_countries: str
    answer_idx: str


def main() -> None:
    """Run the procedure once, and print the processor seconds of this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blend", type=Path, help="BLEnD's files")
    parser.add_argument("--check", type=Path, help="counts and checksum to compare with")
    arguments = parser.parse_args()
    rows = published_rows(arguments.blend)
    text = csv_text(rows)
    print(json.dumps({"rows": len(rows), "characters": len(text), "cpu_s": time.process_time()}))
    if arguments.check:
        assert checksum(rows) == json.loads(arguments.check.read_text())["mcq_sequence_sha256"]


def kept(path: Path, entries: dict[str, Entries]) -> dict[str, str]:
    """Questions that no country objects to, by id."""
    with path.open(encoding="utf-8", newline="") as file:
        questions = {row["ID"]: row["Question"] for row in csv.DictReader(file)}
    return {template: question for template, question in questions.items() if is_kept(template, entries)}


def published_rows(folder: Path) -> list[Row]:
    """All multiple-choice questions, from the files of all countries."""
    entries = {
        country: json.loads((folder / "annotations" / f"{country}_data.json").read_text(encoding="utf-8"))
        for country in COUNTRIES
    }
    same: Same = defaultdict(dict)
    rows: list[Row] = []
    for question_id, question in kept(folder / "questions" / "UK_questions.csv", entries).items():
        options = {country: options_of(country, question_id, question, entries, same) for country in COUNTRIES}
        if min(len(choices) for _, choices in options.values()) >= 3:
            rows += rows_of(question_id, question, options)
    return rows


def is_kept(question_id: str, entries: dict[str, Entries]) -> bool:
    """Whether no country objects to a question."""
    for of_country in entries.values():
        entry = of_country[question_id]
        if entry["idks"]["not-applicable"] > 0 or sum(entry["idks"].values()) > 2:
            return False
        groups = entry["annotations"]
        if groups and groups[0]["en_answers"] and groups[0]["count"] < 2:
            return False
    return True


def votes_of(entry: dict[str, Any]) -> dict[str, int]:
    """First English variants and their votes."""
    return {group["en_answers"][0]: group["count"] for group in entry["annotations"] if group["en_answers"]}


def options_of(
    country: str, question_id: str, question: str, entries: dict[str, Entries], same: Same
) -> tuple[list[str], dict[str, str]]:
    """Correct answers of a country, and by other country the distractor that it gives."""
    votes = votes_of(entries[country][question_id])
    top = max(votes.values())
    own = {text: count for text, count in votes.items() if has_format(text, question)}
    others = {other: votes_of(entries[other][question_id]) for other in COUNTRIES if other != country}
    candidates = sorted(
        ((n, text, other) for other, given in others.items() for text, n in given.items() if n >= 2),
        key=lambda candidate: candidate[0],
        reverse=True,
    )
    choices: dict[str, str] = {}
    for _, text, other in candidates:
        if other in choices or not has_format(text, question):
            continue
        if not any(are_same(text, rival, same) for rival in (*own, *choices.values())):
            choices[other] = text
    return [text for text, count in own.items() if count == top], choices


def has_format(text: str, question: str) -> bool:
    """Whether a text has the format that the question asks for."""
    for mark, pattern in FORMATS.items():
        if mark in question:
            return re.match(pattern, text) is not None
    return "Arabic" not in question or number(text) is not None


def are_same(one: str, other: str, same: Same) -> bool:
    """Whether two answers overlap, or were found to before; remembers it."""
    if other not in same[one]:
        same[one][other] = same[other][one] = overlap(one, other)
    return same[one][other]


def overlap(one: str, other: str) -> bool:
    """Equal numbers, one string inside the other, or a common token."""
    numbers = number(one), number(other)
    if None not in numbers:
        return numbers[0] == numbers[1]
    return one in other or other in one or not tokens(one).isdisjoint(tokens(other))


def number(text: str) -> float | None:
    """The text as Python reads a number."""
    try:
        return float(text)
    except ValueError:
        return None


def tokens(text: str) -> set[str]:
    """The pieces of a text between slashes and white space."""
    return {token for part in text.split("/") for token in part.split()}


def rows_of(question_id: str, question: str, options: dict[str, tuple[list[str], dict[str, str]]]) -> list[Row]:
    """The multiple-choice questions of one question: every correct answer with every three distractors."""
    rows: list[Row] = []
    for country, (answers, choices) in options.items():
        name = f"the {country}" if country in ("US", "UK") else country.replace("_", " ")
        for answer in answers:
            beginning = question.replace("your country", name) + INSTRUCTION
            for chosen in combinations(choices.items(), 3):
                shown = sorted([(text, other) for other, text in chosen] + [(answer, country)])
                prompt, texts, countries, right = beginning, {}, {}, ""
                for letter, (text, other) in zip("ABCD", shown, strict=True):
                    if text == answer:
                        right = letter
                    texts[letter], countries[letter] = text, other
                    prompt += f"{letter}. {text}\n"
                rows.append(
                    Row(
                        f"{question_id}_{len(rows)}",
                        question_id,
                        country,
                        prompt + "\nAnswer:",
                        json.dumps(texts, indent=4, ensure_ascii=False),
                        json.dumps(countries, indent=4, ensure_ascii=False),
                        right,
                    )
                )
    return rows


def csv_text(rows: list[Row]) -> str:
    """The rows as the published file holds them."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    for row in rows:
        writer.writerow(row)
    return text.getvalue()


def checksum(rows: list[Row]) -> str:
    """SHA-256 over all questions, as the golden results define it."""
    digest = hashlib.sha256()
    for row in rows:
        texts, countries = json.loads(row.choices), json.loads(row.choice_countries)
        content = [
            row.mcq_id,
            row.question_id,
            row.country,
            [*texts.values()],
            [*countries.values()],
            row.answer_idx,
        ]
        digest.update(f"{json.dumps(content, ensure_ascii=False, separators=(',', ':'))}\n".encode())
    return digest.hexdigest()


if __name__ == "__main__":
    main()
