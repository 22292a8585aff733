"""The fake calls an app over HTTP as Slack does: signed, three times more if need be."""

import json
from contextlib import asynccontextmanager
from urllib.parse import parse_qs

import pytest
from aiohttp import web
from slack_sdk.signature import SignatureVerifier

from tests.fakes.slack_forms import button, modal, posted

SECRET = "shh"


class App:
    """Answers with `status` and `headers`, and keeps what came."""

    def __init__(self):
        self.status, self.headers, self.body = 200, {}, ""
        self.requests = []

    async def answer(self, request):
        body = await request.text()
        signed = SignatureVerifier(SECRET).is_valid_request(body, dict(request.headers))
        self.requests.append((request.headers, body))
        if body.startswith("{") and json.loads(body)["type"] == "url_verification":
            return web.Response(text=json.loads(body)["challenge"])
        return web.Response(status=self.status if signed else 401, headers=self.headers, text=self.body)


@pytest.fixture
async def app():
    async with serving() as (app, url):
        app.url = url
        yield app


@asynccontextmanager
async def serving():
    app, application = App(), web.Application()
    application.router.add_post("/slack/events", app.answer)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield app, f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    finally:
        await runner.cleanup()


async def test_events_come_as_signed_json(slack, app):
    posts = slack.deliver_to(app.url, SECRET)
    ts = await slack.say("U1", "hello", "C1")
    headers, body = app.requests[0]
    assert (headers["Content-Type"], json.loads(body)["event"]["ts"], "X-Slack-Retry-Num" in headers) == (
        "application/json",
        ts,
        False,
    )
    assert (slack.deliveries[0].acknowledged, posts.statuses) == (True, [200])


async def test_clicks_and_commands_come_as_signed_forms(slack, client, app):
    slack.deliver_to(app.url, SECRET)
    await slack.click("U1", "C1", await posted(client, button()), "stop")
    app.body = "Wait a moment."
    hook = await slack.command("U1", "what is a payload?", "C1")
    click, command = [parse_qs(body) for _, body in app.requests]
    assert json.loads(click["payload"][0])["type"] == "block_actions"
    assert (command["command"], command["text"]) == (["/research"], ["what is a payload?"])
    assert hook.delivery.response == "Wait a moment."


async def test_a_modal_reads_the_body_of_the_reply(slack, client, app):
    await modal(slack, client)
    slack.deliver_to(app.url, SECRET)
    app.body = json.dumps({"response_action": "errors", "errors": {"b": "short"}})
    await slack.submit("U1", reason="x")
    assert slack.api.views.modal("U1")["errors"] == {"b": "short"}


async def test_a_wrong_signature_is_one_for_the_app(slack, app):
    posts = slack.deliver_to(app.url, SECRET)
    status, _, _ = await posts.post('{"type": "x"}', "application/json", secret="other")
    assert (status, await posts.challenge()) == (401, "3eZbrw1aB")


@pytest.mark.parametrize(
    ("fault", "reason"), [("status", "http_error"), ("slow", "http_timeout"), ("gone", "connection_failed")]
)
async def test_an_event_that_is_not_taken_comes_three_times_more_with_the_reason(slack, app, fault, reason):
    posts = slack.deliver_to(app.url, SECRET)
    if fault == "status":
        app.status = 500
    elif fault == "slow":
        posts.patience = 1e-6
    else:
        posts.url = "http://127.0.0.1:1/"
    await slack.say("U1", "hello", "C1")
    posts.url, posts.patience = app.url, 3.0
    app.requests.clear()
    app.status = 500
    for pause in (3, 63, 303, 900):
        slack.clock.advance(pause)
        await posts.retry_due()
    tries = [(headers["X-Slack-Retry-Num"], headers["X-Slack-Retry-Reason"]) for headers, _ in app.requests]
    assert tries == [("1", reason), ("2", "http_error"), ("3", "http_error")]
    assert len({json.loads(body)["event_id"] for _, body in app.requests}) == 1


async def test_an_app_can_ask_for_no_retries(slack, app):
    posts = slack.deliver_to(app.url, SECRET)
    app.status, app.headers = 500, {"X-Slack-No-Retry": "1"}
    await slack.say("U1", "hello", "C1")
    slack.clock.advance(900)
    await posts.retry_due()
    assert len(app.requests) == 1


async def test_a_command_does_not_come_again(slack, app):
    posts = slack.deliver_to(app.url, SECRET)
    app.status = 500
    await slack.command("U1", "hello", "C1")
    slack.clock.advance(900)
    await posts.retry_due()
    assert len(app.requests) == 1
