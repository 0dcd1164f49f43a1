"""SPARQL endpoints: one question at a time, politely, and no answer taken that is not whole.

An answer can end early in many ways, and most of them leave text that looks complete: a proxy closes the
connection, a service appends an error message to a half-written answer, or cuts it between two triples. So
every question asks for the number of its triples as well, and an answer that does not bring as many is refused.
"""

import gzip
import http.client
import re
import socket
import ssl
import time
import urllib.error
import zlib
from ast import literal_eval
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from blend.loaders.servers import is_server_address
from blend.schemas.errors import InputError, MissingExtraError, ServerError, without_passwords

if TYPE_CHECKING:
    import pyoxigraph


ANSWER = "urn:blend:answer"
TRIPLES = "urn:blend:triples"

_GENID = "http://www.wikidata.org/.well-known/genid/"

_FORMATS = {
    "application/n-triples": "N_TRIPLES",
    "text/plain": "N_TRIPLES",
    "text/turtle": "TURTLE",
    "application/rdf+xml": "RDF_XML",
}
_ACCEPT = "application/n-triples, text/turtle;q=0.9, application/rdf+xml;q=0.5"

_TIMEOUT = re.compile(rb"time[d]?[ -]?out", re.IGNORECASE)
_EXCERPT = 160

_NEVER = (501, 505)
"""Answers of a server that does not speak the protocol, now or later."""

_REFUSALS = {
    400: "does not understand the query",
    401: "wants a user name and password",
    403: "refuses this client",
    404: "there is no endpoint at this address",
    405: "takes no questions by POST",
    501: "takes no questions by POST",
}
"""Answers of a server that will not answer otherwise when it is asked again."""

_TOO_LONG = (413, 414, 431)
"""Answers of a server to a question, or its address, of too many bytes."""

_Parser = Callable[[bytes, str], set[Any]]


class EndpointError(ServerError):
    """An endpoint does not answer as it must; what it has answered so far is kept."""


class TooHeavyError(EndpointError):
    """A question takes the endpoint longer than it allows; ask for less at a time."""


def unheard(_sentence: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """Rules for asking an endpoint: by whom, how fast, how often again, and when to give up."""

    agent: str
    """User agent: who asks, with which software, and how to reach them."""
    timeout_s: int = 90
    """Seconds to wait for an answer; public services stop after 60."""
    pause_s: float = 1.0
    """Seconds between an answer and the next question."""
    tries: int = 8
    """Times that one question is asked before giving up."""
    first_wait_s: float = 2.0
    """Seconds to wait after the first failure; twice as long after each further one."""
    longest_wait_s: float = 600.0
    """Seconds to wait at most; a service that asks for more is left alone."""
    sleep: Callable[[float], None] = time.sleep
    """How to wait."""
    on_wait: Callable[[str], None] = unheard
    """Told what is waited for, before every wait after a failure, and what is unusual about the endpoint."""


class _Passing(Exception):
    """Something that may be over when the question is asked again."""

    def __init__(
        self,
        what: str,
        retry_after_s: float = 0.0,
        *,
        may_be_the_address: bool = False,
        is_incomplete: bool = False,
    ) -> None:
        super().__init__(what)
        self.retry_after_s = retry_after_s
        self.may_be_the_address = may_be_the_address
        self.is_incomplete = is_incomplete


@dataclass(frozen=True, slots=True)
class SparqlClient:
    """Asks an endpoint with SPARQLWrapper."""

    endpoint: str
    policy: RequestPolicy

    def construct(self, pattern: str, *, divisible: bool = True, has_answered: bool = True) -> list[str]:
        """The triples ``?s ?p ?o`` of a graph pattern as N-Triples lines, sorted, each once.

        Unknown values get an address that depends on their subject and property alone, so that two answers with
        the same facts are the same text.

        Args:
            pattern: Body of a WHERE clause that binds ``?s``, ``?p`` and ``?o``.
            divisible: Whether the caller can ask for less at a time. If not, a timeout is waited out as well.
            has_answered: Whether the endpoint has answered before. If not, what looks like a wrong address is
                taken for one: nobody listens there, or something that speaks no SPARQL.

        Raises:
            TooHeavyError: If the endpoint runs out of time on a divisible question, or cuts its answer twice at
                the same number of triples, as one does that has a limit.
            EndpointError: If it does not answer after all tries, asks to wait too long, or refuses.
            MissingExtraError: If SPARQLWrapper or pyoxigraph is not installed.
        """
        waits = self.policy.first_wait_s
        incomplete = ""
        for attempt in range(1, self.policy.tries + 1):
            try:
                lines = self._ask(construct_query(pattern))
            except TooHeavyError as error:
                if divisible:
                    raise
                trouble = _Passing(str(error))
            except _Passing as passing:
                if passing.may_be_the_address and not has_answered:
                    raise EndpointError(
                        f"{self.endpoint}: {passing}; check the address, or run the same command again later"
                    ) from None
                if divisible and passing.is_incomplete and str(passing) == incomplete:
                    raise TooHeavyError(f"{self.endpoint}: {passing}, twice") from None
                incomplete = str(passing) if passing.is_incomplete else ""
                trouble = passing
            else:
                self.policy.sleep(self.policy.pause_s)
                return lines
            self._wait(trouble, attempt, waits)
            waits *= 2
        raise AssertionError("the last attempt returns or raises")

    def _wait(self, trouble: _Passing, attempt: int, backoff_s: float) -> None:
        wait_s = max(trouble.retry_after_s, min(backoff_s, self.policy.longest_wait_s))
        later = "what it has answered is kept; run the same command again later to go on"
        if attempt == self.policy.tries:
            raise EndpointError(f"{self.endpoint}: {trouble}, {attempt} times in a row; {later}")
        if wait_s > self.policy.longest_wait_s:
            raise EndpointError(f"{self.endpoint}: {trouble} and asks to wait {wait_s:.0f} s; {later}")
        asked = f"asked again in {wait_s:.0f} s (try {attempt + 1} of {self.policy.tries})"
        self.policy.on_wait(f"{self.endpoint}: {trouble}; {asked}")
        self.policy.sleep(wait_s)

    def _ask(self, query: str) -> list[str]:
        parse = _parser()
        return _checked_lines(*self._send(query), parse)

    def _send(self, query: str) -> tuple[bytes, Any]:
        """The body and the headers of an answer."""
        wrapper = _wrapper()
        request = wrapper.SPARQLWrapper(self.endpoint, agent=self.policy.agent)
        request.setMethod(wrapper.POST)
        request.setTimeout(self.policy.timeout_s)
        request.addCustomHttpHeader("Accept", _ACCEPT)
        request.addCustomHttpHeader("Accept-Encoding", "gzip")
        request.setQuery(query)
        try:
            response = request.query().response
            try:
                return response.read(), response.headers
            finally:
                response.close()
        except urllib.error.HTTPError as error:
            raise self._refusal(error.code, error.read(), error.headers) from None
        except wrapper.SPARQLExceptions.SPARQLWrapperException as error:
            # Neither the status nor the headers are in these; the error that they replace has both.
            cause = error.__context__
            assert isinstance(cause, urllib.error.HTTPError)
            raise self._refusal(cause.code, _body_of(error), cause.headers) from None
        except TimeoutError:
            raise TooHeavyError(f"{self.endpoint}: no answer within {self.policy.timeout_s} s") from None
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(error) from None

    def _unreachable(self, error: Exception) -> Exception:
        if isinstance(error, http.client.IncompleteRead):
            return _Passing("ends its answer in the middle")
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            return TooHeavyError(f"no answer ({reason})")
        what = f"cannot be reached ({' '.join(str(reason).split())})"
        if isinstance(reason, socket.gaierror | ssl.SSLError):
            # Waiting mends no address, and seldom a network that is not there.
            return EndpointError(
                f"{self.endpoint}: {what}; check the address and the network, and run the same command again: "
                "what it has answered is kept"
            )
        # A server that hangs up is one that is there.
        is_there = isinstance(reason, http.client.RemoteDisconnected)
        return _Passing(what, may_be_the_address=not is_there)

    def _refusal(self, status: int, body: bytes, headers: Any) -> Exception:
        """Say what a status other than 200 means: asking again, asking for less, or giving up."""
        if status >= 500 and (status == 504 or _TIMEOUT.search(body)):
            return TooHeavyError(f"{self.endpoint}: ran out of time (HTTP {status})")
        if status in _TOO_LONG:
            return TooHeavyError(f"{self.endpoint}: takes no question of this length (HTTP {status})")
        if status == 429 or (status >= 500 and status not in _NEVER):
            return _Passing(f"answers HTTP {status}", _retry_after_s(headers.get("Retry-After")))
        reason = _REFUSALS.get(status, "does not answer")
        return EndpointError(
            f"{self.endpoint}: {reason} (HTTP {status}): {_excerpt(body)}; "
            "check the address and the contact given"
        )


def construct_query(pattern: str) -> str:
    """The query for the triples of a pattern and, among them, one that says how many there are."""
    return (
        # DISTINCT, since a graph holds a triple once however often the pattern matches it.
        f"CONSTRUCT {{ ?s ?p ?o . <{ANSWER}> <{TRIPLES}> ?n }} WHERE {{\n"
        f"{{ {pattern} }}\nUNION\n"
        f"{{ SELECT (COUNT(*) AS ?n) WHERE {{ SELECT DISTINCT ?s ?p ?o WHERE {{ {pattern} }} }} }}\n}}"
    )


def _wrapper() -> Any:
    try:
        import SPARQLWrapper
    except ImportError:
        raise MissingExtraError("asking a SPARQL endpoint", extra="wikidata") from None
    return SPARQLWrapper


def _parser() -> _Parser:
    try:
        from pyoxigraph import RdfFormat, parse
    except ImportError:
        raise MissingExtraError("reading the answers of a SPARQL endpoint", extra="wikidata") from None
    # Lenient about language tags, which are judged when the snapshot is read.
    return lambda body, name: set(parse(body, format=getattr(RdfFormat, name), lenient=True))


def _body_of(error: Exception) -> bytes:
    """Return what the endpoint said.

    SPARQLWrapper puts its bytes, in Python's notation, at the end of the message.
    """
    _, found, notation = str(error).partition("Response:\n")
    return bytes(literal_eval(notation)) if found else b""


def _retry_after_s(value: str | None) -> float:
    """Seconds to wait, from seconds or an HTTP date; zero without either."""
    if value is None:
        return 0.0
    if value.strip().isdecimal():
        return float(value)
    try:
        return (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
    except ValueError:
        return 0.0


def _checked_lines(body: bytes, headers: Any, parse: _Parser) -> list[str]:
    """The triples of a whole answer.

    Raises:
        _Passing: If the answer is damaged, incomplete, or something else.
        TooHeavyError: If it ends with the message of a timeout.
    """
    kind = headers.get_content_type()
    if headers.get("Content-Encoding", "").lower() == "gzip":
        try:
            body = gzip.decompress(body)
        except (EOFError, OSError, zlib.error):
            raise _Passing("ends its compressed answer in the middle") from None
    if kind not in _FORMATS:
        raise _Passing(f"answers {kind} instead of triples: {_excerpt(body)}", may_be_the_address=True)
    try:
        triples = parse(body, _FORMATS[kind])
    except SyntaxError as error:
        if _TIMEOUT.search(body[-4000:]):
            raise TooHeavyError("ran out of time in the middle of its answer") from None
        raise _Passing(f"answers something that is not {kind} ({error.msg})") from None
    lines, n_expected = set(), None
    for triple in triples:
        if triple.subject.value == ANSWER:
            n_expected = int(triple.object.value)
        else:
            lines.add(triple_line(triple))
    # Less the one that says the number, and counted before blank nodes get addresses, by which two can become
    # one line.
    n_triples = len(triples) - (n_expected is not None)
    if n_expected is None or n_expected != n_triples:
        of = "an unknown number" if n_expected is None else n_expected
        raise _Passing(f"answers {n_triples} of {of} triples", is_incomplete=True)
    return sorted(lines)


def triple_line(triple: "pyoxigraph.Quad") -> str:
    """The triple as a line of N-Triples, with one address for all unknown values of a subject and property."""
    from pyoxigraph import BlankNode, NamedNode

    thing = triple.object
    # Some endpoints have a blank node for an unknown value, others an address with a name of their own.
    is_unknown = isinstance(thing, BlankNode) or str(thing).startswith(f"<{_GENID}")
    if is_unknown and isinstance(triple.subject, NamedNode):
        digest = sha256(f"{triple.subject.value} {triple.predicate.value}".encode()).hexdigest()
        return f"{triple.subject} {triple.predicate} <{_GENID}{digest[:32]}> ."
    return f"{triple.subject} {triple.predicate} {thing} ."


def _excerpt(body: bytes) -> str:
    text = " ".join(body.decode("utf-8", errors="replace").split())
    return repr(text if len(text) <= _EXCERPT else text[:_EXCERPT] + "…")


DEFAULT_ENDPOINT = "wdqs"
"""Name of the Wikidata Query Service."""

ENDPOINTS = {
    DEFAULT_ENDPOINT: "https://query.wikidata.org/sparql",
    "qlever": "https://qlever.dev/api/wikidata",
}
"""Name of an endpoint to its address."""


def find_endpoint(name_or_url: str) -> str:
    """The address of an endpoint, given by its name or address.

    Raises:
        InputError: If it is neither.
    """
    address = ENDPOINTS.get(name_or_url, name_or_url)
    # A name and password would be written into the account of the snapshot.
    if is_server_address(address) and address.isascii() and "@" not in address:
        return address
    raise InputError(
        f"endpoint {without_passwords(name_or_url)!r}: not the address of a SPARQL endpoint; write it in full, "
        "with http:// or https:// and without a user name, for example 'http://localhost:7001', or a name: "
        f"{', '.join(ENDPOINTS)}"
    )
