"""Questions to Wikidata: exactly the statements that a domain needs, a batch of items at a time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from blend.loaders.wikidata.facts import DESCRIPTION, DIRECT, ENTITY, INSTANCE_OF, LABEL
from blend.schemas.recipe import Domain

DIGITS = "0123456789"

# The kinds of questions, in the order in which they are asked.
MEMBERS = "members"
CLAIMS = "claims"
ROUTES = "routes"
COUNTRIES = "countries"
LABELS = "labels"
DESCRIPTIONS = "descriptions"


@dataclass(frozen=True, slots=True)
class Batch:
    """One question: what is asked, and about which items."""

    stage: str
    """Kind of question, such as `MEMBERS`."""
    ids: tuple[str, ...]
    """Items asked about."""
    digit: str = ""
    """For `MEMBERS` of one class: only those whose number ends in this digit; all when empty."""

    @property
    def divisible(self) -> bool:
        """Whether there is a smaller question."""
        return len(self.ids) > 1 or (self.stage == MEMBERS and not self.digit)

    def divided(self) -> "tuple[Batch, ...]":
        """The same question in smaller ones."""
        if len(self.ids) > 1:
            half = len(self.ids) // 2
            return replace(self, ids=self.ids[:half]), replace(self, ids=self.ids[half:])
        return tuple(replace(self, digit=digit) for digit in DIGITS)


def batches(stage: str, ids: Iterable[str], size: int) -> Iterator[Batch]:
    """The items in batches, ordered by text, so that the same items give the same questions."""
    ordered = sorted(set(ids))
    return (Batch(stage, tuple(ordered[start : start + size])) for start in range(0, len(ordered), size))


def pattern(batch: Batch, domain: Domain, languages: Sequence[str] | None) -> str:
    """The graph pattern of a batch, which binds ``?s``, ``?p`` and ``?o``."""
    items = " ".join(f"<{ENTITY}{qid}>" for qid in batch.ids)
    if batch.stage == MEMBERS:
        return _members(items, domain, batch.digit)
    if batch.stage == CLAIMS:
        return _statements(items, domain.claim_properties)
    if batch.stage == ROUTES:
        return _statements(items, domain.route_origin_properties)
    if batch.stage == COUNTRIES:
        return _countries(items, domain)
    return _texts(items, LABEL if batch.stage == LABELS else DESCRIPTION, languages)


def _members(classes: str, domain: Domain, digit: str) -> str:
    # The last digit of the item's number: ten such questions are the whole one.
    ends = f' FILTER(STRENDS(STR(?s), "{digit}"))' if digit else ""
    return _each(
        domain.class_properties,
        lambda iri: f"VALUES ?o {{ {classes} }} ?s {iri} ?o . FILTER(isIRI(?s)){ends}",
    )


def _statements(items: str, properties: Sequence[str]) -> str:
    return _each(properties, lambda iri: f"VALUES ?s {{ {items} }} ?s {iri} ?o .")


def _each(properties: Sequence[str], statement: Callable[[str], str]) -> str:
    """One branch per property: with a second list of values for ``?p``, some engines join all triples."""
    iris = [f"<{DIRECT}{name}>" for name in properties]
    return " UNION ".join(f"{{ {statement(iri)} BIND({iri} AS ?p) }}" for iri in iris)


def _countries(items: str, domain: Domain) -> str:
    classes = " ".join(f"<{ENTITY}{qid}>" for qid in (*domain.country_classes, *domain.historical_classes))
    parts = [
        (
            f"VALUES ?s {{ {items} }} VALUES ?o {{ {classes} }} "
            f"?s <{DIRECT}{INSTANCE_OF}> ?o . BIND(<{DIRECT}{INSTANCE_OF}> AS ?p)"
        ),
        _of_class(items, domain.continent_property, classes),
    ]
    if domain.historical_classes:
        former = " ".join(f"<{ENTITY}{qid}>" for qid in domain.historical_classes)
        parts.append(_of_class(items, domain.successor_property, former))
    return " UNION ".join(f"{{ {part} }}" for part in parts)


def _of_class(items: str, name: str, classes: str) -> str:
    """Statements of one property by those of the items that are of one of the classes."""
    return (
        f"VALUES ?s {{ {items} }} VALUES ?class {{ {classes} }} "
        f"?s <{DIRECT}{INSTANCE_OF}> ?class ; <{DIRECT}{name}> ?o . BIND(<{DIRECT}{name}> AS ?p)"
    )


def _texts(items: str, predicate: str, languages: Sequence[str] | None) -> str:
    tags = ", ".join(f'"{tag}"' for tag in sorted(set(languages or ())))
    wanted = f" FILTER(LANG(?o) IN ({tags}))" if tags else ""
    return f"VALUES ?s {{ {items} }} ?s <{predicate}> ?o . BIND(<{predicate}> AS ?p){wanted}"
