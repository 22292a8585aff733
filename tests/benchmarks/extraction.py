"""How much of an article is read, and how little beside it: F1 over shingles of four words.

Thirty generated pages; and the pages of scrapinghub's article-extraction-benchmark, where FOOTNOTE_TEST_ARTICLES (or
an argument) names a clone of it: `ground-truth.json`, and `html/NAME.html.gz` for each name there.  The row beside
needs `pip install readability-lxml`, which stands in no extra: pip before 24 breaks off over how it spells an extra of
lxml.
"""

import gzip
import json
import os
import re
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

import lxml.html
import trafilatura

from indexers.reading import Unreadable
from indexers.reading.html import read_html, visible_text
from tests.benchmarks.articles import articles
from tests.benchmarks.table import Row, show

TOLERANCE = 0.005
SHINGLE = 4

Pages: TypeAlias = Sequence[tuple[str, str]]
"""HTML, and its article's text."""


def run(folder: Path | None = None) -> list[Row]:
    rows = _measured("30 pages in six layouts", [(one.html, one.text) for one in articles()])
    path = folder or os.environ.get("FOOTNOTE_TEST_ARTICLES")
    if path:
        rows += _measured("article-extraction-benchmark", _public(Path(path)))
    return rows


def _measured(what: str, pages: Pages) -> list[Row]:
    ours, alone = (_f1(extract, pages) for extract in (_ours, _trafilatura))
    beside = f"{_f1(_readability, pages):.3f}" if find_spec("readability") else "not installed"
    return [
        Row(f"{what}: F1", f"{ours:.3f}", f"≥ {alone - TOLERANCE:.3f}", ours >= alone - TOLERANCE),
        Row(f"{what}: F1 of trafilatura alone", f"{alone:.3f}", "", True),
        Row(f"{what}: F1 of readability-lxml", beside, "", True),
    ]


def _ours(html: str) -> str:
    try:
        return read_html(html.encode(), web=True).text
    except Unreadable:
        return ""


def _trafilatura(html: str) -> str:
    return trafilatura.extract(html.encode(), output_format="markdown", include_comments=False) or ""


def _readability(html: str) -> str:
    import readability

    return visible_text(lxml.html.fromstring(readability.Document(html).summary()))


def _f1(extract: Callable[[str], str], pages: Pages) -> float:
    """As that benchmark has it: precision and recall of each page, their means, and the F1 of the means."""
    precisions, recalls = [], []
    for html, text in pages:
        found, wanted = _shingles(extract(html)), _shingles(text)
        right = (found & wanted).total()
        if found.total():
            precisions.append(right / found.total())
        if wanted.total():
            recalls.append(right / wanted.total())
    precision, recall = statistics.fmean(precisions), statistics.fmean(recalls)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    if len(words) < SHINGLE:
        return Counter([tuple(words)] if words else [])
    return Counter(tuple(words[place : place + SHINGLE]) for place in range(len(words) - SHINGLE + 1))


def _public(folder: Path) -> Pages:
    truth = json.loads((folder / "ground-truth.json").read_text("utf-8"))
    return [
        (gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes()).decode("utf-8"), one["articleBody"])
        for name, one in truth.items()
    ]


if __name__ == "__main__":
    sys.stdout.write(show(run(Path(sys.argv[1]) if sys.argv[1:] else None)) + "\n")
