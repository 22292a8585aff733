"""`footnote backup`: what the bot keeps, and the embedded index, into a folder, while the bot runs."""

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import typer

from bot import wiring
from bot.cli.index import count
from bot.cli.running import Failed
from bot.config import Config
from bot.store.documents import Document
from bot.store.sqlite import copy

LINES = "state.jsonl"


async def back_up(config: Config, folder: Path) -> int:
    """Raises `Failed` where there is nothing to keep, or the folder holds something already."""
    if config.elasticsearch_url is not None:
        async with wiring.open_elasticsearch_state(config) as documents:
            with _begun(folder / LINES).open("w", encoding="utf-8") as lines:
                number = 0
                async for kind, id, document in documents.everything():
                    lines.write(json.dumps(_as_line(kind, id, document)) + "\n")
                    number += 1
        typer.echo(f"Kept {count(number, 'record')} of the bot in {folder / LINES}.")
        typer.echo("The index is left to Elasticsearch's own snapshots, which can hold the state, too.")
        return 0
    files = [file for file in (wiring.state_file(config), wiring.index_file(config)) if file.exists()]
    if not files:
        raise Failed(f"There is nothing to keep in {config.footnote_home}; set FOOTNOTE_HOME to where the bot runs.")
    for file in files:
        await asyncio.to_thread(copy, file, _begun(folder / file.name))
        typer.echo(f"Kept {folder / file.name}.")
    return 0


async def restore(config: Config, folder: Path) -> int:
    """Bring what was kept back into Elasticsearch; what is there stays as it is."""
    if config.elasticsearch_url is None:
        raise Failed(
            "ELASTICSEARCH_URL is not set. To restore a FOOTNOTE_HOME, stop the bot, remove index.sqlite* and "
            "state.sqlite* there, and copy the files of the backup into it.",
            2,
        )
    try:
        lines = [json.loads(line) for line in (folder / LINES).read_text("utf-8").splitlines()]
        kept = [(line["kind"], line["id"], _of_line(line)) for line in lines]
    except OSError as error:
        raise Failed(f"{folder / LINES} cannot be read ({error.strerror}); name the folder of a backup.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise Failed(f"{folder / LINES} is no backup, or a damaged one; name the folder of another.") from error
    async with wiring.open_elasticsearch_state(config) as documents:
        restored = [await documents.create(*one) for one in kept]
    typer.echo(f"Restored {count(sum(restored), 'record')}. There already: {len(restored) - sum(restored)}.")
    return 0


def _begun(file: Path) -> Path:
    """An empty file, for its owner alone: it holds what people asked, in direct messages too."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        raise Failed(f"{file} is there already; name a new folder.") from None
    except OSError as error:
        raise Failed(f"{file} cannot be written: {error.strerror}. Name a folder to write to.") from None
    return file


def _as_line(kind: str, id: str, document: Document) -> dict[str, Any]:
    about = {"kind": kind, "id": id, "at": document.at, "status": document.status, "user": document.user}
    about |= {"place": document.place}
    return {**about, "body": base64.b64encode(document.body).decode()}


def _of_line(line: dict[str, Any]) -> Document:
    return Document(base64.b64decode(line["body"]), line["at"], line["status"], line["user"], line.get("place", ""))
