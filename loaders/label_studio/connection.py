"""The connection: to a Label Studio server that has been asked who it is, by somebody whom it knows."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from blend.loaders.label_studio.client import Studio
from blend.loaders.label_studio.studio_errors import GoneError, another_program, no_token, translate_errors
from blend.loaders.servers.server_errors import public_address
from blend.schemas.addresses import is_on_this_machine, is_same_origin, is_server_address
from blend.schemas.errors import InputError, MissingExtraError, ServerError

NEEDED_VERSION = (1, 23)
"""The oldest server that the tests have driven; older ones differ in tokens and exports."""

ADDRESS_VARIABLE = "LABEL_STUDIO_URL"
"""Environment variable by which a user allows that the token goes to another machine."""

TIMEOUT_S = 120.0
"""Seconds without an answer after which a request is given up."""


@contextmanager
def label_studio(url: str, *, variable: str, timeout_s: float = TIMEOUT_S) -> Iterator[Studio]:
    """A server that has been asked who it is.

    Args:
        url: Its address.
        variable: Environment variable that holds the access token.
        timeout_s: Seconds without an answer after which a request is given up.

    Raises:
        MissingExtraError: If the SDK is not installed.
        InputError: If there is no token, or if the server is on another machine and ``LABEL_STUDIO_URL`` in the
            environment does not name it.
        ServerError: If it is not a Label Studio that is new enough and takes the token.
    """
    where = f"Label Studio at {public_address(url)}"
    token = os.environ.get(variable, "").strip()
    if not token:
        raise no_token(where, variable)
    # The address stands in a file that may come from somebody else: their server would get the token.
    named = os.environ.get(ADDRESS_VARIABLE, "").strip()
    if not is_on_this_machine(url) and not (is_server_address(named) and is_same_origin(url, named)):
        raise InputError(
            f"{where}: the project file names this server; your token goes to no other machine unless you "
            f"name it as well; set {ADDRESS_VARIABLE} to {public_address(url)} if you trust it"
        )
    try:
        import httpx
        from label_studio_sdk import LabelStudio
    except ImportError as error:
        raise MissingExtraError("annotation with Label Studio", extra="annotate") from error
    with httpx.Client(timeout=timeout_s) as connections:
        with translate_errors(where, variable=variable):
            # Never repeated: what makes something must not make it twice.
            sdk = LabelStudio(
                base_url=url, api_key=token, httpx_client=connections, timeout=timeout_s, max_retries=0
            )
        studio = Studio(sdk, where=where, variable=variable)
        _check(studio)
        yield studio


def _check(studio: Studio) -> None:
    """Ask whether it is a Label Studio that is new enough and takes the token."""
    try:
        release = studio.release()
    except GoneError:
        raise another_program(studio.where) from None
    numbers = re.match(r"(\d+)\.(\d+)", release)
    if numbers is None:
        raise ServerError(
            f"{studio.where}: does not say its version, so it is not a Label Studio; correct key server.url "
            "of the project file"
        )
    if (int(numbers[1]), int(numbers[2])) < NEEDED_VERSION:
        raise ServerError(
            f"{studio.where}: is version {release}, and {'.'.join(map(str, NEEDED_VERSION))} or later is "
            "needed; update it with `pip install --upgrade label-studio`"
        )
    studio.own_account()
