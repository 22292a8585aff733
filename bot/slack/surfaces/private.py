"""Answers for one person alone: asked for in a channel, given in their direct messages from all that they may read."""

import logging
from dataclasses import asdict, replace

from bot.language import detect
from bot.sentences import sentence
from bot.slack.api.outbox import Mark, Outbox, Refusal
from bot.slack.messages.blocks import said
from bot.slack.messages.cards import quote
from bot.slack.messages.links import link, words
from bot.slack.questions.answer import Answerer
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.privacy import meant, without_wish
from bot.slack.questions.thread import permalink
from bot.slack.surfaces import home_sentences as ours
from bot.slack.tasks import survive
from bot.store import Run, Store
from indexers.slack_text import plain

logger = logging.getLogger(__name__)

MOST_LOOKED_AT = 50


class Private:
    def __init__(self, *, store: Store, answerer: Answerer, outbox: Outbox, bot_user: str, address: str) -> None:
        """`address` is the workspace's."""
        self._store = store
        self._answerer = answerer
        self._outbox = outbox
        self._bot_user = bot_user
        self._address = address

    async def begin(self, run: Run) -> None:
        """Answer in private; of an attempt before, messages may be there."""
        await self.go_on(run, look=run.attempt > 1)

    async def go_on(self, run: Run, *, look: bool = False) -> None:
        """Answer in private, from where the run stands; with `look` there may be messages of it of which nobody knows,
        in the thread too, where it may not have been a private question from the beginning."""
        await survive(self._answer(run, look), f"the private answer to {run.key}")

    async def point(self, run: Run) -> None:
        """Tell the asker, where they asked, where their answer is."""
        language = self._language(Inbound.of(run.asked))
        there = link(
            permalink(self._address, run.channel, run.thread_ts, run.thread_ts), sentence(ours.THERE, language)
        )
        await self._whisper(run, f"{words(sentence(ours.POINTER, language))} {there}")

    async def _whisper(self, run: Run, text: str) -> None:
        channel, thread_ts, ts = run.asked["origin"]
        # Slack shows such a word in a thread only where somebody has replied already.
        alone = thread_ts == ts and run.key == f"{channel}:{ts}"
        await self._outbox.whisper(channel, run.user, said([text])[0], thread_ts="" if alone else thread_ts)

    async def _answer(self, run: Run, look: bool) -> None:
        if not run.thread_ts:
            if look:
                await self._answerer.withdrawal.take_back(run, *run.asked["origin"][:2])
            placed = await self._placed(run, look)
            if placed is None:
                return
            run = placed
            await self.point(run)
        await self._answerer.answer(run, look=look)

    async def _placed(self, run: Run, look: bool) -> Run | None:
        """The run with its question in the asker's direct messages; None where Slack does not take that."""
        asked = await self._meant(Inbound.of(run.asked))
        try:
            channel, ts = await self._outbox.begin(
                run.user, said([self._question(asked)])[0], Mark(run.key, "question"), look=look
            )
        except (Refusal, TimeoutError) as error:
            logger.warning("%s: no private answer (%s)", run.key, error)
            await self._store.change(run.key, lambda kept: kept.model_copy(update={"status": "done"}))
            await self._whisper(run, words(sentence(ours.NOT_DIRECTLY, self._language(asked))))
            return None
        asked = replace(asked, channel=channel, ts=ts, thread_ts=ts, direct=True)
        update = {"channel": channel, "thread_ts": ts, "asked": asdict(asked)}
        await self._store.asked(channel, ts, run.user, root=True)
        return await self._store.change(run.key, lambda kept: kept.model_copy(update=update))

    async def _meant(self, asked: Inbound) -> Inbound:
        """The message without its wish for privacy; the asker's question before it, where it is nothing but that."""
        if without_wish(asked.own_text) != "":
            return meant(asked)
        for run in await self._store.runs_of(asked.user, limit=MOST_LOOKED_AT):
            if (
                (run.channel, run.thread_ts) == asked.origin[:2]
                and run.status != "claim"
                and run.asked["ts"] != asked.ts
            ):
                earlier = Inbound.of(run.asked)
                return replace(earlier, user=asked.user, origin=(*asked.origin[:2], earlier.ts), unasked=False)
        return asked

    def _question(self, asked: Inbound) -> str:
        language = self._language(asked)
        back = link(permalink(self._address, *asked.origin), sentence(ours.THREAD, language))
        asks = sentence(ours.ASKED_IN, language, channel=f"<#{asked.origin[0]}>")
        return f"{asks} ({back})\n{quote(plain(asked.own_text, {}, own=self._bot_user))}"

    def _language(self, asked: Inbound) -> str:
        return detect(plain(asked.text, {}, own=self._bot_user))


def came_to_nothing(run: Run) -> bool:
    """The question of a private answer was refused, by the limits or by Slack, before it had a place."""
    return run.status in ("done", "stopped") and not run.thread_ts
