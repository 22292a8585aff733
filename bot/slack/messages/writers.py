"""What writes an answer in its thread."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from bot.sentences import sentence
from bot.slack.api.outbox import Outbox
from bot.slack.messages.last_word import Place
from bot.slack.messages.message import LiveMessage
from bot.slack.messages.sentences import IN_A_FILE, MOVED
from bot.slack.messages.silent import Silent
from bot.slack.messages.stream import StreamedMessage, Streaming
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.means import Shown
from bot.slack.surfaces.agent import Agent, InAgentTab
from bot.slack.tasks import Start
from bot.store import Lost, Run, Store, StoreError
from indexers.slack_text import plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Writers:
    outbox: Outbox
    store: Store
    start: Start
    edit_interval: float
    """Seconds between two edits of a message."""
    streams: bool
    """Direct messages are streamed where Slack can do it."""
    agent: Agent
    streaming: Streaming

    def writer(self, run: Run, language: str, *, look: bool, stopped: Callable[[], object]) -> Shown:
        """For the answer to a run, in the language of its question.  With `look`, messages of it may be there of which
        nobody knows; `stopped` is called where its reader has stopped it."""
        writer = self._writer(run, _place(run, language), look=look, stopped=stopped)
        if not (run.channel.startswith("D") and self.agent.possible):
            return writer
        asked = Inbound.of(run.asked)
        title = " ".join(plain(asked.own_text, {}).split()) if asked.is_root and not run.messages else ""
        thread = (run.channel, run.thread_ts)
        return InAgentTab(writer, self.agent, thread, title=title, language=language, start=self.start)

    def _writer(self, run: Run, place: Place, *, look: bool, stopped: Callable[[], object]) -> Shown:
        def edited(messages: Sequence[str], look: bool) -> LiveMessage:
            return LiveMessage(
                self.outbox,
                run.key,
                place,
                interval=self.edit_interval,
                start=self.start,
                messages=messages,
                look=look,
            )

        async def known(messages: Sequence[str]) -> None:
            with suppress(StoreError, Lost):  # It is found by its mark, too.
                update = {"messages": tuple(messages)}
                await self.store.change(run.key, lambda kept: kept.model_copy(update=update))

        if look or run.messages or not (self.streams and run.channel.startswith("D")):
            written = edited(run.messages, look)
            return Silent(written) if run.asked.get("unasked") and not run.messages else written
        return StreamedMessage(
            self.outbox,
            run.key,
            place,
            streaming=self.streaming,
            interval=self.edit_interval,
            start=self.start,
            edited=edited,
            known=known,
            stopped=stopped,
            session=self.agent.possible,
        )


def _place(run: Run, language: str) -> Place:
    return Place(
        run.channel,
        run.thread_ts,
        run.user,
        moved=sentence(MOVED, language, channel=f"<#{run.channel}>"),
        in_a_file=sentence(IN_A_FILE, language),
    )
