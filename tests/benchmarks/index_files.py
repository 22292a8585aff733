"""`footnote index files` over 2,000 small Markdown files without embeddings, then again with nothing changed.

In process: Python's own start is left out.
"""

import asyncio
import hashlib
import random
import sys
import tempfile
import time
from pathlib import Path

from indexers.index.embedded import open_index
from indexers.reading import Extractor
from indexers.sources.files import Files
from indexers.sync import Report, sync
from tests.benchmarks.table import Row, show

FILES = 2_000
FOLDERS = 40
SPEED = 300.0
RATIO = 3.0
WORDS = "leave policy team budget report review launch market office travel meeting server backup release note".split()  # noqa: SIM905


def run(files: int = FILES) -> list[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        folder, index = Path(scratch) / "documents", Path(scratch) / "index.sqlite"
        make(folder, files)
        first, report = _timed(folder, index)
        assert (report.written, report.failed) == (files, [])
        again, ratios = 0.0, []
        for _ in range(5):
            bare = _read_and_hashed(folder)
            again, report = _timed(folder, index)
            assert (report.unchanged, report.written) == (files, 0)
            ratios.append(again / bare)
    speed, ratio = files / first, sorted(ratios)[len(ratios) // 2]
    return [
        Row(f"index {files:,} new Markdown files", f"{speed:.0f} files/s", f"≥ {SPEED:.0f} files/s", speed >= SPEED),
        Row(
            f"index {files:,} unchanged files ÷ reading and hashing them",
            f"{ratio:.2f} ({again * 1000:.0f} ms)",
            f"≤ {RATIO:.0f}",
            ratio <= RATIO,
        ),
    ]


def _timed(folder: Path, index: Path) -> tuple[float, Report]:
    began = time.perf_counter()
    report = asyncio.run(_indexed(folder, index))
    return time.perf_counter() - began, report


async def _indexed(folder: Path, file: Path) -> Report:
    async with open_index(file, create=True) as index, Extractor() as extractor:
        return await sync(Files([folder], extractor), index)


def _read_and_hashed(folder: Path) -> float:
    began = time.perf_counter()
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*.md")}
    seconds = time.perf_counter() - began
    assert len(digests) == FILES or digests
    return seconds


def make(folder: Path, files: int) -> None:
    chance = random.Random(7)
    for number in range(files):
        below = folder / f"part-{number % FOLDERS}"
        below.mkdir(parents=True, exist_ok=True)
        sections = [
            f"## Section {part}\n\n{' '.join(chance.choices(WORDS, k=60)).capitalize()}.\n\n" for part in range(3)
        ]
        (below / f"note-{number}.md").write_text(f"# Note {number}\n\n{''.join(sections)}", "utf-8")


if __name__ == "__main__":
    rows = run()
    sys.stdout.write(show(rows) + "\n")
    sys.exit(not all(row.ok for row in rows))
