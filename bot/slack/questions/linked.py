"""What a link in a question names, before anything is read from the web: a document, or a message or file of Slack."""

import logging
import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import parse_qs, urlsplit

from slack_sdk.web.async_client import AsyncWebClient

from bot.research import SearchFailed, SearchHit
from bot.slack.api.membership import Memberships
from bot.slack.api.people import UNREACHABLE
from bot.slack.questions.files import FileReader
from bot.slack.questions.inbound import Inbound, shared_file
from bot.slack.questions.thread import ThreadReader
from bot.web import links_in
from indexers.document import WORKSPACE, Audience

logger = logging.getLogger(__name__)

Documents: TypeAlias = Callable[[str, Audience], Awaitable[Sequence[SearchHit]]]
"""The passages of the document at an address, if the audience may read it.  Raises `SearchFailed`."""

SLACK = "slack"
"""The source that messages of the workspace are of."""
_FILE = re.compile(r"/(?:files|docs)/[A-Z0-9]+/(F[A-Z0-9]+)(?:/.*)?")
"""A canvas is among the docs, too."""
_ORGANISATION, _WORKSPACE = ".enterprise.slack.com", ".slack.com"
_MESSAGE = re.compile(r"/archives/([A-Z0-9]+)/p(\d{10})(\d{6})/?")


@dataclass(frozen=True, slots=True)
class Linked:
    known: bool = False
    """It names something of ours, so that it is not for the web; without `hits` it could not be looked at."""
    hits: tuple[SearchHit, ...] = ()


class LinkReader:
    """`address` is the workspace's."""

    def __init__(
        self,
        slack: AsyncWebClient,
        memberships: Memberships,
        threads: ThreadReader,
        files: FileReader,
        documents: Documents,
        *,
        address: str,
    ) -> None:
        self._slack = slack
        self._memberships = memberships
        self._threads = threads
        self._files = files
        self._documents = documents
        self._host = urlsplit(address).hostname or ""

    async def read(self, asked: Inbound, audience: Audience, sources: Collection[str] = ()) -> Linked:
        """What the message's first link names, as far as the audience may read it, and it is of these sources, where
        any are given."""
        link = next(iter(links_in(asked.own_text)), "")
        if not link:
            return Linked()
        try:
            if hits := await self._documents(link, audience):
                return Linked(True, tuple(hit for hit in hits if not sources or hit.source in sources))
            if not self._is_ours(urlsplit(link).hostname or ""):
                return Linked()
            searched = not sources or SLACK in sources
            return Linked(True, tuple(await self._in_slack(link, asked, audience)) if searched else ())
        except (*UNREACHABLE, SearchFailed) as error:
            logger.warning("%s: its link could not be looked up (%s)", asked.key, type(error).__name__)
            return Linked(True)

    async def _in_slack(self, link: str, asked: Inbound, audience: Audience) -> Sequence[SearchHit]:
        parts = urlsplit(link)
        if file := _FILE.fullmatch(parts.path):
            return await self._file(file[1], asked, audience)
        message = _MESSAGE.fullmatch(parts.path)
        if message is None or not await self._is_open(message[1], asked, audience):
            return []
        thread_ts = parse_qs(parts.query).get("thread_ts", [f"{message[2]}.{message[3]}"])[0]
        said = await self._threads.whole(message[1], thread_ts)
        return [hit for hits in said.hits.values() for hit in hits]

    async def _file(self, id: str, asked: Inbound, audience: Audience) -> Sequence[SearchHit]:
        told = (await self._slack.files_info(file=id))["file"]
        for channel in [*told.get("channels", ()), *told.get("groups", ()), *told.get("ims", ())]:
            if await self._is_open(channel, asked, audience):
                return (await self._files.read([shared_file(told, 0)], asked.own_text, "en")).hits
        return ()

    async def _is_open(self, channel: str, asked: Inbound, audience: Audience) -> bool:
        """Whether all who will see the answer may read the channel."""
        if channel == asked.channel or all(f"channel:{channel}" in principals for principals in audience):
            return True
        if not all(WORKSPACE in principals for principals in audience):
            return False
        if asked.direct:
            return await self._memberships.open_to(asked.user, channel)
        return await self._memberships.open_to_all_in(asked.channel, channel)

    def _is_ours(self, host: str) -> bool:
        """An organisation's workspaces have addresses of their own, which it does not tell; of another's Slack tells
        nothing."""
        return host == self._host or (self._host.endswith(_ORGANISATION) and host.endswith(_WORKSPACE))
