"""What no index can store.  No I/O."""

import numpy as np

from indexers.index import Entry
from indexers.index.filters import fold
from indexers.index.names import LONGEST, is_name, is_text


def problem(entry: Entry) -> str:
    """Why an entry cannot be stored, "" if it can."""
    document, chunks, vectors = entry.document, entry.chunks or (), entry.vectors
    if len({chunk.ordinal for chunk in chunks}) < len(chunks):
        return "two of its chunks are in the same place"
    texts = (document.title, document.url, *document.participants)
    if not all(map(is_text, (*texts, *(text for chunk in chunks for text in (chunk.text, *chunk.headings))))):
        return "it holds what is no character"
    names = (document.id, document.source, document.thread_id, *document.access, *map(fold, document.participants))
    if not all(map(is_name, names)):
        return f"its id, or a name in it, is longer than {LONGEST} bytes or holds what is no character"
    if vectors is not None and len(vectors) != len(chunks):
        return f"it has {len(chunks)} chunks and {len(vectors)} vectors"
    if vectors is not None and not np.isfinite(vectors).all():
        return "its vectors hold what is no number"
    return ""
