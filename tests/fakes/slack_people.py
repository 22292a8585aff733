"""What people do in the fake Slack with words, reactions and files, and what they see."""

import json
from typing import Any

from tests.fakes.slack_conversations import reaction
from tests.fakes.slack_events import Events
from tests.fakes.slack_workspace import BOT, TEAM, Seen


class ComposerLocked(AssertionError):
    """Nobody can write in the thread while the app shows a status there."""


class People(Events):
    async def say(self, user: str, text: str | None, channel: str, thread_ts: str | None = None, **more: Any) -> str:
        """Somebody writes; the app is told of it.  `more` are further fields of the message.  Gives its ts.

        A `thread_ts` of "" is none, but is told as Slack sometimes does.
        """
        if thread_ts and self.api.threads.locked(channel, thread_ts):
            raise ComposerLocked(f"{user} cannot write in {channel} {thread_ts} while a status is shown there")
        message = {"user": user, "text": text, "client_msg_id": f"m{next(self.numbers)}", **self._team_of(user), **more}
        if thread_ts:
            message["thread_ts"] = thread_ts
        message = self.workspace.add(channel, message)
        self._changed()
        mentioned = f"<@{BOT}" in json.dumps([text, more.get("blocks")])
        for kind in self.pair if mentioned else ("message",):
            await self.happened(kind, channel, {**message, **({"thread_ts": ""} if thread_ts == "" else {})})
        return str(message["ts"])

    async def mention(self, user: str, text: str, channel: str, thread_ts: str | None = None, **more: Any) -> str:
        return await self.say(user, f"<@{BOT}> {text}", channel, thread_ts, **more)

    async def dm(self, user: str, text: str | None, thread_ts: str | None = None, **more: Any) -> str:
        return await self.say(user, text, self.workspace.direct(user).id, thread_ts, **more)

    async def share(
        self, user: str, text: str, channel: str, files: dict[str, bytes], thread_ts: str | None = None
    ) -> str:
        """Somebody writes with files, by name."""
        told = [self.api.files.of(user, name, content) for name, content in files.items()]
        return await self.say(user, text, channel, thread_ts, subtype="file_share", files=told, upload=True)

    async def edit(self, channel: str, ts: str, text: str) -> None:
        """The author changes the message: a mention in it comes again, with the same ts, where mentions are told."""
        message = self.workspace.message(channel, ts)
        before = dict(message)
        message |= {"text": text, "edited": {"user": message["user"], "ts": self.workspace.new_ts()}}
        await self.message_changed(channel, message, before)
        if f"<@{BOT}" in text and "app_mention" in self.pair:
            await self.happened("app_mention", channel, message)

    async def preview(self, channel: str, ts: str, url: str) -> None:
        """Slack puts a card of a link under a message: it tells of a change, though no word has changed."""
        message = self.workspace.message(channel, ts)
        before = dict(message)
        message["attachments"] = [{"id": 1, "from_url": url, "original_url": url, "title": url}]
        await self.message_changed(channel, message, before)

    async def delete(self, channel: str, ts: str) -> None:
        """The author takes a message away.  What has replies leaves a stone in its place, which is told as a change
        and goes with the last reply."""
        message, left, gone = self.workspace.remove(channel, ts)
        if left is not None:
            await self.message_changed(channel, left, message)
            return
        for deleted in (message, gone):
            if deleted is not None:
                await self.message_deleted(channel, deleted)

    async def react(self, user: str, channel: str, ts: str, name: str) -> None:
        message = self.workspace.message(channel, ts)
        reaction(message, user, name, add=True)
        await self.reacted("reaction_added", user, channel, message, name)

    async def unreact(self, user: str, channel: str, ts: str, name: str) -> None:
        message = self.workspace.message(channel, ts)
        reaction(message, user, name, add=False)
        await self.reacted("reaction_removed", user, channel, message, name)

    # Coming and going

    async def invite(self, user: str, channel: str, by: str = "U1") -> None:
        """Somebody, or the bot, is taken into a channel."""
        place = self.workspace.channels[channel]
        place.members.append(user)
        if BOT in place.members:
            kind = "C" if place.kind == "channel" else "G"
            joined = {"type": "member_joined_channel", "user": user, "channel": channel, "channel_type": kind}
            await self.subscribed(joined | {"team": self._team_of(user)["team"], "inviter": by})
        text = f"<@{user}> has joined the channel"
        message = self.workspace.add(channel, {"user": user, "subtype": "channel_join", "text": text, "inviter": by})
        await self.happened("message", channel, message)

    async def leave(self, user: str, channel: str) -> None:
        place = self.workspace.channels[channel]
        heard = BOT in place.members and user != BOT
        place.members.remove(user)
        if heard:
            await self.subscribed({"type": "member_left_channel", "user": user, "channel": channel})

    async def open_home(self, user: str, tab: str = "home") -> None:
        """Somebody looks at the app: its Home, or its messages."""
        channel = self.workspace.direct(user).id
        view = {"view": self.api.views.home[user]} if tab == "home" and user in self.api.views.home else {}
        await self.subscribed({"type": "app_home_opened", "user": user, "channel": channel, "tab": tab, **view})

    async def uninstall(self) -> None:
        """The app is taken out of the workspace: its token is worth nothing from now on."""
        self.uninstalled = True
        await self.subscribed({"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [BOT]}})
        await self.subscribed({"type": "app_uninstalled"})

    uninstalled = False

    # What they see

    def thread(self, channel: str, ts: str, by: str = "") -> list[Seen]:
        """A thread as people see it, oldest first; `by` one of them, to whom a stream may not be shown yet."""
        return list(self.workspace.seen(self.workspace.replies(channel, ts), by))

    def answers(self, channel: str, ts: str) -> list[str]:
        """What the app has written in a thread."""
        return [message.text for message in self.thread(channel, ts) if message.user == BOT]

    def answer(self, channel: str, ts: str) -> str:
        """The newest of these, or ""."""
        return (self.answers(channel, ts) or [""])[-1]

    def whispers(self, user: str) -> list[dict[str, Any]]:
        """What this person alone was shown, oldest first."""
        return [shown for shown in self.api.messages.ephemerals if shown["user"] == user]

    def permalink(self, channel: str, ts: str) -> str:
        return f"{self.workspace.address}archives/{channel}/p{ts.replace('.', '')}"

    def _team_of(self, user: str) -> dict[str, str]:
        person = self.workspace.users.get(user)
        if person is None or not person.stranger:
            return {"team": person.team_id if person is not None else TEAM}
        return {"team": person.team_id, "user_team": person.team_id, "source_team": person.team_id}
