"""The fake Slack as an organisation of several workspaces."""

import pytest
from slack_sdk.errors import SlackApiError


@pytest.fixture
def organisation(slack):
    """Of T1 and T2, in which Wanda is, with a channel and a user group."""
    slack.workspace.enterprise = "E1"
    slack.workspace.granted.append("T2")
    slack.workspace.person("W5", "wanda", team="T2")
    slack.workspace.channel("C7", "far", "W5", team="T2")
    slack.workspace.groups |= {"S1": "near", "S2": "far"}
    slack.workspace.group_teams["S2"] = "T2"
    return slack


LISTS = ("users_list", "users_conversations", "conversations_list", "usergroups_list")


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize(("team", "error"), [({}, "missing_argument"), ({"team_id": "T3"}, "team_access_not_granted")])
async def test_what_is_of_one_workspace_names_one_of_the_organisation(organisation, client, method, team, error):
    with pytest.raises(SlackApiError) as refused:
        await getattr(client, method)(**team)
    assert refused.value.response["error"] == error


@pytest.mark.parametrize("method", LISTS)
async def test_with_the_token_of_one_workspace_it_does_not_matter_which_is_named(slack, client, method):
    one, other = [(await getattr(client, method)(**team)).data for team in ({}, {"team_id": "T3"})]
    assert one == other


async def test_each_workspace_lists_its_own(organisation, client):
    users = {user["id"] for user in (await client.users_list(team_id="T2"))["members"]}
    channels = [channel["id"] for channel in (await client.conversations_list(team_id="T2"))["channels"]]
    groups = [group["id"] for group in (await client.usergroups_list(team_id="T2"))["usergroups"]]
    assert (users, channels, groups) == ({"W5"}, ["C7"], ["S2"])
    theirs = [(await client.users_conversations(user="W5", team_id=team))["channels"] for team in ("T1", "T2")]
    assert [[channel["id"] for channel in channels] for channels in theirs] == [[], ["C7"]]


async def test_the_workspaces_of_the_app_come_page_by_page(organisation, client):
    first = await client.auth_teams_list(limit=1)
    second = await client.auth_teams_list(limit=1, cursor=first["response_metadata"]["next_cursor"])
    assert [team["id"] for page in (first, second) for team in page["teams"]] == ["T1", "T2"]
    assert "response_metadata" not in second.data


async def test_a_channel_of_several_workspaces_says_so(organisation, client):
    organisation.workspace.channels["C1"].also_in.append("T2")
    told = (await client.conversations_info(channel="C1"))["channel"]
    assert (told["is_org_shared"], told["is_shared"], told["is_ext_shared"]) == (True, True, False)
    assert told["shared_team_ids"] == ["T1", "T2"]


async def test_an_event_says_of_which_workspace_its_channel_is(organisation):
    await organisation.mention("W5", "hello", "C7")
    payload = organisation.deliveries[0].envelope["payload"]
    assert (payload["team_id"], payload["event"]["team"], payload["enterprise_id"]) == ("T2", "T2", "E1")
