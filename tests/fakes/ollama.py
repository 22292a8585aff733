"""Ollama on loopback, answering as a real server did (source of 21 August 2026, with its tool and embedding models).

    async with serve_ollama() as ollama:
        ollama.calls("search", query="leave")        # one scripted turn for each request to /api/chat, in order
        ollama.says("You have ", "30 days [1].")
        ... OLLAMA_HOST = ollama.url ...
        assert ollama.chats[0]["tools"]              # the bodies of the requests, as they came

It cannot prove a model's own template and parser, nor the time that loading takes.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.fakes.ollama_rules import NOW, Model, Refused, call, check, embed, line, merged


@dataclass
class Turn:
    """What one chat answers: lines, then an ending: `done`, `hang`, `close` (no last line), `cut` (half a line)."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    ending: str = "done"
    done_reason: str = "stop"
    status: int = 200
    error: str = ""


class FakeOllama:
    def __init__(self, parallel: int = 64) -> None:
        self.models = {
            "gemma4:31b": Model(["completion", "tools", "thinking"]),
            "embeddinggemma:latest": Model(["embedding"], context=2048),
        }
        """What is there, by full name; add and delete freely."""
        self.pullable = {"gemma4:31b", "embeddinggemma:latest"}
        self.chats: list[dict[str, Any]] = []
        self.embeds: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        """The headers of every request."""
        self.paths: list[str] = []
        self.turns: list[Turn] = []
        self.embed_failures: list[tuple[int, str] | Literal["reset", "hang"]] = []
        """How the next requests to /api/embed fail, one each."""
        self.cancelled = 0
        """Chats whose client went away before their end."""
        self.most_at_once = 0
        self._running = 0
        self._slots = asyncio.Semaphore(parallel)
        self._changed = asyncio.Condition()
        self._closing = asyncio.Event()
        app = web.Application(middlewares=[self._note], client_max_size=2**26)
        app.router.add_get("/", self._root)
        for path, handler in self._routes().items():
            app.router.add_route("*", path, handler)
        self._server = TestServer(app)

    @property
    def url(self) -> str:
        return str(self._server.make_url("")).rstrip("/")

    # The script: each call adds one turn.

    def says(self, *pieces: str, done_reason: str = "stop") -> None:
        self.turns.append(Turn([{"content": piece} for piece in pieces], done_reason=done_reason))

    def calls(self, tool: str, /, **arguments: Any) -> None:
        self.turns.append(Turn([call(len(self.turns), tool, arguments)]))

    def thinks(self, thought: str, *pieces: str, done_reason: str = "stop") -> None:
        """Streams thinking first; without pieces and with `length`, the thinking ate the whole reply."""
        thinking = [{"content": "", "thinking": part} for part in thought.split(" ")]
        self.turns.append(Turn(thinking + [{"content": piece} for piece in pieces], done_reason=done_reason))

    def hangs(self, *pieces: str) -> None:
        self.turns.append(Turn([{"content": piece} for piece in pieces], ending="hang"))

    def breaks_off(self, *pieces: str, mid_line: bool = False) -> None:
        """The connection closes without a last line, or in the middle of one."""
        self.turns.append(Turn([{"content": piece} for piece in pieces], ending="cut" if mid_line else "close"))

    def resets(self) -> None:
        """The connection closes before a byte of the answer came."""
        self.turns.append(Turn(ending="reset"))

    def fails(self, status: int, error: str) -> None:
        self.turns.append(Turn(status=status, error=error))

    def fails_after(self, *pieces: str, error: str) -> None:
        """An error line in the middle of the stream, as when the model's process dies."""
        self.turns.append(Turn([{"content": piece} for piece in pieces], error=error))

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until what the server has seen meets the condition; fail after five seconds."""
        async with asyncio.timeout(5), self._changed:
            await self._changed.wait_for(condition)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _routes(self) -> dict[str, Callable[[web.Request], Any]]:
        return {
            "/api/version": self._version,
            "/api/tags": self._tags,
            "/api/show": self._show,
            "/api/chat": self._chat,
            "/api/pull": self._pull,
            "/api/embed": self._embed,
            "/api/embeddings": self._old_embed,
        }

    @web.middleware
    async def _note(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        self.paths.append(request.path)
        await self._tell()
        try:
            return await handler(request)
        except Refused as refused:
            return web.json_response({"error": refused.error}, status=refused.status)

    def _model(self, body: dict[str, Any]) -> Model:
        name = body.get("model") or body.get("name") or ""
        model = self.models.get(_tagged(name))
        if model is None:
            raise Refused(404, f"model '{name}' not found")
        return model

    async def _root(self, request: web.Request) -> web.Response:
        return web.Response(text="Ollama is running")

    async def _version(self, request: web.Request) -> web.Response:
        return web.json_response({"version": "0.12.10"})

    async def _tags(self, request: web.Request) -> web.Response:
        return web.json_response({"models": [self._entry(name) for name in self.models]})

    def _entry(self, name: str) -> dict[str, Any]:
        # Only `completion`: the list does not know what the model's template can do; /api/show does.
        return {
            "name": name,
            "model": name,
            "modified_at": NOW,
            "size": 1,
            "digest": "0" * 64,
            "details": self._details(name),
            "capabilities": ["completion"],
        }

    def _details(self, name: str) -> dict[str, Any]:
        family = self.models[name].family or name.split(":")[0]
        return {"parent_model": "", "format": "gguf", "family": family, "families": [family]}

    async def _show(self, request: web.Request) -> web.Response:
        body = await request.json()
        model = self._model(body)
        details = self._details(_tagged(body.get("model") or body["name"]))
        info = {"general.architecture": details["family"], f"{details['family']}.context_length": model.context}
        return web.json_response({"details": details, "model_info": info, "capabilities": model.capabilities})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.chats.append(body)
        await self._tell()
        async with self._slots:
            self._running += 1
            self.most_at_once = max(self.most_at_once, self._running)
            try:
                return await self._answer(request, body)
            except (asyncio.CancelledError, ConnectionError):
                self.cancelled += 1
                raise
            finally:
                self._running -= 1
                await self._tell()

    async def _answer(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        tokens = check(self._model(body), body)
        if not body["messages"]:
            return web.json_response(line(body, {"content": ""}, done=True, done_reason="load"))
        if not self.turns:
            raise Refused(500, "the fake was given no turn for this chat")
        turn = self.turns.pop(0)
        if turn.ending == "reset":
            _abort(request)
        if turn.status != 200:
            raise Refused(turn.status, turn.error)
        last = line(body, {"content": ""}, done=True, done_reason=turn.done_reason)
        last |= {"prompt_eval_count": tokens, "eval_count": len(turn.messages), "total_duration": 1, "load_duration": 1}
        if not body.get("stream", True):
            return web.json_response(last | {"message": merged(turn.messages)})
        return await self._stream(request, body, turn, last)

    async def _stream(
        self, request: web.Request, body: dict[str, Any], turn: Turn, last: dict[str, Any]
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "application/x-ndjson"})
        await response.prepare(request)
        for message in turn.messages:
            text = json.dumps(line(body, message), ensure_ascii=False)
            await response.write(text.encode() + b"\n")
        if turn.ending == "hang":
            await self._closing.wait()
        elif turn.ending in ("close", "cut"):
            await response.write(b'{"model": "x", "mess' * (turn.ending == "cut"))
        else:
            await response.write(json.dumps({"error": turn.error} if turn.error else last).encode() + b"\n")
        return response

    async def _pull(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        name = _tagged(body.get("model") or body["name"])
        steps: list[dict[str, Any]] = [{"status": "pulling manifest"}]
        if name in self.pullable:
            layer = {"status": "pulling aaaaaaaaaaaa", "digest": "sha256:" + "a" * 64, "total": 100}
            steps += [layer, layer | {"completed": 50}, layer | {"completed": 100}, {"status": "success"}]
            self.models.setdefault(name, Model(["completion", "tools"]))
        else:
            steps.append({"error": "pull model manifest: file does not exist"})
        if not body.get("stream", True):
            return web.json_response(steps[-1], status=500 if "error" in steps[-1] else 200)
        text = "".join(json.dumps(step) + "\n" for step in steps)
        return web.Response(text=text, content_type="application/x-ndjson")

    async def _embed(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.embeds.append(body)
        await self._tell()
        match self.embed_failures.pop(0) if self.embed_failures else None:
            case "reset":
                _abort(request)
            case "hang":
                await self._closing.wait()
            case (status, error):
                raise Refused(status, error)
        model = self._model(body)
        if "embedding" not in model.capabilities:
            raise Refused(501, "This server does not support embeddings. Start it with --embeddings")
        return web.json_response({"model": body["model"], **embed(body, model.context)})

    async def _old_embed(self, request: web.Request) -> web.Response:
        body = await request.json()
        reply = embed({"input": [body["prompt"]]}, self._model(body).context)
        return web.json_response({"embedding": [3 * value for value in reply["embeddings"][0]]})  # not normalised

    async def close(self) -> None:
        self._closing.set()
        await self._server.close()


def _abort(request: web.Request) -> None:
    assert request.transport is not None
    request.transport.abort()


def _tagged(name: str) -> str:
    return name if ":" in name else f"{name}:latest"


@asynccontextmanager
async def serve_ollama(parallel: int = 64) -> AsyncIterator[FakeOllama]:
    """The fake, up on a free port; `parallel` chats run at once, the others wait."""
    ollama = FakeOllama(parallel)
    await ollama._server.start_server(shutdown_timeout=1)
    try:
        yield ollama
    finally:
        await ollama.close()
