"""Addresses of servers, as users give them."""

from urllib.parse import urlsplit


def is_server_address(text: str) -> bool:
    """Whether a text is the complete address of a web server, with nothing in it that cannot be printed."""
    try:
        parts = urlsplit(text)
        # Reading the port checks it: urlsplit itself takes any.
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return named and parts.scheme in ("http", "https") and text.isprintable() and " " not in text
