"""The command `footnote`, run as a user runs it, in a home of its own and with no service anywhere."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.cli import main
from tests.fakes.slack import APP_TOKEN, BOT, BOT_TOKEN, serve_slack

ROOT = Path(__file__).parents[2]
NOWHERE = "http://127.0.0.1:9"
"""The port `discard`, where nothing listens."""


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


@pytest.fixture
def home(env, tmp_path):
    """`FOOTNOTE_HOME`, in an environment with neither Ollama nor vectors."""
    folder = tmp_path / "home"
    env(FOOTNOTE_HOME=str(folder), FOOTNOTE_EMBEDDINGS="none", OLLAMA_HOST=NOWHERE)
    return folder


@pytest.fixture
def footnote(home, capfd) -> Callable[..., Done]:
    """Runs the command in this process, to its end."""

    def run(*arguments: str) -> Done:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Done(int(ended.value.code or 0), out, err)

    return run


@pytest.fixture
def process(home) -> Callable[..., object]:
    """Starts the command as a process of its own; it is killed if the test leaves it running."""

    @asynccontextmanager
    async def start(*arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
        pipe = asyncio.subprocess.PIPE
        command = [sys.executable, "-m", "bot", *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
        running = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)
        try:
            yield running
        finally:
            if running.returncode is None:
                running.kill()
            await running.communicate()

    return start


@pytest.fixture
async def slack(env):
    """A workspace whose people are in the channel C1, and the settings for it."""
    async with serve_slack() as slack:
        slack.workspace.person("U1", "Ada Lovelace")
        slack.workspace.channel("C1", "general", "U1", BOT)
        env(SLACK_API_URL=slack.url, SLACK_BOT_TOKEN=BOT_TOKEN, SLACK_APP_TOKEN=APP_TOKEN)
        yield slack


@pytest.fixture
def docs(tmp_path):
    """A folder of two documents."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "leave.md").write_text("# Leave policy\n\nEveryone has 30 days of paid leave a year.\n", "utf-8")
    (folder / "lunch.txt").write_text("Lunch is served at noon in the canteen on the second floor.\n", "utf-8")
    return folder
