"""Loading a release directory: what comes back, and what is refused."""

import shutil
from pathlib import Path

import datasets
import pytest

from blend.builders.release import build_release
from blend.loaders.datasets import find_region, load
from blend.loaders.recipes.ready import sample_recipe
from blend.loaders.releases import read_manifest
from blend.loaders.sample import sample_path
from blend.schemas.errors import BlendError, UnknownNameError
from blend.schemas.locales import Registry, registry
from blend.schemas.manifest import MANIFEST_NAME
from blend.schemas.recipe import Source
from blend.schemas.rows import PER_REGION

pytestmark = [pytest.mark.usefixtures("datasets_cache")]

SPLITS = ["US", "KR", "IR", "KP", "JB"]


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("name", ["KR", "ko-KR", "South_Korea", "South Korea"])
@pytest.mark.parametrize("place", [str, Path])
def test_a_region_by_any_name_is_a_dataset(release: Path, name: str, place: type):
    rows = load(place(release), "annotations", region=name)
    assert isinstance(rows, datasets.Dataset)
    assert rows.to_list() == datasets.load_dataset(str(release), "annotations", split="KR").to_list()


@pytest.mark.landing
@pytest.mark.slow
def test_a_configuration_is_what_plain_datasets_loads(release: Path):
    for config in PER_REGION:
        plain = datasets.load_dataset(str(release), config)
        loaded = load(release, config)
        assert list(loaded) == list(plain) == SPLITS
        assert {split: rows.to_list() for split, rows in loaded.items()} == {
            split: rows.to_list() for split, rows in plain.items()
        }
    plain = datasets.load_dataset(str(release), "multiple-choice-questions", split="test")
    assert load(release, "multiple-choice-questions").to_list() == plain.to_list()


@pytest.mark.landing
def test_several_regions_come_by_split_in_the_order_asked_for(release: Path):
    loaded = load(release, "annotations", region=["West_Java", "KR", "su-JB"])
    assert isinstance(loaded, datasets.DatasetDict)
    assert list(loaded) == ["JB", "KR"]
    assert set(loaded["JB"]["locale"]) == {"su-JB"}
    assert list(load(release, "annotations", region=("KP",))) == ["KP"]


@pytest.mark.landing
def test_multiple_choice_questions_are_chosen_by_the_region_asked_about(release: Path):
    everything = load(release, "multiple-choice-questions")
    iran = load(release, "multiple-choice-questions", region="IR")
    assert 0 < len(iran) < len(everything)
    assert iran.to_list() == everything.filter(lambda row: row["country"] == "Iran").to_list()
    both = load(release, "multiple-choice-questions", region=["su-JB", "US"])
    assert both.to_list() == everything.filter(lambda row: row["locale"] in {"su-JB", "en-US"}).to_list()


@pytest.mark.parametrize("collection", ["blend", "semeval-2026-7"])
def test_every_name_of_a_locale_finds_it(collection: str):
    regions = Registry(locale for locale in registry() if collection in locale.collections)
    for locale in regions:
        for name in (locale.tag, locale.split, locale.upstream, locale.semeval, *locale.other_codes):
            if name:
                assert find_region(name, regions, where="x") == locale
    with pytest.raises(BlendError) as caught:
        find_region("SG", Registry(registry().get(tag) for tag in ("ms-SG", "ta-SG")), where="blend 1.0.0")
    assert str(caught.value) == "blend 1.0.0: 'SG' names several regions; choose one of: ms-SG, ta-SG"


@pytest.mark.landing
def test_messages_for_names_that_the_release_does_not_have(release: Path):
    known = "choose one of: Iran, North Korea, South Korea, US, West Java, en-US, fa-IR, ko-KP, ko-KR, su-JB"
    with pytest.raises(UnknownNameError) as caught:
        load(release, "annotations", region="South_Corea")
    assert str(caught.value) == (
        f"unknown region of blend-sample 1.0.0 'South_Corea'; did you mean 'South Korea'? {known}"
    )
    # Japan is a known locale, and the package's sample has it: this release has not.
    with pytest.raises(UnknownNameError) as caught:
        load(release, "multiple-choice-questions", region=["KR", "JP"])
    assert str(caught.value) == f"unknown region of blend-sample 1.0.0 'JP'; {known}"
    with pytest.raises(UnknownNameError) as caught:
        load(release, "annotation")
    assert str(caught.value) == (
        "unknown configuration 'annotation'; did you mean 'annotations'? choose one of: annotations, "
        "multiple-choice-questions, short-answer-prompts, short-answer-questions"
    )
    with pytest.raises(UnknownNameError) as caught:
        load(release, "multiple-choice-questions", split="train")
    assert str(caught.value) == "unknown split 'train'; choose one of: test"


@pytest.mark.landing
def test_messages_for_questions_that_contradict_themselves(release: Path):
    with pytest.raises(BlendError) as caught:
        load(release, "annotations", region=[])
    assert str(caught.value) == "region=[]: names no region; name some, or leave it out for all of them"
    with pytest.raises(BlendError) as caught:
        load(release, "annotations", region="KR", split="US")
    assert str(caught.value) == "annotations: its splits are its regions; name region or split, not both"
    with pytest.raises(BlendError) as caught:
        load(release, "annotations", region="KR", revision="v1.0.0")
    assert str(caught.value) == (
        f"{release}: a directory has no revisions; leave revision='v1.0.0' out, or name a repository on the Hub"
    )


@pytest.mark.landing
def test_message_for_a_path_that_is_no_release(tmp_path: Path):
    with pytest.raises(BlendError) as caught:
        load(tmp_path, "annotations", region="KR")
    assert str(caught.value) == (
        f"{tmp_path}: no release.json here, so it is not a release; build one with `blend build`"
    )
    with pytest.raises(BlendError) as caught:
        load(tmp_path / "nothing", "annotations")
    assert str(caught.value) == (
        f"{tmp_path}/nothing: no such directory; name the directory of a release, or org/name@v1.0.0"
    )


@pytest.mark.landing
def test_files_that_are_not_as_the_manifest_says_are_refused(release: Path, tmp_path: Path):
    damaged = shutil.copytree(release, tmp_path / "damaged")
    path = damaged / "data" / "annotations" / "KR-00000.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(BlendError) as caught:
        load(damaged, "annotations", region="KR")
    assert str(caught.value) == (
        f"{damaged}: the files are not those of release.json: data/annotations/KR-00000.parquet (changed); "
        "copy or build the release again, and keep other files elsewhere"
    )
    assert len(load(damaged, "annotations", region="US")) == len(load(release, "annotations", region="US"))


@pytest.mark.landing
def test_message_where_no_row_is_about_the_region(release: Path, tmp_path: Path):
    short = shutil.copytree(release, tmp_path / "short")
    manifest = read_manifest(short)
    # A release whose regions outnumber those in its multiple-choice questions: relabel two splits.
    tables = [
        table.model_copy(update={"split": "DZ"}) if table.split == "KP" else table for table in manifest.tables
    ]
    (short / MANIFEST_NAME).write_text(manifest.model_copy(update={"tables": tuple(tables)}).to_json())
    with pytest.raises(BlendError) as caught:
        load(short, "multiple-choice-questions", region=["KR", "Algeria"])
    assert str(caught.value) == (
        "blend-sample 1.0.0: multiple-choice-questions holds no row about ar-DZ; "
        "the report in release.json says why"
    )


# A release with a locale of its own: found by every name that its entry gives it.


ENGLISH_OF_SOUTH_AFRICA = """
[[locale]]
tag = "en-ZA"
language = "en"
region = "ZA"
region_name = "South Africa"
upstream = "South_Africa"
prompt_name = "South Africa"
nationalities = ["South African"]
aliases = ["RSA"]
native_name = "South Africa"
direction = "ltr"
script = "Latn"
parent = "ZA"
split = "Mzansi"
"""


@pytest.fixture(scope="module")
def mzansi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with its American answers as South African ones, under a split that is not a region code."""
    folder = tmp_path_factory.mktemp("mzansi")
    with sample_path() as sample:
        shutil.copytree(sample, folder / "collected")
    (folder / "mine.toml").write_text(ENGLISH_OF_SOUTH_AFRICA, encoding="utf-8")
    for name in ("questions.csv", "prompts.csv"):
        path = folder / "collected" / name
        text = path.read_text(encoding="utf-8").replace("en-US", "en-ZA").replace("the US", "South Africa")
        path.write_text(text, encoding="utf-8")
    for path in list(folder.glob("collected/*/en-US.*")):
        path.rename(path.with_name(f"en-ZA{path.suffix}"))
    source = Source(kind="responses", location="collected", license="cc-by-4.0")
    changes = {"sources": (source,), "locale_file": "mine.toml", "datasheet": None}
    build_release(sample_recipe().model_copy(update=changes), folder / "release", base=folder)
    return folder / "release"


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("name", ["Mzansi", "en-ZA", "ZA", "South_Africa", "South Africa", "RSA"])
def test_it_is_loaded_by_every_name(mzansi: Path, datasets_cache: Path, name: str):
    assert set(load(mzansi, "annotations", name)["locale"]) == {"en-ZA"}
