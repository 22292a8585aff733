"""`conversations.*` and `reactions.*` of the fake Slack."""

from tests.fakes.slack_app import App, Change
from tests.fakes.slack_call import Call, Methods, Refused, Reply, page
from tests.fakes.slack_grid import is_in, team_of
from tests.fakes.slack_workspace import BOT, Channel


class Conversations:
    def __init__(self, app: App) -> None:
        self._app = app
        self._workspace = app.workspace
        self.methods: Methods = {
            "conversations.history": (self._history, "{kind}:history"),
            "conversations.replies": (self._replies, "{kind}:history"),
            "conversations.info": (self._info, "{kind}:read"),
            "conversations.members": (self._members, "{kind}:read"),
            "conversations.list": (self._list, "channels:read"),
            "conversations.open": (self._open, "im:write"),
            "reactions.add": (self._react, "reactions:write"),
            "reactions.remove": (self._unreact, "reactions:write"),
            "reactions.get": (self._reactions, "reactions:read"),
        }

    def _history(self, call: Call) -> Reply:
        messages = self._workspace.messages.get(self._workspace.joined(call["channel"]).id, {})
        top = [message for _, message in sorted(messages.items(), reverse=True) if _is_top(message)]
        found, more = page(call, _between(call, top), 100)
        return {"messages": [_shown(call, message) for message in found], "has_more": bool(more), **more}

    def _replies(self, call: Call) -> Reply:
        thread = self._workspace.replies(self._workspace.joined(call["channel"]).id, call["ts"])
        if not thread or thread[0]["ts"] != call["ts"]:
            raise Refused("thread_not_found")
        # Some report that each further page begins with the root again: whoever reads should be ready for it.
        found, more = page(call, _between(call, thread[1:]), 1_000)
        root = dict(thread[0])
        if len(thread) > 1:
            root |= {"thread_ts": root["ts"], "reply_count": len(thread) - 1, "latest_reply": thread[-1]["ts"]}
        return {"messages": [_shown(call, one) for one in (root, *found)], "has_more": bool(more), **more}

    def _info(self, call: Call) -> Reply:
        return {"channel": self._told(self._workspace.visible(call["channel"]))}

    def _list(self, call: Call) -> Reply:
        kinds = {"public_channel": "channel", "private_channel": "group"}
        team = team_of(call, self._workspace)
        wanted = {kinds.get(one, one) for one in str(call.get("types") or "public_channel").split(",")}
        found = [
            self._told(channel)
            for channel in self._workspace.channels.values()
            if channel.kind in wanted and is_in(channel, team) and (channel.kind == "channel" or BOT in channel.members)
        ]
        shown, more = page(call, found, 1_000)
        return {"channels": shown, **more}

    def _told(self, channel: Channel) -> Reply:
        told = channel.as_dict()
        return told | {"enterprise_id": self._workspace.enterprise} if self._workspace.enterprise else told

    def _members(self, call: Call) -> Reply:
        found, more = page(call, self._workspace.visible(call["channel"]).members, 100)
        return {"members": found, **more}

    def _open(self, call: Call) -> Reply:
        users = str(call["users"]).split(",")
        if any(user not in self._workspace.users for user in users):
            raise Refused("user_not_found")
        if BOT in users or any(self._workspace.users[user].deleted for user in users):
            raise Refused("cannot_dm_bot" if BOT in users else "user_disabled")
        return {"channel": {"id": self._workspace.direct(*users).id}}

    def _react(self, call: Call) -> Reply:
        message = self._workspace.message(self._workspace.joined(call["channel"]).id, call["timestamp"])
        reaction(message, BOT, call["name"], add=True)
        self._app.told(Change("reacted", call["channel"], message, reaction=call["name"]))
        return {}

    def _unreact(self, call: Call) -> Reply:
        message = self._workspace.message(self._workspace.joined(call["channel"]).id, call["timestamp"])
        reaction(message, BOT, call["name"], add=False)
        self._app.told(Change("unreacted", call["channel"], message, reaction=call["name"]))
        return {}

    def _reactions(self, call: Call) -> Reply:
        message = self._workspace.message(self._workspace.joined(call["channel"]).id, call["timestamp"])
        return {"type": "message", "channel": call["channel"], "message": message}


def reaction(message: Reply, user: str, name: str, *, add: bool) -> None:
    """Somebody puts a reaction on a message, or takes it away; raises `Refused`."""
    there = {one["name"]: one["users"] for one in message.get("reactions", ())}
    users = there.setdefault(name, [])
    if add == (user in users):
        raise Refused("already_reacted" if add else "no_reaction")
    (users.append if add else users.remove)(user)
    message["reactions"] = [{"name": name, "users": who, "count": len(who)} for name, who in there.items() if who]


def _is_top(message: Reply) -> bool:
    return message.get("thread_ts", message["ts"]) == message["ts"] or message.get("subtype") == "thread_broadcast"


def _between(call: Call, messages: list[Reply]) -> list[Reply]:
    """Those after `oldest` and before `latest`; with `inclusive` also these themselves."""
    oldest, latest = str(call.get("oldest") or "0"), str(call.get("latest") or "9" * 12)
    edges = {oldest, latest} if call.flag("inclusive") else set()
    return [one for one in messages if float(oldest) < float(one["ts"]) < float(latest) or one["ts"] in edges]


def _shown(call: Call, message: Reply) -> Reply:
    hidden = {"loud", "streamed", "recipient", *(() if call.flag("include_all_metadata") else ("metadata",))}
    return {key: value for key, value in message.items() if key not in hidden}
