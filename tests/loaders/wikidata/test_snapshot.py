"""Snapshots over HTTP: stopped and resumed, divided, pinned; the same facts are the same bytes."""

import errno
import gzip
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.loaders.recipes import RecipeInPlace
from blend.loaders.recipes.sources import load_snapshot
from blend.loaders.wikidata.facts import LABEL
from blend.loaders.wikidata.partial import read_snapshot_info
from blend.loaders.wikidata.snapshot import take_snapshots
from blend.loaders.wikidata.sparql import EndpointError
from blend.schemas.recipe import Recipe, Source, domains
from helpers.messages import wrong
from helpers.wikidata.wikidata_endpoint import FAULTS, QUICK, answer, status
from helpers.wikidata.wikidata_fixtures import FACTS

DISH = domains()["dish"]


def content(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


@pytest.mark.slow
def test_exactly_what_the_build_needs(serve: Callable[[str], Any], tmp_path: Path):
    endpoint = serve(FACTS)
    [info] = take_snapshots({tmp_path / "food.nt.gz": DISH}, endpoint=endpoint.url, policy=QUICK)
    lines = content(tmp_path / "food.nt.gz")
    assert lines == sorted(set(lines))
    short = [line.replace("http://www.wikidata.org/", "").replace("prop/direct/", "") for line in lines]
    assert "<entity/Q10> <P999> <entity/Q300> ." not in short, "a property that nobody asked for"
    assert "<entity/Q102> <P31> <entity/Q515> ." not in short, "a class that decides nothing"
    assert "<entity/Q101> <P1366> <entity/Q103> ." in short
    assert "<entity/Q10> <P18> <http://commons.wikimedia.org/wiki/Special:FilePath/A%20A.jpg> ." in short
    labels = {line.partition("> ")[0].rpartition("/")[2] for line in lines if LABEL in line}
    dishes, countries = {"Q10", "Q11", "Q12"}, {"Q100", "Q101", "Q103", "Q104"}
    assert labels == {*dishes, *countries, "Q46", "Q48", "Q200", "Q201", "Q202"}
    assert info.items == 4, "three dishes, and the lexeme that says to be one"
    assert info.triples == len(lines)
    assert endpoint.most_active == 1


def test_the_account(serve: Callable[[str], Any], tmp_path: Path):
    endpoint = serve(FACTS)
    out = tmp_path / "food.nt.gz"
    # English beside them: countries are named by it.
    [info] = take_snapshots({out: DISH}, endpoint=endpoint.url, languages=["FR"], policy=QUICK)
    assert read_snapshot_info(tmp_path / "snapshot.json") == info
    assert info.file == "food.nt.gz"
    assert info.endpoint == endpoint.url
    assert info.languages == ("en", "fr")
    assert info.bytes == out.stat().st_size
    assert info.sha256 == hashlib.sha256(out.read_bytes()).hexdigest()
    text = "".join(f"{line}\n" for line in content(out))
    assert info.content_sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["food.nt.gz", "snapshot.json"]


@pytest.mark.slow
def test_what_is_not_as_its_account_says_is_not_built_from(serve: Callable[[str], Any], tmp_path: Path):
    out = tmp_path / "food.nt.gz"
    [info] = take_snapshots({out: DISH}, endpoint=serve(FACTS).url, policy=QUICK)
    recipe = Recipe(name="food", version="1.0.0", sources=(Source(kind="wikidata", location=out.name),))
    placed = RecipeInPlace.of(recipe, tmp_path)
    assert load_snapshot(placed, recipe.sources[0]).info.sha256 == info.sha256
    out.write_bytes(gzip.compress("\n".join([*content(out)[1:], ""]).encode()))
    changed = hashlib.sha256(out.read_bytes()).hexdigest()
    assert wrong(lambda: load_snapshot(placed, recipe.sources[0])) == (
        f"{out}: has the sha256 {changed}, but snapshot.json beside it says {info.sha256}, so it was changed "
        "or damaged; copy or take the snapshot again, or delete snapshot.json to build from it as it is"
    )
    # Beside it lies the account of another one.
    copied = out.rename(tmp_path / "drinks.nt.gz")
    moved = RecipeInPlace.of(recipe, source_paths={out.name: copied})
    assert load_snapshot(moved, recipe.sources[0]).info.sha256 == changed


@pytest.mark.slow
def test_too_heavy_questions_are_divided(serve: Callable[[str], Any], tmp_path: Path):
    plain, heavy = serve(FACTS), serve(FACTS)
    take_snapshots({tmp_path / "plain.nt.gz": DISH}, endpoint=plain.url, policy=QUICK)
    (tmp_path / "snapshot.json").unlink()
    # The first question names one class: it is asked again by the last digit of the members.
    timeout = status(500, "java.util.concurrent.TimeoutException")
    heavy.faults.update({0: timeout, 20: timeout, 21: FAULTS["timeout_inside"]})
    take_snapshots({tmp_path / "heavy.nt.gz": DISH}, endpoint=heavy.url, policy=QUICK)
    assert content(tmp_path / "heavy.nt.gz") == content(tmp_path / "plain.nt.gz")
    assert 'STRENDS(STR(?s), "7")' in heavy.log[8].query
    assert len(heavy.answered()) == len(set(heavy.answered()))


def test_the_unfinished_snapshot_of_other_questions_is_kept(serve: Callable[[str], Any], tmp_path: Path):
    endpoint = serve(FACTS)
    endpoint.faults[2] = status(403, "")
    out = tmp_path / "f.nt.gz"
    with pytest.raises(EndpointError):
        take_snapshots({out: DISH}, endpoint=endpoint.url, policy=QUICK)
    other = {"languages": ["en"], "batch_size": 7}
    assert wrong(lambda: take_snapshots({out: DISH}, endpoint=endpoint.url, **other, policy=QUICK)) == (
        f"{out}.partial: holds an unfinished snapshot with another batch size, languages; "
        "finish that one with its own options, or delete the folder to start anew"
    )
    plan = out.with_name("f.nt.gz.partial") / "plan.json"
    for text, told in (
        ("7", ": is damaged; delete the folder to start anew"),
        ('{"', ", line 1, column 2: the JSON ends in the middle; copy or export the file again, whole"),
    ):
        plan.write_text(text, encoding="utf-8")
        assert (
            wrong(lambda: take_snapshots({out: DISH}, endpoint=endpoint.url, policy=QUICK)) == f"{plan}{told}"
        )


def test_a_snapshot_in_the_works_is_locked(serve: Callable[[str], Any], tmp_path: Path):
    endpoint = serve(FACTS)
    out = tmp_path / "f.nt.gz"
    errors: list[str] = []

    def meddle(body: bytes) -> Any:
        errors.append(wrong(lambda: take_snapshots({out: DISH}, endpoint=endpoint.url, policy=QUICK)))
        return answer(body)

    endpoint.faults[1] = meddle
    take_snapshots({out: DISH}, endpoint=endpoint.url, policy=QUICK)
    assert errors == [f"{out}: another process is taking this snapshot; wait for it"]


def test_wrong_options(tmp_path: Path):
    url, out = "http://127.0.0.1:1/sparql", tmp_path / "f.nt.gz"
    named = tmp_path / "food.ttl"
    assert wrong(lambda: take_snapshots({named: DISH}, endpoint=url, policy=QUICK)) == (
        f"{named}: a snapshot is gzipped N-Triples; name it food.nt.gz"
    )
    assert wrong(lambda: take_snapshots({out: DISH}, endpoint=url, languages=["en", "e"], policy=QUICK)) == (
        "languages: 'e' is not a BCP 47 tag; write tags such as en, zh or zh-hans"
    )
    for service in ({}, {"endpoint": "wdqs"}, {"endpoint": "https://query.wikidata.org/sparql"}):
        assert wrong(lambda service=service: take_snapshots({out: DISH}, **service)) == (
            "the Wikidata Query Service wants to know whom to reach about its use; give a mail or web address "
            "as `contact`"
        )


def test_a_full_disk_loses_nothing(
    serve: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    endpoint = serve(FACTS)
    out = tmp_path / "f.nt.gz"
    kept = os.fsync
    calls = 0

    def full(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 9:
            raise OSError(errno.ENOSPC, "No space left on device")
        kept(handle)

    monkeypatch.setattr(os, "fsync", full)
    assert wrong(lambda: take_snapshots({out: DISH}, endpoint=endpoint.url, policy=QUICK)) == (
        f"{out}: no space left on the disk; what was answered is kept; free some space and run the same again"
    )
    n_asked = len(endpoint.log)
    take_snapshots({out: DISH}, endpoint=endpoint.url, policy=QUICK)
    repeated = len(endpoint.log) - len({asked.query for asked in endpoint.log})
    assert n_asked > 1
    assert repeated == 1, "only the answer that could not be written"
