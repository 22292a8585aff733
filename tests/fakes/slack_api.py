"""Slack's Web API, of all parts of the fake together."""

from tests.fakes.slack_app import App, Team
from tests.fakes.slack_call import Call, Refused, Reply
from tests.fakes.slack_conversations import Conversations
from tests.fakes.slack_files import Files
from tests.fakes.slack_messages import Messages
from tests.fakes.slack_streams import Streams
from tests.fakes.slack_threads import Threads
from tests.fakes.slack_views import Views


class WebApi:
    """What one app may do."""

    def __init__(self, app: App) -> None:
        self.messages = Messages(app)
        self.views = Views(app)
        self.files = Files(app)
        self.threads = Threads(app)
        self.streams = Streams(app, self.threads)
        parts = (Team(app), Conversations(app), self.messages, self.views, self.files, self.threads, self.streams)
        self._methods = {name: method for part in parts for name, method in part.methods.items()}
        self._app = app

    @property
    def names(self) -> list[str]:
        """Of all methods."""
        return list(self._methods)

    def __contains__(self, method: str) -> bool:
        return method in self._methods

    def __call__(self, call: Call) -> Reply:
        """What Slack replies; raises `Refused`."""
        method, scope = self._methods[call.method]
        if "{kind}" in scope:
            kind = self._app.workspace.visible(call["channel"]).kind
            scope = scope.format(kind={"channel": "channels", "group": "groups"}.get(kind, kind))
        if scope and scope not in self._app.scopes:
            raise Refused("missing_scope", needed=scope, provided=",".join(sorted(self._app.scopes)))
        self.streams.age()
        return method(call)
