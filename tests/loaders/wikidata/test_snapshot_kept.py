"""Snapshots are never replaced: what a release names by digest stays; one killed at its end is finished."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.loaders.wikidata import partial
from blend.loaders.wikidata.dump import take_snapshots_from_dump
from blend.loaders.wikidata.partial import NoItemError
from blend.loaders.wikidata.snapshot import take_snapshots
from blend.schemas.recipe import domains
from helpers.hub.hub_releases import digests
from helpers.messages import wrong
from helpers.wikidata.wikidata_endpoint import QUICK
from helpers.wikidata.wikidata_fixtures import ntriples

DISH, INSTRUMENT = domains()["dish"], domains()["musical-instrument"]
FACTS = """
    Q10 P31 Q746549
    Q10 P495 Q100
    Q10 P527 Q200
    Q100 P31 Q6256
    Q10 label en:bread
    Q200 label en:flour
    Q40 P31 Q34379
    Q40 P186 Q202
    Q40 label en:oud
    Q202 label en:wood
"""

Take = Callable[..., Any]


@pytest.fixture(params=["endpoint", "dump"])
def take(
    request: pytest.FixtureRequest,
    serve: Callable[[str], Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Take:
    """Takes snapshots by the file to write, from an endpoint or from a dump."""
    if request.param == "endpoint":
        url = serve(FACTS).url
        return lambda outs: take_snapshots(outs, endpoint=url, policy=QUICK)
    dump = tmp_path_factory.mktemp("dump") / "d.nt"
    dump.write_text(ntriples(FACTS), encoding="utf-8")
    return lambda outs: take_snapshots_from_dump(outs, dump)


def refused(call: Callable[[], object], folder: Path) -> str:
    """What is said by a call that is refused and changes nothing."""
    before = digests(folder)
    told = wrong(call)
    assert digests(folder) == before
    return told


def there_already(path: Path) -> str:
    return f"{path}: is there already and would be replaced; choose another folder, or move it away"


def test_a_snapshot_is_not_replaced(take: Take, tmp_path: Path):
    out, account = tmp_path / "food.nt.gz", tmp_path / "snapshot.json"
    take({out: DISH})
    assert refused(lambda: take({out: INSTRUMENT}), tmp_path) == there_already(out)
    assert refused(lambda: take({tmp_path / "other.nt.gz": DISH}), tmp_path) == there_already(account)
    account.rename(tmp_path / "moved.json")
    assert refused(lambda: take({out: DISH}), tmp_path) == there_already(out)


def test_what_came_to_lie_there_since_a_run_was_stopped_is_not_replaced(
    take: Take, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    out, account = tmp_path / "food.nt.gz", tmp_path / "snapshot.json"

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(partial, "_gzipped", stopped)
        take({out: DISH})
    take({tmp_path / "oud.nt.gz": INSTRUMENT})
    assert refused(lambda: take({out: DISH}), tmp_path) == there_already(account)
    account.rename(tmp_path / "oud.json")
    out.write_bytes(b"mine")
    assert refused(lambda: take({out: DISH}), tmp_path) == there_already(out)
    out.unlink()
    take({out: DISH})
    assert not out.with_name("food.nt.gz.partial").exists()


def test_a_folder_without_a_plan_is_not_gone_on_with(take: Take, tmp_path: Path):
    whole, out = tmp_path / "whole" / "food.nt.gz", tmp_path / "food.nt.gz"
    take({whole: DISH})
    left = tmp_path / "food.nt.gz.partial"
    left.mkdir()
    for name in ("statements.done", "texts.done", "a.nt"):
        (left / name).touch()
    told = refused(lambda: take({out: DISH}), tmp_path)
    fix = "move it away, or delete it to start anew"
    assert told == f"{left}: holds answers, but not plan.json, which says to what; {fix}"
    for path in left.iterdir():
        path.unlink()
    (left / ".plan.json.0-0-0.tmp").touch()  # of a run that was killed before there was a plan
    take({out: DISH})
    assert out.read_bytes() == whole.read_bytes()
    assert not left.exists()


def test_nothing_is_written_of_no_item(take: Take, tmp_path: Path):
    # Nothing in FACTS is a dish once its class is another.
    other = DISH.model_copy(update={"item_class": "Q999"})
    assert wrong(lambda: take({tmp_path / "none" / "s.nt.gz": other})) == (
        "no item of the domain 'dish' was found, so nothing was written for it; check the classes of the "
        "domain, and whether all of Wikidata was searched"
    )
    with pytest.raises(NoItemError) as several:
        take({tmp_path / "none" / "s.nt.gz": other, tmp_path / "some" / "s.nt.gz": INSTRUMENT})
    assert list(several.value.taken) == [tmp_path / "some" / "s.nt.gz"]
    assert digests(tmp_path).keys() == {"some/s.nt.gz", "some/snapshot.json"}
