"""`footnote manifest`: what an app of Slack's is made from."""

import json
from urllib.parse import urlsplit

import typer

from bot.cli.running import Failed
from bot.slack.transport.manifest import PATH, manifest


def print_manifest(*, http: str, agent: bool) -> None:
    """`http`: the bot's address in the internet, or "" for Socket Mode.  Raises `Failed` for one that cannot be it."""
    address = _request_url(http) if http else ""
    typer.echo(json.dumps(manifest(address=address, agent=agent), indent=2))


def _request_url(http: str) -> str:
    """Without a path, it is the one that `footnote run` listens at; with one, something in between leads there."""
    parts = urlsplit(http)
    if parts.scheme != "https" or not parts.hostname or parts.query or parts.fragment:
        raise Failed(f"--http {http!r} is no address that Slack calls; write it like https://footnote.example.org", 2)
    return http if parts.path.strip("/") else http.rstrip("/") + PATH
