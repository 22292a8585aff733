"""What an organisation's token is refused in the fake Slack: whatever is of one workspace names it."""

from tests.fakes.slack_call import Call, Refused
from tests.fakes.slack_workspace import Channel, Workspace


def team_of(call: Call, workspace: Workspace) -> str:
    """The workspace that a call is about; "" with the token of one, which what is named does not matter to."""
    if not workspace.enterprise:
        return ""
    if not call.get("team_id"):
        raise Refused("missing_argument", needed="team_id")
    if call["team_id"] not in workspace.granted:
        raise Refused("team_access_not_granted")
    return str(call["team_id"])


def is_in(channel: Channel, team: str) -> bool:
    """A conversation without a name is of no workspace."""
    return not team or channel.kind in ("im", "mpim") or team in channel.teams
