"""Files of the fake keep Slack's word."""

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack import BOT, BOT_TOKEN, serve_slack
from tests.fakes.slack_clients import error
from tests.fakes.slack_manifest import without


async def test_a_file_is_uploaded_into_a_thread(slack, client):
    root = await slack.say("U1", "hello", "C1")
    await client.files_upload_v2(
        channel="C1", thread_ts=root, filename="report.md", content="# Report", initial_comment="All of it"
    )
    message = slack.thread("C1", root)[1]
    assert (message.user, message.text, message.files[0]["name"]) == (BOT, "All of it", "report.md")
    assert slack.api.files.content(message.files[0]) == "# Report"


async def test_an_upload_is_complete_only_with_what_was_announced(slack, client):
    place = await client.files_getUploadURLExternal(filename="a.txt", length=5)
    complete = client.files_completeUploadExternal
    files = [{"id": place["file_id"], "title": "a"}]
    assert await error(complete(files=files, channel_id="C1")) == "file_not_found"
    async with aiohttp.ClientSession() as session:
        assert (await session.post(place["upload_url"], data=b"toolong")).status == 400
        assert (await session.put(place["upload_url"], data=b"right")).status == 200
    assert await error(complete(files=files, channel_id="C9")) == "channel_not_found"
    await complete(files=files, channel_id="C1")
    assert await error(complete(files=files, channel_id="C1")) == "file_already_completed"


async def test_what_somebody_shares_is_told_and_can_be_read_with_the_token(slack, client):
    ts = await slack.share("U1", "<@UBOT> read this", "C1", {"plan.txt": b"The plan"})
    event = slack.deliveries[0].event
    file = event["files"][0]
    assert (event["subtype"], file["mimetype"], file["size"]) == ("file_share", "text/plain", 8)
    assert slack.thread("C1", ts)[0].files[0]["id"] == file["id"]
    assert (await client.files_info(file=file["id"]))["file"]["url_private"] == file["url_private"]
    async with aiohttp.ClientSession() as session:
        headers = {"Authorization": f"Bearer {BOT_TOKEN}"}
        assert await (await session.get(file["url_private"], headers=headers)).read() == b"The plan"
        page = await session.get(file["url_private"])
        assert (page.status, page.content_type) == (200, "text/html")


async def test_without_the_scopes_there_is_none_of_it():
    async with serve_slack(manifest=without("files:read", "files:write")) as slack, aiohttp.ClientSession() as session:
        file = slack.api.files.of("U1", "plan.txt", b"The plan")
        reply = await session.get(file["url_private"], headers={"Authorization": f"Bearer {BOT_TOKEN}"})
        assert reply.content_type == "text/html"
        client = AsyncWebClient(BOT_TOKEN, base_url=slack.url, session=session)
        assert await error(client.files_getUploadURLExternal(filename="a.txt", length=5)) == "missing_scope"
