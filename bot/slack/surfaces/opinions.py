"""What people think of an answer: kept, with how the answer came to be where they find it bad."""

import json
from contextlib import suppress
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.sentences import sentence
from bot.slack.api.outbox import Outbox
from bot.slack.api.people import UNREACHABLE
from bot.slack.messages import sentences
from bot.slack.messages.blocks import FEEDBACK, said
from bot.slack.messages.links import words
from bot.slack.questions.desk import Closed, Desk
from bot.slack.surfaces.click import Click, language_of
from bot.slack.tasks import Start
from bot.store import Feedback, Run, Store

REASON = "footnote_reason"
LONGEST_REASON = 2_000


class Opinions:
    def __init__(self, *, desk: Desk, store: Store, outbox: Outbox, start: Start) -> None:
        """`start` starts what is done after Slack has its acknowledgement."""
        self._desk = desk
        self._store = store
        self._outbox = outbox
        self._start = start
        self._thanking: set[str] = set()

    def listen(self, app: AsyncApp) -> None:
        app.action(FEEDBACK)(self._clicked)
        app.view(REASON)(self._reasoned)

    async def _clicked(self, body: dict[str, Any], ack: AsyncAck, client: AsyncWebClient) -> None:
        click = Click.of(body)
        opinion, _, key = click.value.partition(":")
        # While the bot stops, nothing is acknowledged: whoever clicks sees that it was not taken.
        with suppress(Closed), self._desk.receiving():
            run = await self._keep(key, click.user, good=opinion == "good")
            thanks = f"opinion:{key}:{click.user}:{opinion}"
            await ack()
            if run is not None and opinion == "bad":
                self._start(self._ask(click, run, client, thanks))
            else:
                self._start(self._thank(thanks, click.channel, click.thread_ts, click.user, run))

    async def _reasoned(self, body: dict[str, Any], ack: AsyncAck) -> None:
        view, user = body["view"], str(body["user"]["id"])
        about = json.loads(view["private_metadata"])
        values = [field for block in view["state"]["values"].values() for field in block.values()]
        reason = " ".join(str(field.get("value") or "").strip() for field in values)[:LONGEST_REASON]
        with suppress(Closed), self._desk.receiving():
            run = await self._keep(about["run"], user, good=False, reason=reason)
            await ack()
            self._start(self._thank(f"reason:{view['id']}", about["channel"], about["thread_ts"], user, run))

    async def _keep(self, key: str, user: str, *, good: bool, reason: str = "") -> Run | None:
        """Keep it; the run that it is about, None where nothing is known of that any more."""
        run = await self._store.run(key)
        if run is None or run.status == "claim":
            return None
        kept = await self._store.feedback_of(key, user)
        if kept is None or kept.good != good or reason:
            trace = None if good else _traced(run)
            await self._store.add_feedback(Feedback(run=key, user=user, good=good, reason=reason, trace=trace))
        return run

    async def _ask(self, click: Click, run: Run, client: AsyncWebClient, thanks: str) -> None:
        """Ask for the reason; where Slack opens no modal, the opinion alone is thanked for."""
        about = json.dumps({"run": run.key, "channel": click.channel, "thread_ts": click.thread_ts})
        try:
            await client.views_open(trigger_id=click.trigger, view=_modal(about, language_of(run)))
        except UNREACHABLE:
            await self._thank(thanks, click.channel, click.thread_ts, click.user, run)

    async def _thank(self, once: str, channel: str, thread_ts: str, user: str, run: Run | None) -> None:
        """Noted as `once` when it is done: what Slack did not take is said at the next click."""
        if once in self._thanking:
            return
        self._thanking.add(once)
        try:
            if await self._store.run(once) is None:
                text = words(sentence(sentences.THANKS if run else sentences.OPINION_LATE, language_of(run)))
                if await self._outbox.whisper(channel, user, said([text])[0], thread_ts=thread_ts):
                    await self._store.claim(once)
        finally:
            self._thanking.discard(once)


def _traced(run: Run) -> Run | None:
    """How an answer came to be; None where that is not kept any more."""
    if not (run.state or run.steps or run.quotes):
        return None
    return run.model_copy(update={"parts": (), "response_url": "", "owner": ""})


def _modal(about: str, language: str) -> dict[str, Any]:
    def plain(words_: dict[str, str]) -> dict[str, str]:
        return {"type": "plain_text", "text": sentence(words_, language)}

    field = {"type": "plain_text_input", "action_id": REASON, "multiline": True, "max_length": LONGEST_REASON}
    return {
        "type": "modal",
        "callback_id": REASON,
        "private_metadata": about,
        "title": plain(sentences.YOUR_OPINION),
        "submit": plain(sentences.SEND),
        "close": plain(sentences.CANCEL),
        "blocks": [
            {"type": "input", "optional": True, "label": plain(sentences.WHAT_WAS_WRONG), "element": field},
        ],
    }
