"""How every command runs: its settings first, then its work, and whatever goes wrong said in one line."""

import logging
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    import asyncio

    from bot.config import Command, Config


KEEPING = ("index", "demo", "models", "run")
"""Commands that write into `FOOTNOTE_HOME`."""
TERMINATED = 128 + signal.SIGTERM
"""The exit code of what SIGTERM has ended, as of any program that it ends."""
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class Failed(Exception):
    """The command cannot go on; `code` is its exit code, the text one line that says why and what mends it."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


def settings(command: "Command") -> "Config":
    """The settings of the command, checked; warns of those that are none, and sets up the log."""
    from bot.config import Config, ConfigError, unknown_settings

    try:
        config = Config.read(command)
        for warning in unknown_settings():
            typer.echo(f"warning: {warning}", err=True)
    except ConfigError as error:
        raise Failed(str(error), 2) from None
    _log(config.footnote_log_level or ("info" if command == "run" else "warning"))
    if command in KEEPING:
        _make_home(config.footnote_home)
    return config


def _make_home(home: Path) -> None:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise Failed(f"FOOTNOTE_HOME {str(home)!r} cannot be used: {reason}. Name a folder to write to.", 2) from None


def run(work: Coroutine[Any, Any, int]) -> NoReturn:
    """Does the work of a command, which gives its exit code, and exits."""
    import asyncio

    raise typer.Exit(asyncio.run(_until_terminated(work)))


async def _until_terminated(work: Coroutine[Any, Any, int]) -> int:
    """SIGTERM ends the work as Ctrl-C does: what was made for a while only is removed before the command exits."""
    import asyncio

    with _cancelled_by_sigterm() as terminated:
        try:
            return await work
        except (asyncio.CancelledError, KeyboardInterrupt):
            if terminated.is_set():
                raise SystemExit(TERMINATED) from None
            raise


@contextmanager
def _cancelled_by_sigterm() -> "Iterator[asyncio.Event]":
    """As `asyncio` does it for Ctrl-C, at once and not when the loop comes to it; gives what says that it has come."""
    import asyncio

    loop, task, terminated = asyncio.get_running_loop(), asyncio.current_task(), asyncio.Event()

    def terminate(number: int, frame: FrameType | None) -> None:
        terminated.set()
        assert task is not None
        task.cancel()
        loop.call_soon_threadsafe(lambda: None)

    if threading.current_thread() is not threading.main_thread():  # where there are no signals
        yield terminated
        return
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield terminated
    finally:
        signal.signal(signal.SIGTERM, before)


def guarded(program: Callable[[], object]) -> NoReturn:
    """Runs a program that exits by itself; what it raises becomes one line on stderr and an exit code."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        program()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BaseExceptionGroup as group:
        _end(_first(group))
    except Exception as error:  # noqa: BLE001 - the last resort, so that no command ends in a traceback
        _end(error)
    raise SystemExit(0)


def _first(error: BaseException) -> BaseException:
    """What a task group wraps: a command fails for its first reason."""
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def _end(error: BaseException) -> NoReturn:
    if isinstance(error, Failed):
        text, code = str(error), error.code
    else:
        text, code = _sentence(error), 1
    logging.getLogger("bot").debug("the command failed", exc_info=error)
    typer.echo(f"error: {' '.join(text.split())}", err=True)
    raise SystemExit(code)


def _sentence(error: BaseException) -> str:
    from bot.engine import EngineError
    from bot.research import SearchFailed
    from bot.store import StoreError
    from indexers.embedding import EmbeddingError
    from indexers.index import IndexFault

    if isinstance(error, EngineError | SearchFailed | StoreError | EmbeddingError | IndexFault | OSError):
        return str(error)
    return f"Unexpected: {type(error).__name__}: {error} (FOOTNOTE_LOG_LEVEL=debug shows where.)"


def _log(level: str) -> None:
    # Other libraries' logs may hold tokens and message text, so only ours go below warnings.
    logging.basicConfig(level=logging.WARNING, handlers=[_Stderr()], format=LOG_FORMAT)
    for name in ("bot", "indexers"):
        logging.getLogger(name).setLevel(level.upper())


class _Stderr(logging.Handler):
    """Writes to what stderr is at the time, since the live view puts itself in its place."""

    def emit(self, record: logging.LogRecord) -> None:
        typer.echo(self.format(record), err=True)
