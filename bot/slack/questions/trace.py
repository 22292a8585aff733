"""How an answer came to be, step by step: for those who ask, and to run it again.  No I/O."""

import time
from collections.abc import Callable, Mapping

from bot.research import Event, RunState, SearchCall, SearchError, SearchResult, WebSearch
from bot.research.events import ClarifyCall
from bot.research.shaping import CORPUS_CAP, WEB_CAP
from bot.store import Step
from bot.web import NO_RESULTS, Sent, links_in


class Trace:
    def __init__(self, steps: tuple[Step, ...] = (), *, clock: Callable[[], float] = time.monotonic) -> None:
        """`steps`: of before the run was interrupted.  `clock` gives seconds from anywhere."""
        self.steps = steps
        self._clock = clock
        self._began = clock()
        self._tokens = sum(step.tokens for step in steps)
        self._asked = ""
        self.connected: tuple[str, ...] = ()
        """The sources that could be searched."""

    def note(self, event: Event) -> None:
        """Keep what an event tells."""
        match event:
            case SearchCall(arguments=arguments):
                self._asked = str(arguments.get("query") or "")
                self._began = self._clock()
            case SearchResult(num_hits=found, web=web):
                kept = min(found, WEB_CAP if web else CORPUS_CAP)
                self._add(Step(what="web_search" if web else "search", text=self._asked, found=found, kept=kept))
            case SearchError(web=web):
                self._add(Step(what="web_search" if web else "search", text=self._asked, failed=True))
            case WebSearch():
                self._add(_of_the_web(event))
            case ClarifyCall(question=question):
                self._add(Step(what="clarify", text=question))
            case _:
                pass

    def sent(self, sent: Sent) -> None:
        """Keep what went out of the house."""
        step = Step(what="page_request" if sent.page else "query", text=sent.what, engine=sent.to)
        self.steps = (*self.steps, step)

    @property
    def queries(self) -> tuple[str, ...]:
        """What search engines were asked, as far as is known."""
        return tuple(dict.fromkeys(step.text for step in self.steps if step.what == "query"))

    def checkpoint(self, state: RunState) -> None:
        """Keep what a run tells of itself as it goes."""
        self.connected = tuple(state.sources)
        self.used(state.usage)

    def used(self, usage: Mapping[str, int]) -> None:
        """Keep what the model has used since it was told the last time; `usage` is that of the whole run."""
        used = usage.get("total_tokens", 0) - self._tokens
        if used > 0:
            self._tokens += used
            self._add(Step(what="model", tokens=used))

    def _add(self, step: Step) -> None:
        now = self._clock()
        self.steps = (*self.steps, step.model_copy(update={"seconds": round(now - self._began, 2)}))
        self._began = now


def _of_the_web(event: WebSearch) -> Step:
    """A message that names a page has it read, and nothing searched."""
    count, failed = len(event.sources), event.error not in (None, NO_RESULTS)
    if links := links_in(event.query):
        return Step(what="page", text=links[0], failed=failed)
    return Step(what="web_search", text=event.query, found=count, kept=count, failed=failed)
