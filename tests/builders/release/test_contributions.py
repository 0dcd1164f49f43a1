"""Contributions of three people, one of them broken in ten ways, become one release."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from polars.testing import assert_frame_equal

from blend.builders.release import build_release
from blend.builders.stats.dataset import stats_of_release
from blend.builders.stats.measures import question_tables
from blend.loaders.contributions import check_contributions
from blend.loaders.recipes import read_recipe
from blend.loaders.releases.tables import read_config, read_figures
from blend.schemas.manifest import ANNOTATOR_GROUPS_NAME, ReleaseManifest
from blend.schemas.recipe import Recipe, Source
from blend.schemas.rows import ANNOTATIONS
from helpers.hub.hub_releases import digests
from helpers.messages import wrong

LOADERS = Path(__file__).parents[2] / "loaders"
VALID, TEN_WAYS = LOADERS / "valid/contributions", LOADERS / "broken/contributions/broken_in_ten_ways"

CONSENT = "# What you agree to\n\nEverybody whose answers you bring has agreed to their publication.\n"
TEMPLATES = """\
template_id,topic,source_locale,text
food-01,Food,ko-KR,What do people in {country} eat for breakfast?
work-01,Work life,am-ET,"When does the working day end in {country}? (e.g., HH:MM)"
"""
KOREAN = (
    "food-01,ko-KR,대한민국 사람들은 아침으로 무엇을 먹나요?,What do people in South Korea eat for breakfast?\n"
    "work-01,ko-KR,대한민국에서는 몇 시에 퇴근하나요? (HH:MM),When does work end in South Korea? (HH:MM)\n"
)
ETHIOPIAN = "food-01,am-ET,በኢትዮጵያ ሰዎች ለቁርስ ምን ይበላሉ?,What do people in Ethiopia eat for breakfast?\n"
RECIPE = Recipe(
    name="lunch",
    version="1.0.0",
    title="Lunch",
    license="cc-by-sa-4.0",
    authors=("Sara Ahmadi",),
    sources=(Source(kind="contributions", location="contributions"),),
)


def contributor(**about: Any) -> str:
    fixed = {"license": "cc-by-4.0", "agreed": "2026-11-20"}
    return tomli_w.dumps({**fixed, **about})


def responses(prefix: str, food: list[str], hours: list[str]) -> str:
    given = [f"food-01,{prefix}{number:02},{answer}\n" for number, answer in enumerate(food, start=1)]
    given += [f"work-01,{prefix}{number:02},{answer}\n" for number, answer in enumerate(hours, start=1)]
    return "template_id,annotator,answer_1\n" + "".join(given)


def profiles(*rows: str) -> str:
    return "annotator,native_language,years_in_region,age_band,consent\n" + "".join(
        f"{row},yes\n" for row in rows
    )


FILES = {
    "CONSENT.md": CONSENT,
    "templates.csv": TEMPLATES,
    # Six who grew up with Korean, and agree.
    "mina-ko/contributor.toml": contributor(credit="name", name="Mina Kim", orcid="0000-0002-1825-0097"),
    "mina-ko/questions.csv": "template_id,locale,question,en_question\n" + KOREAN,
    "mina-ko/responses/ko-KR.csv": responses("zq", ["밥"] * 6, ["18:00"] * 6),
    "mina-ko/annotators.csv": profiles(*(f"zq{number:02},ko,{20 + number},25-34" for number in range(1, 7))),
    # Five who did not, one of them the only one of her age; two of the six have not told anything.
    "jun-ko/contributor.toml": contributor(credit="pseudonym", pseudonym="jun", license="cc0-1.0"),
    "jun-ko/questions.csv": "template_id,locale,question,en_question\n" + KOREAN,
    "jun-ko/responses/ko-KR.csv": responses(
        "zq", ["국", "빵", "죽", "밥", "국", "빵"], ["17:00", "18:00", "19:00", "20:00", "21:00", "17:30"]
    ),
    "jun-ko/annotators.csv": profiles(
        "zq01,vi,2,25-34", "zq02,th,3,25-34", "zq03,zh-Hant,1,25-34", "zq04,uz,12,65+"
    ),
    "abel-am/contributor.toml": contributor(credit="none"),
    "abel-am/questions.csv": "template_id,locale,question,en_question\n" + ETHIOPIAN,
    "abel-am/responses/am-ET.csv": "template_id,annotator,answer_1\nfood-01,zq01,ዳቦ\nfood-01,zq02,ዳቦ\n",
    "abel-am/annotators.csv": profiles("zq01,am,33,35-44"),
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / "contributions" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "contributions" / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("collection"), FILES)


@pytest.fixture(scope="module")
def release(collection: Path) -> tuple[Path, ReleaseManifest]:
    made = collection / "release"
    return made, build_release(RECIPE, made, base=collection)


@pytest.mark.slow
def test_one_folder_broken_in_ten_ways_is_told_all_of_them_and_repaired(tmp_path: Path):
    mina = Path(shutil.copytree(VALID, tmp_path / "contributions")) / "mina-ko"
    shutil.rmtree(mina)
    shutil.copytree(TEN_WAYS / "mina-ko", mina)
    told = wrong(lambda: build_release(RECIPE, tmp_path / "release", base=tmp_path))
    assert told == (TEN_WAYS / "message.txt").read_text(encoding="utf-8").removesuffix("\n")
    assert not (tmp_path / "release").exists()
    # The check says the same as the build, by folder.
    check = check_contributions(tmp_path)
    assert (len(check.of("mina-ko")), len(check.of("jun-ko")), len(check.errors)) == (10, 1, 11)
    shutil.rmtree(mina)
    shutil.copytree(VALID / "mina-ko", mina)
    assert check_contributions(tmp_path).passes
    assert build_release(RECIPE, tmp_path / "release", base=tmp_path).tables


@pytest.mark.slow
def test_it_builds_again_byte_for_byte_from_its_own_recipe(tmp_path: Path, release):
    made, _ = release
    moved = write(tmp_path, FILES) / "contributions"
    recipe = read_recipe(made / "recipe.toml")
    build_release(recipe, tmp_path / "again", base=made, source_paths={"contributions": moved})
    assert digests(tmp_path / "again") == digests(made)


def test_annotators_of_two_contributors_are_told_apart(release):
    rows = read_config(release[0], ANNOTATIONS)
    food = rows.filter(template_id="food-01", locale="ko-KR").row(0, named=True)
    votes = {group["answers"][0]: group["count"] for group in food["annotations"]}
    assert votes == {"밥": 7, "국": 2, "빵": 2, "죽": 1}


def test_the_card_says_who_contributed_what(release):
    card = (release[0] / "README.md").read_text(encoding="utf-8")
    section = card.split("## Who contributed\n")[1].split("\n## ")[0]
    by = "https://creativecommons.org/licenses/by/4.0/"
    zero = "https://creativecommons.org/publicdomain/zero/1.0/"
    assert section == (
        "\n| who | locales | questions | responses | reviews | licence |\n|---|---|--:|--:|--:|---|\n"
        f"| jun | ko-KR | 2 | 12 | 0 | [CC0 1.0]({zero}) |\n"
        "| Mina Kim ([ORCID](https://orcid.org/0000-0002-1825-0097)) | ko-KR | 0 | 12 | 0 "
        f"| [CC BY 4.0]({by}) |\n"
        f"| *1 contributor not named* | am-ET | 1 | 2 | 0 | [CC BY 4.0]({by}) |\n\n"
        "Everybody is named as they agreed to be. A question that several brought counts for the first of"
        " them.\n"
    )
    assert "author = {Sara Ahmadi and Mina Kim}" in card


@pytest.mark.slow
def test_groups_of_five_are_published_and_nothing_of_a_person(release):
    made, manifest = release
    groups = read_figures(made, ANNOTATOR_GROUPS_NAME)
    assert groups is not None
    # Of 12 in Korea six grew up with Korean, four with other languages, and two do not say. Nine are 25 to 34,
    # and the other three are too few. Of the two in Ethiopia nothing is told.
    assert groups.select("locale", "profile", "group", "annotators").rows() == [
        ("ko-KR", "native_language", "ko", 6),
        ("ko-KR", "native_language", "other", 6),
        ("ko-KR", "years_in_region", "20 or more", 6),
        ("ko-KR", "years_in_region", "other", 6),
    ]
    assert groups["alpha"].to_list()[0] == 1.0
    stats = stats_of_release(made).questions
    assert stats is not None
    assert stats.annotator_groups is not None
    assert_frame_equal(stats.annotator_groups, groups)
    assert "annotator-groups" in {table.name for table in question_tables(stats)}
    # Not the digest of the rows either: they are few and short enough to be found by trial.
    assert not any("annotators.csv" in info.path for source in manifest.sources for info in source.files)
    texts = {path.name: path.read_bytes() for path in made.rglob("*") if path.is_file()}
    private = (b"zq0", b"65+", b"zh-Hant")
    assert [name for name, content in texts.items() if any(part in content for part in private)] == []
