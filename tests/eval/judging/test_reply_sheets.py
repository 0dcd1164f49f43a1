"""Replies for people: drawn with known probabilities, blind to models and verdicts, and back as labels."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import blend
from blend.eval.evaluation import read_scored, score_run
from blend.eval.judging import reply_sheet
from blend.eval.judging.labels import LABELS, LABELS_NAME, read_labels, write_labels
from blend.eval.judging.reply_sheet import draw_replies, keep_drawn, label_replies, read_drawn, replies
from blend.eval.report import ScoredRun
from blend.schemas.errors import RowError
from blend.schemas.sheets import REPLY_SHEET
from helpers.judged_runs import filled
from helpers.messages import wrong

pytestmark = pytest.mark.filterwarnings("ignore::blend.BlendWarning")  # some replies are blank

Run = Callable[[str], ScoredRun]

NOTHING_JUDGED = (
    "nothing is judged; write one of correct, partly, wrong, refused into the column verdict, or leave the "
    "sheet out"
)


class Guesser:
    """Says one of a few things to each prompt: some right, one that a spreadsheet would rewrite, one blank."""

    def __init__(self, name: str) -> None:
        self._name = name

    def generate(self, prompts: list[str]) -> list[str]:
        said = ("kimchi", "rice", "soccer", "5/10", "=1", "")
        return [said[hashlib.sha256(f"{self._name}{one}".encode()).digest()[0] % len(said)] for one in prompts]


@pytest.fixture(scope="module")
def made(mini_release: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("replies")

    def scored(name: str) -> ScoredRun:
        if not (folder / name).exists():
            run = blend.run_task(mini_release, "short-answer", Guesser(name), folder / name, limit=12)
            score_run(run)
        return read_scored([folder / name])[0]

    return scored


@pytest.fixture
def run(made: Run) -> ScoredRun:
    """A run from which nothing has been drawn yet."""
    found = made("secret-one")
    for path in found.run.directory.glob(f"{reply_sheet.DRAWN_NAME}*"):
        path.unlink()
    return found


def test_a_sheet_is_blind_and_holds_each_reply_once(made: Run, run: ScoredRun, tmp_path: Path):
    runs = [run, made("secret-two")]
    drawn = draw_replies(runs, sample=10_000)
    keep_drawn(runs, drawn, tmp_path / "sheet.csv")
    text = (tmp_path / "sheet.csv").read_text(encoding="utf-8-sig")
    sheet = pl.read_csv(tmp_path / "sheet.csv")
    assert sheet.columns == list(REPLY_SHEET.columns)
    assert "secret" not in text
    assert "Guesser" not in text
    assert sheet["verdict"].null_count() == sheet.height == drawn.height
    assert not sheet.select("locale", "question", "reply").is_duplicated().any()
    # Two prompts, two languages and two models say each of these to a question at most once in the sheet.
    every = pl.concat([replies(one).select("id", "locale", "template_id", "reply") for one in runs])
    assert set(every["id"]) == set(sheet["id"])
    assert every.height > every["id"].n_unique()
    assert set(sheet["reply"]) == {"kimchi", "rice", "soccer", "'5/10", "'=1"}
    korean = sheet.filter(locale="ko-KR")
    assert set(korean["region"]) == {"대한민국"}
    # Neither by question, nor by what is said of them: in the order of digests.
    assert korean["id"].is_sorted()
    assert not korean["question"].is_sorted()
    assert (drawn["probability"] == 1).all()


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.integers(1, 60), min_size=1), st.integers(0, 200))
def test_a_larger_sample_takes_no_reply_away(sizes: Mapping[str, int], sample: int):
    strata = [name for name, size in sizes.items() for _ in range(size)]
    rows = pl.DataFrame({"stratum": strata}).with_row_index("reply")
    few, more = (reply_sheet.first_of_strata(rows, n) for n in (sample, sample + 1))
    assert few.height == min(sample, len(strata))
    assert set(few["reply"]) <= set(more["reply"])
    places = Counter(few["stratum"])
    # The first of each are drawn, with the probability that so many are.
    assert all(set(of["number"]) == set(range(1, places[name] + 1)) for (name,), of in few.group_by("stratum"))
    assert all(row["probability"] == places[row["stratum"]] / row["size"] for row in few.iter_rows(named=True))
    if sample >= 2 * len(sizes):
        assert all(places[name] >= min(2, size) for name, size in sizes.items())


@pytest.fixture
def sheet(run: ScoredRun, tmp_path: Path) -> Path:
    drawn = draw_replies([run], sample=9, locales=["ko-KR", "en-US"])
    keep_drawn([run], drawn, tmp_path / "sheet.csv")
    return tmp_path / "sheet.csv"


def test_two_people_and_a_third_one_for_ties(run: ScoredRun, sheet: Path, tmp_path: Path):
    anna = filled(sheet, "anna.csv", lambda row: "Correct" if row["reply"] == "kimchi" else "wrong")
    ben = filled(sheet, "ben.csv", lambda row: "wrong" if row["reply"] != "rice" else "partly")
    found = label_replies(run, [anna, ben], ties=tmp_path / "ties.csv")
    assert (found.annotators, found.n_drawn, found.n_judged, found.n_alone) == (("anna", "ben"), 18, 18, 0)
    drawn = read_drawn(run)
    divided = drawn.filter(pl.col("reply").is_in(["kimchi", "rice"]))
    assert found.n_ties == divided.height > 0
    assert found.in_words().startswith(f"18 of 18 drawn replies judged, 0 by one person; {found.n_ties} ties; ")
    metrics = {(one.metric, one.scope, one.key) for one in found.scores}
    assert ("agreement-alpha", "overall", "all") in metrics
    assert ("agreement-pairs", "locale", "ko-KR") in metrics
    labels = read_labels(run.run.directory)
    known = replies(run).select("item_id", "id", "reply")
    labelled = labels.join(known, on="item_id").join(drawn.select("id", p="probability"), on="id")
    # Both prompts that were answered alike have the label.
    assert set(labelled["id"]) == set(drawn["id"])
    assert found.n_labels == labels.height == known.filter(pl.col("id").is_in(drawn["id"].implode())).height
    assert (labelled["p"] - labelled["probability"]).abs().max() < 1e-12
    by_reply = dict(labelled.select("reply", "correct").iter_rows())
    expected = {"kimchi": 0.5, "rice": 0, "soccer": 0, "5/10": 0, "=1": 0}
    assert by_reply == {reply: expected[reply] for reply in by_reply}
    assert set(labels["annotators"]) == {"anna|ben"}
    # The third sheet holds the ties alone, and decides them.
    third = pl.read_csv(tmp_path / "ties.csv")
    assert set(third["id"]) == set(divided["id"])
    cem = filled(tmp_path / "ties.csv", "cem.csv", lambda row: "wrong")
    again = label_replies(run, [anna, ben, cem], ties=tmp_path / "none.csv")
    assert again.n_ties == 0
    assert again.in_words().endswith(f"in labels.parquet, in place of {found.n_labels:,} earlier ones")
    assert not (tmp_path / "none.csv").exists()
    decided = read_labels(run.run.directory)
    assert set(decided["verdict"]) == {"wrong"}


def test_replies_that_nobody_judged_are_stood_for_by_others(run: ScoredRun, sheet: Path):
    asked = pl.read_csv(sheet)
    some = set(asked.filter(locale="ko-KR")["id"].head(4))
    anna = filled(sheet, "anna.csv", lambda row: "refused" if row["id"] in some else None)
    found = label_replies(run, [anna])
    assert (found.n_judged, found.n_alone, found.scores) == (4, 4, ())
    labels, drawn = read_labels(run.run.directory), read_drawn(run)
    rows = labels.join(replies(run).select("item_id", "locale", "id"), on="item_id").unique("id")
    # Nothing is said of the locale whose sheet did not come back.
    assert set(rows["locale"]) == {"ko-KR"}
    n = (1 / drawn.filter(locale="ko-KR")["probability"]).sum()
    assert (1 / rows["probability"]).sum() == pytest.approx(n)


def test_a_table_stands_in_place_of_sheets(run: ScoredRun, sheet: Path, tmp_path: Path):
    ids = pl.read_csv(sheet)["id"]
    rows = [{"id": name, "annotator": who, "verdict": "correct"} for name in ids for who in ("a07", "a09")]
    pl.DataFrame(rows).write_ndjson(tmp_path / "verdicts.jsonl")
    found = label_replies(run, [tmp_path / "verdicts.jsonl"])
    assert (found.annotators, found.n_judged, found.n_ties) == (("a07", "a09"), 18, 0)


IN_A_TABLE = {
    "t.csv:2, column verdict: 'right' is no verdict; write one of correct, partly, wrong, refused": (
        "{first},anna,right"
    ),
    "t.csv:2, column annotator: the cell is blank; say who judged, without |": "{first},,correct",
    "t.csv:2, column annotator: 'a|b' is no name; say who judged, without |": "{first},a|b,correct",
    f"t.csv: {NOTHING_JUDGED}": "{first},anna,",
    "t.csv:3: 'anna' judges '{first}' twice; delete this row or {folder}/t.csv:2; sheets of two people have "
    "two names": "{first},anna,wrong\n{first},anna,wrong",
    "t.csv:2, column id: 'nobody' is not of this run; name the run whose sheet it is; a run that was scored "
    "anew with other answers has another sheet": "nobody,anna,wrong",
}


@pytest.mark.parametrize("message", IN_A_TABLE)
def test_what_a_table_cannot_say(run: ScoredRun, sheet: Path, tmp_path: Path, message: str):
    first = pl.read_csv(sheet)["id"][0]
    (tmp_path / "t.csv").write_text(f"id,annotator,verdict\n{IN_A_TABLE[message].format(first=first)}\n")
    told = wrong(lambda: label_replies(run, [tmp_path / "t.csv"]))
    assert told == message.format(first=first, folder=tmp_path)


@pytest.mark.parametrize("name", ["anna (1).csv", "Anna.csv"])
def test_a_copy_of_a_sheet_is_nobody_else(run: ScoredRun, sheet: Path, name: str):
    anna, copy = (filled(sheet, file, lambda row: "wrong") for file in ("anna.csv", name))
    assert wrong(lambda: label_replies(run, [anna, copy])) == (
        f"{copy}: looks like a copy of {anna}, and the name of a file says who judged; leave one of them out, "
        "or rename one if two people filled them in"
    )


def test_a_sheet_that_says_nothing_or_is_named_twice_is_refused(run: ScoredRun, sheet: Path):
    anna = filled(sheet, "anna.csv", lambda row: "wrong")
    assert wrong(lambda: label_replies(run, [sheet, anna])) == f"sheet.csv: {NOTHING_JUDGED}"
    assert wrong(lambda: label_replies(run, [anna, sheet.parent / "." / "anna.csv"])) == (
        f"{anna}: named twice; name every sheet once"
    )


def test_no_draw_is_lost(run: ScoredRun, sheet: Path, tmp_path: Path):
    other = draw_replies([run], sample=9, locales=["ko-KR"], seed=1)
    assert wrong(lambda: keep_drawn([run], other, tmp_path / "other.csv")) == (
        f"{run.run.directory}: other replies of ko-KR were drawn before, for a sheet that people may have; "
        "draw with that `seed` and as many or more (`sample`), or delete drawn.parquet there"
    )
    assert not (tmp_path / "other.csv").exists()
    # More of the same, and another locale, go with what was drawn before.
    more = draw_replies([run], sample=12, locales=["ko-KR"])
    keep_drawn([run], more, tmp_path / "more.csv")
    keep_drawn([run], draw_replies([run], sample=9, locales=["fa-IR"]), tmp_path / "fa.xlsx")
    counts = dict(read_drawn(run)["locale"].value_counts().iter_rows())
    assert counts == {"ko-KR": 12, "en-US": 9, "fa-IR": 9}


def test_what_cannot_be_drawn(made: Run, run: ScoredRun, mini_release: Path, tmp_path: Path):
    assert wrong(lambda: draw_replies([run], sample=1, locales=["ko-KR"])) == (
        "ko-KR: a sample of 1 is too small for 2 of each of 2 kinds (correct, wrong); draw more (`sample`)"
    )
    unknown = wrong(lambda: draw_replies([run], sample=9, locales=["ko-KP"]))
    assert unknown.startswith("unknown locale of the runs 'ko-KP'; did you mean 'ko-KR'? choose one")
    directory = run.run.directory
    assert wrong(lambda: label_replies(run, [tmp_path / "a.csv"])) == (
        f"{directory}: no replies were drawn from this run; draw some: blend eval judge-sheet {directory}"
    )


ROWS = [
    ("KR/1/p/ko", 0.25, "correct", "anna|ben"),
    ("KR/2/p/ko", 1 / 3, "correct|wrong", "anna|ben"),
    ("KR/3/p/ko", 1.0, "partly|wrong", "anna|ben"),
]


def test_labels_come_back_with_the_share_of_correct_and_changed_ones_are_told(tmp_path: Path):
    assert read_labels(tmp_path) is None
    labels = pl.DataFrame(ROWS, LABELS, orient="row")
    write_labels(tmp_path, labels)
    found = read_labels(tmp_path)
    assert found.drop("correct").equals(labels)
    assert found["correct"].to_list() == [1.0, 0.5, 0.0]
    (tmp_path / LABELS_NAME).write_bytes(b"PAR1")
    told = r"labels\.parquet: not a Parquet file, or damaged; read the sheets again: "
    with pytest.raises(RowError, match=told):
        read_labels(tmp_path)
