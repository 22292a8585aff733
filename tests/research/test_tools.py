from datetime import UTC, datetime

import pytest

from bot.research.tools import (
    Refused,
    read_question,
    read_search_arguments,
    read_sources,
    read_web_arguments,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
CONNECTED = ["gmail", "slack", "granola", "files"]


def read(**raw):
    return read_search_arguments(raw, connected=CONNECTED, now=NOW).normalised()


def test_no_arguments_read_as_an_empty_query_without_filters():
    assert read() == {"query": "", "person": None, "time_range": None, "sources": None, "limit": 20}


@pytest.mark.parametrize(
    ("limit", "held"),
    [(5, 5), ("5", 5), (0, 1), (-3, 1), (500, 20), (7.9, 7), ("ten", 20), (None, 20), ({}, 20), ([3], 20),
     (float("nan"), 20), (float("inf"), 20), (True, 20), ("1e999", 20)],
)  # fmt: skip
def test_a_limit_is_held_to_1_to_20_and_is_20_when_it_is_no_number(limit, held):
    assert read(limit=limit)["limit"] == held


@pytest.mark.parametrize("switch", ["/think", "/no_think", " /no_think ", "/nothink"])
def test_a_soft_switch_alone_reads_as_an_empty_query(switch):
    assert read(query=switch)["query"] == ""


@pytest.mark.parametrize("query", [None, {}, [], False])
def test_a_query_that_is_no_text_is_empty(query):
    assert read(query=query)["query"] == ""


def test_a_query_under_another_name_is_read():
    assert read(search_query="Falcon budget")["query"] == "Falcon budget"


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        ("Gmail", ["gmail"]),
        (["SLACK", "slack"], ["slack"]),
        ("inbox", ["gmail"]),
        ("meeting notes", ["granola"]),
        ("DMs", ["slack"]),
        (["mail", "documents"], ["gmail", "files"]),
        ([], None),
        (None, None),
        ([None, ""], None),
        ({"a": 1}, None),
    ],
)
def test_sources_are_read_in_any_case_and_by_their_everyday_names(sources, found):
    assert read(sources=sources)["sources"] == found


@pytest.mark.parametrize("sources", ["jira", ["gmail", "calendar"], ["notes from mars"]])
def test_a_source_that_is_not_connected_is_refused_with_the_connected_list(sources):
    with pytest.raises(Refused, match="gmail, slack, granola, files"):
        read(sources=sources)


ALL = ["files", "gcalendar", "gdrive", "github", "gmail", "granola", "notion", "slack", "website"]


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("e-mails", ["gmail"]),
        ("my inbox", ["gmail"]),
        ("courriel", ["gmail"]),
        ("Mes courriels", ["gmail"]),
        ("boîte de réception", ["gmail"]),
        ("Meeting Notes", ["granola"]),
        ("meeting_notes", ["granola"]),
        ("notes de réunion", ["granola"]),
        ("Comptes rendus", ["granola"]),
        ("direct messages", ["slack"]),
        ("messages privés", ["slack"]),
        ("Slack channels", ["slack"]),
        ("the calendar", ["gcalendar"]),
        ("l'agenda", ["gcalendar"]),
        ("rendez-vous", ["gcalendar"]),
        ("Google Drive", ["gdrive"]),
        ("fichiers", ["files", "gdrive"]),
        ("notes", ["granola", "notion"]),
        ("wiki", ["notion", "website"]),
        ("pull requests", ["github"]),
        ("GitHub issues", ["github"]),
        ("site web", ["website"]),
        ("Notion pages", ["notion"]),
    ],
)
def test_a_source_has_everyday_names_in_english_and_french(named, found):
    assert read_sources(named, ALL) == found


@pytest.mark.parametrize("named", ["files from mars", "teams", "the", "a", "?", "gmail gmail github"])
def test_what_only_sounds_like_a_source_is_none(named):
    with pytest.raises(Refused, match="is not connected; the connected sources are: files, "):
        read_sources(named, ALL)


def test_a_connected_source_wins_over_an_everyday_meaning():
    arguments = read_search_arguments({"sources": "mail"}, connected=["mail", "gmail"], now=NOW)
    assert arguments.sources == ["mail"]


@pytest.mark.parametrize(
    ("person", "found"), [("Kelly", "Kelly"), ("  ", None), (None, None), (["Kelly"], "Kelly"), (7.5, "7.5")]
)
def test_a_person_is_text_or_nobody(person, found):
    assert read(person=person)["person"] == found


def test_a_time_range_is_normalised_to_iso_with_offset():
    assert read(time_range={"start": "2026-11-01", "end": "2026-11-02"})["time_range"] == {
        "start": "2026-11-01T00:00:00+00:00",
        "end": "2026-11-02T23:59:59.999999+00:00",
    }
    assert read(time_range={"start": "2026-11-01"})["time_range"] == {"start": "2026-11-01T00:00:00+00:00", "end": None}


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ({"query": " x "}, {"query": "x", "recency": None, "news": False}),
        ({"query": "x", "recency": "WEEK", "news": "false"}, {"query": "x", "recency": "week", "news": False}),
        ({"query": "x", "recency": "fortnight", "news": 1}, {"query": "x", "recency": None, "news": True}),
        ({"query": "x", "recency": 7, "news": "yes"}, {"query": "x", "recency": None, "news": True}),
    ],
)
def test_web_arguments_are_read(raw, found):
    assert read_web_arguments(raw).normalised() == found


@pytest.mark.parametrize("raw", [{}, {"query": "  "}, {"query": None}])
def test_a_web_search_needs_a_query(raw):
    with pytest.raises(Refused, match=r"^web_search needs a non-empty query$"):
        read_web_arguments(raw)


def test_a_clarify_needs_a_question():
    assert read_question({"text": "Which Kelly?"}) == "Which Kelly?"
    with pytest.raises(Refused):
        read_question({"question": " "})
