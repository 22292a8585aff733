"""People who want one thing after another of a bot, of every kind, and what became of each: whether it was lost, or
done twice.

Each of their questions asks for a number of its own, and each answer of the model bears a token of its own, so that an
answer that was given twice is seen, though it stands in one message.
"""

import asyncio
import random
import re
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeAlias

from tests.fakes.slack import BOT, FakeSlack
from tests.fakes.slack_delivery import PATIENCE as ACKNOWLEDGED_WITHIN

ANSWER = re.compile(r"The answer to (\d+) is (\w+)")
ASKED_BACK = "Which one?"
STOPPED = "Ada Lovelace stopped this."
HASTE = 1.5
"""Seconds at most until somebody changes their mind."""
LOOKS_AGAIN = 5.0
"""Seconds after which somebody who has edited looks whether to ask again."""


@dataclass
class Wish:
    kind: str
    channel: str
    thread_ts: str = ""
    begun: int = 1
    """How many threads it has."""
    answers: dict[int, tuple[int, int]] = field(default_factory=dict)
    """How often at least, and at most, each number is answered."""
    words: tuple[str, ...] = ()
    """What stands in the thread at last, a message each, in any order."""


@dataclass(frozen=True, slots=True)
class Outcome:
    wishes: Counter[str]
    """How many of each kind."""
    lost: list[str]
    """What was written for each wish that was not fulfilled."""
    doubled: list[str]
    """What was written for each where something was done twice."""
    fewest_open: int
    """When a bot was killed."""
    taken_over: int = 0
    """How often a question that was left was gone on with."""

    @property
    def asked(self) -> int:
        return self.wishes.total()


class People:
    """So many of them, in a channel each, until `enough`."""

    def __init__(self, slack: FakeSlack, patience: float) -> None:
        """`patience`: seconds for which something is waited for once there is enough."""
        self.enough = asyncio.Event()
        self.open: set[int] = set()
        """Those whose wish is not fulfilled yet."""
        self.wishes: list[Wish] = []
        self._slack = slack
        self._patience = patience
        self._numbers = count(1)
        self._seen = 0
        self._tokens: defaultdict[int, set[str]] = defaultdict(set)

    async def person(self, number: int) -> None:
        """One of them, who wants one kind of thing after another."""
        channel = f"CX{number}"
        self._slack.workspace.channel(channel, channel.lower(), "U1")
        for turn in count(number):
            if self.enough.is_set():
                return
            kind = [*KINDS][turn % len(KINDS)]
            self.wishes.append(wish := Wish(kind, channel))
            self.open.add(number)
            await KINDS[kind](self, wish)
            self.open.discard(number)

    def outcome(self, fewest_open: int) -> Outcome:
        lost, doubled = [], []
        for wish in self.wishes:
            written = self._written(wish)
            told = f"{wish.kind}, {wish.channel} {wish.thread_ts}: {written}"
            answered = [(len(self.tokens(number)), *bounds) for number, bounds in wish.answers.items()]
            found = [sum(words in text for text in written) for words in wish.words]
            wordy = len(written) > len(wish.words)
            if any(times < least for times, least, _ in answered) or 0 in found or (wordy and not wish.words):
                lost.append(told)
            elif wish.begun > 1 or any(times > most for times, _, most in answered) or wordy:
                doubled.append(told)
        return Outcome(Counter(wish.kind for wish in self.wishes), lost, doubled, fewest_open)

    def tokens(self, number: int) -> set[str]:
        """Those of the last words that answered a number: a state that is shown on the way names no sources."""
        for made in self._slack.made[self._seen :]:
            if not made.error and made.call.method.startswith("chat.") and made.call.get("metadata"):
                text = str(made.call.get("text"))
                for answered, token in ANSWER.findall(text) if "*Sources*" in text else ():
                    self._tokens[int(answered)].add(token)
        self._seen = len(self._slack.made)
        return self._tokens[number]

    def _written(self, wish: Wish) -> list[str]:
        return self._slack.answers(wish.channel, wish.thread_ts) if wish.thread_ts else []

    # What they do

    async def _ask(self, wish: Wish, how: str = "", *, least: int = 1, thread_ts: str = "") -> int:
        number = next(self._numbers)
        wish.answers[number] = (least, 1)
        ts = await self._slack.mention("U1", f"Please {how} what is {number}", wish.channel, thread_ts or None)
        wish.thread_ts = wish.thread_ts or ts
        return number

    async def _answered(self, wish: Wish, number: int) -> bool:
        """What is shown on the way is no answer yet."""
        wish.words = (*wish.words, f"The answer to {number} ")
        if number in wish.answers:
            return await self._until(lambda: self.tokens(number))
        return await self._told(wish, wish.words[-1])

    async def _told(self, wish: Wish, words: str) -> bool:
        return await self._until(lambda: any(words in text for text in self._written(wish)))

    async def _until(self, said: Callable[[], Any]) -> bool:
        """False where it does not come about, long after nobody is killed any more."""
        await self._within(lambda: said() or self.enough.is_set(), 3_600)
        return await self._within(said, self._patience)

    async def _within(self, condition: Callable[[], Any], seconds: float) -> bool:
        try:
            await self._slack.until(condition, seconds)
        except AssertionError:
            return False
        return True

    async def question(self, wish: Wish) -> None:
        await self._answered(wish, await self._ask(wish))

    async def asked_back(self, wish: Wish) -> None:
        number = await self._ask(wish, "ask back,")
        wish.words = (ASKED_BACK,)
        if await self._told(wish, ASKED_BACK):
            await self._slack.say("U1", "the first", wish.channel, wish.thread_ts)
        await self._answered(wish, number)

    async def two(self, wish: Wish) -> None:
        """The second waits for its turn in the thread."""
        first = await self._ask(wish)
        second = await self._ask(wish, thread_ts=wish.thread_ts)
        await self._answered(wish, first)
        await self._answered(wish, second)

    async def direct(self, wish: Wish) -> None:
        number = next(self._numbers)
        wish.channel = self._slack.workspace.direct("U1").id
        wish.thread_ts = await self._slack.dm("U1", f"Please, what is {number}")
        await self._answered(wish, number)

    async def command(self, wish: Wish) -> None:
        """One that Slack could not deliver is given up: it says so to whoever gave it, and does not come again."""
        number = next(self._numbers)
        wish.begun = 0
        given = (await self._slack.command("U1", f"what is {number}", wish.channel)).delivery
        assert given is not None
        begun = re.compile(rf"what is {number}$")

        def threads() -> list[str]:
            there = self._slack.workspace.messages.get(wish.channel, {}).items()
            return [ts for ts, one in there if "thread_ts" not in one and begun.search(one["text"])]

        await self._within(lambda: given.acknowledged, ACKNOWLEDGED_WITHIN)
        if given.acknowledged or threads():
            wish.answers[number] = (1, 1)
            await self._until(threads)
            wish.thread_ts, wish.words = (threads() or [""])[0], ("asks the web",)
            await self._answered(wish, number)
        wish.begun = len(threads())

    async def again(self, wish: Wish) -> None:
        number = await self._ask(wish, least=2)
        wish.answers[number] = (2, 2)
        await self._answered(wish, number)
        await self._until(lambda: self.tokens(number))
        await self._slack.react("U1", wish.channel, wish.thread_ts, "arrows_counterclockwise")
        await self._until(lambda: len(self.tokens(number)) == 2)

    async def edited(self, wish: Wish) -> None:
        """Whoever edits too late for it to be answered anew asks for that, as they are told that they may."""
        before, after = await self._ask(wish, least=0), next(self._numbers)
        wish.words = (f"The answer to {after} ",)
        wish.answers[after] = (1, 1)
        await asyncio.sleep(random.uniform(0, HASTE))
        await self._slack.edit(wish.channel, wish.thread_ts, f"<@{BOT}> Please, what is {after}")
        while not await self._within(lambda: self.tokens(after), LOOKS_AGAIN):
            if not self.tokens(before):
                if self.enough.is_set():
                    await self._until(lambda: self.tokens(after))
                    return
                continue
            if wish.answers[before][1] > 1:
                await self._slack.unreact("U1", wish.channel, wish.thread_ts, "repeat")
            await self._slack.react("U1", wish.channel, wish.thread_ts, "repeat")
            wish.answers |= {number: (least, most + 1) for number, (least, most) in wish.answers.items()}

    async def stopped(self, wish: Wish) -> None:
        """By a reaction, on the question or on what is becoming its answer."""
        await self._ask(wish, "think for ever,", least=0)
        await self._until(lambda: self._written(wish))
        wish.words = (STOPPED,)
        await asyncio.sleep(random.uniform(0, HASTE))
        bots = [one.ts for one in self._slack.thread(wish.channel, wish.thread_ts) if one.user == BOT]
        await self._slack.react("U1", wish.channel, random.choice([wish.thread_ts, *bots[:1]]), "octagonal_sign")
        await self._told(wish, STOPPED)

    async def stopped_by_button(self, wish: Wish) -> None:
        """A click that Slack could not deliver is made again."""
        await self._ask(wish, "think for ever,", least=0)
        await self._until(lambda: self._written(wish))
        wish.words = (STOPPED,)
        while not any(STOPPED in text for text in self._written(wish)):
            await asyncio.sleep(random.uniform(0, HASTE))
            bots = [one for one in self._slack.thread(wish.channel, wish.thread_ts) if one.user == BOT]
            if "footnote_stop" in str(bots[0].blocks):
                click = (await self._slack.click("U1", wish.channel, bots[0].ts, "footnote_stop")).delivery
                assert click is not None
                if await self._within(lambda click=click: click.acknowledged, ACKNOWLEDGED_WITHIN):
                    break
        await self._told(wish, STOPPED)

    async def taken_back(self, wish: Wish) -> None:
        """The question is deleted, and whatever was said to it is to go."""
        await self._ask(wish, least=0)
        await self._until(lambda: self._written(wish))
        await asyncio.sleep(random.uniform(0, HASTE))
        await self._slack.delete(wish.channel, wish.thread_ts)
        await self._until(lambda: not self._written(wish))


Act: TypeAlias = Callable[[People, Wish], Awaitable[None]]

KINDS: dict[str, Act] = {
    "questions": People.question,
    "commands": People.command,
    "asked back": People.asked_back,
    "again": People.again,
    "edited": People.edited,
    "stopped": People.stopped,
    "two in a thread": People.two,
    "stopped by button": People.stopped_by_button,
    "direct": People.direct,
    "taken back": People.taken_back,
}
