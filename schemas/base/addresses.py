"""Addresses of servers, as users give them."""

import ipaddress
import re
from urllib.parse import urlsplit

_USER = re.compile(r"(?<=:)//[^/@\s]*@")


def without_passwords(text: str) -> str:
    """A text as a message can hold it: of each address in it, name and password of a user are left out."""
    return _USER.sub("//…@", text)


def is_server_address(text: str) -> bool:
    """Whether a text is the complete address of a web server, with nothing in it that cannot be printed."""
    try:
        parts = urlsplit(text)
        # Reading the port checks it: urlsplit itself takes any.
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return named and parts.scheme in ("http", "https") and text.isprintable() and " " not in text


def is_on_this_machine(address: str) -> bool:
    """Whether the address of a server leads to the machine itself, and so to nobody else's."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_same_origin(one: str, other: str) -> bool:
    """Whether two addresses have one scheme, host and port."""
    first, second = urlsplit(one), urlsplit(other)
    return (first.scheme, first.hostname, first.port) == (second.scheme, second.hostname, second.port)
