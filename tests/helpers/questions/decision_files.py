"""Files of decisions for tests, and rows to put into them."""

from datetime import date
from pathlib import Path

from blend.loaders.responses.decisions import Decision

HEADER = "answer_a\tanswer_b\tverdict\twho\twhen\twhy\n"
SOCCER = "soccer\tfootball\tsame\tmina\t2026-11-30\tone sport\n"
PEAR = "apple\tpear\tdifferent\tchat:m1\t2026-12-01\t\n"


def file_of(folder: Path, content: str | bytes) -> Path:
    path = folder / "decisions.tsv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def decision(a: str, b: str, verdict: str = "same", why: str = "") -> Decision:
    return Decision.model_validate(
        {
            "answer_a": a,
            "answer_b": b,
            "verdict": verdict,
            "who": "mina",
            "when": date(2026, 11, 30),
            "why": why,
        }
    )
