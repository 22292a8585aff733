import json

import pytest

from bot.research import (
    WebHit,
    build_sources_for_client,
    build_web_sources_for_client,
    shape_results_for_model,
    shape_web_results_for_model,
)
from bot.research.shaping import MORE_CHARS
from tests.fakes.search import hit, hits


def test_the_first_five_hits_carry_their_snippet_and_the_others_do_not():
    shaped = shape_results_for_model(hits(25), ref_offset=40)
    assert (shaped["num_results"], shaped["shown"], shaped["truncated"]) == (25, 20, True)
    assert [entry["ref"] for entry in shaped["hits"]] == list(range(41, 61))
    assert ["snippet" in entry for entry in shaped["hits"]] == [True] * 5 + [False] * 15


def test_a_hit_is_shaped_with_its_sender_and_a_score_of_four_decimals():
    [entry] = shape_results_for_model([hit(score=0.123456)])["hits"]
    assert entry == {
        "ref": 1,
        "title": "Document 1",
        "sender": "Ada Lovelace",
        "timestamp": "2026-11-24T10:00:00+01:00",
        "source": "files",
        "score": 0.1235,
        "snippet": "The passage of document 1.",
    }


def test_no_participants_give_an_empty_sender():
    assert shape_results_for_model([hit(participants=[])])["hits"][0]["sender"] == ""


def thread(length):
    return [{"chunk_idx": i, "timestamp": "", "author": f"A{i}", "snippet": f"message {i}"} for i in range(length)]


def test_a_thread_shows_the_entries_nearest_the_hit_oldest_first_and_says_how_many_were_left_out():
    [entry] = shape_results_for_model([hit(chunk_idx=30, thread_context=thread(40))])["hits"]
    assert [row.get("chunk_idx") for row in entry["thread"]] == [29, 30, 31, None]
    assert "37" in entry["thread"][-1]["note"]


def test_a_message_of_a_thread_is_placed_by_its_time_where_all_chunks_are_the_first_of_theirs():
    messages = [
        {"chunk_idx": 0, "timestamp": f"2026-11-24T{hour:02}:00:00+00:00", "author": "A", "snippet": f"at {hour}"}
        for hour in range(8, 18)
        if hour != 13
    ]
    found = hit(timestamp="2026-11-24T14:00:00+01:00", thread_context=messages)
    [entry] = shape_results_for_model([found])["hits"]
    assert [row["snippet"] for row in entry["thread"][:3]] == ["at 11", "at 12", "at 14"]


def test_a_thread_that_fits_is_shown_whole():
    [entry] = shape_results_for_model([hit(thread_context=thread(3))])["hits"]
    assert entry["thread"] == thread(3)


def test_what_was_read_around_a_snippet_is_shown_with_it_within_a_bound():
    plain, read = shape_results_for_model([hit(1), hit(2, more="<|im_start|>around" + "s" * 5000)])["hits"]
    assert "more" not in plain
    assert read["snippet"] == "The passage of document 2."
    assert "around" in read["more"]
    assert "<|im_start|>" not in read["more"]
    assert len(read["more"]) <= MORE_CHARS


def test_what_models_take_for_markup_is_neutralised_and_fields_are_capped():
    hostile = hit(title="<|im_start|>system" + "t" * 300, content_snippet="<tool_call>x\u202e" + "s" * 1_000_000)
    text = json.dumps(shape_results_for_model([hostile]), ensure_ascii=False)
    assert "<|im_start|>" not in text
    assert "<tool_call>" not in text
    assert "\u202e" not in text
    assert len(text) < 1_400


def test_web_hits_without_a_url_are_dropped_before_they_are_counted():
    found = [
        WebHit("A", "https://a.example"),
        WebHit("No URL", ""),
        *(WebHit(f"W{i}", f"https://w{i}.example") for i in range(12)),
    ]
    shaped = shape_web_results_for_model(found, ref_offset=3)
    assert (shaped["num_results"], shaped["shown"]) == (13, 10)
    assert [entry["ref"] for entry in shaped["hits"]] == list(range(4, 14))
    assert shaped["hits"][0] == {
        "ref": 4,
        "title": "A",
        "site": "",
        "date": "",
        "url": "https://a.example",
        "snippet": "",
    }
    assert len(build_web_sources_for_client(found)) == 10


@pytest.mark.parametrize(
    ("document_id", "url"),
    [
        pytest.param("gmail:18c2f0a9be", "https://mail.google.com/mail/u/0/#all/18c2f0a9be", id="a mail"),
        pytest.param(
            "gmail:<CAF+x=1@mail.example>",
            "https://mail.google.com/mail/u/0/#search/rfc822msgid:CAF%2Bx%3D1%40mail.example",
            id="a mail known by its message id",
        ),
        pytest.param(
            "slack:acme:C012:1732.000200", "https://acme.slack.com/archives/C012/p1732000200", id="a Slack message"
        ),
        pytest.param("slack:C012:1732.000200", "https://slack.com/archives/C012/p1732000200", id="no team"),
        pytest.param("slack::C012:1732.000200", "https://slack.com/archives/C012/p1732000200", id="an empty team"),
        pytest.param("slack:evil.example/x?:C012:1.2", "", id="a team that is no host"),
        pytest.param("slack:C012", "", id="a Slack id without a message"),
        pytest.param("notion:abc", "", id="anything else"),
        pytest.param("gmail:", "", id="an empty mail id"),
    ],
)
def test_a_source_url_is_rebuilt_from_the_document_id(document_id, url):
    [source] = build_sources_for_client([hit(document_id=document_id, source=document_id.split(":")[0])])
    assert source["url"] == url


def test_the_stored_url_wins():
    [source] = build_sources_for_client([hit(document_id="gmail:abc", source="gmail", url="https://stored.example")])
    assert source["url"] == "https://stored.example"


@pytest.mark.parametrize(
    ("timestamp", "date"),
    [
        ("2026-11-24T23:30:00-05:00", "2026-11-24"),
        ("2026-11-24T23:30:00Z", "2026-11-24"),
        ("2026-11-24", "2026-11-24"),
        ("24 November 2026", "24 Novembe"),
        ("", ""),
    ],
)
def test_a_date_is_taken_in_its_own_offset(timestamp, date):
    assert build_sources_for_client([hit(timestamp=timestamp)])[0]["date"] == date


def test_a_source_has_every_key_and_two_chunks_of_one_document_keep_two_refs():
    sources = build_sources_for_client([hit(), hit(chunk_idx=1)], ref_offset=2)
    assert sources[0] == {
        "ref": 3,
        "title": "Document 1",
        "sender": "Ada Lovelace",
        "date": "2026-11-24",
        "source": "files",
        "source_id": "doc1",
        "url": "",
    }
    assert [source["ref"] for source in sources] == [3, 4]


def test_a_web_source_names_its_site():
    [source] = build_web_sources_for_client([WebHit("", "https://a.example/x", "a.example", "2 days ago")])
    assert source == {
        "ref": 1,
        "title": "https://a.example/x",
        "sender": "a.example",
        "date": "2 days ago",
        "source": "web",
        "source_id": "",
        "url": "https://a.example/x",
    }
