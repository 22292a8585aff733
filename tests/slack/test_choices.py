"""What a question back gives to choose from."""

import pytest

from bot.slack.messages.choices import choices
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack_bot import running_bot

FOUND = [hit(1, title="Falcon", url="https://wiki.test/falcon")]
ASKED = "Which Falcon do you mean?\n- the **rocket**\n- the bird & its nest"


@pytest.mark.parametrize(
    ("question", "offered"),
    [
        ("Which one?\n1. Falcon 9\n2. Falcon Heavy", ("Falcon 9", "Falcon Heavy")),
        ("Which?\n- **a** bird;\n- a `rocket`?", ("a bird", "a rocket")),
        ("Do you mean the rocket or the bird?", ("the rocket", "the bird")),
        (
            "There are three. Do you mean the north, the south, or the east site?",
            ("the north", "the south", "the east site"),
        ),
        ("Which one: the 2023 or the 2024 budget?", ("the 2023", "the 2024 budget")),
        ("Parlez-vous de la fusée ou de l'oiseau ?", ("la fusée", "de l'oiseau")),
        ("What do you want to know about it?", ()),
        ("Do you mean this? Or not. Tell me more about it.", ()),
        ("Which?\n" + "\n".join(f"- option {n}" for n in range(6)), ()),
        ("Which?\n- " + "long " * 30 + "\n- short", ()),
        ("Which?\n- same\n- same", ()),
        ("", ()),
    ],
)
def test_the_answers_that_a_question_names(question, offered):
    assert choices(question) == offered


async def asked_back(bot, slack):
    bot.knows(searches("falcon"), calls(("clarify", {"question": ASKED})), says("It flies [1]."), finds=[FOUND])
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
    await slack.until(lambda: len(slack.thread("C1", ts)) == 3)
    return ts, slack.thread("C1", ts)[2]


def told(bot):
    return bot.questions[0].engine.calls[-1]["messages"][-1].content


async def test_a_click_answers_and_is_shown_in_place_of_the_buttons(bot, slack):
    ts, message = await asked_back(bot, slack)
    await slack.click("U2", "C1", message.ts, "footnote_choice_1")
    await slack.until(lambda: slack.answers("C1", ts)[0].startswith("It flies"))
    assert "the bird & its nest" in told(bot)
    await slack.until(lambda: "Grace Hopper chose: the bird &amp; its nest" in slack.thread("C1", ts)[2].text)
    assert not [block for block in slack.thread("C1", ts)[2].blocks if block["type"] == "actions"]


async def test_the_name_of_whoever_chose_is_text(bot, slack):
    slack.workspace.users["U2"].real_name = "<!channel> <https://evil.test|https://wiki.test>"
    ts, message = await asked_back(bot, slack)
    await slack.click("U2", "C1", message.ts, "footnote_choice_0")
    await slack.until(lambda: "chose: the rocket" in slack.thread("C1", ts)[2].text)
    shown = slack.thread("C1", ts)[2]
    assert "&lt;!channel&gt; &lt;https://evil.test|https://wiki.test&gt; chose" in shown.text
    assert shown.pings == ()


async def test_free_text_is_taken_beside_them_and_a_later_click_changes_nothing(bot, slack):
    ts, message = await asked_back(bot, slack)
    await slack.say("U1", "neither, the car", "C1", ts)
    await slack.until(lambda: slack.answers("C1", ts)[0].startswith("It flies"))
    assert "neither, the car" in told(bot)
    click = await slack.click("U1", "C1", message.ts, "footnote_choice_0")
    await slack.until(lambda: click.delivery.acknowledged)
    assert len(bot.questions[0].engine.calls) == 3


async def test_hours_and_a_restart_later_a_click_still_answers(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        ts, message = await asked_back(bot, slack)
        await slack.until(lambda: "question first" in slack.answers("C1", ts)[0])
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("It flies [1]."))
        await slack.click("U1", "C1", message.ts, "footnote_choice_0")
        await slack.until(lambda: slack.answers("C1", ts)[0].startswith("It flies"))
        assert "the rocket" in bot.questions[0].engine.calls[0]["messages"][-1].content
