"""What writes an answer in its thread."""

from dataclasses import dataclass

from bot.sentences import sentence
from bot.slack.last_word import Place
from bot.slack.means import Shown, Start
from bot.slack.message import LiveMessage
from bot.slack.outbox import Outbox
from bot.slack.sentences import IN_A_FILE, MOVED
from bot.store import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Writers:
    outbox: Outbox
    start: Start
    edit_interval: float
    """Seconds between two edits of a message."""

    def writer(self, run: Run, language: str, *, look: bool) -> Shown:
        """For the answer to a run, in the language of its question.  With `look`, messages of it may be there of which
        nobody knows."""
        return LiveMessage(
            self.outbox,
            run.key,
            _place(run, language),
            interval=self.edit_interval,
            start=self.start,
            messages=run.messages,
            look=look,
        )


def _place(run: Run, language: str) -> Place:
    return Place(
        run.channel,
        run.thread_ts,
        run.user,
        moved=sentence(MOVED, language, channel=f"<#{run.channel}>"),
        in_a_file=sentence(IN_A_FILE, language),
    )
