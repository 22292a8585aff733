"""Who is who and where in the fake, what people do with messages, and what the app is told of it."""

import pytest

from tests.fakes.slack import BOT, serve_slack
from tests.fakes.slack_clients import error, socket
from tests.fakes.slack_manifest import without


def events(slack):
    return [delivery.event for delivery in slack.deliveries]


async def test_reactions_are_told_with_what_they_are_put_on(slack, client):
    ts = (await client.chat_postMessage(channel="C1", text="x"))["ts"]
    await slack.react("U1", "C1", ts, "octagonal_sign")
    await slack.unreact("U1", "C1", ts, "octagonal_sign")
    added, removed = events(slack)
    assert (added["type"], added["reaction"], added["user"], added["item_user"]) == (
        "reaction_added",
        "octagonal_sign",
        "U1",
        BOT,
    )
    assert added["item"] == {"type": "message", "channel": "C1", "ts": ts}
    assert removed["type"] == "reaction_removed"


async def test_the_app_reacts_once_with_each(slack, client):
    ts = await slack.say("U1", "hello", "C1")
    await client.reactions_add(channel="C1", timestamp=ts, name="eyes")
    assert await error(client.reactions_add(channel="C1", timestamp=ts, name="eyes")) == "already_reacted"
    reactions = (await client.reactions_get(channel="C1", timestamp=ts))["message"]["reactions"]
    assert reactions == [{"name": "eyes", "users": [BOT], "count": 1}]
    await client.reactions_remove(channel="C1", timestamp=ts, name="eyes")
    assert await error(client.reactions_remove(channel="C1", timestamp=ts, name="eyes")) == "no_reaction"


async def test_where_the_app_is_taken_in_it_hears_of_it_and_can_write(slack, client):
    slack.workspace.channel("C8", "new", "U1", creator="U2").members.remove(BOT)
    assert await error(client.chat_postMessage(channel="C8", text="x")) == "not_in_channel"
    await slack.say("U1", "unheard", "C8")
    await slack.invite(BOT, "C8", by="U1")
    joined, message = events(slack)
    assert (joined["type"], joined["user"], joined["inviter"]) == ("member_joined_channel", BOT, "U1")
    assert message["subtype"] == "channel_join"
    await client.chat_postMessage(channel="C8", text="x")
    assert (await client.conversations_info(channel="C8"))["channel"]["creator"] == "U2"
    await slack.leave(BOT, "C8")
    assert await error(client.conversations_history(channel="C8")) == "not_in_channel"


async def test_what_somebody_deletes_is_told_with_what_it_was(slack):
    ts = await slack.say("U1", "hello", "C1")
    await slack.delete("C1", ts)
    deleted = events(slack)[1]
    assert (deleted["subtype"], deleted["deleted_ts"], deleted["previous_message"]["text"]) == (
        "message_deleted",
        ts,
        "hello",
    )


async def test_the_root_of_a_thread_leaves_a_stone_that_goes_with_the_last_reply(slack, client):
    root = await slack.say("U1", "hello", "C1")
    reply = (await client.chat_postMessage(channel="C1", thread_ts=root, text="hi"))["ts"]
    await slack.delete("C1", root)
    changed = events(slack)[-1]
    assert (changed["subtype"], changed["message"]["subtype"], changed["message"]["ts"]) == (
        "message_changed",
        "tombstone",
        root,
    )
    assert changed["previous_message"]["text"] == "hello"
    await client.chat_postMessage(channel="C1", thread_ts=root, text="still here")
    slack.echoes = True
    for ts in (reply, slack.thread("C1", root)[-1].ts):
        await client.chat_delete(channel="C1", ts=ts)
    assert (events(slack)[-1]["deleted_ts"], events(slack)[-1]["previous_message"]["subtype"]) == (root, "tombstone")
    assert await error(client.conversations_replies(channel="C1", ts=root)) == "thread_not_found"


async def test_a_preview_is_a_change_without_a_word_changed(slack):
    ts = await slack.mention("U1", "https://acme.test", "C1")
    await slack.preview("C1", ts, "https://acme.test")
    changed = events(slack)[-1]
    assert changed["subtype"] == "message_changed"
    assert changed["message"]["text"] == changed["previous_message"]["text"]
    assert "edited" not in changed["message"]


async def test_of_its_own_edits_the_app_gets_the_text_before_and_after(slack, client):
    slack.echoes = True
    ts = (await client.chat_postMessage(channel="C1", text="one"))["ts"]
    await client.chat_update(channel="C1", ts=ts, text="two")
    await client.chat_delete(channel="C1", ts=ts)
    posted, changed, deleted = events(slack)
    assert (changed["previous_message"]["text"], changed["message"]["text"]) == ("one", "two")
    assert (posted["text"], deleted["subtype"]) == ("one", "message_deleted")


async def test_what_is_not_subscribed_is_not_told():
    async with serve_slack(manifest=without("reaction_added", "member_joined_channel", "message.channels")) as slack:
        ts = await slack.say("U1", "hello", "C1")
        await slack.react("U1", "C1", ts, "eyes")
        await slack.invite("UG", "C1")
        assert slack.deliveries == []


async def test_an_app_that_is_uninstalled_is_told_and_can_do_nothing_more(slack, client):
    async with socket(slack) as requests:
        await slack.uninstall()
        await slack.until(lambda: len(requests) == 2)
    assert [event["type"] for event in events(slack)] == ["tokens_revoked", "app_uninstalled"]
    assert await error(client.auth_test()) == "account_inactive"


async def test_people_have_their_roles(slack, client):
    slack.workspace.person("UA", "alan", admin=True)
    slack.workspace.person("UW", "wendy", owner=True)
    slack.workspace.person("US", "sam", single_channel=True)
    alan, wendy, sam = [(await client.users_info(user=user))["user"] for user in ("UA", "UW", "US")]
    assert (alan["is_admin"], alan["is_owner"], wendy["is_owner"]) == (True, False, True)
    assert (sam["is_restricted"], sam["is_ultra_restricted"], alan["is_restricted"]) == (True, True, False)


async def test_somebody_from_elsewhere_says_from_where(slack, client):
    slack.workspace.person("UX", "xavier", stranger=True, team="T7")
    slack.workspace.channels["C3"].members.append("UX")
    await slack.mention("UX", "hello", "C3")
    event, payload = events(slack)[0], slack.deliveries[0].envelope["payload"]
    assert (event["team"], event["user_team"], event["source_team"]) == ("T7", "T7", "T7")
    assert (payload["team_id"], payload["is_ext_shared_channel"]) == ("T1", True)
    xavier = (await client.users_info(user="UX"))["user"]
    assert (xavier["team_id"], xavier["is_stranger"], "is_restricted" in xavier) == ("T7", True, False)


async def test_in_an_organisation_all_carry_its_id(slack, client):
    slack.workspace.enterprise = "E1"
    slack.workspace.person("W5", "wendy", runs_all=True)
    await slack.mention("W5", "hello", "C1")
    payload = slack.deliveries[0].envelope["payload"]
    assert (payload["enterprise_id"], payload["authorizations"][0]) == (
        "E1",
        {"enterprise_id": "E1", "team_id": None, "user_id": BOT, "is_bot": True, "is_enterprise_install": True},
    )
    whoami = await client.auth_test()
    assert (whoami["enterprise_id"], whoami["is_enterprise_install"]) == ("E1", True)
    assert (await client.users_info(user="W5"))["user"]["enterprise_user"]["is_admin"]
    ts = await slack.say("U1", "what?", "C1")
    hook = await slack.shortcut("W5", "research", "C1", ts)
    shortcut = hook.delivery.envelope["payload"]
    assert (shortcut["enterprise"]["id"], shortcut["is_enterprise_install"]) == ("E1", True)


async def test_a_direct_conversation_is_opened_with_people_who_are_there(slack, client):
    slack.workspace.person("UD", "dora", deleted=True)
    opened = await client.conversations_open(users="U1")
    assert opened["channel"]["id"] == "DU1"
    assert (await client.conversations_info(channel="DU1"))["channel"]["user"] == "U1"
    assert (await client.conversations_open(users="U1,U2"))["channel"]["id"] == "GU1U2"
    for users, refusal in {"U9": "user_not_found", "UD": "user_disabled", BOT: "cannot_dm_bot"}.items():
        assert await error(client.conversations_open(users=users)) == refusal


async def test_a_message_has_an_address(slack, client):
    root = await slack.say("U1", "hello", "C1")
    reply = await slack.say("U2", "hi", "C1", root)
    link = (await client.chat_getPermalink(channel="C1", message_ts=reply))["permalink"]
    assert link == f"{slack.permalink('C1', reply)}?thread_ts={root}&cid=C1"
    assert await error(client.chat_getPermalink(channel="C1", message_ts="1.1")) == "message_not_found"


@pytest.mark.parametrize("inclusive", [False, True])
async def test_a_thread_can_be_read_from_a_message_on(slack, client, inclusive):
    root = await slack.say("U1", "root", "C1")
    ts = [await slack.say("U1", f"{number}", "C1", root) for number in range(3)]
    found = await client.conversations_replies(channel="C1", ts=root, oldest=ts[1], inclusive=inclusive)
    assert [message["text"] for message in found["messages"]] == ["root", *(["1"] if inclusive else []), "2"]
    assert found["messages"][0]["reply_count"] == 3


async def test_groups_have_handles(slack, client):
    slack.workspace.groups["S1"] = "people-team"
    assert (await client.usergroups_list())["usergroups"] == [{"id": "S1", "handle": "people-team"}]
