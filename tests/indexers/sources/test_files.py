import os
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

from indexers.document import WORKSPACE
from indexers.reading.failures import Unreadable
from indexers.reading.types import Extracted
from indexers.sources import DocumentFailed, Failed, Item, Skipped, SourceError, files
from indexers.sources.files import Files
from indexers.sources.walk import BROKEN_LINK, HIDDEN, LINK, TWICE, UNKNOWN


class Pages:
    """Reads what is no plain text as a test says: what it extracts, or an error to raise."""

    def __init__(self, result=None):
        self.result = result or Extracted("Title", "Text")
        self.kinds = []

    async def extract(self, body, kind, *, charset="", chars=0, pages=0):
        self.kinds.append((kind, chars, pages))
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


def fill(folder, *names, text="# A title\n\nSome text.\n"):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


async def found(*paths, extractor=None, **options):
    source = Files([Path(path) for path in paths], extractor or Pages(), **options)
    await source.scopes()
    return [one async for one in source.found()]


def items(found):
    return [one for one in found if isinstance(one, Item)]


def skipped(found):
    return Counter(one.reason for one in found if isinstance(one, Skipped))


async def documents(*paths, **options):
    return [await item.read() for item in items(await found(*paths, **options))]


async def test_each_document_below_a_folder_is_found_by_its_path(folder):
    fill(folder, "a.md", "sub/b.txt", "sub/deep/c.html", "d.pdf", "e.DOCX")
    ids = {item.id for item in items(await found(folder))}
    assert ids == {f"files:{folder}/{name}" for name in ("a.md", "sub/b.txt", "sub/deep/c.html", "d.pdf", "e.DOCX")}


async def test_hidden_files_git_and_other_types_are_counted(folder):
    fill(folder, "a.md", ".hidden.md", ".git/config.md", ".notes/x.md", "photo.png", "README", "old.doc")
    everything = await found(folder)
    assert len(items(everything)) == 1
    assert skipped(everything) == {HIDDEN: 3, UNKNOWN: 3}


async def test_an_id_is_the_same_however_the_path_is_written(folder, tmp_path, monkeypatch):
    fill(folder, "sub/a.md")
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(tmp_path)
    written = ["docs", "docs/", "./docs/sub/..", folder, tmp_path / "link", "docs/sub", "docs/sub/a.md"]
    assert {item.id for path in written for item in items(await found(path))} == {f"files:{folder}/sub/a.md"}


async def test_the_scope_of_a_path_is_what_lies_below_it(folder):
    fill(folder, "a.md")
    source = Files([folder, folder / "a.md", Path("/")], Pages())
    assert await source.scopes() == [f"files:{folder}", f"files:{folder}/a.md", "files:"]


async def test_a_document_under_two_paths_is_given_once(folder):
    fill(folder, "sub/a.md", "b.md")
    everything = await found(folder, folder / "sub", folder / "b.md")
    assert sorted(Path(item.name).name for item in items(everything)) == ["a.md", "b.md"]
    assert skipped(everything) == {LINK: 1, TWICE: 1}


@pytest.mark.parametrize("name", ["missing", "missing.md", "docs/a.md/below"])
async def test_a_path_that_is_missing_is_an_error_that_names_it(folder, tmp_path, name):
    fill(folder, "a.md")
    with pytest.raises(SourceError, match=name):
        await found(folder, tmp_path / name)


async def test_a_loop_of_links_is_an_error_as_a_path(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(SourceError, match="loop"):
        await found(tmp_path / "loop")


async def test_a_pipe_is_no_path_and_no_document(folder):
    os.mkfifo(folder / "pipe.md")
    with pytest.raises(SourceError, match="neither a file nor a folder"):
        await found(folder / "pipe.md")
    assert skipped(await found(folder)) == {UNKNOWN: 1}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_what_may_not_be_read_is_named_and_keeps_what_lies_below_it(folder):
    fill(folder, "a.md", "closed/b.md", "c.md")
    (folder / "closed").chmod(0)
    (folder / "c.md").chmod(0)
    try:
        failed = [one for one in await found(folder) if isinstance(one, Failed)]
        with pytest.raises(SourceError, match="Permission denied"):
            await found(folder / "closed")
    finally:
        (folder / "closed").chmod(0o700)
    assert {(Path(one.name).name, one.reason, one.scope) for one in failed} == {
        ("closed", "Permission denied", f"files:{folder}/closed"),
        ("c.md", "Permission denied", f"files:{folder}/c.md"),
    }


async def test_links_that_lead_back_or_nowhere_are_counted(folder, tmp_path):
    fill(folder, "sub/a.md")
    fill(tmp_path / "outside", "b.md")
    (folder / "sub/up").symlink_to(folder)
    (folder / "again.md").symlink_to(folder / "sub/a.md")
    (folder / "gone.md").symlink_to(folder / "nothing.md")
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "out").symlink_to(tmp_path / "outside")
    (tmp_path / "outside/self").symlink_to(tmp_path / "outside")
    everything = await found(folder)
    assert {item.id for item in items(everything)} == {f"files:{folder}/sub/a.md", f"files:{folder}/out/b.md"}
    assert skipped(everything) == {LINK: 3, BROKEN_LINK: 2}


async def test_a_link_to_a_hidden_version_is_a_document(folder):
    """As in a mounted configuration, where `a.md` leads to `..data/a.md`."""
    fill(folder, "..data/a.md")
    (folder / "a.md").symlink_to(folder / "..data/a.md")
    assert [item.id for item in items(await found(folder))] == [f"files:{folder}/a.md"]


async def test_a_name_that_is_no_unicode_is_named(folder):
    fill(folder, os.fsdecode(b"caf\xe9.md"))
    [failed] = await found(folder)
    assert isinstance(failed, Failed)
    assert (failed.reason, "�" in failed.name) == ("its name is not UTF-8", True)


async def test_folders_are_walked_however_deep(folder):
    deep = folder.joinpath(*["d"] * 400)
    deep.mkdir(parents=True)
    fill(deep, "a.md")
    assert len(items(await found(folder))) == 1


async def test_a_document_has_title_text_time_and_access(folder):
    fill(folder, "a.md")
    os.utime(folder / "a.md", (1_700_000_000, 1_700_000_000))
    [document] = await documents(folder)
    assert (document.title, document.text, document.source) == ("A title", "# A title\n\nSome text.\n", "files")
    assert document.timestamp.timestamp() == 1_700_000_000
    assert document.timestamp.utcoffset() == datetime.now().astimezone(document.timestamp.tzinfo).utcoffset()
    assert (document.access, document.url) == (frozenset({WORKSPACE}), "")


async def test_access_is_what_is_said(folder):
    fill(folder, "a.md")
    [document] = await documents(folder, access=["public", "channel:C1"])
    assert document.access == frozenset({"public", "channel:C1"})


@pytest.mark.parametrize(
    ("base", "link"),
    [
        ("https://wiki.test/handbook/", "https://wiki.test/handbook/sub/a%20b%23.md"),
        ("https://wiki.test/handbook", "https://wiki.test/handbook/sub/a%20b%23.md"),
        ("https://wiki.test/?page=", "https://wiki.test/?page=sub/a%20b%23.md"),
    ],
)
async def test_a_link_is_the_base_and_the_path_below_the_given_one(folder, base, link):
    fill(folder, "sub/a b#.md")
    assert [one.url for one in await documents(folder, base=base)] == [link]
    assert [one.url for one in await documents(folder / "sub" / "a b#.md", base="https://x.test/")] == [
        "https://x.test/a%20b%23.md"
    ]


async def test_a_file_without_a_heading_is_titled_by_its_name(folder):
    fill(folder, "notes.txt", text="# no heading in plain text\n")
    fill(folder, "plain.md", text="No heading.\n")
    assert [one.title for one in await documents(folder)] == ["notes.txt", "plain.md"]


async def test_other_kinds_are_extracted_whole(folder):
    fill(folder, "a.html", "b.pdf", "c.docx")
    extractor = Pages(Extracted("", "# From the text\n\nMore."))
    assert [one.title for one in await documents(folder, extractor=extractor)] == ["From the text"] * 3
    assert extractor.kinds == [("html", None, None), ("pdf", None, None), ("word", None, None)]


async def test_a_document_that_cannot_be_extracted_says_why(folder):
    fill(folder, "a.pdf")
    with pytest.raises(DocumentFailed, match=r"^the document is damaged$"):
        await documents(folder, extractor=Pages(Unreadable("damaged")))


@pytest.mark.parametrize("kind", ["empty", "scanned"])
async def test_a_document_without_text_is_empty(folder, kind):
    fill(folder, "a.pdf")
    assert [one.text for one in await documents(folder, extractor=Pages(Unreadable(kind)))] == [""]


async def test_a_text_file_that_is_no_text_says_so(folder):
    (folder / "a.txt").write_bytes(b"\x89PNG\0\0")
    with pytest.raises(DocumentFailed, match="not text"):
        await documents(folder)


async def test_a_file_that_is_too_large_is_named(folder):
    with (folder / "a.md").open("wb") as file:
        file.truncate(files.LARGEST + 1)
    [failed] = await found(folder)
    assert isinstance(failed, Failed)
    assert failed.reason == "it is larger than 64 MB"


async def test_a_large_file_is_read_again_and_may_be_gone_by_then(folder):
    fill(folder, "a.txt", "b.txt", text="words " * files.KEPT)
    there, gone = items(await found(folder))
    (folder / "b.txt").unlink()
    assert len((await there.read()).text) == 6 * files.KEPT
    with pytest.raises(DocumentFailed, match="No such file"):
        await gone.read()


async def test_digests_change_with_what_they_stand_for(folder):
    fill(folder, "a.md")
    os.utime(folder / "a.md", (1, 1))

    async def digests(**options):
        [item] = items(await found(folder, **options))
        return item.content, item.facts

    first = await digests()
    assert await digests() == first
    opened, linked = await digests(access=["public"]), await digests(base="https://x.test")
    assert (opened[0], linked[0]) == (first[0], first[0])
    assert len({first[1], opened[1], linked[1]}) == 3
    os.utime(folder / "a.md", (2, 2))
    touched = await digests()
    assert (touched[0], touched[1] != first[1]) == (first[0], True)
    fill(folder, "a.md", text="other")
    assert (await digests())[0] != first[0]


async def test_how_many_there_are_is_known_after_the_walk(folder):
    fill(folder, *(f"{number}.md" for number in range(100)), "x.png")
    source = Files([folder], Pages())
    assert source.total is None
    await source.scopes()
    totals = [source.total async for _ in source.found()]
    assert (len(totals), set(totals)) == (101, {101})
