"""What Slack is told of the app: its surfaces, and what each of them needs."""

from typing import Any

PATH = "/slack/events"
"""Where events, commands and interactions come over HTTP."""
RESEARCH_MESSAGE = "research_message"
"""The `callback_id` of the shortcut on a message."""

_DISPLAY = {
    "name": "Footnote",
    "description": "Answers questions by research, with footnotes that open the sources",
    "long_description": "Mention Footnote with a question, or write to it directly. It searches the documents that are "
    "connected to it, shows what it does while it works, and answers in the thread. Every claim carries a footnote "
    "that opens its source, and it finds only what everybody who can read the answer may see.",
}
_COMMAND = {
    "command": "/research",
    "description": "Ask the public web, with sources",
    "usage_hint": "[question or link]",
    "should_escape": True,
}
_SHORTCUT = {
    "name": "Research this",
    "type": "message",
    "callback_id": RESEARCH_MESSAGE,
    "description": "Answers this message in its thread",
}
_AGENT = {
    "agent_description": "Answers questions from your team's documents, with footnotes that open the sources",
    "suggested_prompts": [
        {"title": "What can you do?", "message": "What can you do?"},
        {"title": "What is new?", "message": "What is new in the documents of the last seven days?"},
    ],
}
_SCOPES = (
    "app_mentions:read",
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
    "metadata.message:read",
    "mpim:history",
    "mpim:read",
    "reactions:read",
    "usergroups:read",
    "users:read",
    "users:read.email",
)
_EVENTS = (
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
    "tokens_revoked",
)


def manifest(*, address: str = "", agent: bool = False) -> dict[str, Any]:
    """Of an app that is reached by Socket Mode, or over HTTP at `address`.

    `agent` declares it an agent of Slack's, which cannot be taken back.
    """
    here = {"request_url": address} if address else {}
    command = {**_COMMAND, **({"url": address} if address else {})}
    return {
        "display_information": dict(_DISPLAY),
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            **({"agent_view": _AGENT} if agent else {}),
            "bot_user": {"display_name": "footnote", "always_online": True},
            "shortcuts": [dict(_SHORTCUT)],
            "slash_commands": [command],
        },
        "oauth_config": {"scopes": {"bot": sorted([*_SCOPES, *(["assistant:write"] if agent else [])])}},
        "settings": {
            "event_subscriptions": {
                **here,
                "bot_events": sorted([*_EVENTS, *(["agent_session_stopped"] if agent else [])]),
            },
            "interactivity": {"is_enabled": True, **here},
            "org_deploy_enabled": True,
            "socket_mode_enabled": not address,
            "token_rotation_enabled": False,
        },
    }
