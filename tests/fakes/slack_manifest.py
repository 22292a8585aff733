"""Manifests of apps that have more, or less, than ours."""

from copy import deepcopy
from typing import Any

from tests.fakes.slack import MANIFEST

SCOPES = {
    "app_mentions:read",
    "assistant:write",
    "channels:history",
    "channels:read",
    "chat:write",
    "commands",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",
    "mpim:history",
    "mpim:read",
    "reactions:read",
    "reactions:write",
    "team:read",
    "usergroups:read",
    "users:read",
    "users:read.email",
}
EVENTS = {
    "agent_session_stopped",
    "agent_session_title_changed",
    "app_home_opened",
    "app_mention",
    "app_uninstalled",
    "member_joined_channel",
    "member_left_channel",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "reaction_added",
    "reaction_removed",
    "tokens_revoked",
}


def everything(*, agent: bool = False) -> dict[str, Any]:
    """Of an app that uses all that the fake has; as an `agent` where it is declared one."""
    manifest = deepcopy(MANIFEST)
    manifest["oauth_config"]["scopes"]["bot"] = sorted(SCOPES)
    manifest["settings"]["event_subscriptions"]["bot_events"] = sorted(EVENTS)
    manifest["settings"]["interactivity"] = {"is_enabled": True}
    features = manifest["features"]
    features["app_home"] |= {"home_tab_enabled": True}
    features["shortcuts"] = [
        {"name": "Research this", "type": "message", "callback_id": "research", "description": "x"}
    ]
    features.pop("agent_view", None)
    if agent:
        features["agent_view"] = {"agent_description": "Researches"}
    return manifest


def without(*names: str) -> dict[str, Any]:
    """Of an app that has everything but these scopes and events."""
    manifest = everything(agent=True)
    events = manifest["settings"]["event_subscriptions"]
    manifest["oauth_config"]["scopes"]["bot"] = sorted(SCOPES - {*names})
    events["bot_events"] = sorted(EVENTS - {*names})
    return manifest
