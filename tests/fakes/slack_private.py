"""Private answers in the fake Slack: who has one, what it shows, and what its Share button brings up."""

from bot.sentences import UNSOURCED
from bot.slack.messages.blocks import PRIVATE, SHARE
from bot.slack.surfaces import home_sentences
from tests.fakes.research import says, searches
from tests.fakes.search import hit
from tests.fakes.slack_workspace import texts

PAY = hit(1, title="Pay of Ada", url="https://wiki.test/pay", content_snippet="The pay is 100.")
ACCESS = {PAY.chunk_id: frozenset({"channel:C4"})}
SECRET = (searches("pay"), says("The pay is 100 [1]."))


def dm(slack, user):
    """The messages of the bot in the direct messages of somebody."""
    place = slack.workspace.direct(user).id
    return [message for message in slack.workspace.messages.get(place, {}).values() if message.get("user") == "UBOT"]


def root(slack, user):
    return next(message["ts"] for message in dm(slack, user) if not message.get("thread_ts"))


def answer(slack, user):
    if not dm(slack, user):
        return ""
    return slack.thread(slack.workspace.direct(user).id, root(slack, user))[-1].text


async def asked_in_a_channel(bot, slack):
    """The ts of a question of Ada's in a channel, for which nothing was found."""
    bot.knows(says("I know nothing of it."))
    ts = await slack.mention("U1", "What is the pay?", "C1")
    await slack.until(lambda: UNSOURCED["en"] in slack.answer("C1", ts))
    return ts


async def privately(bot, slack, user, ts, channel="C1", replies=SECRET, finds=((PAY,),)):
    """Somebody gets their own answer to the question."""
    bot.access |= ACCESS
    bot.knows(*replies, finds=[list(found) for found in finds])
    message = slack.thread(channel, ts)[-1].ts
    await slack.click(user, channel, message, PRIVATE)
    await slack.until(lambda: "Pay of Ada" in answer(slack, user))
    await slack.until(lambda: slack.whispers(user))


async def preview(slack, user):
    """What somebody sees who clicks Share beneath their answer."""
    place = slack.workspace.direct(user).id
    await slack.until(lambda: _shareable(slack, user))
    slack.api.views.modals.pop(user, None)
    await slack.click(user, place, _shareable(slack, user)[-1], SHARE)
    wait = home_sentences.WAIT["en"]
    await slack.until(lambda: slack.api.views.modals.get(user) and wait not in shown(slack, user))
    return shown(slack, user)


def shown(slack, user):
    """The modal that somebody has in front of them, as text."""
    return "\n".join(texts(slack.api.views.modal(user)["blocks"]))


def told(slack, user):
    """What the bot has said beneath somebody's answer."""
    last = _shareable(slack, user)[-1]
    place = slack.workspace.direct(user).id
    return [one.text for one in slack.thread(place, root(slack, user)) if float(one.ts) > float(last)]


def _shareable(slack, user):
    """The ts of the messages in somebody's thread that have a Share button."""
    place = slack.workspace.direct(user).id
    return [one.ts for one in slack.thread(place, root(slack, user)) if SHARE in str(one.blocks)]
