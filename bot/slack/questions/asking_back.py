"""A run asks back in its thread, waits for as long as it takes, and goes on from what was answered."""

import json
import logging

from bot.research import RunState, Waiting
from bot.research.clarify import EMPTY_ANSWER, NO_ANSWER
from bot.slack.api.outbox import Mark, Refusal
from bot.slack.messages.choices import asking, choices
from bot.slack.messages.links import words
from bot.slack.messages.mrkdwn import convert
from bot.slack.messages.split import split
from bot.slack.questions.files import put_by
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.kept import KeptRun
from bot.slack.questions.means import Means, Shown

logger = logging.getLogger(__name__)


class AskingBack:
    def __init__(self, means: Means, kept: KeptRun, asked: Inbound, message: Shown) -> None:
        self._means = means
        self._kept = kept
        self._asked = asked
        self._message = message

    async def ask(self, question: str) -> str:
        """Post the question in the thread, and raise `Waiting`, as the answer comes later; gives that there is none
        where Slack does not take the question.
        """
        kept, store, thread = self._kept, self._means.store, self._asked.thread
        again = kept.run.asked_back == question  # it may be there already, from before a restart
        await kept.change(asked_back=question, since=store.now())
        if again and kept.run.reply is not None:
            raise Waiting  # It was answered while nobody was at it.
        # From before it is posted, since the answer may be quick.
        await store.asking(*thread, kept.run.key)
        await self._message.pause()
        try:
            await self._post(question, look=again)
        except (Refusal, TimeoutError) as error:
            logger.warning("%s: a question back was not taken (%s)", kept.run.key, error)
            await kept.change(asked_back="")
            return NO_ANSWER
        raise Waiting

    async def _post(self, question: str, *, look: bool) -> None:
        run = self._kept.run
        texts = split(convert(question) or words(question))
        for number, text in enumerate(texts):
            mark = Mark(run.key, f"asked {run.asks}.{number}")
            offered = choices(question) if text is texts[-1] else ()
            await self._means.outbox.post(*self._asked.thread, asking(text, offered, run), mark, look=look)

    async def waits(self) -> bool:
        """Leave the run for whenever it is answered; False where that has been done already."""
        await self._kept.wait()
        if self._kept.run.status != "waiting":
            return self._kept.run.status == "stopping"
        logger.info("%s: waits for an answer", self._kept.run.key)
        await self._message.leave()
        await self._kept.change(messages=self._message.messages)
        return True

    async def take_reply(self) -> bool:
        """Go on from what was answered: False where nobody has, and the time for it is over."""
        run = self._kept.run
        state, said, put = RunState.model_validate_json(run.state), [], set[str]()
        if run.reply:
            message = Inbound.of(json.loads(run.reply))
            replied = await self._means.contexts.replied(message, state.query, state.language)
            state = state.answered(replied.text or EMPTY_ANSWER, replied.enclosed)
            for note in replied.notes:
                state.warn(note)
            said = [message.own_text] if message.user == self._asked.user else []
            put = put_by(self._asked.user, message.files)
        else:
            state = state.answered(NO_ANSWER)
        kept = {"said": (*run.said, *said), "put": (*run.put, *sorted(put))}
        await self._kept.change(state=state.model_dump_json(), reply=None, asked_back="", **kept)
        return bool(run.reply)
