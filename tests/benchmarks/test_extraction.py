"""The benchmark of reading articles, on a folder laid out as the public one is."""

import gzip
import json

import pytest

from tests.benchmarks.extraction import run

PARAGRAPHS = (
    "The falcon was seen over the harbour on {day}, when the fishing boats came home from the northern banks.",
    "Nobody had expected it there before spring, said the warden who has counted birds since {day} last year.",
    "Visitors may walk out to the old lighthouse from {day} on; dogs are to be kept on a lead along the dunes.",
)
PAGE = "<html><body><nav>Home Sport Weather</nav><article><h1>A falcon</h1>{article}</article></body></html>"


def laid_out(folder, pages):
    truth = {name: {"articleBody": text, "url": f"https://news.example/{name}"} for name, (_, text) in pages.items()}
    (folder / "ground-truth.json").write_text(json.dumps(truth), "utf-8")
    (folder / "html").mkdir()
    for name, (html, _) in pages.items():
        (folder / "html" / f"{name}.html.gz").write_bytes(gzip.compress(html.encode()))
    return folder


@pytest.fixture
def articles(tmp_path):
    told = {day: [one.format(day=day) for one in PARAGRAPHS] for day in ("Monday", "Tuesday", "Été")}
    pages = {
        day: (PAGE.format(article="".join(f"<p>{one}</p>" for one in text)), "\n".join(["A falcon", *text]))
        for day, text in told.items()
    }
    return laid_out(tmp_path, pages)


def test_the_public_benchmark_is_measured_where_a_path_to_it_is_set(articles, monkeypatch):
    monkeypatch.setenv("FOOTNOTE_TEST_ARTICLES", str(articles))
    rows = {row.what: row for row in run()}
    ours = rows["article-extraction-benchmark: F1"]
    assert float(ours.value) > 0.9
    assert ours.ok
    assert "30 pages in six layouts: F1" in rows
