"""Slack's Web API, method by method, on a `Workspace`: it refuses what Slack refuses."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tests.fakes.slack_workspace import APP, BOT, BOT_ID, DOMAIN, TEAM, Channel, Refused, Workspace

LONGEST_UPDATE = 4_000
LONGEST_POST = 40_000
LONGEST_MARKDOWN = 12_000
MOST_BLOCKS = 50

Reply: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """A call as it came, its arguments merged from query, form and JSON."""

    method: str
    args: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        if self.args.get(name) in (None, ""):
            raise Refused(
                "invalid_arguments", response_metadata={"messages": [f"[ERROR] missing required field: {name}"]}
            )
        return self.args[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self.args.get(name, default)


class WebApi:
    """What one app may do.  `told` hears of every change that the app made, as `(change, channel, message)`."""

    def __init__(self, workspace: Workspace, scopes: Sequence[str], told: Callable[[str, str, Reply], None]) -> None:
        self.workspace = workspace
        self.scopes = frozenset(scopes)
        self.ephemerals: list[Reply] = []
        self._told = told
        self._methods: Mapping[str, tuple[Callable[[Call], Reply], str]] = {
            "auth.test": (self._auth_test, ""),
            "chat.postMessage": (self._post, "chat:write"),
            "chat.update": (self._update, "chat:write"),
            "chat.delete": (self._delete, "chat:write"),
            "chat.postEphemeral": (self._ephemeral, "chat:write"),
            "chat.getPermalink": (self._permalink, ""),
            "conversations.history": (self._history, "{kind}:history"),
            "conversations.replies": (self._replies, "{kind}:history"),
            "conversations.info": (self._info, "{kind}:read"),
            "conversations.members": (self._members, "{kind}:read"),
            "conversations.open": (self._open, "im:write"),
            "reactions.add": (self._react, "reactions:write"),
            "team.info": (self._team, "team:read"),
            "users.info": (self._user, "users:read"),
            "users.list": (self._users, "users:read"),
            "users.conversations": (self._conversations, "channels:read"),
        }

    def __contains__(self, method: str) -> bool:
        return method in self._methods

    def __call__(self, call: Call) -> Reply:
        """What Slack replies; raises `Refused`."""
        method, scope = self._methods[call.method]
        if "{kind}" in scope:
            scope = scope.format(
                kind={"channel": "channels", "group": "groups"}.get(kind := self._channel(call).kind, kind)
            )
        if scope and scope not in self.scopes:
            raise Refused("missing_scope", needed=scope, provided=",".join(sorted(self.scopes)))
        return method(call)

    def _auth_test(self, call: Call) -> Reply:
        names = {"team": "Acme", "user": "footnote", "url": f"https://{DOMAIN}.slack.com/"}
        return {**names, "team_id": TEAM, "user_id": BOT, "bot_id": BOT_ID, "is_enterprise_install": False}

    def _team(self, call: Call) -> Reply:
        return {"team": {"id": TEAM, "name": "Acme", "domain": DOMAIN}}

    # chat.*

    def _post(self, call: Call) -> Reply:
        channel = self._writable(call)
        text = _body(call)
        thread_ts = self._thread_ts(call, channel.id)
        message: Reply = {"user": BOT, "bot_id": BOT_ID, "app_id": APP, "text": text[:LONGEST_POST]}
        message |= {name: call.args[name] for name in ("blocks", "metadata", "unfurl_links") if name in call.args}
        if thread_ts:
            message["thread_ts"] = thread_ts
        message["loud"] = _loud(call)
        message = self.workspace.add(channel.id, message)
        self._told("posted", channel.id, message)
        return {"channel": channel.id, "ts": message["ts"], "message": message}

    def _thread_ts(self, call: Call, channel: str) -> str:
        thread_ts = str(call.get("thread_ts") or "")
        if "thread_ts" not in call.args:
            return ""
        if not re.fullmatch(r"\d+\.\d+", thread_ts):
            raise Refused("invalid_thread_ts")
        root = self.workspace.messages.get(channel, {}).get(thread_ts)
        if root is None:
            raise Refused("thread_not_found")
        if root.get("thread_ts", thread_ts) != thread_ts:
            raise Refused("cannot_reply_to_message")
        return thread_ts

    def _update(self, call: Call) -> Reply:
        channel = self._channel(call)
        message = self._own(call, "cant_update_message")
        text = _body(call)
        if len(text) > LONGEST_UPDATE:
            raise Refused("msg_too_long")
        message |= {"text": text, "edited": {"user": BOT, "ts": self.workspace.new_ts()}, "loud": _loud(call)}
        self._told("updated", channel.id, message)
        return {"channel": channel.id, "ts": message["ts"], "text": text, "message": message}

    def _delete(self, call: Call) -> Reply:
        message = self._own(call, "cant_delete_message")
        del self.workspace.messages[call["channel"]][message["ts"]]
        self._told("deleted", call["channel"], message)
        return {"channel": call["channel"], "ts": message["ts"]}

    def _ephemeral(self, call: Call) -> Reply:
        channel = self._writable(call)
        if call["user"] not in channel.members:
            raise Refused("user_not_in_channel")
        self.ephemerals.append({"channel": channel.id, "user": call["user"], "text": _body(call)})
        return {"message_ts": self.workspace.new_ts()}

    def _permalink(self, call: Call) -> Reply:
        message = self.workspace.message(call["channel"], call["message_ts"])
        thread = f"?thread_ts={message['thread_ts']}&cid={call['channel']}" if "thread_ts" in message else ""
        path = f"archives/{call['channel']}/p{message['ts'].replace('.', '')}{thread}"
        return {"channel": call["channel"], "permalink": f"https://{DOMAIN}.slack.com/{path}"}

    def _react(self, call: Call) -> Reply:
        reactions = self.workspace.message(call["channel"], call["timestamp"]).setdefault("reactions", [])
        if call["name"] in reactions:
            raise Refused("already_reacted")
        reactions.append(call["name"])
        return {}

    def _own(self, call: Call, error: str) -> Reply:
        message = self.workspace.message(self._channel(call).id, call["ts"])
        if message.get("bot_id") != BOT_ID:
            raise Refused(error)
        return message

    # conversations.* and users.*

    def _history(self, call: Call) -> Reply:
        messages = self.workspace.messages.get(self._member(call).id, {})
        top = [message for _, message in sorted(messages.items(), reverse=True) if _is_top(message)]
        page, more = _page(call, top, 100)
        return {"messages": page, **more}

    def _replies(self, call: Call) -> Reply:
        thread = self.workspace.replies(self._member(call).id, call["ts"])
        if not thread or thread[0]["ts"] != call["ts"]:
            raise Refused("thread_not_found")
        # Some report that each further page begins with the root again: whoever reads should be ready for it.
        page, more = _page(call, thread[1:], 1_000)
        shown = [thread[0], *page]
        if not call.get("include_all_metadata") or str(call.get("include_all_metadata")) in ("0", "false"):
            shown = [{key: value for key, value in message.items() if key != "metadata"} for message in shown]
        return {"messages": shown, "has_more": bool(more), **more}

    def _info(self, call: Call) -> Reply:
        return {"channel": self._channel(call).as_dict()}

    def _members(self, call: Call) -> Reply:
        page, more = _page(call, self._channel(call).members, 100)
        return {"members": page, **more}

    def _open(self, call: Call) -> Reply:
        users = str(call["users"]).split(",")
        if any(user not in self.workspace.users for user in users):
            raise Refused("user_not_found")
        return {"channel": {"id": self.workspace.direct(*users).id}}

    def _user(self, call: Call) -> Reply:
        if call["user"] not in self.workspace.users:
            raise Refused("user_not_found")
        return {"user": self.workspace.users[call["user"]].as_dict(with_email="users:read.email" in self.scopes)}

    def _users(self, call: Call) -> Reply:
        page, more = _page(call, list(self.workspace.users.values()), 1_000)
        return {"members": [user.as_dict(with_email="users:read.email" in self.scopes) for user in page], **more}

    def _conversations(self, call: Call) -> Reply:
        """Those of the user that are public, or in which the app is too."""
        user = call.get("user") or BOT
        kinds = {"public_channel": "channel", "private_channel": "group"}
        wanted = {kinds.get(one, one) for one in str(call.get("types") or "public_channel").split(",")}
        found = [
            channel
            for channel in self.workspace.channels.values()
            if user in channel.members
            and channel.kind in wanted
            and (channel.kind == "channel" or BOT in channel.members)
        ]
        page, more = _page(call, found, 100)
        return {"channels": [channel.as_dict() for channel in page], **more}

    # who may see and write

    def _channel(self, call: Call) -> Channel:
        channel = self.workspace.channels.get(call["channel"])
        if channel is None or (channel.kind != "channel" and BOT not in channel.members):
            raise Refused("channel_not_found")
        return channel

    def _member(self, call: Call) -> Channel:
        channel = self._channel(call)
        if BOT not in channel.members:
            raise Refused("not_in_channel")
        return channel

    def _writable(self, call: Call) -> Channel:
        if call["channel"] in self.workspace.users:
            return self.workspace.direct(call["channel"])
        channel = self._member(call)
        if channel.archived:
            raise Refused("is_archived")
        return channel


def _body(call: Call) -> str:
    """The text of a message; raises `Refused` for one that Slack would not take."""
    text = str(call.get("text") or "")
    blocks = _parsed(call.get("blocks")) or []
    markdown = str(call.get("markdown_text") or "")
    if not (text.strip() or blocks or markdown or call.get("attachments")):
        raise Refused("no_text")
    if markdown and (text or blocks):
        raise Refused("markdown_text_conflict")
    if len(markdown) > LONGEST_MARKDOWN:
        raise Refused("msg_too_long")
    if len(blocks) > MOST_BLOCKS:
        raise Refused("msg_blocks_too_many")
    if sum(len(block.get("text", "")) for block in blocks if block.get("type") == "markdown") > LONGEST_MARKDOWN:
        raise Refused("msg_blocks_too_long")
    if any(len(block.get("text", {}).get("text", "")) > 3_000 for block in blocks if block.get("type") == "section"):
        raise Refused("invalid_blocks")
    metadata = _parsed(call.get("metadata"))
    if metadata is not None and not {"event_type", "event_payload"} <= metadata.keys():
        raise Refused("invalid_metadata_format")
    return text or markdown


def _loud(call: Call) -> bool:
    """Whether names in the text are turned into mentions."""
    return call.get("parse") == "full" or str(call.get("link_names", "")).lower() in ("1", "true")


def _parsed(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and value else value


def _is_top(message: Reply) -> bool:
    return message.get("thread_ts", message["ts"]) == message["ts"] or message.get("subtype") == "thread_broadcast"


def _page(call: Call, items: list[Any], most: int) -> tuple[list[Any], Reply]:
    cursor = str(call.get("cursor") or "0")
    if not cursor.isdecimal() or int(cursor) > len(items):
        raise Refused("invalid_cursor")
    start, limit = int(cursor), min(int(call.get("limit") or most), most)
    end = start + limit
    return items[start:end], {"response_metadata": {"next_cursor": str(end)}} if end < len(items) else {}
