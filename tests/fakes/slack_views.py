"""Modals and App Home of the fake Slack, and the trigger ids that open a modal."""

import itertools
from dataclasses import dataclass

from tests.fakes.slack_app import App
from tests.fakes.slack_blocks import taken
from tests.fakes.slack_call import Call, Methods, Refused, Reply, invalid_arguments
from tests.fakes.slack_workspace import APP, BOT_ID, TEAM

TRIGGER_SECONDS = 3.0
MOST_PUSHED = 3
LARGEST_VIEW = 250_000


@dataclass
class _Trigger:
    user: str
    until: float
    used: bool = False
    view: str = ""
    """The modal in which somebody did something."""


class Views:
    """`home` is what each person sees in App Home; `modals` the stack of open modals of each, the top one last."""

    def __init__(self, app: App) -> None:
        self.home: dict[str, Reply] = {}
        self.modals: dict[str, list[Reply]] = {}
        self._triggers: dict[str, _Trigger] = {}
        self._app = app
        self._numbers = itertools.count(1)
        self.methods: Methods = {
            "views.open": (self._open, ""),
            "views.push": (self._push, ""),
            "views.update": (self._update, ""),
            "views.publish": (self._publish, ""),
        }

    def trigger(self, user: str, view: str = "") -> str:
        """A new trigger id: good for one call within three seconds."""
        id = f"{next(self._numbers)}.{TEAM[1:]}.abcdef"
        self._triggers[id] = _Trigger(user, self._app.clock() + TRIGGER_SECONDS, view=view)
        return id

    def modal(self, user: str) -> Reply:
        """The modal that a person has in front of them."""
        if not self.modals.get(user):
            raise AssertionError(f"{user} has no modal open")
        return self.modals[user][-1]

    def answered(self, user: str, view: Reply, response: Reply | None) -> None:
        """The app acknowledged a submission, with a `response_action` or without."""
        stack, response = self.modals[user], response or {}
        match response.get("response_action"):
            case None:
                stack.remove(view)
            case "errors":
                view["errors"] = response["errors"]
            case "update":
                _replace(view, self._made(response["view"], "modal"))
            case "push":
                stack.append(self._made(response["view"], "modal", view))
            case "clear":
                stack.clear()
            case other:
                raise AssertionError(f"Slack knows no response_action {other!r}")

    def _open(self, call: Call) -> Reply:
        trigger = self._exchanged(call)
        view = self._made(call.parsed("view"), "modal")
        self.modals[trigger.user] = [view]
        return {"view": view}

    def _push(self, call: Call) -> Reply:
        trigger = self._exchanged(call)
        stack = self.modals.get(trigger.user, [])
        if not trigger.view or not stack:
            raise Refused("not_found")
        if len(stack) >= MOST_PUSHED:
            raise Refused("push_limit_reached")
        view = self._made(call.parsed("view"), "modal", stack[-1])
        stack.append(view)
        return {"view": view}

    def _update(self, call: Call) -> Reply:
        given = call.get("view_id") or call["external_id"]
        name = "id" if call.get("view_id") else "external_id"
        for view in (view for stack in (*self.modals.values(), list(self.home.values())) for view in stack):
            if view[name] == given:
                _same(call, view)
                _replace(view, self._made(call.parsed("view"), view["type"]))
                return {"view": view}
        raise Refused("not_found")

    def _publish(self, call: Call) -> Reply:
        user = call["user_id"]
        if user not in self._app.workspace.users:
            raise invalid_arguments("invalid `user_id`")
        if not self._app.features.get("app_home", {}).get("home_tab_enabled"):
            raise Refused("not_enabled")
        if user in self.home:
            _same(call, self.home[user])
        view = self._made(call.parsed("view"), "home")
        if user in self.home:
            view["id"] = self.home[user]["id"]
        self.home[user] = view
        return {"view": view}

    def _exchanged(self, call: Call) -> _Trigger:
        trigger = self._triggers.get(call["trigger_id"])
        if trigger is None:
            raise Refused("invalid_trigger_id")
        if trigger.used:
            raise Refused("exchanged_trigger_id")
        trigger.used = True
        if self._app.clock() > trigger.until:
            raise Refused("expired_trigger_id")
        return trigger

    def _made(self, view: Reply, kind: str, under: Reply | None = None) -> Reply:
        if not isinstance(view, dict) or view.get("type") != kind:
            raise invalid_arguments(f"must be a view of type {kind} [json-pointer:/view/type]")
        if len(str(view)) > LARGEST_VIEW:
            raise Refused("view_too_large")
        blocks = taken(view.get("blocks"), kind)
        if kind == "modal":
            _check_modal(view, blocks)
        for name, longest in {"private_metadata": 3_000, "callback_id": 255, "external_id": 255}.items():
            if len(view.get(name) or "") > longest:
                raise invalid_arguments(f"must be at most {longest} characters [json-pointer:/view/{name}]")
        id = f"V{next(self._numbers)}"
        made = {"id": id, "team_id": TEAM, "app_id": APP, "bot_id": BOT_ID, "app_installed_team_id": TEAM}
        made |= {"private_metadata": "", "callback_id": "", "external_id": "", "title": None, "submit": None}
        made |= {"close": None, "clear_on_close": False, "notify_on_close": False, "state": {"values": {}}}
        made |= {"previous_view_id": under["id"] if under else None, "hash": f"{next(self._numbers)}.hash"}
        return {**made, "root_view_id": under["root_view_id"] if under else id, **view, "blocks": blocks}


def _check_modal(view: Reply, blocks: list[Reply]) -> None:
    for name in ("title", "submit", "close"):
        part = view.get(name)
        if part is None and name != "title":
            continue
        if not isinstance(part, dict) or part.get("type") != "plain_text" or not 0 < len(part.get("text", "")) <= 24:
            raise invalid_arguments(f"must be plain_text of 1 to 24 characters [json-pointer:/view/{name}]")
    if view.get("submit") is None and any(block["type"] == "input" for block in blocks):
        raise invalid_arguments("`submit` is required when an input block is within the `blocks` array")


def _same(call: Call, view: Reply) -> None:
    if call.get("hash") not in (None, view["hash"]):
        raise Refused("hash_conflict")


def _replace(view: Reply, new: Reply) -> None:
    kept = {name: view[name] for name in ("id", "root_view_id", "previous_view_id")}
    view.clear()
    view.update(new | kept)
