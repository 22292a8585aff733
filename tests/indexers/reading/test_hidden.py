import pytest
import trafilatura

from indexers.reading.hidden import strip_hidden
from indexers.reading.html import read_html, visible_text
from tests.indexers.reading.probes import HIDDEN, SEEN

FILLING = "".join(
    f"<p>Paragraph {number} of a page that is long enough to be taken for an article by whoever reads it.</p>"
    for number in range(6)
)


def page(probe):
    return f"<html><head><title>A page</title></head><body><h1>A page</h1>{FILLING}{probe}{FILLING}</body></html>"


def stripped(html):
    root = trafilatura.load_html(html)
    strip_hidden(root)
    return visible_text(root)


@pytest.mark.parametrize("probe", [pytest.param(probe, id=f"{way} {probe}") for way in HIDDEN for probe in HIDDEN[way]])
def test_text_that_nobody_sees_is_not_read(probe):
    html = page(probe.format(*["SECRET"] * 3))
    assert "SECRET" in html
    extracted = read_html(html.encode(), web=True)
    assert "SECRET" not in extracted.text + extracted.title
    assert "SECRET" not in stripped(html)
    assert "Paragraph 5" in extracted.text


@pytest.mark.parametrize("probe", SEEN)
def test_text_that_is_seen_stays(probe):
    assert "VISIBLE words" in stripped(page(probe.format("VISIBLE words")))


@pytest.mark.parametrize("probe", [HIDDEN[way][0] for way in HIDDEN])
def test_a_short_page_hides_no_better(probe):
    html = f"<html><head><title>T</title></head><body><p>Few words.</p>{probe.format('SECRET', 'SECRET')}</body></html>"
    assert read_html(html.encode(), web=True).text.startswith("Few words.")
    assert "SECRET" not in read_html(html.encode(), web=True).text


def test_the_text_around_what_is_taken_out_stays():
    html = page("<p>before <b hidden>SECRET</b> after <!-- SECRET --> the end</p>")
    assert "before after the end" in " ".join(stripped(html).split())


def test_a_page_that_hides_itself_until_its_program_runs_keeps_its_text():
    html = page("<p>more</p>").replace("<body>", "<body style='visibility:hidden;opacity:0'>")
    assert "Paragraph 3" in stripped(html)


def test_rules_within_rules_without_an_end_are_left():
    html = page("<style>" + "@layer x{" * 5_000 + ".x{display:none}</style><p class=x>x</p>")
    assert "Paragraph 3" in stripped(html)


def test_thousands_of_rules_end_in_time():
    rules = "".join(f".c{number} .d{number} > p{{display:none}}" for number in range(5_000))
    html = page(f"<style>{rules}</style>" + "<div class=c1><p>x</p></div>" * 2_000)
    assert "Paragraph 3" in stripped(html)
