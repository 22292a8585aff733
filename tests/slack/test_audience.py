"""On whose behalf a question is searched, as the research is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sentences import MORE_READERS
from bot.slack.questions.audience import covers
from indexers.document import may_read
from tests.fakes.research import says
from tests.fakes.slack_workspace import BOT


async def sets(bot, slack, user, channel):
    """What every document has to meet."""
    asked = len(bot.questions)
    bot.knows(says("Hello."))
    await slack.mention(user, "How much leave do I have?", channel)
    await slack.until(lambda: len(bot.questions) > asked)
    return {frozenset(principals) for principals in bot.questions[asked].audience}


async def audience(bot, slack, user, channel):
    (principals,) = await sets(bot, slack, user, channel)
    return set(principals)


def own(slack, user, *channels):
    """The principals of a full member in the fake workspace."""
    mail = slack.workspace.users[user].email.lower()
    return frozenset({"public", "workspace", f"user:{user}", f"user:{mail}", *(f"channel:{one}" for one in channels)})


async def test_in_an_open_channel_of_members_it_is_any_member(bot, slack):
    assert await audience(bot, slack, "U1", "C1") == {"public", "workspace", "channel:C1"}


async def test_in_a_private_channel_it_is_one_set_a_member(bot, slack):
    expected = {own(slack, "U1", "C1", "C2", "C3", "C4"), own(slack, "U2", "C1", "C4")}
    assert await sets(bot, slack, "U1", "C4") == expected


async def test_in_a_group_message_too(bot, slack):
    place = slack.workspace.direct("U2", "U3").id
    assert await sets(bot, slack, "U2", place) == {own(slack, "U2", "C1", "C4", place), own(slack, "U3", "C1", place)}


async def test_in_a_group_message_what_both_may_read_is_found_and_what_one_may_is_not(bot, slack):
    place = slack.workspace.direct("U2", "U3").id
    everybody = tuple(await sets(bot, slack, "U2", place))
    assert may_read({"user:grace@acme.test", "user:U3"}, everybody)
    assert not may_read({"user:grace@acme.test", "channel:C4"}, everybody)


async def test_of_a_guest_in_an_open_channel_only_their_own_is_found(bot, slack):
    guest = frozenset({"public", "channel:C2", "user:UG", "user:gustav@guest.test"})
    assert await sets(bot, slack, "U1", "C2") == {guest, frozenset({"public", "workspace", "channel:C2"})}


async def test_a_channel_with_others_is_the_public_and_the_channel(bot, slack):
    assert await audience(bot, slack, "U1", "C3") == {"public", "channel:C3"}


@pytest.mark.parametrize(("count", "each"), [(50, True), (51, False)])
async def test_above_fifty_members_it_is_what_they_share(bot, slack, count, each):
    place = slack.workspace.channel("C5", "many", kind="group")
    slack.workspace.groups["S1"] = "everyone"
    for number in range(count):
        slack.workspace.person(f"UX{number}", f"x{number}", email=f"x{number}@acme.test")
        place.members.append(f"UX{number}")
    slack.workspace.in_group["S1"] = list(place.members)
    found = await sets(bot, slack, "UX1", "C5")
    assert len(found) == (count if each else 1)
    assert each or found == {frozenset({"public", "workspace", "channel:C5", "group:S1"})}


async def test_a_user_group_of_all_members_is_one_of_their_principals(bot, slack):
    slack.workspace.groups |= {"S1": "people-team", "S2": "others"}
    slack.workspace.in_group |= {"S1": ["U1", "U2"], "S2": ["U2"]}
    everybody = tuple(await sets(bot, slack, "U1", "C4"))
    assert may_read({"group:S1"}, everybody)
    assert not may_read({"group:S2"}, everybody)


async def test_without_anybody_who_could_be_known_there_is_still_a_set_to_meet(bot, slack):
    place = slack.workspace.channel("C6", "ghosts", kind="group")
    place.members[:] = ["UBOT"]
    assert await sets(bot, slack, "U1", "C6") == {frozenset({"public", "channel:C6"})}


async def test_where_members_are_elsewhere_counts_as_far_as_it_is_known(bot, slack):
    slack.refuse("users.conversations", "internal_error", times=9)
    assert await sets(bot, slack, "U1", "C4") == {own(slack, "U1", "C4"), own(slack, "U2", "C4")}


async def test_what_was_learned_of_a_place_is_used_again(bot, slack):
    await sets(bot, slack, "U1", "C4")
    asked = len(slack.calls("users.conversations"))
    await sets(bot, slack, "U1", "C4")
    assert len(slack.calls("users.conversations")) == asked == 2


async def test_who_comes_and_who_goes_is_known_at_once(bot, slack):
    before = await sets(bot, slack, "U1", "C4")
    await slack.invite("U3", "C4")
    assert await sets(bot, slack, "U1", "C4") == {*before, own(slack, "U3", "C1", "C4")}
    await slack.leave("U2", "C4")
    left = frozenset(own(slack, "U2", "C1"))
    assert await audience(bot, slack, "U2", slack.workspace.direct("U2").id) == left


async def test_before_the_last_word_it_is_known_anew(bot, slack):
    gate = bot.knows(says("Hello."), held=True)
    ts = await slack.mention("U1", "How much leave do I have?", "C4")
    await slack.until(lambda: bot.questions)
    slack.workspace.channels["C4"].members.append("U3")  # and nobody tells
    gate.set()
    await slack.until(lambda: slack.answer("C4", ts) == MORE_READERS["en"])


async def test_a_private_channel_that_was_opened_meanwhile_is_one_before_the_last_word(bot, slack):
    gate = bot.knows(says("Hello."), held=True)
    ts = await slack.mention("U1", "How much leave do I have?", "C4")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked)
    slack.workspace.channels["C4"].kind = "channel"
    gate.set()
    await slack.until(lambda: slack.answers("C4", ts) == [MORE_READERS["en"]])


async def test_a_shared_channel_is_one_of_outsiders_even_while_none_is_in_it(bot, slack):
    slack.workspace.channels["C1"].shared = True
    assert await audience(bot, slack, "U1", "C1") == {"public", "channel:C1"}


async def test_an_outsider_is_known_where_the_channel_does_not_say_so(bot, slack):
    slack.workspace.channels["C1"].members.append("UO")
    outsider = frozenset({"public", "channel:C1", "channel:C3", "user:UO"})
    assert await sets(bot, slack, "U1", "C1") == {outsider, frozenset({"public", "workspace", "channel:C1"})}


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
    mine = {"public", "workspace", "user:U1", "user:ada@acme.test", *channels}
    assert await audience(bot, slack, "U1", slack.workspace.direct("U1").id) == mine


async def test_a_guest_has_no_workspace(bot, slack):
    mine = {"public", "user:UG", "user:gustav@guest.test", "channel:C2"}
    assert await audience(bot, slack, "UG", slack.workspace.direct("UG").id) == mine


async def test_an_outsider_has_neither_workspace_nor_an_address_that_we_vouch_for(bot, slack):
    mine = {"public", "user:UO", "channel:C3"}
    assert await audience(bot, slack, "UO", slack.workspace.direct("UO").id) == mine


@pytest.mark.parametrize(
    ("method", "mine"),
    [
        ("users.info", {"public", "user:U1"}),
        ("users.conversations", {"public", "workspace", "user:U1", "user:ada@acme.test"}),
    ],
)
async def test_of_an_asker_only_what_is_known_counts(bot, slack, method, mine):
    slack.refuse(method, "internal_error", times=9)
    assert await audience(bot, slack, "U1", slack.workspace.direct("U1").id) == mine


@pytest.mark.parametrize(("comes", "told"), [("U3", False), ("", True)])
async def test_what_was_found_for_some_members_is_not_told_to_one_who_came_later(bot, slack, comes, told):
    bot.knows(says("First."))
    ts = await slack.mention("U1", "How much leave do I have?", "C4")
    await slack.until(lambda: slack.answer("C4", ts).startswith("First.\n"))
    if comes:
        await slack.invite(comes, "C4")
    bot.knows(says("Second."))
    await slack.mention("U1", "And next year?", "C4", ts)
    await slack.until(lambda: len(bot.questions) == 2)
    assert bool(bot.questions[1].run["history"]) is told


async def test_what_was_found_for_all_is_told_to_those_who_are_left(bot, slack):
    bot.knows(says("First."))
    ts = await slack.mention("U1", "How much leave do I have?", "C4")
    await slack.until(lambda: slack.answer("C4", ts).startswith("First.\n"))
    await slack.leave("U2", "C4")
    bot.knows(says("Second."))
    await slack.mention("U1", "And next year?", "C4", ts)
    await slack.until(lambda: len(bot.questions) == 2)
    assert bot.questions[1].run["history"]


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


def test_of_several_sets_each_present_one_needs_one_that_it_holds():
    ada, grace = frozenset({"public", "user:U1"}), frozenset({"public", "user:U2"})
    assert covers((ada, grace), (ada, grace))
    assert covers((ada, grace), (ada,))
    assert covers((ada, grace), (ada | {"channel:C1"}, grace))
    assert not covers((ada,), (ada, grace))
    assert not covers((ada, grace), (frozenset({"public"}),))
    assert not covers((), (ada,))
