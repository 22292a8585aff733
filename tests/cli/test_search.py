"""`footnote search`: hits with both scores, for people and for programs."""

import json
from dataclasses import fields

import pytest

from bot.research import SearchHit


@pytest.fixture
def indexed(footnote, docs):
    footnote("index", "files", docs)
    return footnote


def test_a_hit_shows_its_scores_and_opens_its_file(indexed, docs):
    out = indexed("search", "paid leave").out
    assert "[1] Leave policy" in out
    assert "score 1.0000  bm25 " in out
    assert (docs / "leave.md").as_uri() in out
    assert "Everyone has 30 days of paid leave" in out


def test_json_has_the_fields_of_a_hit_and_nothing_else_is_on_stdout(indexed):
    found = json.loads(indexed("search", "paid leave", "--json").out)
    assert list(found) == ["hits", "warnings"]
    assert list(found["hits"][0]) == [field.name for field in fields(SearchHit)]


def test_a_nonsense_query_finds_nothing(indexed):
    assert "Nothing found." in indexed("search", "zxqv blorp").out


def test_filters_alone_list_the_newest(indexed):
    assert len(json.loads(indexed("search", "--source", "files", "--json").out)["hits"]) == 2
    assert json.loads(indexed("search", "--source", "files", "--until", "2001-01-01", "--json").out)["hits"] == []
    assert json.loads(indexed("search", "--json").out)["hits"] == []


def test_what_filters_alone_have_found_shows_no_scores(indexed, docs):
    out = indexed("search", "--source", "files").out
    assert f"\n    {(docs / 'leave.md').as_uri()}\n" in out
    assert "score" not in out


def test_a_source_has_its_everyday_name_and_an_unknown_one_is_2_with_those_that_are_connected(indexed):
    assert len(json.loads(indexed("search", "--source", "Documents", "--json").out)["hits"]) == 2
    done = indexed("search", "leave", "--source", "jira")
    assert done.code == 2
    assert "The source 'jira' is not connected; the connected sources are: files." in done.err


def test_the_limit_holds(indexed):
    assert len(json.loads(indexed("search", "leave lunch", "--limit", "1", "--json").out)["hits"]) == 1


@pytest.mark.parametrize("given", [["--since", "soon"], ["--since", "2026-02-01", "--until", "2026-01-01"]])
def test_a_bad_date_is_2_and_shows_the_format(indexed, given):
    done = indexed("search", "leave", *given)
    assert done.code == 2
    assert "2026-11-01" in done.err


def test_what_was_indexed_without_vectors_is_said(indexed, env):
    assert any("words only" in warning for warning in json.loads(indexed("search", "leave", "--json").out)["warnings"])
