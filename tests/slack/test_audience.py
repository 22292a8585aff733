"""On whose behalf a question is searched, as the research is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.audience import covers
from indexers.document import may_read
from tests.fakes.research import says
from tests.fakes.slack_workspace import BOT


async def audience(bot, slack, user, channel):
    bot.knows(says("Hello."))
    await slack.mention(user, "How much leave do I have?", channel)
    await slack.until(lambda: bot.questions)
    (principals,) = bot.questions[0].audience
    return set(principals)


async def test_in_a_channel_of_members_it_is_the_workspace_and_the_channel(bot, slack):
    assert await audience(bot, slack, "U1", "C1") == {"public", "workspace", "channel:C1"}


async def test_in_a_private_channel_and_a_group_message_too(bot, slack):
    assert await audience(bot, slack, "U1", "C4") == {"public", "workspace", "channel:C4"}


async def test_in_a_group_message_too(bot, slack):
    place = slack.workspace.direct("U1", "U2").id
    assert await audience(bot, slack, "U1", place) == {"public", "workspace", f"channel:{place}"}


@pytest.mark.parametrize("channel", ["C2", "C3"])
async def test_a_guest_or_an_outsider_leaves_the_public_and_the_channel(bot, slack, channel):
    assert await audience(bot, slack, "U1", channel) == {"public", f"channel:{channel}"}


async def test_a_shared_channel_is_one_of_outsiders_even_while_none_is_in_it(bot, slack):
    slack.workspace.channels["C1"].shared = True
    assert await audience(bot, slack, "U1", "C1") == {"public", "channel:C1"}


async def test_an_outsider_is_known_where_the_channel_does_not_say_so(bot, slack):
    slack.workspace.channels["C1"].members.append("UO")
    assert await audience(bot, slack, "U1", "C1") == {"public", "channel:C1"}


@pytest.mark.parametrize("guest", [False, True])
async def test_a_large_channel_is_looked_through_to_its_end(bot, slack, guest):
    for number in range(1_200):
        slack.workspace.person(f"UX{number}", f"x{number}", guest=guest and number == 1_150)
        slack.workspace.channels["C1"].members.append(f"UX{number}")
    assert ("workspace" in await audience(bot, slack, "U1", "C1")) is not guest
    assert not [made for made in slack.calls("users.info") if made.call["user"].startswith("UX")]


@pytest.mark.parametrize("method", ["conversations.info", "conversations.members", "users.info"])
@pytest.mark.parametrize("error", ["missing_scope", "internal_error"])
async def test_what_cannot_be_known_counts_as_the_worst(bot, slack, method, error):
    slack.refuse(method, error, times=20)
    assert await audience(bot, slack, "U1", "C1") == {"public", "channel:C1"}


async def test_other_bots_in_a_channel_are_no_guests(bot, slack):
    slack.workspace.person("U8", "alerts", bot=True, guest=True)
    slack.workspace.channels["C1"].members.append("U8")
    assert "workspace" in await audience(bot, slack, "U1", "C1")


async def test_in_a_direct_message_it_is_the_askers_own(bot, slack):
    slack.workspace.channel("C8", "elsewhere", "U1").members.remove(BOT)
    slack.workspace.channel("C9", "hidden", "U1", kind="group").members.remove(BOT)
    group = slack.workspace.direct("U1", "U2").id
    channels = {f"channel:{channel}" for channel in ("C1", "C2", "C3", "C4", "C8", group)}
    own = {"public", "workspace", "user:U1", "user:ada@acme.test", *channels}
    assert await audience(bot, slack, "U1", slack.workspace.direct("U1").id) == own


async def test_a_guest_has_no_workspace(bot, slack):
    own = {"public", "user:UG", "user:gustav@guest.test", "channel:C2"}
    assert await audience(bot, slack, "UG", slack.workspace.direct("UG").id) == own


async def test_an_outsider_has_neither_workspace_nor_an_address_that_we_vouch_for(bot, slack):
    own = {"public", "user:UO", "channel:C3"}
    assert await audience(bot, slack, "UO", slack.workspace.direct("UO").id) == own


@pytest.mark.parametrize(
    ("method", "own"),
    [
        ("users.info", {"public", "user:U1"}),
        ("users.conversations", {"public", "workspace", "user:U1", "user:ada@acme.test"}),
    ],
)
async def test_of_an_asker_only_what_is_known_counts(bot, slack, method, own):
    slack.refuse(method, "internal_error", times=9)
    assert await audience(bot, slack, "U1", slack.workspace.direct("U1").id) == own


principals = st.frozensets(st.sampled_from(["public", "workspace", "channel:C1", "channel:C2", "user:U1"]), min_size=1)
audiences = st.lists(principals, max_size=3).map(tuple)


@given(audiences, audiences, principals)
def test_what_an_audience_may_read_those_that_it_covers_may_too(earlier, now, access):
    assert not (covers(earlier, now) and may_read(access, earlier)) or may_read(access, now)


def test_an_audience_that_lost_a_principal_is_not_covered():
    members, guests = (frozenset({"public", "workspace"}),), (frozenset({"public"}),)
    assert covers(guests, members)
    assert covers(members, members)
    assert not covers(members, guests)
