"""Reading from whoever sits at the terminal, and writing for programs."""

import asyncio
import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import typer

from bot.cli.running import TERMINATED


def at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def read_line(prompt: str = "") -> str | None:
    """A line from stdin; None at the end of input.

    Blocks its caller, the event loop too: at a terminal there is one person, and nothing else to do meanwhile.
    """
    with _interruptible():
        if at_terminal():
            try:
                return input(prompt)
            except EOFError:
                return None
        line = sys.stdin.readline()
        return line.rstrip("\r\n") if line else None


def typed(text: str) -> str:
    """What was typed, stripped; bytes that are no text, in an argument, become question marks."""
    return text.encode("utf-8", "replace").decode().strip()


def write_json(value: object) -> None:
    """One value on stdout."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C and SIGTERM end the reading at once; asyncio's own handlers would only ask a loop to end that is not
    running."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: _terminate}
    before = {name: signal.signal(name, handler) for name, handler in handlers.items()}
    try:
        if _cancelled():  # it came a moment ago
            raise KeyboardInterrupt
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(TERMINATED)


def _cancelled() -> bool:
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs
        return False
    return task is not None and task.cancelling() > 0
