"""What each family of embedding models wants to see before a query and before a document, and what was measured."""

from dataclasses import dataclass

PASSAGES = "Represent this sentence for searching relevant passages: "


@dataclass(frozen=True, slots=True)
class Family:
    languages: str
    query: str = ""
    document: str = ""
    """With `{title}` where the model knows titles; elsewhere a title goes before the text."""
    floor: float | None = None
    """See `indexers.embedding.floor`; None where nobody measured it."""

    def before_document(self, title: str) -> str:
        title = " ".join(title.split())
        if "{title}" in self.document:
            return self.document.replace("{title}", title or "none")
        return f"{self.document}{title} " if title else self.document


FAMILIES = {
    "all-minilm": Family("English", floor=0.35),
    "bge": Family("English", query=PASSAGES),
    "bge-m3": Family("multilingual"),
    "embeddinggemma": Family("multilingual", query="task: search result | query: ", document="title: {title} | text: "),
    "granite-embedding": Family("multilingual"),
    "mxbai-embed": Family("English", query=PASSAGES),
    # Measured with the official F16 file on 328 passages of SciFact: the best match of 180 nonsense queries reached
    # .55 at the median and, for random letters and invented words, .62 at most (.65 for shuffled ones); of the judged
    # pairs 5% stood below .62.
    "nomic-embed-text": Family("English", query="search_query: ", document="search_document: ", floor=0.62),
    "nomic-embed-text-v2": Family("multilingual", query="search_query: ", document="search_document: "),
    "paraphrase-multilingual": Family("multilingual"),
    "qwen3-embedding": Family(
        "multilingual",
        query="Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
    ),
    "snowflake-arctic-embed": Family("English", query=PASSAGES),
    "snowflake-arctic-embed2": Family("multilingual", query="query: "),
}
"""By the beginning of the model's name; the longest that fits counts."""

UNKNOWN = Family("unknown languages")


def family_of(model: str) -> Family:
    """The family of an Ollama model; a namespace before the name and a tag after it do not count."""
    name = model.rpartition("/")[2].partition(":")[0].lower()
    fitting = [beginning for beginning in FAMILIES if name.startswith(beginning)]
    return FAMILIES[max(fitting, key=len)] if fitting else UNKNOWN
