"""The files of a question: read, cited, or named as not read."""

import json

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.research import Role
from bot.research.clarify import EMPTY_ANSWER
from bot.sentences import HELP, sentence
from bot.slack.api.people import People
from bot.slack.messages.sentences import FILE_UNREAD, FILES_ALONE, FILES_CUT, NOT_SHOWN, WHY_UNREAD
from bot.slack.messages.sources import WHY
from bot.slack.questions.context import FILES_INSTEAD
from bot.slack.questions.files import MOST_BYTES, MOST_FILES, MOST_PASSAGES, FileReader
from bot.slack.questions.inbound import SharedFile, shared_file
from indexers.reading import Extractor
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack import BOT, BOT_TOKEN, serve_slack
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_manifest import without
from tests.fakes.slack_workspace import DOMAIN, TEAM
from tests.indexers.reading.files import pdf, word

SECONDS = 20.0
"""What reads a file is a process that starts for the first one."""
PLAN = b"# Plan\n\nFalcon ships on Friday."


def unread(file, why, language="en"):
    return sentence(FILE_UNREAD, language, file=file, why=sentence(WHY_UNREAD[why], language))


async def given(bot, slack):
    """What the first question was given."""
    await slack.until(lambda: bot.questions and bot.questions[0].run, SECONDS)
    return bot.questions[0].run


@pytest.fixture
async def reader(slack):
    async with aiohttp.ClientSession() as session, Extractor() as extractor:
        client = AsyncWebClient(BOT_TOKEN, base_url=slack.url, session=session)
        yield FileReader(client, session, extractor, People(client, team=TEAM))


def shared(slack, name, content, **told):
    """A file as the bot has it out of a message."""
    file = slack.api.files.of("U2", name, content)
    known = {"media": file["mimetype"], "size": file["size"], "url": file["url_private"], "link": file["permalink"]}
    return SharedFile(**{"id": file["id"], "name": name, "user": "U2", "mode": "hosted", **known, **told})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plan.md", PLAN),
        ("plan.txt", b"Falcon ships on Friday."),
        ("plan.py", b"# Falcon ships on Friday.\nx = 1"),
        ("plan.toml", b'when = "Falcon ships on Friday."'),
        ("plan.pdf", pdf("Falcon ships on Friday.")),
        ("plan.docx", word(("Normal", "Falcon ships on Friday."))),
    ],
)
async def test_what_a_file_says_is_evidence_whose_footnote_opens_the_file(bot, slack, name, content):
    bot.knows(says("On Friday [1]."))
    ts = await slack.share("U1", f"<@{BOT}> when do we ship?", "C1", {name: content})
    await slack.until(lambda: "Sources" in slack.answer("C1", ts), SECONDS)
    (found,) = (await given(bot, slack))["evidence"]
    link = f"https://{DOMAIN}.slack.com/files/U1/F1/{name}"
    assert "Falcon ships on Friday." in found.content_snippet
    assert (found.title, found.url, found.participants) == (name, link, ["Ada Lovelace"])
    assert slack.answer("C1", ts).startswith(f"On Friday <{link}|[1]>.")


async def test_of_a_file_alone_is_asked_what_it_says_in_its_language(bot, slack):
    bot.knows(says("Falcon part vendredi [1]."))
    text = "Le projet Falcon part vendredi, et toute l'équipe est prévenue depuis lundi."
    ts = await slack.dm("U1", "", subtype="file_share", files=[slack.api.files.of("U1", "plan.txt", text.encode())])
    await slack.until(lambda: "vendredi" in slack.answer("DU1", ts), SECONDS)
    assert (await given(bot, slack))["query"] == FILES_ALONE["fr"].format(files="plan.txt")


@pytest.mark.parametrize(("text", "channel"), [("", "DU1"), (None, "DU1"), (f"<@{BOT}>", "C1")])
async def test_an_image_alone_is_said_not_to_be_read_and_nothing_is_researched(bot, slack, text, channel):
    slack.workspace.direct("U1")
    files = [slack.api.files.of("U1", "a<b.png", b"\x89PNG")]
    ts = await slack.say("U1", text, channel, subtype="file_share", files=files)
    await slack.until(lambda: slack.answer(channel, ts) == unread("a&lt;b.png", "image"), SECONDS)
    assert bot.questions == []


async def test_whoever_writes_no_word_is_answered_in_the_language_that_they_have_set(bot, slack):
    slack.workspace.users["U1"].locale = "fr-FR"
    ts = await slack.share("U1", f"<@{BOT}>", "C1", {"plan.png": b"\x89PNG"})
    await slack.until(lambda: slack.answer("C1", ts) == unread("plan.png", "image", "fr"), SECONDS)
    ts = await slack.say("U1", f"<@{BOT}>", "C1")
    await slack.until(lambda: slack.answer("C1", ts).startswith(HELP["fr"].split("\n")[0][:20]))


async def test_a_question_with_an_image_is_answered_and_the_image_named(bot, slack):
    bot.knows(says("It is a plan."))
    ts = await slack.share("U1", f"<@{BOT}> quel est le plan de l'équipe ?", "C1", {"plan.png": b"\x89PNG"})
    await slack.until(lambda: unread("plan.png", "image", "fr") in slack.answer("C1", ts), SECONDS)


async def test_a_file_of_another_workspace_is_looked_up_by_its_id(bot, slack):
    bot.knows(says("On Friday [1]."))
    file = slack.api.files.of("U2", "plan.md", PLAN)
    told = {"id": file["id"], "mode": "file_access", "file_access": "check_file_info"}
    ts = await slack.mention("U1", "when do we ship?", "C1", subtype="file_share", files=[told])
    await slack.until(lambda: "Sources" in slack.answer("C1", ts), SECONDS)
    assert (await given(bot, slack))["evidence"][0].title == "plan.md"


async def test_a_file_that_is_forwarded_is_read(bot, slack):
    bot.knows(says("On Friday [1]."))
    forwarded = {"is_share": True, "text": "", "files": [slack.api.files.of("U2", "plan.md", PLAN)]}
    ts = await slack.mention("U1", "when do we ship?", "C1", attachments=[forwarded])
    await slack.until(lambda: "Sources" in slack.answer("C1", ts), SECONDS)
    assert "Falcon" in (await given(bot, slack))["evidence"][0].content_snippet


async def test_the_files_of_a_thread_are_read_where_the_question_has_none(bot, slack):
    root = await slack.share("U2", "", "C1", {"plan.md": PLAN, "plan.png": b"\x89PNG"})
    bot.knows(says("On Friday [1]."))
    await slack.mention("U1", "summarise this document", "C1", root)
    await slack.until(lambda: "Sources" in slack.answer("C1", root), SECONDS)
    first, second = (await given(bot, slack))["evidence"]
    assert "Falcon" in first.content_snippet
    assert (second.content_snippet, second.participants) == ("(plan.md) (plan.png)", ["Grace Hopper"])
    assert "plan.png" not in slack.answer("C1", root)


@pytest.mark.parametrize(("shared_in", "found"), [("C1", True), ("C4", False)])
async def test_a_link_to_a_file_is_that_file_where_all_who_see_the_answer_may_open_it(bot, slack, shared_in, found):
    slack.workspace.channel("C6", "members", "U1", "U2", "U3")
    await slack.share("U2", "", shared_in, {"plan.md": PLAN})
    bot.knows(says("On Friday [1]."))
    link = f"https://{DOMAIN}.slack.com/files/U2/F1/plan.md"
    await slack.mention("U1", f"when do we ship? <{link}>", "C6")
    await slack.until(lambda: bot.questions and bot.questions[0].run, SECONDS)
    assert [found.url for found in bot.questions[0].run["evidence"]] == [link] * found


async def test_what_an_answer_has_from_a_file_is_quoted_as_long_as_the_file_is_there(bot, slack):
    bot.knows(says("On Friday [1]."))
    ts = await slack.share("U1", f"<@{BOT}> when do we ship?", "C1", {"plan.md": PLAN})
    await slack.until(lambda: "Sources" in slack.answer("C1", ts), SECONDS)
    answer = slack.thread("C1", ts)[-1].ts
    await slack.click("U2", "C1", answer, WHY, f"1:C1:{ts}")
    await slack.until(
        lambda: "Falcon ships on Friday." in "".join(one["text"] for one in slack.whispers("U2")), SECONDS
    )
    slack.refuse("files.info", "file_deleted")
    await slack.click("U2", "C1", answer, WHY, f"1:C1:{ts}")
    await slack.until(lambda: slack.whispers("U2")[-1]["text"] == NOT_SHOWN["en"], SECONDS)


async def test_without_the_scope_a_file_is_said_to_be_withheld(tmp_path):
    manifest = without("files:read")
    async with serve_slack(manifest=manifest) as slack, running_bot(slack, tmp_path) as bot:
        bot.knows(says("I do not know."))
        ts = await slack.share("U1", f"<@{BOT}> when do we ship?", "C1", {"plan.md": PLAN})
        await slack.until(lambda: unread("plan.md", "refused") in slack.answer("C1", ts), SECONDS)
        assert (await given(bot, slack))["evidence"] == ()


@pytest.mark.parametrize(
    ("name", "content", "told", "why"),
    [
        pytest.param("a.zip", b"PK\x03\x04", {}, "kind", id="an archive"),
        pytest.param("a.txt", b"\0\1\2", {}, "kind", id="bytes that are no text"),
        pytest.param("a.rtf", b"{\\rtf1 hello}", {"media": "text/rtf"}, "kind", id="rich text"),
        pytest.param("a.mp4", b"x", {"media": "video/mp4"}, "kind", id="a film"),
        pytest.param("a.txt", b"x", {"mode": "external"}, "external", id="a link to elsewhere"),
        pytest.param("a.txt", b"x", {"mode": "tombstone"}, "gone", id="one that was deleted"),
        pytest.param("a.txt", b"x", {"mode": "hidden_by_limit"}, "gone", id="one that is hidden"),
        pytest.param("a.txt", b"x", {"access": "access_denied"}, "refused", id="one that is withheld"),
        pytest.param("a.txt", b"x", {"id": "F99", "access": "check_file_info"}, "gone", id="one that Slack lacks"),
        pytest.param("a.txt", b"x", {"size": MOST_BYTES + 1}, "large", id="one that is too large"),
        pytest.param("a.txt", b" ", {}, "empty", id="an empty one"),
        pytest.param("a.pdf", pdf("x", password="y"), {}, "locked", id="a locked one"),
        pytest.param("a.pdf", pdf(""), {}, "scanned", id="a scanned one"),
        pytest.param("a.pdf", b"%PDF-1.4 broken", {}, "damaged", id="a damaged one"),
        pytest.param("a.html", b"<html>hello</html>", {"media": "text/html", "size": 9}, "refused", id="a login"),
    ],
)
async def test_why_a_file_is_not_read_is_said(slack, reader, name, content, told, why):
    file = shared(slack, name, content, **told)
    read = await reader.read([file], "what is it?", "fr")
    assert (read.hits, read.notes) == ((), (unread(name, why, "fr"),))


@pytest.mark.parametrize(
    "url",
    ["https://evil.test/F1", "https://slack.com.evil.test/F1", "https://slack.com@evil.test/F1", "http://slack.com/F1",
     "https://files.slack.com:99/F1", "https://[::1", "file:///etc/passwd"],
)  # fmt: skip
async def test_the_token_goes_to_slack_alone(slack, reader, url):
    read = await reader.read([shared(slack, "a.txt", b"x", url=url)], "", "en")
    assert read.notes == (unread("a.txt", "external"),)


async def test_a_file_that_turns_out_larger_than_it_was_said_to_be_is_left(slack, reader):
    read = await reader.read([shared(slack, "a.txt", b"a" * (MOST_BYTES + 1), size=1)], "", "en")
    assert read.notes == (unread("a.txt", "large"),)


async def test_of_many_files_the_first_are_read(slack, reader):
    files = [shared(slack, f"{number}.txt", b"hello") for number in range(MOST_FILES + 1)]
    read = await reader.read(files, "", "en")
    assert [hit.title for hit in read.hits] == [f"{number}.txt" for number in range(MOST_FILES)]
    assert read.notes == (unread(f"{MOST_FILES}.txt", "many"),)


async def test_of_a_long_file_its_beginning_and_what_the_question_asks_for_are_read(slack, reader):
    parts = [f"Paragraph {number} is about nothing in particular. {'word ' * 100}" for number in range(100)]
    parts[80] = f"The penalty for termination is a month. {'word ' * 100}"
    read = await reader.read([shared(slack, "a.txt", "\n\n".join(parts).encode())], "which penalty is there?", "en")
    said = "\n".join(hit.content_snippet for hit in read.hits)
    assert len(read.hits) == MOST_PASSAGES
    assert "The penalty for termination" in said
    assert said.startswith("Paragraph 0 ")
    assert [hit.chunk_idx for hit in read.hits] == sorted(hit.chunk_idx for hit in read.hits)
    assert max(len(hit.content_snippet) for hit in read.hits) <= 800
    assert read.notes == (FILES_CUT["en"],)


ASKS = (searches("falcon"), calls(("clarify", {"question": "Which plan?"})))
INDEXED = [[hit(1, title="Falcon")], [hit(2, title="Plan B")]]


async def asked_back(bot, slack, *replies):
    """The ts of a question that waits for an answer."""
    bot.knows(*ASKS, *replies, finds=INDEXED)
    ts = await slack.mention("U1", "When does Falcon ship, please?", "C1")
    await slack.until(lambda: "Which plan?" in slack.answers("C1", ts)[1:])
    return ts


def heard(bot):
    """What the tools of the first question gave the model."""
    messages = bot.questions[0].engine.calls[-1]["messages"]
    return [json.loads(message.content) for message in messages if message.role is Role.TOOL]


@pytest.mark.parametrize(("text", "told"), [("this one", "this one"), ("", FILES_INSTEAD)])
async def test_a_file_that_answers_a_question_back_is_read_and_cited(bot, slack, text, told):
    ts = await asked_back(bot, slack, searches("plan"), says("On Friday [2], as Falcon does [1] [3]."))
    await slack.share("U2", text, "C1", {"plan.md": PLAN}, ts)
    await slack.until(lambda: "Sources" in slack.answers("C1", ts)[0], SECONDS)
    (reply,) = [one for one in heard(bot) if "response" in one]
    assert reply["response"] == told
    assert [(one["ref"], one["title"], "Falcon ships on Friday." in one["snippet"]) for one in reply["hits"]] == [
        (2, "plan.md", True)
    ]
    first, second, third = (source["title"] for source in bot.questions[0].result.sources)
    assert (first, second, third) == ("plan.md", "Falcon", "Plan B")


async def test_what_of_a_reply_is_not_read_is_said(bot, slack):
    ts = await asked_back(bot, slack, says("It ships [1]."))
    await slack.share("U1", "", "C1", {"plan.png": b"\x89PNG"}, ts)
    await slack.until(lambda: unread("plan.png", "image") in slack.answers("C1", ts)[0], SECONDS)
    assert [one for one in heard(bot) if "response" in one] == [{"response": EMPTY_ANSWER}]


@pytest.mark.parametrize("text", ["and this one?", ""])
async def test_the_file_of_a_follow_up_is_read(bot, slack, text):
    bot.knows(says("On Monday [1]."))
    ts = await slack.share("U1", f"<@{BOT}> when do we ship?", "C1", {"old.md": b"Falcon ships on Monday."})
    await slack.until(lambda: "Sources" in slack.answer("C1", ts), SECONDS)
    bot.knows(says("On Friday [1]."))
    await slack.share("U1", text, "C1", {"plan.md": PLAN}, ts)
    await slack.until(lambda: "plan.md" in slack.answer("C1", ts), SECONDS)
    assert [found.title for found in bot.questions[1].run["evidence"]] == ["plan.md"]


CANVAS = b"<h1 id='temp:C:ABC1'>Plan</h1><p id='temp:C:ABC2' class='line'>Falcon ships &amp; flies on Friday.</p>"


async def test_a_canvas_is_read_as_the_html_that_slack_gives(bot, slack):
    bot.knows(says("On Friday [1]."))
    canvas = slack.api.files.of("U2", "Falcon_plan", CANVAS, "quip")
    ts = await slack.mention("U1", "when do we ship?", "C1", subtype="file_share", files=[canvas])
    await slack.until(lambda: "Sources" in slack.answer("C1", ts), SECONDS)
    (found,) = (await given(bot, slack))["evidence"]
    assert "Falcon ships & flies on Friday." in found.content_snippet
    assert "temp:C" not in found.content_snippet


async def test_a_link_to_a_canvas_is_that_canvas(bot, slack):
    canvas = slack.api.files.of("U2", "Falcon_plan", CANVAS, "quip")
    await slack.say("U2", "", "C1", subtype="file_share", files=[canvas])
    bot.knows(says("On Friday [1]."))
    await slack.mention("U1", f"when do we ship? <https://{DOMAIN}.slack.com/docs/{TEAM}/{canvas['id']}>", "C1")
    assert [found.title for found in (await given(bot, slack))["evidence"]] == ["Falcon_plan"]


@pytest.mark.parametrize(
    ("name", "content", "mode", "words"),
    [
        pytest.param("when.py", b"SHIPS = 'Friday'", "snippet", "SHIPS = 'Friday'", id="a snippet"),
        pytest.param("plan.txt", b"Falcon ships on Friday.", "post", "Falcon ships on Friday.", id="a post"),
        pytest.param("plan", b"<p>Falcon ships on Friday.</p>", "space", "Falcon ships on Friday.", id="a later one"),
    ],
)
async def test_what_was_written_in_slack_itself_is_read(slack, reader, name, content, mode, words):
    read = await reader.read([shared(slack, name, content, mode=mode)], "", "en")
    assert [found.content_snippet for found in read.hits] == [words]
    assert read.notes == ()


async def test_a_page_to_sign_in_on_is_no_canvas(slack, reader):
    page = b"<!DOCTYPE html><title>Sign in</title>"
    told = slack.api.files.of("U2", "Falcon_plan", page, "quip")
    read = await reader.read([shared_file(told, 0)], "", "en")
    assert read.notes == (unread("Falcon_plan", "refused"),)
