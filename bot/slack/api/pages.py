"""What Slack lists page by page."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

PAGE = 1_000
MOST_PAGES = 20


async def pages(ask: Callable[..., Awaitable[Any]], **arguments: Any) -> AsyncIterator[Mapping[str, Any]]:
    """All pages of what a method lists; raises `LookupError` where there are more than are looked at."""
    cursor = ""
    for _ in range(MOST_PAGES):
        reply = await ask(**arguments, cursor=cursor or None)
        yield reply.data
        cursor = next_cursor(reply.data)
        if not cursor:
            return
    raise LookupError("Slack lists more than is looked at.")


def next_cursor(reply: object) -> str:
    """Where the next page begins, or ""."""
    metadata = reply.get("response_metadata") if isinstance(reply, Mapping) else None
    return str((metadata or {}).get("next_cursor") or "")
