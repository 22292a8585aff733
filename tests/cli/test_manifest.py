"""`footnote manifest`: the same as the file in the repository, for Socket Mode or HTTP, as an agent or not."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def printed(footnote):
    return lambda *arguments: json.loads(footnote("manifest", *arguments).out)


def test_it_prints_the_file_of_the_repository(footnote):
    assert footnote("manifest").out == (ROOT / "manifest.json").read_text("utf-8")


def test_by_socket_mode_it_names_no_address(footnote, printed):
    assert printed()["settings"]["socket_mode_enabled"]
    assert "url" not in footnote("manifest").out


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("https://bot.test", "https://bot.test/slack/events"),
        ("https://bot.test:8443/", "https://bot.test:8443/slack/events"),
        ("https://bot.test/footnote/slack", "https://bot.test/footnote/slack"),
    ],
)
def test_over_http_everything_comes_to_one_address(printed, given, address):
    manifest = printed("--http", given)
    assert not manifest["settings"]["socket_mode_enabled"]
    assert manifest["settings"]["event_subscriptions"]["request_url"] == address
    assert manifest["settings"]["interactivity"]["request_url"] == address
    assert manifest["features"]["slash_commands"][0]["url"] == address


@pytest.mark.parametrize("given", ["bot.test", "http://bot.test", "https://", "https://bot.test/?x=1"])
def test_an_address_that_slack_does_not_call_is_refused_in_one_line(footnote, given):
    done = footnote("manifest", "--http", given)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: --http")
    assert done.err.count("\n") == 1


def test_only_whoever_asks_for_it_gets_an_agent(footnote, printed):
    assert "agent_view" not in footnote("manifest").out
    agent, plain = printed("--agent"), printed()
    assert len(agent["features"].pop("agent_view")["suggested_prompts"]) <= 4
    agent["oauth_config"]["scopes"]["bot"].remove("assistant:write")
    agent["settings"]["event_subscriptions"]["bot_events"].remove("agent_session_stopped")
    assert agent == plain


def test_it_needs_no_settings(footnote, env):
    env(SLACK_BOT_TOKEN="wrong", FOOTNOTE_LOG_LEVEL="loud")
    assert footnote("manifest").code == 0
