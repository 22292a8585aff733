"""A client of Slack's Web API whose calls keep to the pace."""

from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.slack.api.calls import CountedClient, code_of
from bot.slack.api.pace import Pace

LIMITED = ("ratelimited", "rate_limited", "message_limit_exceeded")


class PacedClient(CountedClient):
    """What Slack says of its limits holds for all that share the pace."""

    def __init__(self, *arguments: Any, pace: Pace, waits: bool = True, **options: Any) -> None:
        """`waits`: each call takes its turn; else whoever calls has taken it."""
        super().__init__(*arguments, **options)
        self._pace = pace
        self._waits = waits

    async def api_call(self, api_method: str, **options: Any) -> AsyncSlackResponse:
        if self._waits:
            posts = api_method == "chat.postMessage"
            await self._pace.turn(api_method, str((options.get("json") or {}).get("channel") or "") if posts else "")
        try:
            return await super().api_call(api_method, **options)
        except SlackApiError as error:
            if (seconds := limited(error)) is not None:
                self._pace.hold(api_method, seconds)
            raise


def limited(error: SlackApiError) -> float | None:
    """Seconds to wait, where the error is that there were too many calls."""
    if getattr(error.response, "status_code", 0) != 429 and code_of(error) not in LIMITED:
        return None
    return float(error.response.headers.get("Retry-After") or 1)
