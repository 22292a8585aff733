"""An Enterprise Grid organisation of two workspaces: what the bot does in it, and who may read what."""

import asyncio

import pytest

from bot.sentences import UNSOURCED
from bot.slack.api.connection import identity, reading, session
from bot.slack.api.pace import Pace
from bot.slack.api.people import People
from bot.slack.api.teams import REMEMBERED, Teams
from bot.slack.messages.blocks import PRIVATE
from bot.slack.surfaces import home, home_sentences
from bot.slack.transport.manifest import RESEARCH_MESSAGE
from bot.store import ChannelSettings
from tests.fakes.research import says
from tests.fakes.slack import BOT, BOT_TOKEN, serve_slack
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_private import answer
from tests.fakes.slack_workspace import texts
from tests.fakes.virtual import run_virtually


@pytest.fixture
def grid(slack):
    """Of T1, which is as ever, and T2: Wanda and Will are there, Ada is in both."""
    workspace = slack.workspace
    workspace.enterprise = "E1"
    workspace.granted.append("T2")
    workspace.users["U1"].also_in.append("T2")
    workspace.person("W5", "wanda", email="wanda@acme.test", team="T2")
    workspace.person("W6", "will", email="will@acme.test", team="T2")
    workspace.channel("C7", "far", "W5", "W6", creator="W6", team="T2")
    workspace.channel("C8", "far-secret", "U1", "W5", kind="group", team="T2")
    workspace.groups |= {"S1": "near-group", "S2": "far-group"}
    workspace.group_teams["S2"] = "T2"
    workspace.in_group |= {"S1": ["U1"], "S2": ["W5"]}
    return slack


@pytest.fixture
async def bot(grid, tmp_path):
    async with running_bot(grid, tmp_path) as bot:
        yield bot


async def asked(bot, slack, user, channel):
    """The ts of a question, once it is answered."""
    bot.knows(says("Hello."))
    ts = await slack.mention(user, "How much leave do I have?", channel)
    await slack.until(lambda: slack.answer(channel, ts).startswith("Hello."))
    return ts


async def sets(bot, slack, user, channel):
    await asked(bot, slack, user, channel)
    return {frozenset(principals) for principals in bot.questions[-1].audience}


def own(user, mail, *more):
    return frozenset({"public", "workspace", f"user:{user}", f"user:{mail}", *more})


ADA = own("U1", "ada@acme.test", *(f"channel:{one}" for one in ("C1", "C2", "C3", "C4", "C8")), "group:S1")
WANDA = own("W5", "wanda@acme.test", "channel:C7", "channel:C8", "group:S2")


async def test_a_question_is_answered_in_each_workspace(bot, grid):
    assert await sets(bot, grid, "U2", "C1") == {frozenset({"public", "workspace", "channel:C1"})}
    assert await sets(bot, grid, "W5", "C7") == {frozenset({"public", "workspace", "channel:C7"})}


async def test_the_channels_and_groups_of_people_are_those_of_all_workspaces(bot, grid):
    assert await sets(bot, grid, "W5", "C8") == {ADA, WANDA}


async def test_people_are_looked_for_in_the_workspaces_that_they_are_in(bot, grid):
    await sets(bot, grid, "W5", "C8")
    made = grid.calls("users.conversations")
    assert {(one.call["user"], one.call["team_id"]) for one in made} == {("U1", "T1"), ("U1", "T2"), ("W5", "T2")}
    assert len(grid.calls("auth.teams.list")) == 1


async def test_in_direct_messages_it_is_what_their_reader_may_read(bot, grid):
    bot.knows(says("Hello."))
    ts = await grid.dm("W5", "How much leave do I have?")
    await grid.until(lambda: grid.answer(grid.workspace.direct("W5").id, ts).startswith("Hello."))
    assert set(bot.questions[0].audience) == {WANDA}


async def test_a_private_answer_is_given_under_the_clickers_own_view(bot, grid):
    bot.knows(says("I know nothing of it."))
    ts = await grid.mention("W6", "What is the pay?", "C7")
    await grid.until(lambda: UNSOURCED["en"] in grid.answer("C7", ts))
    bot.knows(says("Nor do I."))
    await grid.click("W5", "C7", grid.thread("C7", ts)[-1].ts, PRIVATE)
    await grid.until(lambda: "Nor do I." in answer(grid, "W5") and grid.whispers("W5"))
    assert set(bot.questions[1].audience) == {WANDA}
    assert "https://acme.enterprise.slack.com/archives/" in grid.whispers("W5")[-1]["text"]


async def test_the_command_and_the_shortcut_work_in_each_workspace(bot, grid):
    bot.knows(says("It is out."))
    await grid.command("W5", "Is Falcon 2 out?", "C7")
    await grid.until(lambda: any("It is out." in one["text"] for one in grid.workspace.messages.get("C7", {}).values()))
    bot.knows(says("Hello."))
    ts = await grid.say("W6", "How much leave is there?", "C7")
    await grid.shortcut("W5", RESEARCH_MESSAGE, "C7", ts)
    await grid.until(lambda: grid.answer("C7", ts).startswith("Hello."))


@pytest.mark.parametrize("method", ["users.conversations", "usergroups.list"])
async def test_where_one_workspace_refuses_nobodys_place_is_known_by_halves(bot, grid, method):
    grid.refuse(method, "team_access_not_granted", times=9)
    known = await sets(bot, grid, "W5", "C8")
    found = {principal for one in known for principal in one if principal.startswith(("channel:", "group:"))}
    assert "group:S1" not in found
    assert ("channel:C7" in found) is (method == "usergroups.list")


async def test_where_the_workspaces_are_not_known_an_answer_is_for_anybody_in_the_channel(bot, grid):
    grid.refuse("auth.teams.list", "internal_error", times=99)
    assert await sets(bot, grid, "W5", "C8") == {frozenset({"public", "channel:C8"})}


@pytest.mark.parametrize(("further", "principals"), [("T2", {"workspace"}), ("T3", set()), ("E1", {"workspace"})])
async def test_a_channel_of_several_workspaces_is_ours_where_all_of_them_are(bot, grid, further, principals):
    grid.workspace.channels["C1"].also_in.append(further)
    assert await sets(bot, grid, "U2", "C1") == {frozenset({"public", "channel:C1"} | principals)}


async def test_a_channel_shared_with_another_organisation_is_of_outsiders(bot, grid):
    grid.workspace.channels["C1"].shared = True
    grid.workspace.channels["C1"].also_in.append("T2")
    assert await sets(bot, grid, "U2", "C1") == {frozenset({"public", "channel:C1"})}


async def test_many_people_are_learned_of_with_the_lists_of_their_workspaces(bot, grid):
    for number in range(20):
        grid.workspace.channels["C7"].members.append(grid.workspace.person(f"WX{number}", "x", team="T2").id)
    assert await sets(bot, grid, "W5", "C7") == {frozenset({"public", "workspace", "channel:C7"})}
    assert [made.call["team_id"] for made in grid.calls("users.list")] == ["T1", "T2"]
    assert len(grid.calls("users.info")) < 5


async def test_whom_no_list_of_a_workspace_has_is_asked_for_alone(bot, grid):
    grid.workspace.users[BOT].team = "E1"
    for number in range(20):
        grid.workspace.channels["C7"].members.append(grid.workspace.person(f"WX{number}", "x", team="T2").id)
    assert await sets(bot, grid, "W5", "C7") == {frozenset({"public", "workspace", "channel:C7"})}
    assert BOT in [made.call["user"] for made in grid.calls("users.info")]


async def test_groups_of_all_workspaces_have_names_but_for_those_that_one_does_not_tell(bot, grid):
    grid.refuse("usergroups.list", "team_access_not_granted", times=1)
    bot.knows(says("Hello."))
    ts = await grid.dm("U2", "Who are <!subteam^S1> and <!subteam^S2>?")
    await grid.until(lambda: grid.answer(grid.workspace.direct("U2").id, ts).startswith("Hello."))
    assert "far-group" in bot.questions[0].run["query"]
    assert "near-group" not in bot.questions[0].run["query"]


# Links


async def linked(bot, slack, user, channel, to, host="acme"):
    """What a question finds that names a message of another channel."""
    ts = await slack.say("W6", "The leave is 30 days.", to)
    bot.knows(says("Hello."))
    link = f"https://{host}.slack.com/archives/{to}/p{ts.replace('.', '')}"
    place = slack.workspace.direct(user).id if channel == "direct" else channel
    if channel == "direct":
        asked = await slack.dm(user, f"What does <{link}> say?")
    else:
        asked = await slack.mention(user, f"What does <{link}> say?", place)
    await slack.until(lambda: "Hello." in slack.answer(place, asked))
    return [hit.content_snippet for hit in bot.questions[-1].run["evidence"]]


@pytest.mark.parametrize("host", ["acme.enterprise", "acme-far"])
async def test_a_link_is_read_where_all_readers_are_in_the_workspace_of_the_channel(bot, grid, host):
    grid.workspace.channel("C9", "far-too", "W5", team="T2")
    assert await linked(bot, grid, "W5", "C9", "C7", host) == ["The leave is 30 days."]


async def test_a_link_to_an_open_channel_of_another_workspace_shows_nothing(bot, grid):
    assert await linked(bot, grid, "U1", "C1", "C7") == []
    grid.workspace.channels["C7"].also_in.append("T1")
    assert await linked(bot, grid, "U1", "C1", "C7") == ["The leave is 30 days."]


@pytest.mark.parametrize(("user", "found"), [("U1", ["The leave is 30 days."]), ("U2", [])])
async def test_in_direct_messages_it_is_read_for_whoever_is_in_its_workspace(bot, grid, user, found):
    assert await linked(bot, grid, user, "direct", "C7") == found


# App Home


async def opened(slack, user, channel):
    """What the settings of a channel are to somebody."""
    await slack.open_home(user)
    await slack.until(lambda: user in slack.api.views.home)
    await slack.click_in_view(user, home.PICK, channel, home=True)
    await slack.until(lambda: slack.api.views.modals.get(user) and home_sentences.WAIT["en"] not in seen(slack, user))
    return slack.api.views.modal(user)


def seen(slack, user):
    return "\n".join(texts(slack.api.views.modal(user)["blocks"]))


async def test_a_channel_of_another_workspace_is_not_everybodys_to_see(bot, grid):
    await bot.store.set_settings("C7", ChannelSettings(tone="dry"))
    await opened(grid, "U2", "C7")
    assert seen(grid, "U2") == home_sentences.NOT_YOURS["en"]
    await opened(grid, "U1", "C7")  # who is in that workspace, too
    assert "dry" in seen(grid, "U1")


@pytest.mark.parametrize(
    ("user", "rules"), [("admin there", True), ("admin elsewhere", False), ("owner of all", True), ("creator", True)]
)
async def test_the_settings_are_for_the_admins_of_the_workspace_and_of_the_organisation(bot, grid, user, rules):
    who = {"admin there": "W5", "admin elsewhere": "U1", "owner of all": "U1", "creator": "W6"}[user]
    grid.workspace.users[who].admin = user.startswith("admin")
    grid.workspace.users[who].runs_all = user == "owner of all"
    view = await opened(grid, who, "C7")
    assert (view["submit"] is not None) is rules
    if rules:
        await grid.submit(who, **{home.TONE: "dry"})
        await grid.until(lambda: grid.api.views.modals[who] == [])
        assert (await bot.store.settings("C7")).tone == "dry"


# What is of the organisation itself


async def test_the_token_of_an_organisation_says_so(grid):
    async with session() as http:
        who = await identity(reading(http, grid.url, BOT_TOKEN, Pace()))
    assert (who.team, who.organisation, who.address) == ("E1", "E1", "https://acme.enterprise.slack.com/")


async def test_the_token_of_one_workspace_of_an_organisation_is_of_that_workspace(slack):
    async with session() as http:
        people = People(reading(http, slack.url, BOT_TOKEN, Pace()), team="T1", organisation="E1")
        assert await people.teams.all() == (None,)
    assert slack.calls("auth.teams.list") == []


def test_a_workspace_that_is_added_is_known_within_minutes():
    async def main():
        async with serve_slack() as slack, session() as http:
            slack.workspace.enterprise = "E1"
            teams = Teams(reading(http, slack.url, BOT_TOKEN, Pace()), organisation="E1")
            assert await teams.all() == ("T1",)
            slack.workspace.granted.append("T2")
            assert await teams.all() == ("T1",)
            await asyncio.sleep(REMEMBERED)  # Of virtual time.
            assert await teams.all() == ("T1", "T2")

    run_virtually(main(), underway=0.05)
