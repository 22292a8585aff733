"""The manifest: each surface with the scopes and events that it needs, and none beside."""

import pytest

from bot.slack.surfaces.command import RESEARCH
from bot.slack.transport.manifest import RESEARCH_MESSAGE, manifest

MANIFEST = manifest()
SCOPES = set(MANIFEST["oauth_config"]["scopes"]["bot"])
EVENTS = set(MANIFEST["settings"]["event_subscriptions"]["bot_events"])
PLACES = ("channels", "groups", "im", "mpim")

NEEDS = {
    "a mention": ({"app_mentions:read", "chat:write"}, {"app_mention"}),
    "what is said in threads and directly": (
        {f"{place}:history" for place in PLACES},
        {f"message.{place}" for place in PLACES},
    ),
    "who reads an answer": (
        {f"{place}:read" for place in PLACES} | {"users:read", "users:read.email", "usergroups:read"},
        set(),
    ),
    "an answer to one person": ({"im:write"}, set()),
    "an answer that is looked for after a crash": ({"metadata.message:read"}, set()),
    "the command and the shortcut": ({"commands"}, set()),
    "App Home": (set(), {"app_home_opened"}),
    "reactions": ({"reactions:read"}, {"reaction_added"}),
    "a greeting": (set(), {"member_joined_channel"}),
    "who is where": (set(), {"member_joined_channel", "member_left_channel"}),
    "files of a question, and an answer as a file": ({"files:read", "files:write"}, set()),
    "the end of an installation": (set(), {"app_uninstalled", "tokens_revoked"}),
}


@pytest.mark.parametrize(("scopes", "events"), NEEDS.values(), ids=NEEDS)
def test_each_surface_has_what_it_needs(scopes, events):
    assert scopes <= SCOPES
    assert events <= EVENTS


def test_nothing_else_is_asked_for():
    assert set().union(*(scopes for scopes, _ in NEEDS.values())) == SCOPES
    assert set().union(*(events for _, events in NEEDS.values())) == EVENTS


def test_the_surfaces_are_there():
    features, settings = MANIFEST["features"], MANIFEST["settings"]
    assert [one["command"] for one in features["slash_commands"]] == [RESEARCH]
    assert [(one["type"], one["callback_id"]) for one in features["shortcuts"]] == [("message", RESEARCH_MESSAGE)]
    assert features["app_home"]["home_tab_enabled"]
    assert features["app_home"]["messages_tab_enabled"]
    assert not features["app_home"]["messages_tab_read_only_enabled"]
    assert settings["interactivity"]["is_enabled"]
    assert settings["org_deploy_enabled"]


def test_what_is_said_of_the_app_is_as_long_as_slack_has_it():
    display = MANIFEST["display_information"]
    assert len(display["name"]) <= 35
    assert len(display["description"]) <= 140
    assert 174 < len(display["long_description"]) <= 4_000
