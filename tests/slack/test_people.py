"""What Slack tells of people, and what it does not."""

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.api.people import People
from tests.fakes.slack import BOT_TOKEN


@pytest.fixture
async def people(slack):
    async with aiohttp.ClientSession() as session:
        client = AsyncWebClient(BOT_TOKEN, base_url=slack.url, session=session, retry_handlers=[])
        yield People(client, team="T1", organisation="E1")


async def test_a_person_is_asked_for_once(people, slack):
    assert (await people.person("U1")).name == "Ada Lovelace"
    await people.person("U1")
    assert len(slack.calls("users.info")) == 1


async def test_names_that_slack_does_not_tell_are_left_out(people, slack):
    slack.refuse("conversations.info", "channel_not_found")
    assert await people.names(["U1", "U9"], ["C1", "C2"]) == {"U1": "Ada Lovelace", "C2": "with-guest"}


async def test_many_names_are_asked_for_at_once(people, slack):
    for number in range(50):
        slack.workspace.person(f"UX{number}", f"x{number}")
    names = await people.names(["U1", *(f"UX{number}" for number in range(50))])
    assert (len(names), names["UX49"]) == (51, "x49")
    assert slack.calls("users.info") == []


async def test_the_name_of_a_channel_is_asked_for_once(people, slack):
    assert await people.names([], ["C1"]) == await people.names([], ["C1"]) == {"C1": "general"}
    assert len(slack.calls("conversations.info")) == 1


async def test_a_language_is_that_which_somebody_has_set_and_is_asked_for_with_all_else(people, slack):
    slack.workspace.users["U1"].locale = "fr-CA"
    assert await people.language("U1") == "fr"
    assert (await people.person("U1")).language == "fr"
    assert len(slack.calls("users.info")) == 1


async def test_the_languages_of_many_come_with_their_list(people, slack):
    for number in range(50):
        slack.workspace.person(f"UX{number}", f"x{number}", locale="de-DE")
    await people.names(f"UX{number}" for number in range(50))
    assert await people.language("UX49") == "de"
    assert slack.calls("users.info") == []


async def test_where_slack_does_not_tell_a_language_it_is_english(people, slack):
    assert await people.language("U99") == "en"


@pytest.mark.parametrize("tz", ["", "Mars/Olympus", "Europe", "../../etc"])
async def test_a_zone_that_is_not_known_is_none(people, slack, tz):
    slack.workspace.users["U1"].tz = tz
    assert (await people.person("U1")).zone is None


async def test_a_member_whom_the_list_lacks_is_an_error_and_no_member(people, slack):
    with pytest.raises(LookupError):
        await people.people([f"U{number}" for number in range(100, 200)])


USER = {"id": "U5", "team_id": "T2", "name": "eve", "profile": {"email": "Eve@acme.test"}}


@pytest.mark.parametrize(
    ("changes", "full_member", "mail"),
    [
        pytest.param({"team_id": "T1"}, True, "eve@acme.test", id="of the workspace"),
        pytest.param({}, False, "", id="of another"),
        pytest.param({"enterprise_user": {"enterprise_id": "E1"}}, True, "eve@acme.test", id="of the organisation"),
        pytest.param({"enterprise_user": {"enterprise_id": "E2"}}, False, "", id="of another organisation"),
        pytest.param({"team_id": "T1", "is_ultra_restricted": True}, False, "eve@acme.test", id="a guest"),
        pytest.param({"team_id": "T1", "is_stranger": True}, False, "", id="a stranger"),
        pytest.param({"team_id": "T1", "deleted": True}, False, "eve@acme.test", id="who has left"),
        pytest.param({"team_id": "T1", "is_email_confirmed": False}, True, "", id="whose address is not confirmed"),
    ],
)
def test_who_is_a_full_member_and_whose_address_is_known(people, changes, full_member, mail):
    person = people._read({**USER, **changes})
    assert (person.full_member, person.mail) == (full_member, mail)


async def test_whom_a_text_mentions_is_named_people_channels_and_groups_alike(people, slack):
    slack.workspace.groups |= {"S1": "designers"}
    text = "<@UBOT> ask <@U2> and <!subteam^S1>, not <!subteam^S9>, in <#C2> or <#C1|general>"
    names = {"U2": "Grace Hopper", "S1": "designers", "C2": "with-guest"}
    assert await people.names_in([text], but="UBOT") == names
    await people.names_in(["<!subteam^S1>"])
    assert len(slack.calls("usergroups.list")) == 1


async def test_a_group_that_slack_does_not_tell_of_has_no_name(people, slack):
    slack.refuse("usergroups.list", "missing_scope")
    assert await people.names_in(["<!subteam^S1>"]) == {}


def test_whoever_is_of_a_workspace_of_the_organisation_is_of_the_organisation(people):
    assert people._read(USER, ("T1", "T2")).full_member
    assert not people._read(USER, ("T1", "T3")).full_member
