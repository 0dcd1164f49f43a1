"""Demonyms: what the people of countries are called in other languages, as Wikidata has it.

Countries are found by their ISO code (P297); what their people are called is the property P1549 (demonym). What
comes out is a draft for whoever knows the language: Wikidata has nouns and adjectives, for one and for many,
for women and for men, side by side.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from blend.loaders.files.new_files import write_new_files
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.wikidata.snapshot import BATCH_SIZE, client_of, languages_of
from blend.loaders.wikidata.sparql import DEFAULT_ENDPOINT, RequestPolicy, SparqlClient
from blend.loaders.wikidata.store import DIRECT, engine
from blend.schemas.languages import nationalities
from blend.schemas.texts import clean

FORMS_NAME = "forms.tsv"
"""One form of each nationality and language, as a recipe reads them (``cultural.forms``)."""

OTHERS_NAME = "other-forms.tsv"
"""The other forms that there are, in the same columns."""

_DEMONYM = f"{DIRECT}P1549"
_ISO_CODE = f"{DIRECT}P297"


@dataclass(frozen=True, slots=True)
class Demonyms:
    """Names of nationalities in other languages."""

    forms: dict[str, dict[str, tuple[str, ...]]]
    """By language, in text order, and English demonym, in the order of the table of nationalities: the forms,
    the shortest first, equally long ones in code-point order. A nationality without any is not there."""

    def missing(self, language: str) -> tuple[str, ...]:
        """The nationalities without a form in a language, in the order of the table."""
        return tuple(name for name in _codes() if name not in self.forms[language])


def ask_demonyms(
    languages: Sequence[str],
    *,
    endpoint: str = DEFAULT_ENDPOINT,
    contact: str | None = None,
    policy: RequestPolicy | None = None,
    on_progress: ProgressCallback = silent,
    on_wait: Callable[[str], None] | None = None,
) -> Demonyms:
    """Ask an endpoint what all nationalities of the table are called in some languages.

    Args:
        languages: BCP 47 tags; capital letters make no difference to Wikidata's.
        endpoint: As of `take_snapshot`.
        contact: Mail or web address under which the service can reach whoever asks; the public one wants it.
        policy: How the endpoint is asked; ``contact`` is ignored beside it.
        on_progress: Told about progress.
        on_wait: As of `take_snapshot`.

    Returns:
        The forms. Countries that share a demonym share their forms.

    Raises:
        EndpointError: If the endpoint is down, is at another address, refuses, or does not answer as it must.
        InputError: If an option is wrong.
        MissingExtraError: If SPARQLWrapper or pyoxigraph is not installed.
    """
    wanted = languages_of(languages)
    client = client_of(endpoint, contact=contact, policy=policy, on_wait=on_wait)
    codes = sorted({code for codes in _codes().values() for code in codes})
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    parts = [codes[start : start + BATCH_SIZE] for start in range(0, len(codes), BATCH_SIZE)]
    for done, part in enumerate(parts):
        on_progress("ask for demonyms", done, len(parts))
        for code, tag, form in _asked(client, part, wanted, has_answered=done > 0):
            found[code, tag].add(form)
    on_progress("ask for demonyms", len(parts), len(parts))
    return Demonyms(
        {
            language: {
                name: tuple(sorted(forms, key=lambda form: (len(form), form)))
                for name, codes_of in _codes().items()
                if (forms := set().union(*(found[code, language.lower()] for code in codes_of)))
            }
            for language in wanted
        }
    )


def write_demonyms(out: Path, demonyms: Demonyms) -> list[str]:
    """Write `FORMS_NAME` with the first form of each nationality and `OTHERS_NAME` with all others.

    Returns:
        The names of the files.

    Raises:
        InputError: If the folder holds something: a form there may have been corrected by hand.
        StorageError: See `files.new_files.write_new_files`.
    """
    rows = [
        (f"{language}\t{name}\t{form}\n", location)
        for language, by_name in demonyms.forms.items()
        for name, forms in by_name.items()
        for location, form in enumerate(forms)
    ]
    return write_new_files(
        out,
        {
            FORMS_NAME: "".join(line for line, location in rows if location == 0),
            OTHERS_NAME: "".join(line for line, location in rows if location > 0),
        },
        parameter="out",
    )


def _codes() -> dict[str, tuple[str, ...]]:
    """The ISO codes of the countries of each nationality, in the order of the table."""
    codes: dict[str, tuple[str, ...]] = {}
    for one in nationalities():
        codes[one.demonym] = (*codes.get(one.demonym, ()), one.code)
    return codes


def _asked(
    client: SparqlClient, codes: Sequence[str], languages: Sequence[str], *, has_answered: bool
) -> Iterator[tuple[str, str, str]]:
    """ISO code, language in small letters and form."""
    lines = client.construct(_pattern(codes, languages), divisible=False, has_answered=has_answered)
    sparql = engine()
    code_of: dict[str, set[str]] = defaultdict(set)
    forms = []
    for triple in sparql.parse("\n".join(lines).encode(), format=sparql.RdfFormat.N_TRIPLES, lenient=True):
        if triple.predicate.value == _ISO_CODE:
            code_of[triple.subject.value].add(triple.object.value)
        else:
            forms.append((triple.subject.value, triple.object.language.lower(), clean(triple.object.value)))
    for item, language, form in forms:
        if form:
            for code in code_of[item]:
                yield code, language, form


def _pattern(codes: Sequence[str], languages: Sequence[str]) -> str:
    listed = " ".join(f'"{code}"' for code in codes)
    tags = ", ".join(f'"{tag.lower()}"' for tag in languages)
    return (
        # The codes come back beside the forms: they say of which countries an item's forms are.
        f"{{ VALUES ?o {{ {listed} }} ?s <{_ISO_CODE}> ?o . BIND(<{_ISO_CODE}> AS ?p) }} UNION "
        f"{{ VALUES ?code {{ {listed} }} ?s <{_ISO_CODE}> ?code ; <{_DEMONYM}> ?o . "
        f"FILTER(LCASE(LANG(?o)) IN ({tags})) BIND(<{_DEMONYM}> AS ?p) }}"
    )
