"""How long last words take that come at the same moment, more of them than Slack takes at once.

Everything is real but the time, which jumps to whatever comes next: the bot's messages, its client, and over loopback a
Slack that counts calls as its documentation says, or more sternly.
"""

import asyncio

from bot.slack.api import connection
from bot.slack.api.outbox import Outbox
from bot.slack.api.pace import Pace
from bot.slack.messages.last_word import Place
from bot.slack.messages.message import LiveMessage
from bot.slack.messages.render import Progress
from bot.store import Part
from tests.benchmarks.table import Row
from tests.fakes.slack import BOT_TOKEN, FakeSlack, serve_slack
from tests.fakes.virtual import run_virtually

FINALS = 100
BAR = 1.3
DOCUMENTED, STERN = 50, 30
"""Edits a minute."""
UNDERWAY = 0.005


def run() -> list[Row]:
    return [_row(per_minute) for per_minute in (DOCUMENTED, STERN)]


def _row(per_minute: int) -> Row:
    seconds, refused = run_virtually(_measure(per_minute), underway=UNDERWAY)
    needed = (FINALS - per_minute) * 60 / per_minute
    what = f"{FINALS} last words at once, Slack takes {per_minute} edits a minute: time ÷ that of a full token bucket"
    value = f"{seconds / needed:.2f} ({seconds:.0f} s ÷ {needed:.0f} s, {refused} × 429)"
    return Row(what, value, f"≤ {BAR}", seconds / needed <= BAR)


async def _measure(per_minute: int) -> tuple[float, int]:
    """Virtual seconds from the first last word to the last edit, and how many edits Slack refused."""
    loop = asyncio.get_running_loop()
    async with serve_slack() as slack, connection.session() as session, asyncio.TaskGroup() as writing:
        slack.clock.source = lambda: 1_700_000_000 + loop.time()
        pace = Pace(clock=loop.time)
        waiting = connection.paced(session, slack.url, BOT_TOKEN, pace)
        at_once = connection.paced(session, slack.url, BOT_TOKEN, pace, waits=False)
        outbox = Outbox(waiting, pace, at_once=at_once)
        messages = [await _message(slack, outbox, number, writing) for number in range(FINALS)]
        await slack.until(lambda: len(slack.calls("chat.postMessage")) == FINALS, seconds=600)
        slack.limits.start(chat_update=per_minute)
        began = loop.time()
        async with asyncio.TaskGroup() as closing:
            for number, message in enumerate(messages):
                closing.create_task(message.close([Part(text=f"The last word of thread {number}.")]))
        edits = slack.calls("chat.update")
        texts = {message["text"] for place in slack.workspace.messages.values() for message in place.values()}
        assert {f"The last word of thread {number}." for number in range(FINALS)} <= texts
        return edits[-1].at - began, sum(bool(edit.error) for edit in edits)


async def _message(slack: FakeSlack, outbox: Outbox, number: int, writing: asyncio.TaskGroup) -> LiveMessage:
    place = slack.workspace.channel(f"CX{number}", f"cx{number}", "U1").id
    ts = await slack.say("U1", "Where is it?", place)
    where = Place(place, ts, "U1", moved="", in_a_file="")
    message = LiveMessage(outbox, f"{place}:{ts}", where, interval=1.2, start=writing.create_task)
    message.open(lambda: Part(text="Looking into it…"), lambda: Progress("en", "Looking into it…"))
    return message
