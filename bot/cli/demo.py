"""`footnote demo`: a conversation over a folder of documents, with no service needed."""

import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from rich.console import Console

from bot import wiring, zone
from bot.cli.ask import clarify
from bot.cli.index import has_documents, summary, sync_files, unread
from bot.cli.links import link_of
from bot.cli.prompt import at_terminal, read_line, typed
from bot.cli.running import Failed
from bot.cli.view import View
from bot.config import Config
from bot.research.clarify import NO_ANSWER
from bot.search import HybridSearch
from indexers.document import EVERYTHING
from indexers.index.embedded import open_index
from indexers.index.schema import VERSION

OWN = Path(__file__).parents[1] / "docs"
LEAVING = ("exit", "quit")


async def converse(config: Config, *, docs: Path | None) -> int:
    folder = docs or OWN
    console = Console(highlight=False)
    async with _library(config, folder) as library, wiring.open_writer(config) as writer:
        report = await sync_files(library, [folder])
        if not has_documents(report):
            raise Failed(f"There is no document to read in {folder}. {summary(report)}")
        for line in (*unread(report), *banner(folder, library, writer)):
            console.print(line, style="dim", markup=False, soft_wrap=True)
        search = library.search(config)
        history: list[dict[str, str]] = []
        for question in questions(console):
            history += await _answer(config, writer, search, question, history, console)
    return 0


def banner(folder: Path, library: wiring.Library, writer: wiring.Writer) -> list[str]:
    """What is asked of what: the documents, the model, the search, and what mends what is missing."""
    answers = f"written by {writer.model}, through Ollama." if writer.model else f"quoted, not written. {writer.note}"
    embedder = library.embedder
    hybrid = "" if embedder is None else f"hybrid, by words and by meaning ({embedder.name}, {embedder.languages})."
    return [
        f"Documents: {'those of Footnote itself' if folder == OWN else folder}.",
        f"Answers: {answers}",
        f"Search: {hybrid or 'lexical. ' + ' '.join(library.notes)}",
        "Ask something. exit or Ctrl-D ends.",
    ]


def questions(console: Console) -> Iterator[str]:
    """What is typed, until the end of input or `exit`; blank lines are passed over."""
    while True:
        line = read_line("\n> ")
        if line is None or line.strip().lower() in LEAVING:
            return
        if question := typed(line):
            if not at_terminal():
                console.print(f"\n> {question}", markup=False, soft_wrap=True)
            yield question


async def _answer(
    config: Config,
    writer: wiring.Writer,
    search: HybridSearch,
    question: str,
    history: list[dict[str, str]],
    console: Console,
) -> list[dict[str, str]]:
    """The turns that this question adds to the conversation."""
    with View(console, link_of) as view:
        handler = clarify(view) if at_terminal() else _no_answer  # the next line is the next question, no answer
        bound = search.for_audience(EVERYTHING, zone.HERE, question=question)
        agent = wiring.agent(config, writer.engine, bound, on_event=view, clarify_handler=handler)
        result = await agent.run(question, history=history)
    return [{"role": "user", "content": question}, {"role": "assistant", "content": result.answer}]


async def _no_answer(question: str) -> str:
    return NO_ANSWER


@asynccontextmanager
async def _library(config: Config, folder: Path) -> AsyncIterator[wiring.Library]:
    """An index for each folder and each embedder, so that neither another folder nor other vectors are mixed in; one
    that another version made is left behind, since nobody should have to delete what they never asked for."""
    async with (
        wiring.open_embedder(config) as (embedder, note),
        open_index(_file(config, folder, embedder.name if embedder else ""), create=True) as index,
    ):
        yield wiring.Library(index, embedder, (note,) if note else ())


def _file(config: Config, folder: Path, embedding: str) -> Path:
    name = hashlib.sha256(f"{VERSION} {folder.resolve()} {embedding}".encode()).hexdigest()[:16]
    return config.footnote_home / "demo" / f"{name}.sqlite"
