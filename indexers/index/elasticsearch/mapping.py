"""What an index in Elasticsearch is like, and by which names it is known.

An index is one version, behind two aliases: one to read and one to write.  Whatever vectors and words depend on is in
its `_meta`, and what does not fit is refused before anything is read or written.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

from elasticsearch import AsyncElasticsearch, BadRequestError, NotFoundError, SerializationError

from indexers.embedding.families import family_of
from indexers.index import IndexFault, IndexMismatch
from indexers.index.elasticsearch.client import is_elasticsearch

SCHEMA = 3
"""Raise it when records or analysis change."""
MEND = "`footnote index rebuild`"
OLLAMA = "ollama:"

PLAIN = "footnote_plain"
"""The analyzer for identifiers and word forms: letters and digits, without case and accents."""

# One shard, so that one search sees all of one moment; nothing is seen before whoever writes says so.
SETTINGS: dict[str, Any] = {
    "number_of_shards": 1,
    "auto_expand_replicas": "0-1",
    "refresh_interval": "-1",
    "analysis": {
        "char_filter": {
            "footnote_parts": {"type": "pattern_replace", "pattern": "[^\\p{L}\\p{M}\\p{N}]+", "replacement": " "}
        },
        "analyzer": {
            PLAIN: {
                "type": "custom",
                "char_filter": ["footnote_parts"],
                "tokenizer": "standard",
                "filter": ["lowercase", "asciifolding"],
            }
        },
    },
}
_KEPT = {"type": "keyword", "index": False, "doc_values": False}
_BYTES = {"type": "binary", "doc_values": True}


@dataclass(frozen=True, slots=True)
class Names:
    """`read` and `write` are the two aliases; or, while an index is made behind them, that index itself."""

    prefix: str
    read: str
    write: str

    @classmethod
    def of(cls, prefix: str) -> "Names":
        return cls(prefix, f"{prefix}-read", f"{prefix}-write")

    def version(self, number: int) -> str:
        return f"{self.prefix}-v{number}"

    def number_of(self, index: str) -> int | None:
        """Of a version; None for an index of somebody whose prefix merely begins alike."""
        number = index.removeprefix(f"{self.prefix}-v")
        return int(number) if number.isdecimal() and index == self.version(int(number)) else None

    def behind(self, index: str) -> "Names":
        return Names(self.prefix, index, index)


@dataclass(frozen=True, slots=True)
class Meta:
    """`embedding` names what made the vectors, "" while there are none; `prompt` is what it saw around each text."""

    analyzer: str
    schema: int = SCHEMA
    embedding: str = ""
    dimensions: int = 0
    prompt: str = ""

    @classmethod
    def read(cls, stored: dict[str, Any]) -> "Meta":
        """What is not whole, or of another kind, is of no schema of ours."""
        known = {name: stored[name] for name in cls.__slots__ if name in stored}
        whole = "analyzer" in known and all(type(known[one]) is type(getattr(BLANK, one)) for one in known)
        return cls(**known) if whole else BLANK

    def with_vectors(self, embedding: str, dimensions: int) -> "Meta":
        return replace(self, embedding=embedding, dimensions=dimensions, prompt=prompt_of(embedding))


BLANK = Meta("", schema=0)
"""Of an index that is none of ours."""


def prompt_of(embedding: str) -> str:
    """What an embedder puts before a query and before a document, as far as it is known by name."""
    if not embedding.startswith(OLLAMA):
        return ""
    family = family_of(embedding.removeprefix(OLLAMA))
    return f"{family.query}|{family.document}" if family.query or family.document else ""


def check(meta: Meta, analyzer: str) -> None:
    """Refuses an index that this version, with these settings, would read or write wrongly."""
    if meta.schema != SCHEMA:
        raise IndexMismatch(
            f"The index in Elasticsearch has schema {meta.schema}, and this version of Footnote needs {SCHEMA}; "
            f"bring it up to date with {MEND}."
        )
    if meta.analyzer != analyzer:
        raise IndexMismatch(
            f"The index in Elasticsearch was made for {meta.analyzer} text, and FOOTNOTE_ANALYZER is {analyzer}; "
            f"set it to {meta.analyzer}, or make the index anew with {MEND}."
        )
    if meta.prompt != prompt_of(meta.embedding):
        raise IndexMismatch(
            f"The vectors in Elasticsearch were made by {meta.embedding} with other words around each text than are "
            f"used now; embed everything again with {MEND}."
        )


def expect(meta: Meta, embedding: str, dimensions: int = 0) -> None:
    """Refuses vectors that cannot be compared with those that are stored."""
    if not embedding or not meta.embedding:
        return
    if embedding != meta.embedding or dimensions not in (0, meta.dimensions):
        raise IndexMismatch(
            f"The index holds vectors of {meta.embedding} ({meta.dimensions} dimensions), and this run would add "
            f"vectors of {embedding}{f' ({dimensions} dimensions)' if dimensions else ''}; go back to that model, or "
            f"embed everything again with {MEND}."
        )


def properties(analyzer: str) -> dict[str, Any]:
    """Of two kinds of records: one a chunk, and one a document, its head.  A visit to a scope has fields of theirs."""
    return {
        # Of both.
        "document": {"type": "keyword"},
        "source": {"type": "keyword"},
        "access": {"type": "keyword"},
        "people": {"type": "keyword"},
        "time": {"type": "double"},
        # Of a chunk.
        "chunk": {"type": "keyword", "doc_values": False},
        "group": {"type": "keyword", "doc_values": False},
        "thread": _KEPT,
        "ordinal": {"type": "integer"},
        "title": {**_KEPT, "copy_to": ["heading", "body"]},
        "headings": {**_KEPT, "copy_to": ["heading", "body"]},
        "inner": {**_KEPT, "copy_to": ["heading"]},
        "text": {**_KEPT, "copy_to": ["body"]},
        "url": {"type": "keyword", "doc_values": False, "ignore_above": 8_000},
        "participants": _KEPT,
        "timestamp": _KEPT,
        "heading": {"type": "text", "analyzer": analyzer},
        "body": {"type": "text", "analyzer": analyzer, "fields": {"plain": {"type": "text", "analyzer": PLAIN}}},
        # Of a chunk, packed: to fetch these takes a fraction of the time.
        "place": _BYTES,
        "line": _BYTES,
        "card": _BYTES,
        "half": _BYTES,
        # Of a head.
        "generation": {"type": "keyword"},
        "count": {"type": "integer"},
        "version": {"type": "long"},
        "transit": {"type": "keyword"},
        "staged": _KEPT,
        "facts": {"type": "object", "enabled": False},
    }


def embedding_property(dimensions: int) -> dict[str, Any]:
    # Everything is said, since the defaults move from version to version.
    options = {"type": "int8_hnsw", "m": 16, "ef_construction": 100}
    return {"type": "dense_vector", "dims": dimensions, "index": True, "similarity": "cosine", "index_options": options}


async def create(client: AsyncElasticsearch, index: str, analyzer: str, aliases: Names | None = None) -> None:
    """Make an index; another process may have made it meanwhile."""
    named = {aliases.read: {}, aliases.write: {"is_write_index": True}} if aliases else {}
    try:
        await client.indices.create(
            index=index,
            aliases=named,
            settings=SETTINGS,
            mappings={"dynamic": "strict", "_meta": asdict(Meta(analyzer)), "properties": properties(analyzer)},
        )
    except BadRequestError as error:
        if error.error == "mapper_parsing_exception":
            raise IndexFault(
                f"Elasticsearch has no analyzer {analyzer!r}; set FOOTNOTE_ANALYZER to one that it has, say english."
            ) from error
        if error.error != "resource_already_exists_exception":
            raise


async def read_meta(client: AsyncElasticsearch, name: str) -> tuple[str, Meta] | None:
    """The index behind a name and what it says of itself; None where there is none."""
    try:
        found = (await client.indices.get_mapping(index=name)).body
    except NotFoundError as error:
        if error.error != "index_not_found_exception" or not is_elasticsearch(error):
            raise
        return None
    if not found or not isinstance(found, dict) or not all(map(_has_mappings, found.values())):
        raise SerializationError("a proxy may say anything in place of a mapping")
    if len(found) > 1:
        raise IndexFault(f"{name} stands for {len(found)} indices in Elasticsearch; take the alias from all but one.")
    [(index, described)] = found.items()
    return index, Meta.read(described["mappings"].get("_meta", {}))


def _has_mappings(described: Any) -> bool:
    return isinstance(described, dict) and isinstance(described.get("mappings"), dict)


async def add_vectors(client: AsyncElasticsearch, name: str, meta: Meta) -> None:
    """From now on the index holds vectors as `meta` says."""
    await client.indices.put_mapping(
        index=name, meta=asdict(meta), properties={"embedding": embedding_property(meta.dimensions)}
    )
