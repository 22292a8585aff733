"""The files of a question, as evidence that can be cited: downloaded from Slack, and their text extracted."""

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.research import SearchHit
from bot.sentences import sentence
from bot.slack.api.calls import code_of
from bot.slack.api.connection import proxy_for
from bot.slack.api.people import UNREACHABLE, People
from bot.slack.messages import sentences
from bot.slack.questions.inbound import SharedFile, shared_file
from indexers.chunks import chunks
from indexers.reading import Extracted, Extractor, Kind, Unreadable
from indexers.reading.kinds import HEAD, begins_as_html, charset, kind_of

logger = logging.getLogger(__name__)

MOST_FILES = 5
MOST_BYTES = 20 * 2**20
SECONDS = 25.0
"""For one file, from the first call to its text."""
LONGEST = 120_000
"""Characters of a file that are looked at."""
PAGES = 100
"""Of a PDF."""
MOST_PASSAGES = 24
"""Of all files together: about 19,000 characters, which leave room for what else there is."""
PASSAGE = 180
"""Tokens; a passage is shown to the model whole."""
FIRST = 2
"""Passages of each file that are always among them: they say what it is."""

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_PDF = "application/pdf"
_CANVAS = "application/vnd.slack-docs"
_OF_SLACK = ("quip", "canvas", "docs", "space", "post")
"""The modes of canvases, and of posts, which came before them."""
_HOSTS = ("slack.com", "slack-gov.com", "slack-files.com")
_GONE = ("hidden_by_limit", "tombstone")
_WORDS = re.compile(r"\w{3,}")


class _Unread(Exception):
    """Its text is a name in `sentences.WHY_UNREAD`."""


@dataclass(frozen=True, slots=True)
class FilesRead:
    hits: tuple[SearchHit, ...] = ()
    notes: tuple[str, ...] = ()
    """What was not read, and why; in the language that was asked for."""


class FileReader:
    def __init__(
        self, slack: AsyncWebClient, session: aiohttp.ClientSession, extractor: Extractor, people: People
    ) -> None:
        """`slack` has the token that the files are downloaded with."""
        self._slack = slack
        self._session = session
        self._extractor = extractor
        self._people = people

    async def read(self, files: Sequence[SharedFile], question: str, language: str) -> FilesRead:
        """The passages of the files; of long ones the first, and those that have most in common with the question."""
        async with asyncio.TaskGroup() as reads:
            tasks = [reads.create_task(self._read(file)) for file in files[:MOST_FILES]]
        results = [*(task.result() for task in tasks), *((file, "many") for file in files[MOST_FILES:])]
        names = await self._people.names(file.user for file, _ in results if file.user)
        hits, notes = [], []
        for file, result in results:
            if isinstance(result, str):
                why = sentence(sentences.WHY_UNREAD[result], language)
                notes.append(sentence(sentences.FILE_UNREAD, language, file=file.name, why=why))
            else:
                hits.append(_hits(file, result, names.get(file.user, file.user)))
        chosen = _chosen([hit for of_one in hits for hit in of_one], question)
        if len(chosen) < sum(map(len, hits)) or any(isinstance(one, Extracted) and one.notes for _, one in results):
            notes.append(sentence(sentences.FILES_CUT, language))
        return FilesRead(tuple(chosen), tuple(notes))

    async def _read(self, file: SharedFile) -> tuple[SharedFile, Extracted | str]:
        """The file with all that is known of it, and what it holds, or why that is not known."""
        try:
            async with asyncio.timeout(SECONDS):
                file = await self._told(file)
                self._check(file)
                return file, await self._text(file)
        except _Unread as unread:
            why = str(unread)
        except Unreadable as unreadable:
            why = unreadable.kind
        except SlackApiError as error:
            why = "gone" if code_of(error) in ("file_deleted", "file_not_found") else "refused"
        except (*UNREACHABLE, OSError, EOFError) as error:
            logger.warning("file %s did not come whole (%s)", file.id, type(error).__name__)
            why = "late"
        logger.info("file %s was not read (%s)", file.id, why)
        return file, why if why in sentences.WHY_UNREAD else "damaged"

    async def _told(self, file: SharedFile) -> SharedFile:
        """The file with all that Slack tells of it."""
        if file.access != "check_file_info" and (file.url or file.mode):
            return file
        return shared_file((await self._slack.files_info(file=file.id))["file"], file.at)

    async def _text(self, file: SharedFile) -> Extracted:
        body, content_type = await self._download(file)
        kind = _kind(file, body)
        if kind is None or body.startswith(b"{\\rtf"):
            raise _Unread("kind")
        return await self._extractor.extract(body, kind, charset=charset(content_type), chars=LONGEST, pages=PAGES)

    async def _download(self, file: SharedFile) -> tuple[bytes, str]:
        """The bytes, and what they are sent as."""
        headers = {"Authorization": f"Bearer {self._slack.token}"}
        body = bytearray()
        # The token goes to no other place: Slack sends whoever may not have a file on to a page to sign in on.
        get = self._session.get(file.url, headers=headers, proxy=proxy_for(file.url), allow_redirects=False)
        async with get as reply:
            if reply.status != 200:
                raise _Unread("gone" if reply.status in (404, 410) else "refused")
            async for part in reply.content.iter_chunked(2**16):
                body += part
                if len(body) > MOST_BYTES:
                    raise _Unread("large")
        if reply.content_type == "text/html" and not _may_be_html(file, bytes(body)):
            raise _Unread("refused")
        return bytes(body), reply.headers.get("Content-Type", "")

    def _check(self, file: SharedFile) -> None:
        """Raises `_Unread` for what is not worth the way."""
        if file.mode in _GONE or file.access == "file_not_found":
            raise _Unread("gone")
        if file.mode == "external" or not self._is_slacks(file.url):
            raise _Unread("external")
        if file.access == "access_denied":
            raise _Unread("refused")
        if file.media.startswith("image/"):
            raise _Unread("image")
        if _media(file) not in ("", _WORD, _PDF) and kind_of(_media(file), b"text") is None:
            raise _Unread("kind")
        if file.size > MOST_BYTES:
            raise _Unread("large")

    def _is_slacks(self, url: str) -> bool:
        """Whether the token may go there."""
        try:
            parts, api = urlsplit(url), urlsplit(self._slack.base_url)
            at_home = parts.scheme == "https" and parts.port is None and "@" not in parts.netloc
        except ValueError:
            return False
        host = parts.hostname or ""
        return (parts.scheme, parts.netloc) == (api.scheme, api.netloc) or (
            at_home and any(host == one or host.endswith(f".{one}") for one in _HOSTS)
        )


def document_of(file: SharedFile) -> str:
    """The id that its passages are cited by."""
    return f"slack:{file.id}"


def put_by(user: str, files: Iterable[SharedFile]) -> set[str]:
    """The ids of those that somebody has uploaded."""
    return {document_of(file) for file in files if file.user == user}


def _may_be_html(file: SharedFile, body: bytes) -> bool:
    """Whether what came is the file, and no page to sign in on: a canvas comes as HTML that is no whole page."""
    if _is_of_slack(file):
        return not begins_as_html(body[:HEAD])
    return "html" in file.media and len(body) == file.size


def _kind(file: SharedFile, body: bytes) -> Kind | None:
    return "html" if _is_of_slack(file) and body.lstrip().startswith(b"<") else kind_of(_media(file), body)


def _is_of_slack(file: SharedFile) -> bool:
    return file.media == _CANVAS or file.mode in _OF_SLACK


def _media(file: SharedFile) -> str:
    """What kind of bytes it holds, "" where only these tell."""
    if _is_of_slack(file):
        return ""
    if file.name.lower().endswith(".docx"):
        return _WORD
    told = file.media
    return "" if told == "application/octet-stream" or told.startswith("application/x-") else told


def _hits(file: SharedFile, read: Extracted, author: str) -> list[SearchHit]:
    name = document_of(file)
    return [
        SearchHit(
            chunk_id=f"{name}#{chunk.ordinal}",
            document_id=name,
            chunk_idx=chunk.ordinal,
            title=file.name,
            content_snippet=chunk.text.strip(),
            source="slack",
            timestamp=datetime.fromtimestamp(file.at, UTC).isoformat(timespec="seconds"),
            participants=[author] if author else [],
            score=0.0,
            bm25_score=0.0,
            vector_score=0.0,
            url=file.link,
        )
        for chunk in chunks(read.text, title=read.title, size=PASSAGE)
    ]


def _chosen(hits: Sequence[SearchHit], question: str) -> list[SearchHit]:
    """As many as there is room for, in their order: the first of each file, and those with most of the question's
    words, of which a rare one tells more."""
    if len(hits) <= MOST_PASSAGES:
        return [*hits]
    words = [_words(hit.content_snippet) for hit in hits]
    frequency = Counter(word for one in words for word in one)
    asked = _words(question)

    def worth(place: int) -> tuple[bool, float, int]:
        shared = sum(1 / frequency[word] for word in asked & words[place])
        return hits[place].chunk_idx < FIRST, shared, -place

    best = sorted(range(len(hits)), key=worth, reverse=True)[:MOST_PASSAGES]
    return [hits[place] for place in sorted(best)]


def _words(text: str) -> set[str]:
    return set(_WORDS.findall(text.casefold()))
