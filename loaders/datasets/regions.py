"""Regions of a release: what its splits are called, by every name that people have for them."""

from collections.abc import Sequence
from typing import NamedTuple

from blend.schemas.errors import BlendError, InputError, UnknownNameError, closest, listed_names
from blend.schemas.locales import Locale, Registry
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.rows import PER_REGION


class Region(NamedTuple):
    """A region whose people a release has asked."""

    split: str
    """Name of its split, for example ``KR``."""
    locale: str
    """Tag of its locale, for example ``ko-KR``."""
    names: tuple[str, ...]
    """Everything that it is called: split, tag, code, upstream name, English names."""
    spellings: tuple[tuple[str, str], ...] = ()
    """Names that only files of others have, and what to print instead: ``South_Korea``, ``South Korea``."""


class UnknownRegionError(UnknownNameError):
    """A region that the release does not have; the message lists those it has."""

    def __init__(self, name: str, regions: Sequence[Region], *, where: str) -> None:
        names = {known.casefold(): known for region in regions for known in region.names}
        printed = dict(spelling for region in regions for spelling in region.spellings)
        close = closest(name.casefold(), names)
        meant = None if close is None else printed.get(names[close], names[close])
        hint = "" if meant is None else f"did you mean {meant!r}? "
        tags = {region.locale: region for region in regions}
        ways = listed_names(name, list(tags), lambda tag: listed([tags[tag]]))
        BlendError.__init__(self, f"{where}: no region {name!r}; {hint}{ways}")
        self.kind = "region"
        self.name = name


def regions_of(manifest: ReleaseManifest, locales: Registry, config: str | None = None) -> tuple[Region, ...]:
    """The regions of a release, in the order of its splits.

    Args:
        manifest: The release.
        locales: The locales that it can hold, its own among them (`releases.release_locales`).
        config: Configuration that must have rows of them; any with one split per region when absent.
    """
    known = {locale.split: locale for locale in locales}
    tags = [tag for stage in manifest.report for tag in stage.kept]
    configs = (config,) if config in PER_REGION else PER_REGION
    splits = dict.fromkeys(table.split for table in manifest.tables if table.config in configs)
    return tuple(
        _known_region(known[split]) if split in known else _own_region(split, tags) for split in splits
    )


def find_region(name: str, regions: Sequence[Region], *, where: str) -> Region:
    """The region by any of its names.

    Args:
        name: Split, region code, locale tag, upstream name or English name.
        regions: Those of the release.
        where: What to call the release in messages.

    Raises:
        UnknownRegionError: If the release has no such region; lists those it has.
        InputError: If the name is that of several regions, such as locales of one country.
    """
    found = [region for region in regions if name in region.names]
    if not found:
        raise UnknownRegionError(name, regions, where=where)
    if len(found) > 1:
        raise InputError(f"{where}: {name!r} names several regions; choose one of: {listed(found)}")
    return found[0]


def listed(regions: Sequence[Region]) -> str:
    """The regions, as messages list them: split and tag."""
    return ", ".join(f"{region.split} ({region.locale})" for region in regions)


def _known_region(locale: Locale) -> Region:
    codes = (locale.split, locale.tag, locale.region, locale.upstream, locale.prompt_name, locale.semeval)
    names = (*codes, *locale.other_codes, *locale.names)
    known = tuple(dict.fromkeys(name for name in names if name))
    return Region(locale.split, locale.tag, known, ((locale.upstream, locale.region_name),))


def _own_region(split: str, tags: Sequence[str]) -> Region:
    """A region that the package does not know: built with a registry of its maker's own."""
    tag = next((tag for tag in tags if split in _usual_splits(tag)), split)
    region = tag.rpartition("-")[2]
    return Region(split, tag, tuple(dict.fromkeys((split, tag, region))))


def _usual_splits(tag: str) -> tuple[str, str]:
    """Return what the split of a locale is called, alone in its region or not; see `Locale.split`."""
    language, _, region = tag.rpartition("-")
    return region, f"{region}_{language.replace('-', '_')}"
