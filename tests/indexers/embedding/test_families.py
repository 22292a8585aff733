import pytest

from indexers.embedding.families import UNKNOWN, family_of


@pytest.mark.parametrize(
    ("model", "query", "document", "languages"),
    [
        ("embeddinggemma", "task: search result | query: ", "title: none | text: ", "multilingual"),
        ("embeddinggemma:300m", "task: search result | query: ", "title: none | text: ", "multilingual"),
        ("nomic-embed-text", "search_query: ", "search_document: ", "English"),
        ("nomic-embed-text-v2-moe", "search_query: ", "search_document: ", "multilingual"),
        ("someone/Qwen3-Embedding:0.6b", "Instruct: ", "", "multilingual"),
        ("bge-m3", "", "", "multilingual"),
        ("bge-large:latest", "Represent this sentence", "", "English"),
        ("mxbai-embed-large", "Represent this sentence", "", "English"),
        ("snowflake-arctic-embed:33m", "Represent this sentence", "", "English"),
        ("snowflake-arctic-embed2", "query: ", "", "multilingual"),
        ("all-minilm", "", "", "English"),
        ("my-own", "", "", "unknown languages"),
    ],
)
def test_a_model_sees_the_words_it_was_trained_with(model, query, document, languages):
    family = family_of(model)
    assert family.query.startswith(query)
    assert bool(family.query) == bool(query)
    assert (family.before_document(""), family.languages) == (document, languages)


def test_a_title_stands_where_the_model_wants_it_or_before_the_text():
    assert family_of("embeddinggemma").before_document(" Leave\npolicy ") == "title: Leave policy | text: "
    assert family_of("nomic-embed-text").before_document("Leave") == "search_document: Leave "
    assert UNKNOWN.before_document("Leave") == "Leave "
