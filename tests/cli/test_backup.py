"""`footnote backup`: what it writes can be opened, and holds what there was."""

import asyncio

import pytest

from bot.store import Run, Store
from bot.store.elasticsearch import open_documents
from bot.store.sqlite import open_store
from indexers.index.embedded import open_index
from tests.fakes.ports import free_port
from tests.fakes.stores import scratch_prefix

QUESTION = Run(key="C1:1.0", channel="C1", thread_ts="1.0", user="U1", asked={"text": "Why?"})


async def test_the_state_and_the_index_are_copied_while_the_bot_runs(footnote, home, docs, tmp_path):
    await asyncio.to_thread(footnote, "index", "files", docs)
    async with open_store(home / "state.sqlite") as store:
        begun = await store.begin(QUESTION)
        done = await asyncio.to_thread(footnote, "backup", tmp_path / "kept")
    assert (done.code, done.err) == (0, "")
    assert {file.name for file in (tmp_path / "kept").iterdir()} == {"state.sqlite", "index.sqlite"}
    assert all(file.stat().st_mode & 0o077 == 0 for file in (tmp_path / "kept").iterdir())
    async with open_store(tmp_path / "kept" / "state.sqlite") as copy, open_index(tmp_path / "kept" / "index.sqlite"):
        assert await copy.run("C1:1.0") == begun


def test_what_is_there_already_is_left_alone(footnote, docs, tmp_path):
    footnote("index", "files", docs)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "index.sqlite").write_text("mine")
    done = footnote("backup", tmp_path / "kept")
    assert (done.code, done.out) == (1, "")
    assert done.err == f"error: {tmp_path}/kept/index.sqlite is there already; name a new folder.\n"
    assert (tmp_path / "kept" / "index.sqlite").read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_named(footnote, docs, tmp_path):
    footnote("index", "files", docs)
    (tmp_path / "file").write_text("mine")
    done = footnote("backup", tmp_path / "file")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "index.sqlite cannot be written: Not a directory" in done.err or "is there already" in done.err


def test_an_empty_home_is_told(footnote, home, tmp_path):
    done = footnote("backup", tmp_path / "kept")
    assert done.code == 1
    assert done.err == f"error: There is nothing to keep in {home}; set FOOTNOTE_HOME to where the bot runs.\n"
    assert not (tmp_path / "kept").exists()


def test_files_are_not_restored_by_the_command_which_tells_how(footnote, tmp_path):
    done = footnote("backup", tmp_path, "--restore")
    assert done.code == 2
    assert "stop the bot" in done.err


@pytest.mark.elasticsearch
async def test_in_elasticsearch_the_state_becomes_lines_that_can_be_restored(
    footnote, env, elasticsearch_url, tmp_path
):
    async with scratch_prefix(elasticsearch_url) as prefix:
        env(ELASTICSEARCH_URL=elasticsearch_url, ELASTICSEARCH_PREFIX=prefix)
        async with open_documents(elasticsearch_url, prefix=prefix) as documents:
            store = Store(documents)
            begun = await store.begin(QUESTION)
            await store.asked("C1", "1.0", "U1", root=True)
            thread = await store.thread("C1", "1.0")
            kept = await asyncio.to_thread(footnote, "backup", tmp_path / "kept")
            assert (kept.code, kept.err) == (0, "")
            assert "Kept 2 records" in kept.out
            assert "Elasticsearch's own snapshots" in kept.out
            await store.forget_all()
            await store.claim("C1:2.0")
            for told in ("Restored 2 records. There already: 0.", "Restored 0 records. There already: 2."):
                restored = await asyncio.to_thread(footnote, "backup", tmp_path / "kept", "--restore")
                assert restored.out.strip() == told
            assert await store.run("C1:1.0") == begun
            assert await store.at_work("C1", "1.0") == [begun]
            assert await store.thread("C1", "1.0") == thread
            assert not await store.claim("C1:2.0")


def test_a_folder_that_holds_no_backup_is_named(footnote, env, tmp_path):
    env(ELASTICSEARCH_URL=f"http://127.0.0.1:{free_port()}")
    done = footnote("backup", tmp_path, "--restore")
    assert done.code == 1
    there_is_none = f"{tmp_path}/state.jsonl cannot be read (No such file or directory); name the folder of a backup."
    assert done.err == f"error: {there_is_none}\n"
    (tmp_path / "state.jsonl").write_text('{"kind": "run"}\n', "utf-8")
    done = footnote("backup", tmp_path, "--restore")
    assert done.err == f"error: {tmp_path}/state.jsonl is no backup, or a damaged one; name the folder of another.\n"
