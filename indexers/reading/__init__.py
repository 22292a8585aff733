"""Reads pages and files safely: `fetch` is the only way out to a page, `Extractor` the only way from bytes to text.

`Reader` puts both together for web pages.  An address that a page holds is never read.
"""

import importlib
from typing import TYPE_CHECKING, Any

from indexers.reading.failures import FetchFailed, ReadingError, Refused, Unreadable
from indexers.reading.types import NOTES, Extracted, Kind, Note, Page, PageText

if TYPE_CHECKING:
    from indexers.reading.extractor import Extractor
    from indexers.reading.fetching import Resolver, fetch
    from indexers.reading.reader import Reader

__all__ = [
    "NOTES",
    "Extracted",
    "Extractor",
    "FetchFailed",
    "Kind",
    "Note",
    "Page",
    "PageText",
    "Reader",
    "ReadingError",
    "Refused",
    "Resolver",
    "Unreadable",
    "fetch",
]

_ELSEWHERE = {"Extractor": "extractor", "Resolver": "fetching", "fetch": "fetching", "Reader": "reader"}


def __getattr__(name: str) -> Any:
    # A child process loads this package too, once for every crash, and has no use for the HTTP client.
    if name in _ELSEWHERE:
        return getattr(importlib.import_module(f"indexers.reading.{_ELSEWHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
