"""The agent's part of a thread in the fake Slack: status, title, suggested prompts, and sessions.

Status text and session share the one slot under the composer: whoever writes last is shown, and while something is
shown there nobody can write.
"""

from dataclasses import dataclass, field
from typing import Literal

from tests.fakes.slack_app import App, Change
from tests.fakes.slack_call import Call, Methods, Refused, Reply, invalid_arguments
from tests.fakes.slack_workspace import BOT_ID

STATUS_SECONDS = 120.0
SESSION_SECONDS = 3_600.0
STATUSES = ("active", "processing", "suspended", "closed")
LONGEST_TITLE = 200
MOST_PROMPTS = 4
MOST_LOADING = 10
LONGEST_LOADING = 50


@dataclass
class Thread:
    status: str = ""
    until: float = 0.0
    title: str = ""
    prompts: list[Reply] = field(default_factory=list)
    session: Literal["", "active", "processing", "suspended", "closed"] = ""
    session_until: float = 0.0
    calls: list[str] = field(default_factory=list)
    """The statuses that were set, in their order."""


class Threads:
    """By channel and thread ts; the prompts of a direct conversation without a thread are at ts ""."""

    def __init__(self, app: App) -> None:
        self.threads: dict[tuple[str, str], Thread] = {}
        self._app = app
        app.listeners.append(self._told)
        self.methods: Methods = {
            "assistant.threads.setStatus": (self._set_status, "chat:write"),
            "assistant.threads.setTitle": (self._set_title, "assistant:write"),
            "assistant.threads.setSuggestedPrompts": (self._set_prompts, "assistant:write"),
            "agents.sessions.setStatus": (self._set_session, "chat:write"),
            "agents.sessions.rename": (self._rename, "chat:write"),
        }

    def thread(self, channel: str, thread_ts: str = "") -> Thread:
        """What is shown there now."""
        thread = self.threads.setdefault((channel, thread_ts), Thread())
        if thread.status and self._app.clock() >= thread.until:
            thread.status = ""
        if thread.session == "processing" and self._app.clock() >= thread.session_until:
            thread.session = "active"
        return thread

    def locked(self, channel: str, thread_ts: str) -> bool:
        """Nobody can write there."""
        thread = self.thread(channel, thread_ts)
        return bool(thread.status) or thread.session == "processing"

    def stoppable(self, channel: str, thread_ts: str) -> bool:
        """Slack shows its own Stop button."""
        return self.thread(channel, thread_ts).session == "processing" and "agent_session_stopped" in self._app.events

    def streaming(self, channel: str, thread_ts: str, status: str) -> None:
        """A stream of an agent makes a session by itself."""
        if self._app.is_agent:
            self._session(self.thread(channel, thread_ts), status)

    def _told(self, change: Change) -> None:
        if change.kind == "posted" and change.message.get("bot_id") == BOT_ID and "thread_ts" in change.message:
            self.thread(change.channel, change.message["thread_ts"]).status = ""

    def _session(self, thread: Thread, status: str) -> None:
        thread.session, thread.status = status, ""  # type: ignore[assignment]  # It was looked at.
        thread.session_until = self._app.clock() + SESSION_SECONDS

    def _place(self, call: Call) -> Thread:
        channel = self._app.workspace.joined(call["channel_id"])
        try:
            return self.thread(channel.id, self._app.workspace.root_of(channel.id, str(call["thread_ts"])))
        except Refused as refused:
            raise refused if refused.error == "invalid_arguments" else Refused("invalid_thread_ts") from None

    def _set_status(self, call: Call) -> Reply:
        thread = self._place(call)
        if "status" not in call:
            raise invalid_arguments("missing required field: status")
        loading = call.parsed("loading_messages") or []
        if len(loading) > MOST_LOADING or any(len(one) > LONGEST_LOADING for one in loading):
            raise invalid_arguments("loading_messages: at most 10 of at most 50 characters")
        thread.status, thread.until = str(call.get("status") or ""), self._app.clock() + STATUS_SECONDS
        if thread.session == "processing":
            thread.session = "active"
        thread.calls.append(thread.status)
        return {}

    def _check_agent(self) -> None:
        if not self._app.features.keys() & {"agent_view", "assistant_view"}:
            raise Refused("not_agent_app")

    def _set_title(self, call: Call) -> Reply:
        self._check_agent()
        self._place(call).title = call["title"]
        return {}

    def _set_prompts(self, call: Call) -> Reply:
        self._check_agent()
        prompts = call.parsed("prompts")
        if not isinstance(prompts, list) or not 0 < len(prompts) <= MOST_PROMPTS:
            raise invalid_arguments("prompts: 1 to 4")
        if not all(prompt.get("title") and prompt.get("message") for prompt in prompts):
            raise invalid_arguments("prompts: each needs title and message")
        if call.get("thread_ts"):
            thread = self._place(call)
        elif self._app.is_agent:
            thread = self.thread(self._app.workspace.joined(call["channel_id"]).id)
        else:
            raise invalid_arguments("missing required field: thread_ts")
        thread.prompts = prompts
        return {}

    def _agents(self, call: Call) -> Thread:
        if not self._app.is_agent:
            raise Refused("not_authorized")
        if not call.get("thread_ts"):
            raise Refused("thread_ts_required")
        return self._place(call)

    def _set_session(self, call: Call) -> Reply:
        thread = self._agents(call)
        if call["status"] not in STATUSES:
            raise Refused("invalid_status")
        if call.get("initiator_user_id") not in (None, *self._app.workspace.visible(call["channel_id"]).members):
            raise Refused("user_not_found")
        if len(call.get("title") or "") > LONGEST_TITLE:
            raise invalid_arguments("title: at most 200 characters")
        if not thread.session:
            thread.title = call.get("title") or thread.title
        self._session(thread, call["status"])
        reply = {"status": thread.session, "agent_status": thread.session, "title": thread.title}
        if "agent_session_stopped" not in self._app.events:
            reply["warning"] = "missing_agent_session_stopped_event_subscription"
        return reply

    def _rename(self, call: Call) -> Reply:
        thread = self._agents(call)
        if not thread.session:
            raise Refused("session_not_found")
        if len(call["title"]) > LONGEST_TITLE:
            raise invalid_arguments("title: at most 200 characters")
        thread.title = call["title"]
        return {"title": thread.title}
