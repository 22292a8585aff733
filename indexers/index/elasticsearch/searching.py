"""Several searches in one request, and nothing of what came back that should not be trusted."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson

from indexers.document import Audience
from indexers.index import IndexFault
from indexers.index.elasticsearch import hidden, queries
from indexers.index.elasticsearch.ahead import Ahead
from indexers.index.elasticsearch.client import Server, fault_of, foreign, kind_of
from indexers.index.elasticsearch.hidden import Answer
from indexers.index.elasticsearch.mapping import Names
from indexers.index.elasticsearch.memory import Memory
from indexers.index.elasticsearch.records import place_of, unpacked

REMEMBERED = 10_000

_WANTED = (
    "responses.status",
    "responses.error.type",
    "responses.timed_out",
    "responses._shards.failed",
    "responses.hits.hits._score",
    "responses.hits.hits._source",
    "responses.hits.hits.fields",
    "responses.hits.hits.sort",
    "responses.aggregations",
)


@dataclass(slots=True)
class Searches:
    server: Server
    names: Names
    groups: dict[str, str] = field(default_factory=dict)
    """The thread, or document, of each chunk that a list had lately, by which its thread is read with its passage."""
    ahead: Ahead = field(default_factory=Ahead)
    memory: Memory = field(default_factory=Memory)

    def forget(self) -> None:
        self.ahead.forget()
        self.memory.forget()

    async def run(self, bodies: Sequence[Mapping[str, Any]], audience: Audience) -> list[dict[str, Any]]:
        """An answer a body; raises `IndexFault` if one of them failed, came late or is not whole."""
        answers = await self.attempt(bodies, audience)
        for answer in answers:
            if isinstance(answer, IndexFault):
                raise answer
        return [answer for answer in answers if not isinstance(answer, IndexFault)]

    async def attempt(self, bodies: Sequence[Mapping[str, Any]], audience: Audience) -> list[Answer]:
        """The same, with the fault in the place of an answer.

        Where what may not be seen has taken the place of something else, that is asked for again, for more.
        """
        asked = dict(enumerate(bodies))
        answers, dropped = await self._ask(asked, audience)
        while asked := {
            at: hidden.wider(asked[at], number)
            for at, number in dropped.items()
            if hidden.hides_others(asked[at], answers[at], number, bodies[at]["size"])
        }:
            more, dropped = await self._ask(asked, audience)
            answers |= {at: hidden.cut(answer, bodies[at]["size"]) for at, answer in more.items()}
        return list(answers.values())

    async def _ask(
        self, bodies: Mapping[int, Mapping[str, Any]], audience: Audience
    ) -> tuple[dict[int, Answer], dict[int, int]]:
        """What may be seen, and how much may not be of those where something may not.

        What is being written is asked each time, too: it shows all at once, but for what another writer, or a crash,
        lets be seen too soon.
        """
        header = {"preference": queries.preference(audience), "allow_partial_search_results": False}
        lines: list[Any] = [_line(part) for body in (*bodies.values(), queries.moment()) for part in (header, body)]
        with self.server.faults():
            told = await self.server.reader.msearch(index=self.names.read, searches=lines, filter_path=_WANTED)
        *answers, moment = [self._checked(answer) for answer in self._answers(told.body, len(bodies) + 1)]
        if isinstance(moment, IndexFault):
            raise moment
        if "aggregations" not in moment:
            raise foreign(self.server.address)
        if self.memory.learn(queries.at(moment)):
            self.ahead.forget()
        found = dict(zip(bodies, answers, strict=True))
        visible = queries.in_transit(moment)
        return found, {at: number for at, one in found.items() if (number := hidden.drop(one, visible))}

    def hits(self, answer: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """By chunk id."""
        hits = hidden.hits_of(answer)
        if not hits:
            return {}
        chunks, _, groups = zip(*[place_of(hit["fields"]["place"][0]) for hit in hits], strict=True)
        if len(self.groups) > REMEMBERED:
            self.groups.clear()
        self.groups.update(zip(chunks, groups, strict=True))
        return dict(zip(chunks, hits, strict=True))

    def packed(self, answer: Mapping[str, Any], name: str) -> dict[str, list[Any]]:
        """By chunk id what is packed under a name, behind its place."""
        rows = unpacked(hit["fields"][name][0] for hit in hidden.hits_of(answer))
        return {row[0]: row for row in rows}

    def _answers(self, told: Any, number: int) -> list[dict[str, Any]]:
        """As many as were asked for; a proxy may say anything in place of them."""
        answers = told.get("responses") if isinstance(told, dict) else None
        if not isinstance(answers, list) or len(answers) != number:
            raise foreign(self.server.address)
        if not all(isinstance(one, dict) and isinstance(one.get("status"), int) for one in answers):
            raise foreign(self.server.address)
        return answers

    def _checked(self, answer: dict[str, Any]) -> Answer:
        if answer["status"] != 200:
            return fault_of(answer["status"], kind_of(answer), self.server.address)
        if answer.get("timed_out") or answer.get("_shards", {}).get("failed"):
            return IndexFault(
                f"Elasticsearch at {self.server.address} answered from a part of the index only; "
                "look at its health and its load."
            )
        return answer


def _line(part: Mapping[str, Any]) -> bytes:
    """A body as bytes: the client does several searches with the standard library, which takes long over a vector."""
    try:
        return orjson.dumps(part, option=orjson.OPT_SERIALIZE_NUMPY)
    except orjson.JSONEncodeError:  # a filter holds half a character
        return json.dumps(part, default=np.ndarray.tolist).encode()
