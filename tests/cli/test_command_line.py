"""The command line itself: help, exit codes, and errors in one line."""

import asyncio
import signal
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import version

import pytest

from bot.cli.running import Failed, guarded
from bot.engine import EngineError


def test_help_names_every_command(footnote):
    done = footnote("--help")
    assert done.code == 0
    assert all(name in done.out for name in ("demo", "ask", "search", "index", "models", "manifest", "run"))


def test_the_version_is_that_of_the_distribution(footnote):
    assert footnote("--version").out == f"footnote {version('footnote-bot')}\n"


def test_help_loads_neither_the_index_nor_a_client():
    code = "import sys\nfrom bot.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\nprint(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "httpx", "slack_sdk", "pydantic", "bot.research"} & set(loaded)


@pytest.mark.parametrize(
    "arguments",
    [["fly"], ["ask"], ["ask", "--fast", "why?"], ["index", "files"], ["search", "x", "--limit", "0"], ["ask", " "]],
)
def test_a_wrong_command_line_is_2(footnote, arguments):
    done = footnote(*arguments)
    assert done.code == 2
    assert done.err
    assert done.out == ""


@pytest.mark.parametrize(
    ("arguments", "set_to", "name"),
    [(["ask", "why?"], {"FOOTNOTE_NUM_CTX": "many"}, "FOOTNOTE_NUM_CTX"), (["run"], {}, "SLACK_BOT_TOKEN")],
)
def test_a_wrong_or_missing_setting_is_one_line_and_2(footnote, env, arguments, set_to, name):
    env(**set_to)
    done = footnote(*arguments)
    assert done.code == 2
    assert done.err.startswith(f"error: {name} ")
    assert done.err.count("\n") == 1


def test_an_unknown_setting_of_ours_is_warned_of(footnote, env):
    env(FOOTNOTE_MODLE="x")
    assert "warning: FOOTNOTE_MODLE is not a setting; did you mean FOOTNOTE_MODEL?" in footnote("search", "x").err


@pytest.mark.parametrize(("command", "more"), [("search", []), ("ask", ["--json"])])
def test_without_an_index_the_command_that_makes_one_is_named(footnote, command, more):
    done = footnote(command, "leave", *more)
    assert (done.code, done.out) == (1, "")
    assert "footnote index files PATH" in done.err


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        pytest.param(Failed("It is\nnot there.", 2), 2, "error: It is not there.\n", id="a failure that is foreseen"),
        pytest.param(EngineError("No model."), 1, "error: No model.\n", id="an error of an engine"),
        pytest.param(
            ExceptionGroup("", [ExceptionGroup("", [EngineError("No model.")])]), 1, "error: No model.\n", id="wrapped"
        ),
        pytest.param(
            KeyError("x"),
            1,
            "error: Unexpected: KeyError: 'x' (FOOTNOTE_LOG_LEVEL=debug shows where.)\n",
            id="an unforeseen one",
        ),
        pytest.param(KeyboardInterrupt(), 130, "", id="Ctrl-C"),
    ],
)
def test_whatever_is_raised_ends_in_one_line_and_a_code(capfd, raised, code, said):
    def program():
        raise raised

    with pytest.raises(SystemExit) as ended:
        guarded(program)
    assert ended.value.code == code
    assert capfd.readouterr().err == said


@pytest.mark.parametrize(("name", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_ctrl_c_and_sigterm_at_the_prompt_end_quietly(process, name, code):
    async with process("demo") as running:
        async with asyncio.timeout(20):
            await running.stdout.readuntil(b"Ask something")
            while running.returncode is None:  # the first may come before anything listens for it
                running.send_signal(name)
                with suppress(TimeoutError):
                    async with asyncio.timeout(3):
                        await running.wait()
        err = await running.stderr.read()
    assert (running.returncode, err) == (code, b"")


@pytest.mark.parametrize("host", ["host:port", "::::bad", "host:99999", "http://[::1"])
async def test_what_a_library_reads_at_its_import_is_looked_at_before(process, env, host):
    env(OLLAMA_HOST=host)
    async with process("ask", "leave") as running:
        out, err = await running.communicate()
    assert (running.returncode, out) == (2, b"")
    assert err.decode().startswith(f"error: OLLAMA_HOST {host!r}" if "://" not in host else "error: OLLAMA_HOST ")
    assert err.count(b"\n") == 1


def test_a_home_that_cannot_be_made_is_one_line_that_names_the_setting(footnote, env, tmp_path):
    (tmp_path / "file").write_text("", "utf-8")
    env(FOOTNOTE_HOME=str(tmp_path / "file" / "home"))
    done = footnote("index", "files", tmp_path)
    assert done.code == 2
    assert done.err.startswith("error: FOOTNOTE_HOME ")
    assert done.err.count("\n") == 1
