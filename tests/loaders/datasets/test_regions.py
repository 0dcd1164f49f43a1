"""Names of regions."""

from pathlib import Path

import pytest

from blend.loaders.datasets.regions import Region, find_region, regions_of
from blend.loaders.releases import read_manifest
from blend.schemas.errors import BlendError
from blend.schemas.locales import registry
from blend.schemas.manifest import ReleaseManifest


def manifest_of(release: Path, *splits: str, tags: tuple[str, ...] = ()) -> ReleaseManifest:
    """The manifest of a release, as if it had other splits."""
    manifest = read_manifest(release)
    table, stage = manifest.tables[0], manifest.report[0]
    return manifest.model_copy(
        update={
            "tables": tuple(table.model_copy(update={"split": split}) for split in splits),
            "report": (stage.model_copy(update={"kept": dict.fromkeys(tags, 1)}),),
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("collection", ["blend", "semeval-2026-7"])
def test_every_name_of_a_locale_finds_it(release: Path, collection: str):
    locales = [locale for locale in registry() if collection in locale.collections]
    regions = regions_of(manifest_of(release, *(locale.split for locale in locales)), registry())
    assert [region.locale for region in regions] == [locale.tag for locale in locales]
    for locale in locales:
        for name in (locale.tag, locale.split, locale.upstream, locale.semeval, *locale.other_codes):
            if name:
                assert find_region(name, regions, where="x").locale == locale.tag


def test_a_code_that_several_locales_share_is_refused(release: Path):
    regions = regions_of(manifest_of(release, "KR", "SG_ms", "SG_ta"), registry())
    with pytest.raises(BlendError) as caught:
        find_region("SG", regions, where="blend 1.0.0")
    assert str(caught.value) == (
        "blend 1.0.0: 'SG' names several regions; choose one of: SG_ms (ms-SG), SG_ta (ta-SG)"
    )
    assert find_region("SG", regions_of(manifest_of(release, "SG_ta"), registry()), where="x").locale == "ta-SG"


def test_a_region_that_the_package_does_not_know_has_its_codes(release: Path):
    # Codes that ISO 3166 leaves to users: no registry of ours will have them.
    manifest = manifest_of(release, "XA", "XB_pt_BR", tags=("eo-XA", "pt-BR-XB", "la-XB"))
    assert regions_of(manifest, registry()) == (
        Region("XA", "eo-XA", ("XA", "eo-XA")),
        Region("XB_pt_BR", "pt-BR-XB", ("XB_pt_BR", "pt-BR-XB", "XB")),
    )
