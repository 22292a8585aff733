"""Research as it is counted: how many run, how many wait for the model, how they end, how long they take."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.metrics import QUESTIONS, RUN_SECONDS, RUNNING, WAITING
from bot.research import ResearchResult, Waiting
from bot.slack.questions.means import Agent, Researcher


@dataclass(frozen=True, slots=True)
class MeasuredResearcher:
    researcher: Researcher

    def __call__(self, *, on_place: Callable[[int], None], **options: Any) -> Agent:
        line = _Line(on_place)
        return _Measured(self.researcher(on_place=line.told, **options), line)


@dataclass(slots=True)
class _Line:
    """Whether one question waits for the model."""

    on_place: Callable[[int], None]
    waits: bool = False

    def told(self, place: int) -> None:
        self.wait(place > 0)
        self.on_place(place)

    def wait(self, waits: bool) -> None:
        WAITING.inc(int(waits) - int(self.waits))
        self.waits = waits


@dataclass(frozen=True, slots=True)
class _Measured:
    agent: Agent
    line: _Line

    async def run(self, query: str, **given: Any) -> ResearchResult:
        began, outcome = time.monotonic(), "failed"
        try:
            with RUNNING.track_inprogress():
                result = await self.agent.run(query, **given)
            outcome = result.stop_reason
            return result
        except Waiting:
            outcome = "waiting"
            raise
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            self.line.wait(False)
            QUESTIONS.labels(outcome).inc()
            RUN_SECONDS.observe(time.monotonic() - began)
