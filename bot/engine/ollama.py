"""An `Engine` over Ollama.  Nothing of Ollama's is seen past this file and `ollama_wire`."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpx
import ollama

from bot.engine import EngineError, Message
from bot.engine.ollama_wire import HalfLine, Refused, Reply, error_text, refusal, request_body
from indexers.ollama_client import DEFAULT_HOST, FAILURES, normalise_host, open_client, open_http, unreachable

__all__ = ["Limits", "ModelStatus", "OllamaEngine", "PullStep", "normalise_host"]

logger = logging.getLogger(__name__)

PULL_SILENCE = 120
"""Seconds."""
MORE = 4
"""How many times the tokens a reply gets when thinking took them all."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds."""

    connect: float = 5
    first_token: float = 180
    """From the request to the first line; waiting in Ollama's own queue and loading the model count."""
    silence: float = 60
    """Between two lines."""
    total: float = 300
    """For one reply, its retry included."""
    retry_pause: float = 1
    management: float = 10
    """To list the models, or to look at one."""


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """Whether a model can research; `problem` is one sentence that names the mend, empty when it can."""

    model: str
    reachable: bool
    present: bool
    tools: bool
    problem: str = ""

    @property
    def usable(self) -> bool:
        return not self.problem


@dataclass(frozen=True, slots=True)
class PullStep:
    """A step of a pull; `completed` and `total` are bytes, 0 where the step has none."""

    status: str
    completed: int = 0
    total: int = 0


class _Passing(EngineError):
    """Nothing was told yet, and another try may go well."""


class OllamaEngine:
    """Close it, or use it as an async context manager; cancelling a call closes its connection at once."""

    def __init__(self, host: str = DEFAULT_HOST, *, limits: Limits | None = None, keep_alive: str = "30m") -> None:
        self._host = normalise_host(host)
        self._limits = limits or Limits()
        self._keep_alive = keep_alive
        self._client = open_client(self._host, connect=self._limits.connect)
        self._http = open_http(self._host, connect=self._limits.connect)
        self._windows: dict[str, int] = {}
        self._think: dict[str, bool | str | None] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._http.aclose()
        await self._client.close()

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        model: str,
        temperature: float,
        max_tokens: int,
        num_ctx: int,
        tools: Sequence[Mapping[str, Any]] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Mapping[str, Any]:
        try:
            async with asyncio.timeout(self._limits.total):
                window = self._window(model, num_ctx)
                body = request_body(
                    messages,
                    model=model,
                    options={"num_ctx": window, "num_predict": max_tokens, "temperature": temperature},
                    tools=tools,
                    think=await self._thinking(model),
                    keep_alive=self._keep_alive,
                )
                return await self._generate(body, on_text or (lambda _: None))
        except TimeoutError as error:
            raise EngineError(f"{model} did not finish a reply within {self._limits.total:g} s.") from error

    def _window(self, model: str, num_ctx: int) -> int:
        # Another window makes the server load the model again, so that one model keeps the widest it was asked for.
        self._windows[model] = max(num_ctx, self._windows.get(model, 0))
        return self._windows[model]

    async def _thinking(self, model: str) -> bool | str | None:
        """What to say about thinking: nothing to a model without it; off, or as little as the model can."""
        if model not in self._think:
            try:
                shown = await self._show(model)
            except (EngineError, Refused):
                return None  # the chat itself says better what is wrong
            family = (shown.details and shown.details.family) or ""
            least = "low" if family.replace("-", "") == "gptoss" else False  # gpt-oss cannot be told to stop
            self._think[model] = least if "thinking" in (shown.capabilities or ()) else None
        return self._think[model]

    async def _generate(self, body: dict[str, Any], on_text: Callable[[str], None]) -> dict[str, Any]:
        reply = await self._tried(body, on_text)
        if reply.lost_in_thought:
            reply = await self._with_more_tokens(body, reply, on_text)
        return reply.as_mapping()

    async def _tried(self, body: dict[str, Any], on_text: Callable[[str], None]) -> Reply:
        try:
            return await self._stream(body, on_text)
        except _Passing as error:
            logger.info("Asking %s again: %s", body["model"], error)
        await asyncio.sleep(self._limits.retry_pause)
        return await self._stream(body, on_text)

    async def _with_more_tokens(self, body: dict[str, Any], lost: Reply, on_text: Callable[[str], None]) -> Reply:
        options = body["options"]
        room = options["num_ctx"] - lost.prompt_tokens
        more = max(min(MORE * options["num_predict"], room), options["num_predict"])
        think = body["think"] if isinstance(body.get("think"), str) else False
        reply = await self._tried({**body, "options": {**options, "num_predict": more}, "think": think}, on_text)
        if reply.lost_in_thought:
            raise EngineError(
                f"{body['model']} spent all {more} tokens of its reply on thinking and wrote no answer; raise "
                "FOOTNOTE_MAX_TOKENS, or set FOOTNOTE_MODEL to one whose thinking can be turned off."
            )
        reply.prompt_tokens += lost.prompt_tokens
        reply.completion_tokens += lost.completion_tokens
        return reply

    async def _stream(self, body: dict[str, Any], on_text: Callable[[str], None]) -> Reply:
        model, reply = body["model"], Reply()
        try:
            await self._read(body, reply, on_text)
        except Refused as refused:
            error = refusal(refused, model=model, host=self._host)
            raise (_Passing(str(error)) if refused.passing and reply.empty else error) from refused
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise EngineError(unreachable(self._host)) from error
        except (httpx.HTTPError, HalfLine) as error:
            raise self._broken(model, reply) from error
        if not reply.done:
            raise self._broken(model, reply)
        return reply

    def _broken(self, model: str, reply: Reply) -> EngineError:
        sentence = f"The connection to Ollama broke off in the middle of the reply of {model}; is it still running?"
        return _Passing(sentence) if reply.empty else EngineError(sentence)

    async def _read(self, body: dict[str, Any], reply: Reply, on_text: Callable[[str], None]) -> None:
        limits, clock = self._limits, asyncio.get_running_loop().time
        started = False
        try:
            async with (
                asyncio.timeout(limits.first_token) as limit,
                self._http.stream("POST", "/api/chat", json=body) as response,
            ):
                if response.status_code != 200:
                    raise Refused(response.status_code, error_text(await response.aread()))
                async for line in _lines(response):
                    started = True
                    limit.reschedule(clock() + limits.silence)
                    text = reply.add(line)
                    if text:
                        on_text(text)
        except TimeoutError as error:
            raise EngineError(_stalled(body["model"], limits, started=started)) from error

    async def _show(self, model: str) -> ollama.ShowResponse:
        """Raises `Refused`, and `EngineError` where no Ollama answers."""
        try:
            async with asyncio.timeout(self._limits.management):
                return await self._client.show(model)
        except ollama.ResponseError as error:
            raise Refused(error.status_code, error.error) from error
        except FAILURES as error:
            raise EngineError(unreachable(self._host)) from error

    async def check(self, model: str) -> ModelStatus:
        """Whether the server is there, has the model, and the model can call tools.  Loads nothing, raises nothing."""
        try:
            shown = await self._show(model)
        except EngineError as error:
            return ModelStatus(model, reachable=False, present=False, tools=False, problem=str(error))
        except Refused as refused:
            problem = str(refusal(refused, model=model, host=self._host))
            return ModelStatus(model, reachable=True, present=False, tools=False, problem=problem)
        # `/api/show` knows; the list names `completion` alone.
        tools = "tools" in (shown.capabilities or ())
        problem = "" if tools else str(refusal(Refused(400, "does not support tools"), model=model, host=self._host))
        return ModelStatus(model, reachable=True, present=True, tools=tools, problem=problem)

    async def models(self) -> list[str]:
        """The names of the models that are there.  Raises `EngineError`."""
        try:
            async with asyncio.timeout(self._limits.management):
                return [each.model for each in (await self._client.list()).models if each.model]
        except (ollama.ResponseError, *FAILURES) as error:
            raise EngineError(unreachable(self._host)) from error

    async def pull(self, model: str) -> AsyncIterator[PullStep]:
        """Fetch the model, step by step.  Raises `EngineError`."""
        try:
            steps = await self._client.pull(model, stream=True)
            assert isinstance(steps, AsyncGenerator)
            async with aclosing(steps):
                while True:
                    async with asyncio.timeout(PULL_SILENCE):
                        step = await anext(steps)
                    yield PullStep(step.status or "", step.completed or 0, step.total or 0)
        except StopAsyncIteration:
            return
        except ollama.ResponseError as error:
            raise EngineError(
                f"Ollama could not fetch {model}; is the name right, and its registry reached?"
            ) from error
        except TimeoutError as error:
            raise EngineError(f"Ollama made no progress in fetching {model}; try again: ollama pull {model}") from error
        except FAILURES as error:
            raise EngineError(unreachable(self._host)) from error


async def _lines(response: httpx.Response) -> AsyncIterator[bytes]:
    # Not `aiter_lines`, which also breaks at signs that stand unescaped inside JSON, such as U+0085.
    rest = b""
    async for piece in response.aiter_bytes():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.strip():
                yield line
    if rest.strip():
        yield rest


def _stalled(model: str, limits: Limits, *, started: bool) -> str:
    if started:
        return f"{model} fell silent for {limits.silence:g} s in the middle of its reply."
    return (
        f"{model} did not begin to answer within {limits.first_token:g} s; is it too large for this machine, "
        "or Ollama busy?"
    )
