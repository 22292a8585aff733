"""Slack on loopback, as an app sees it: the Web API, Socket Mode or HTTP, and the people who write and click.

`async with serve_slack() as slack:` gives a `FakeSlack`; its `url` is what the app takes as the Web API.  What it does
is in its parts: `slack_people` and `slack_hands` (what people do), `slack_server` (calls, faults, waiting),
`slack_events` (what the app is told), `slack_messages`, `slack_streams`, `slack_threads`, `slack_views`,
`slack_files`, `slack_conversations` (the Web API), `slack_limits`, `slack_socket` and `slack_http`.
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.fakes.slack_server import APP_TOKEN, BOT_TOKEN, Server
from tests.fakes.slack_workspace import APP, BOT, TEAM

__all__ = ["APP", "APP_TOKEN", "BOT", "BOT_TOKEN", "MANIFEST", "TEAM", "FakeSlack", "serve_slack"]

MANIFEST: dict[str, Any] = json.loads((Path(__file__).parents[2] / "manifest.json").read_text("utf-8"))


class FakeSlack(Server):
    def __init__(self, manifest: dict[str, Any] = MANIFEST) -> None:
        super().__init__(manifest)

    def populate(self) -> None:
        """A workspace of five: Ada, Grace and Linus are members, Gustav a guest, Olga from elsewhere."""
        workspace = self.workspace
        workspace.person("U1", "ada", real_name="Ada Lovelace", email="Ada@acme.test", tz="America/New_York")
        workspace.person("U2", "grace", real_name="Grace Hopper", email="grace@acme.test")
        workspace.person("U3", "linus", real_name="Linus", email="linus@acme.test")
        workspace.person("UG", "gustav", email="gustav@guest.test", guest=True)
        workspace.person("UO", "olga", email="olga@other.test", stranger=True)
        workspace.channel("C1", "general", "U1", "U2", "U3")
        workspace.channel("C2", "with-guest", "U1", "UG")
        workspace.channel("C3", "with-others", "U1", "UO", shared=True)
        workspace.channel("C4", "secret", "U1", "U2", kind="group")


@asynccontextmanager
async def serve_slack(port: int = 0, manifest: dict[str, Any] = MANIFEST) -> AsyncIterator[FakeSlack]:
    """An app with this manifest in a workspace of five, on loopback."""
    slack = FakeSlack(manifest)
    slack.populate()
    runner = web.AppRunner(slack.application(), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    slack.app.url = f"http://127.0.0.1:{runner.addresses[0][1]}/api/"
    try:
        yield slack
    finally:
        await slack.sockets.close()
        await runner.cleanup()
