"""`footnote demo`: a newcomer's first conversation, with no service running."""

import asyncio

from bot.cli.demo import OWN
from tests.fakes.minilm import real_minilm
from tests.fakes.ollama import serve_ollama

QUESTIONS = [
    ("In which file is the index kept?", "indexing.md", "FOOTNOTE_HOME/index.sqlite"),
    ("Who sees an answer in a channel with guests?", "access.md", "only `public` and the channel"),
    ("What happens to files that have vanished?", "indexing.md", "is removed from the index by the next run"),
]


async def talk(process, *lines, options=()):
    """What the demo says: its banner, then to each of these lines."""
    async with process("demo", *options) as running:
        out, err = await running.communicate("".join(f"{line}\n" for line in lines).encode())
    assert (running.returncode, err.decode()) == (0, "")
    said = []
    rest = out.decode()
    for line in lines:
        before, found, rest = rest.partition(f"\n> {line}\n")
        assert found, f"{line!r} was not asked"
        said.append(before)
    return [*said, rest]


def first_source(said):
    return next(line for line in said.splitlines() if line.startswith("[1]"))


async def check_own_documentation(process):
    banner, *answers = await talk(process, *(question for question, _, _ in QUESTIONS))
    for (_, page, passage), said in zip(QUESTIONS, answers, strict=True):
        text, _, sources = said.partition("\nSources\n")
        assert passage in text
        cited = [line for line in sources.splitlines() if (OWN / page).as_uri() in line]
        assert cited, f"{page} is not among the sources"
        assert cited[0][:3] in text
    return banner


async def test_three_questions_about_its_own_documentation_are_answered_with_right_footnotes(process):
    banner = await check_own_documentation(process)
    assert "ollama pull gemma4:31b" in banner
    assert "lexical" in banner


async def test_the_same_with_vectors(process, env):
    env(FOOTNOTE_EMBEDDINGS="minilm", FOOTNOTE_MINILM=str(await asyncio.to_thread(real_minilm)))
    assert "hybrid, by words and by meaning" in await check_own_documentation(process)


async def test_without_vectors_the_banner_names_the_command_that_brings_them(process, env):
    env(FOOTNOTE_EMBEDDINGS="auto")
    (banner,) = await talk(process)
    assert "footnote models fetch" in banner


async def test_another_folder_is_asked_in_its_place_and_the_index_is_apart(process, docs, home):
    _, said = await talk(process, "How many days of paid leave?", options=["--docs", docs])
    assert (docs / "leave.md").as_uri() in said
    assert not (home / "index.sqlite").exists()
    assert list((home / "demo").glob("*.sqlite"))


async def test_a_file_that_cannot_be_read_is_named_and_the_others_are_asked(process, docs):
    (docs / "broken.pdf").write_text("no PDF", "utf-8")
    banner, said = await talk(process, "How many days of paid leave?", options=["--docs", docs])
    assert f"failed: {docs / 'broken.pdf'}: the document is damaged" in banner
    assert (docs / "leave.md").as_uri() in said


async def test_one_folder_is_never_answered_from_another(process, docs):
    await talk(process, options=["--docs", docs])
    _, said = await talk(process, "canteen lunch noon")
    assert "leave.md" not in said
    assert "lunch.txt" not in said


async def test_exit_ends_it_before_the_end_of_input(process, docs):
    async with process("demo", "--docs", docs) as running:
        out, _ = await running.communicate(b"\nexit\nHow many days?\n")
    assert running.returncode == 0
    assert b"How many days?" not in out


async def test_a_folder_without_documents_is_said(process, tmp_path):
    (tmp_path / "empty").mkdir()
    async with process("demo", "--docs", tmp_path / "empty") as running:
        _, err = await running.communicate()
    assert running.returncode == 1
    assert b"no document" in err


async def test_neither_slack_nor_elasticsearch_is_looked_at(process, env, docs):
    env(ELASTICSEARCH_URL="http://127.0.0.1:9", SLACK_BOT_TOKEN="wrong")
    _, said = await talk(process, "How many days of paid leave?", options=["--docs", docs])
    assert "leave.md" in said


async def test_with_ollama_the_model_writes_and_a_follow_up_has_the_conversation(process, env, docs):
    async with serve_ollama() as ollama:
        env(OLLAMA_HOST=ollama.url)
        ollama.calls("search", query="leave")
        ollama.says("You have 30 days [1].")
        ollama.says("No.")
        banner, first, second = await talk(process, "How much leave?", "Is it less?", options=["--docs", docs])
    assert "written by gemma4:31b" in banner
    assert "You have 30 days [1]." in first
    assert "No source backs this answer." in second
    contents = [message["content"] for message in ollama.chats[-1]["messages"]]
    assert contents[1:] == ["How much leave?", "You have 30 days.", "Is it less?"]


async def test_a_question_back_is_not_answered_by_the_next_question(process, env, docs):
    async with serve_ollama() as ollama:
        env(OLLAMA_HOST=ollama.url)
        ollama.calls("search", query="leave")
        ollama.calls("clarify", question="Which country?")
        ollama.says("30 days [1].")
        ollama.says("Noon.")
        said = await talk(process, "How much leave?", "When is lunch?", options=["--docs", docs])
    assert len(said) == 3
    assert "(no answer provided)" in ollama.chats[2]["messages"][-1]["content"]
