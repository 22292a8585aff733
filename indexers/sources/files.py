"""Files in folders: Markdown, text, HTML, PDF, Word."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from io import FileIO
from pathlib import Path, PurePath
from urllib.parse import quote

from indexers.chunks import first_heading
from indexers.document import WORKSPACE, Document
from indexers.reading import Extractor, Unreadable, plain
from indexers.sources import DocumentFailed, Failed, Found, Item, Skipped
from indexers.sources.walk import NAME, File, Root, Walk, root

READER = "1"
"""Goes into every digest: raise it when files give another text, and all are read again."""
LARGEST = 64 * 2**20
"""Bytes of a file."""
KEPT = 2**20
"""Bytes of a file that are kept between comparing and reading it; a larger one is read from the disk again, one at a
time."""
VANISHED = "vanished meanwhile"
UNREADABLE = "it cannot be read"

_FILES_AT_ONCE = 64
_BYTES_AT_ONCE = 16 * 2**20
_JOINS = ("/", "=", "#", "?", "&", ":")


class Files:
    """The documents below `paths`, which are folders and files.

    A document's id is `files:` and its absolute path, with the links in PATH itself followed, so that it is the same
    however PATH is written.  Its link is `base` and its path relative to PATH; without `base` it has none, and whoever
    shows it has the path in its id.  The extractor stays the caller's to close.
    """

    def __init__(
        self, paths: Sequence[Path], extractor: Extractor, *, access: Iterable[str] = (), base: str = ""
    ) -> None:
        self._paths = paths
        self._extractor = extractor
        self._access = frozenset(access) or frozenset({WORKSPACE})
        self._facts = "\0".join(sorted(self._access))
        self._base = base if not base or base.endswith(_JOINS) else f"{base}/"
        self._roots: list[Root] = []
        self._total: int | None = None
        self._large = asyncio.Semaphore(1)

    @property
    def total(self) -> int | None:
        return self._total

    async def scopes(self) -> Sequence[str]:
        self._roots = await asyncio.to_thread(lambda: [root(path) for path in self._paths])
        return [one.scope for one in self._roots]

    async def found(self) -> AsyncGenerator[Found, None]:
        """Call `scopes` first."""
        walked = await asyncio.to_thread(lambda: list(Walk(self._roots)))
        self._total = len(walked)
        for batch in _batches(walked):
            for one in await asyncio.to_thread(self._looked_at, batch):
                yield one

    def _looked_at(self, batch: Sequence[File | Skipped | Failed]) -> list[Found]:
        return [self._item(one) if isinstance(one, File) else one for one in batch]

    def _item(self, file: File) -> Found:
        if file.size > LARGEST:
            return Failed(file.name, f"it is larger than {LARGEST // 2**20} MB", file.id)
        try:
            body = _body(file)
        except FileNotFoundError:
            return Skipped(VANISHED)
        except OSError as error:
            return Failed(file.name, error.strerror or UNREADABLE, file.id)
        content = hashlib.sha256(f"{READER} {file.kind} ".encode() + body).hexdigest()
        facts = hashlib.sha256(f"{file.modified}\0{self._url(file)}\0{self._facts}".encode()).hexdigest()
        kept = body if len(body) <= KEPT else None
        return Item(file.id, file.name, content, facts, partial(self._read, file, kept))

    async def _read(self, file: File, body: bytes | None) -> Document:
        if body is None:
            async with self._large:
                title, text = await self._text(file, await _body_again(file))
        else:
            title, text = await self._text(file, body)
        return Document(
            id=file.id,
            source=NAME,
            title=title or PurePath(file.path).name,
            text=text,
            timestamp=datetime.fromtimestamp(file.modified / 1e9, UTC).astimezone(),
            url=self._url(file),
            access=self._access,
        )

    async def _text(self, file: File, body: bytes) -> tuple[str, str]:
        """Title, "" where there is none in it, and text."""
        if file.kind == "markdown" or file.kind == "text":
            try:
                text = plain.decode(body)
            except ValueError as error:
                raise DocumentFailed(str(error)) from error
            return plain.markdown(text) if file.kind == "markdown" else ("", text)
        try:
            extracted = await self._extractor.extract(body, file.kind, chars=None, pages=None)
        except Unreadable as unreadable:
            if unreadable.kind in ("empty", "scanned"):
                return "", ""
            raise DocumentFailed(_reason(unreadable)) from unreadable
        text = plain.storable(extracted.text)
        return plain.storable(extracted.title) or plain.heading_text(first_heading(text)), text

    def _url(self, file: File) -> str:
        return f"{self._base}{quote(file.relative)}" if self._base else ""


def _body(file: File) -> bytes:
    with FileIO(file.path) as opened:  # half the time of `Path.read_bytes`, for thousands of small files
        return opened.readall()


async def _body_again(file: File) -> bytes:
    try:
        return await asyncio.to_thread(_body, file)
    except OSError as error:
        raise DocumentFailed(error.strerror or UNREADABLE) from error


def _batches(walked: Sequence[File | Skipped | Failed]) -> Iterator[Sequence[File | Skipped | Failed]]:
    """As many as are read in one go, by number and by size."""
    start = held = 0
    for place, one in enumerate(walked):
        size = one.size if isinstance(one, File) else 0
        if place > start and (place - start >= _FILES_AT_ONCE or held + size > _BYTES_AT_ONCE):
            yield walked[start:place]
            start, held = place, 0
        held += size
    yield walked[start:]


def _reason(error: Exception) -> str:
    """As the end of a sentence."""
    text = str(error).rstrip(".")
    return text[:1].lower() + text[1:]
