from bot.research.evidence import passage_text, render_evidence
from tests.fakes.search import hit

MORE = "before " + "word " * 300 + "The passage of document 1. after"


def test_what_was_read_around_a_snippet_is_evidence_where_there_is_room():
    refs = {1: hit(1, more=MORE), 2: hit(2)}
    roomy = render_evidence(refs, "7f3a", 6_000)
    assert MORE in roomy
    assert "The passage of document 2." in roomy
    tight = render_evidence(refs, "7f3a", 1_000)
    assert "before word" not in tight
    assert "The passage of document 1." in tight


def test_what_was_read_may_be_quoted_word_for_word():
    assert MORE in passage_text(hit(1, more=MORE))
