"""Why a page or a file was not read: three errors, each with a kind for code and a sentence for people.

    ReadingError
    ├── Refused        the guard: nothing was sent
    ├── FetchFailed    the network, or a body that is none of a page
    └── Unreadable     something came, and its text cannot be had

The sentences name no address that a name resolved to: that goes to the log alone.
"""

from typing import Literal, TypeAlias

RefusedKind: TypeAlias = Literal["url", "scheme", "user_info", "host", "port", "address", "downgrade"]
FetchKind: TypeAlias = Literal[
    "timeout", "dns", "unreachable", "tls", "redirects", "too_large", "unsupported", "bad_answer"
]
UnreadableKind: TypeAlias = Literal[
    "captcha",
    "login",
    "javascript",
    "paywall",
    "forbidden",
    "not_found",
    "rate_limited",
    "server_error",
    "status",
    "empty",
    "locked",
    "scanned",
    "damaged",
    "too_heavy",
]

REFUSED: dict[RefusedKind, str] = {
    "url": "That is not an address of a web page.",
    "scheme": "Only http:// and https:// addresses are read.",
    "user_info": "An address that holds a user name or a password is not read.",
    "host": "That host is not on the public internet.",
    "port": "Only the usual ports of the web are read.",
    "address": "That address is not on the public internet.",
    "downgrade": "The site led from a secured page to an unsecured one of another site.",
}
FAILED: dict[FetchKind, str] = {
    "timeout": "The page took too long to answer.",
    "dns": "No site of that name was found, or the internet is out of reach.",
    "unreachable": "The site does not answer.",
    "tls": "The site's certificate or encryption is not in order.",
    "redirects": "The site leads from one address to the next without an end.",
    "too_large": "The page is too large to be read.",
    "unsupported": "What lies there is not a page with text.",
    "bad_answer": "The site answered in a way that cannot be understood.",
}
UNREADABLE: dict[UnreadableKind, str] = {
    "captcha": "The site shows a test against robots in place of the page.",
    "login": "The page is shown only after signing in.",
    "javascript": "The page shows its text only in a browser that runs its program.",
    "paywall": "The page is shown only to subscribers.",
    "forbidden": "The site refuses to show the page.",
    "not_found": "There is no page at that address.",
    "rate_limited": "The site takes no more requests for now.",
    "server_error": "The site has a fault of its own.",
    "status": "The site answered with something other than the page.",
    "empty": "There is no readable text.",
    "locked": "The document is locked with a password.",
    "scanned": "The document is scanned: it holds pictures and no text.",
    "damaged": "The document is damaged.",
    "too_heavy": "Reading it takes more time or memory than is given to one page.",
}


class ReadingError(Exception):
    """A page or a file was not read.  Its text is one plain sentence, fit for people and for a model."""

    kind: str


class Refused(ReadingError):
    """The guard let nothing be sent to this address."""

    def __init__(self, kind: RefusedKind) -> None:
        super().__init__(REFUSED[kind])
        self.kind: RefusedKind = kind

    @property
    def private(self) -> bool:
        """Whether it is because the address is not on the public internet."""
        return self.kind in ("host", "address")


class FetchFailed(ReadingError):
    """The page did not come whole."""

    def __init__(self, kind: FetchKind) -> None:
        super().__init__(FAILED[kind])
        self.kind: FetchKind = kind


class Unreadable(ReadingError):
    """Something came, and it gives no text that could be quoted; `status` is the HTTP status, 0 for a file."""

    def __init__(self, kind: UnreadableKind, status: int = 0) -> None:
        super().__init__(UNREADABLE[kind])
        self.kind: UnreadableKind = kind
        self.status = status
