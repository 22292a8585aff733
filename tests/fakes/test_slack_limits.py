"""The fake takes as many calls as Slack, with the clock of the test."""

import pytest
from slack_sdk.errors import SlackApiError

from tests.fakes.slack_clients import error
from tests.fakes.slack_limits import BURST_OF_POSTS, TIERS


@pytest.fixture
def now(slack):
    """The time stands still, except for `slack.clock.advance`."""
    slack.clock.source = lambda: 1_800_000_000.0


async def test_a_tier_is_so_many_calls_a_minute_and_a_refused_one_says_how_long_to_wait(slack, client, now):
    ts = (await client.chat_postMessage(channel="C1", text="x"))["ts"]
    slack.limits.start()
    for _ in range(50):
        await client.chat_update(channel="C1", ts=ts, text="x")
    with pytest.raises(SlackApiError) as raised:
        await client.chat_update(channel="C1", ts=ts, text="y")
    response = raised.value.response
    assert (response.status_code, response["error"], response.headers["Retry-After"]) == (429, "ratelimited", "2")
    assert slack.workspace.message("C1", ts)["text"] == "x"
    slack.clock.advance(1.2)
    await client.chat_update(channel="C1", ts=ts, text="z")
    await client.auth_test()


async def test_a_channel_takes_a_burst_of_posts_and_then_one_a_second(slack, client, now):
    slack.limits.start()
    for _ in range(BURST_OF_POSTS):
        await client.chat_postMessage(channel="C1", text="x")
    assert await error(client.chat_postMessage(channel="C1", text="x")) == "ratelimited"
    await client.chat_postMessage(channel="C2", text="x")
    slack.clock.advance(1)
    await client.chat_postMessage(channel="C1", text="x")
    assert await error(client.chat_postMessage(channel="C1", text="x")) == "ratelimited"


async def test_limits_can_be_others_and_refusals_quiet(slack, client, now):
    slack.limits.start(auth_test=1)
    slack.limits.quiet.add("auth.test")
    await client.auth_test()
    with pytest.raises(SlackApiError) as raised:
        await client.auth_test()
    assert (raised.value.response.status_code, raised.value.response["error"]) == (200, "rate_limited")


def test_every_method_has_a_limit(slack):
    assert [name for name in slack.api.names if name not in TIERS] == []
