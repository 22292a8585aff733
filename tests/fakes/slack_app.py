"""The app as it is installed: its manifest, the workspace that it is in, and who hears of what it changes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.slack_call import Call, Clock, Methods, Refused, Reply, page
from tests.fakes.slack_grid import is_in, team_of
from tests.fakes.slack_workspace import APP, BOT, BOT_ID, DOMAIN, TEAM, Workspace


@dataclass(frozen=True)
class Change:
    """What the app did to a message: "posted", "updated", "deleted", "reacted" or "unreacted"."""

    kind: str
    channel: str
    message: Reply
    before: Reply = field(default_factory=dict)
    reaction: str = ""


@dataclass
class App:
    manifest: dict[str, Any]
    clock: Clock
    workspace: Workspace
    url: str = ""
    """Of Slack."""
    listeners: list[Callable[[Change], None]] = field(default_factory=list)

    @property
    def scopes(self) -> frozenset[str]:
        return frozenset(self.manifest["oauth_config"]["scopes"]["bot"])

    @property
    def events(self) -> frozenset[str]:
        """To which it is subscribed."""
        return frozenset(self.manifest["settings"]["event_subscriptions"]["bot_events"])

    @property
    def features(self) -> dict[str, Any]:
        features: dict[str, Any] = self.manifest["features"]
        return features

    @property
    def is_agent(self) -> bool:
        return "agent_view" in self.features

    def told(self, change: Change) -> None:
        for listener in self.listeners:
            listener(change)

    def author(self) -> Reply:
        return {"user": BOT, "bot_id": BOT_ID, "app_id": APP}

    def own(self, call: Call, error: str) -> Reply:
        """The message that is named, if the app wrote it."""
        message = self.workspace.message(self.workspace.visible(call["channel"]).id, call["ts"])
        if message.get("bot_id") != BOT_ID:
            raise Refused(error)
        return message


class Team:
    """`auth.*`, `team.*`, `users.*`, `usergroups.*`."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._workspace = app.workspace
        self.methods: Methods = {
            "auth.test": (self._auth_test, ""),
            "auth.teams.list": (self._teams, ""),
            "team.info": (self._team, "team:read"),
            "users.info": (self._user, "users:read"),
            "users.list": (self._users, "users:read"),
            "users.conversations": (self._conversations, "channels:read"),
            "usergroups.list": (self._groups, "usergroups:read"),
        }

    def _auth_test(self, call: Call) -> Reply:
        names = {"team": "Acme", "user": "footnote", "url": self._workspace.address}
        ids = {"team_id": TEAM, "user_id": BOT, "bot_id": BOT_ID}
        if self._workspace.enterprise:
            organisation = self._workspace.enterprise
            return {**names, **ids, "team_id": organisation, "enterprise_id": organisation} | {
                "is_enterprise_install": True
            }
        return {**names, **ids, "is_enterprise_install": False}

    def _teams(self, call: Call) -> Reply:
        teams = self._workspace.granted if self._workspace.enterprise else [TEAM]
        found, more = page(call, [{"id": team, "name": f"Workspace {team}"} for team in teams], 1_000)
        return {"teams": found, **more}

    def _team(self, call: Call) -> Reply:
        team = {"id": TEAM, "name": "Acme", "domain": DOMAIN}
        if self._workspace.enterprise:
            team |= {"enterprise_id": self._workspace.enterprise, "enterprise_name": "Acme"}
        return {"team": team}

    def _told(self, call: Call, user: str) -> Reply:
        with_email, enterprise = "users:read.email" in self._app.scopes, self._workspace.enterprise
        with_locale = call.flag("include_locale")
        return self._workspace.users[user].as_dict(
            with_email=with_email, enterprise=enterprise, with_locale=with_locale
        )

    def _user(self, call: Call) -> Reply:
        if call["user"] not in self._workspace.users:
            raise Refused("user_not_found")
        return {"user": self._told(call, call["user"])}

    def _users(self, call: Call) -> Reply:
        team = team_of(call, self._workspace)
        there = [user.id for user in self._workspace.users.values() if not team or team in user.teams]
        found, more = page(call, there, 1_000)
        return {"members": [self._told(call, user) for user in found], **more}

    def _groups(self, call: Call) -> Reply:
        team, teams = team_of(call, self._workspace), self._workspace.group_teams
        named = self._workspace.groups.items()
        groups = [{"id": id, "handle": handle} for id, handle in named if not team or teams.get(id, TEAM) == team]
        if call.flag("include_users"):
            groups = [{**group, "users": list(self._workspace.in_group.get(group["id"], ()))} for group in groups]
        return {"usergroups": groups}

    def _conversations(self, call: Call) -> Reply:
        """Those of the user that are public, or in which the app is too."""
        user, team = call.get("user") or BOT, team_of(call, self._workspace)
        kinds = {"public_channel": "channel", "private_channel": "group"}
        wanted = {kinds.get(one, one) for one in str(call.get("types") or "public_channel").split(",")}
        found = [
            channel
            for channel in self._workspace.channels.values()
            if user in channel.members
            and channel.kind in wanted
            and is_in(channel, team)
            and (channel.kind == "channel" or BOT in channel.members)
        ]
        shown, more = page(call, found, 100)
        return {"channels": [channel.as_dict() for channel in shown], **more}
