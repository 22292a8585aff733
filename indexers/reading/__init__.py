"""Reads pages and files safely: `fetch` is the only way out to a page, `Extractor` the only way from bytes to text.

`Reader` puts both together for web pages.  An address that a page holds is never read.
"""

from indexers.reading.extractor import Extractor
from indexers.reading.failures import FetchFailed, ReadingError, Refused, Unreadable
from indexers.reading.fetching import Resolver, fetch
from indexers.reading.reader import Reader
from indexers.reading.types import NOTES, Extracted, Kind, Note, Page, PageText

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
