"""What went wrong with a URL, in one line of the user's words and without anything secret."""

import errno
import re
from collections.abc import Iterator

#: Names of exception classes, since the libraries that define them may not be installed.
NO_CREDENTIALS = {
    *("NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError", "ProfileNotFound"),
    *("DefaultCredentialsError", "LocalTokenNotFoundError"),
}
UNREACHED = {
    *("ClientConnectorError", "EndpointConnectionError", "ConnectTimeoutError", "ConnectionTimeoutError"),
    *("ConnectionRefusedError", "gaierror", "ConnectTimeout"),
}
CUT = {
    *("ClientPayloadError", "IncompleteReadError", "IncompleteRead", "ServerDisconnectedError"),
    *(
        "ConnectionError",
        "ConnectionClosedError",
        "ReadTimeoutError",
        "TimeoutError",
        "ResponseStreamingError",
    ),
}
#: Names and numbers of system errors after which a connection is gone; aiohttp gives the one or the other.
BROKEN = {"BrokenPipeError", "ConnectionResetError", "ConnectionAbortedError"}
BROKEN_NUMBERS = (errno.EPIPE, errno.ECONNRESET, errno.ECONNABORTED)


def fault(error: BaseException) -> str:
    """Return why a URL could not be read or written; neither queries nor user names of URLs are in it.

    >>> fault(FileNotFoundError("s3://bucket/key"))
    'no such object'
    """
    names = {kind.__name__ for link in _chain(error) for kind in type(link).__mro__}
    status = next((code for link in _chain(error) if (code := _status(link)) is not None), None)
    if names & NO_CREDENTIALS:
        return "no credentials were found; set those of the storage, for S3 as its own tools take them"
    if status in (401, 403) or "PermissionError" in names:
        return f"access was refused ({status or 403}); check the credentials and what they allow"
    if any(_code(link) == "NoSuchBucket" for link in _chain(error)):
        return "there is no such bucket; check its name"
    if status == 404:
        return "no such object"
    if status is not None and status >= 400:
        return f"the server answered {status}"
    # before the next: an upload that the server breaks off ends in an error of reaching it, raised from one of these
    if names & BROKEN or any(getattr(link, "errno", None) in BROKEN_NUMBERS for link in _chain(error)):
        return "the connection was cut; try again"
    if names & UNREACHED:
        return "the server cannot be reached; check the address and the network"
    if names & CUT:
        return "the connection was cut; try again"
    if "FileNotFoundError" in names:  # last, since fsspec raises it for a server out of reach too
        return "no such object"
    return f"{type(error).__name__}: {scrubbed(str(error))}"


def scrubbed(text: str) -> str:
    """Return the text on one line, without queries, fragments and user names of URLs.

    >>> scrubbed("GET https://me:secret@host/a.npz?token=1 failed")
    'GET https://host/a.npz failed'
    """
    bare = re.sub(r"(://)[^/@\s]*@", r"\1", text)
    return " ".join(re.sub(r"(://[^\s?#]*)[?#][^\s'\")]*", r"\1", bare).split())


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The exception and those that it was raised from, each once."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _code(error: BaseException) -> object:
    """The word that S3 has for an error."""
    response = getattr(error, "response", None)
    return response.get("Error", {}).get("Code") if isinstance(response, dict) else None


def _status(error: BaseException) -> int | None:
    """The HTTP status that an exception of aiohttp, botocore or requests carries."""
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        found = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    else:
        found = getattr(error, "status", None) or getattr(response, "status_code", None)
    return found if isinstance(found, int) else None
