"""What the research loop itself costs: a scripted engine, five searches of 20 hits each, and an answer."""

import asyncio
import sys
import time
from typing import Any

from bot.engine.scripted import ScriptedEngine
from bot.research import ResearchAgent, SearchHit
from tests.benchmarks.table import Row, show

RUNS = 40
SEARCHES = 5
HITS = 20
BAR = 5.0
SNIPPET = (
    "The migration of the billing service to the new region was agreed on in the meeting of the platform team. " * 4
)
ANSWER = "The migration was agreed on [1][3]. It begins in **March** [22], and costs *nothing* [41, 42]. " * 8


def run() -> list[Row]:
    _cpu(2)  # what is loaded at the first use is no cost of a step
    steps = RUNS * (SEARCHES + 1)
    milliseconds = _cpu(RUNS) * 1000 / steps
    what = f"the loop, CPU a step, {HITS} hits a search, {steps} steps"
    return [Row(what, f"{milliseconds:.2f} ms", f"≤ {BAR:.0f} ms", milliseconds <= BAR)]


def _cpu(runs: int) -> float:
    """Seconds of CPU for so many runs, what stands around the loop left out."""
    began = time.process_time()
    asyncio.run(_runs(runs))
    return time.process_time() - began


async def _runs(count: int) -> None:
    documents = _Search()
    for _ in range(count):
        search = {"tool_calls": [{"id": "c", "name": "search", "arguments": {"query": "billing migration"}}]}
        engine = ScriptedEngine([*[search] * SEARCHES, {"content": ANSWER}])
        result = await ResearchAgent(engine, documents, num_ctx=32768).run("When does the migration begin?")
        assert result.stop_reason == "answered"
        assert len(result.tool_calls) == SEARCHES
        assert result.sources


class _Search:
    def __init__(self) -> None:
        self.hits = [_hit(number) for number in range(HITS)]

    async def search(self, query: str, **filters: Any) -> list[SearchHit]:
        return list(self.hits)

    async def available_sources(self) -> list[str]:
        return ["files", "slack"]


def _hit(number: int) -> SearchHit:
    context = [
        {"chunk_idx": index, "timestamp": "2026-11-01T10:00:00+01:00", "author": "Ada", "snippet": SNIPPET[:240]}
        for index in range(6)
    ]
    return SearchHit(
        chunk_id=f"files:doc{number}#0",
        document_id=f"files:doc{number}",
        chunk_idx=0,
        title=f"Minutes of the platform team, number {number}",
        content_snippet=SNIPPET[:500],
        source="files",
        timestamp="2026-11-01T10:00:00+01:00",
        participants=["Ada Lovelace", "ada@example.com"],
        score=0.9 - number / 100,
        bm25_score=7.5,
        vector_score=0.6,
        thread_context=context,
        url=f"https://wiki.example/minutes/{number}",
    )


if __name__ == "__main__":
    rows = run()
    sys.stdout.write(show(rows) + "\n")
    sys.exit(not all(row.ok for row in rows))
