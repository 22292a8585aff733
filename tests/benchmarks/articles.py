"""Thirty pages in six layouts, each with the text that its reader came for."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_WORDS = """
harbour council winter market engine report river teacher garden bridge family doctor record season village history
question member company weather station evidence kitchen language memory mountain island journey library machine
measure morning problem quarter reason science summer thought traffic valley window writer budget captain danger
evening forest harvest income jury ladder meadow number office pattern ribbon signal theatre update village witness
answered began carried decided expected found gathered held improved joined kept learned moved noticed opened passed
raised settled tested turned visited walked waited watched wrote
after again almost before behind beside between during early every fifty first four further however inside later
little many never often once other several since slowly soon still their there though three through together under
until usually when where which while without
""".split
_LABELS = ("Home", "World", "Business", "Culture", "Sport", "Opinion", "Contact", "About us", "Newsletter", "Search")


@dataclass(frozen=True, slots=True)
class Article:
    layout: str
    html: str
    text: str


class _Author:
    """Writes sentences that are the same in every run."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = _WORDS()

    def sentence(self) -> str:
        words = self._random.choices(self._words, k=self._random.randint(7, 22))
        return f"{' '.join(words).capitalize()}{self._random.choice('.....?!')}"

    def paragraph(self) -> str:
        return " ".join(self.sentence() for _ in range(self._random.randint(2, 6)))

    def paragraphs(self) -> list[str]:
        return [self.paragraph() for _ in range(self._random.randint(5, 11))]

    def heading(self) -> str:
        return " ".join(self._random.choices(self._words, k=self._random.randint(3, 7))).capitalize()

    def links(self, count: int) -> str:
        return "".join(f"<li><a href='/{number}'>{self.heading()}</a></li>" for number in range(count))

    def menu(self) -> str:
        return f"<nav><ul>{''.join(f'<li><a href=/{label}>{label}</a></li>' for label in _LABELS)}</ul></nav>"

    def footer(self) -> str:
        return f"<footer><p>© 2026 The Daily Example. All rights reserved.</p><ul>{self.links(6)}</ul></footer>"


def _page(head: str, body: str) -> str:
    return f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8>{head}</head><body>{body}</body></html>"


def _p(paragraphs: list[str]) -> str:
    return "".join(f"<p>{text}</p>" for text in paragraphs)


def _news(by: _Author) -> tuple[str, list[str]]:
    title, text = by.heading(), by.paragraphs()
    middle = len(text) // 2
    body = f"""
    <header><a href=/>The Daily Example</a>{by.menu()}</header>
    <main><article><h1>{title}</h1><div class=byline>By A. Writer, 3 November 2026</div>
    <figure><img src=a.jpg alt='{by.heading()}'></figure>{_p(text[:middle])}
    <aside class=related><h3>Read more</h3><ul>{by.links(4)}</ul></aside>{_p(text[middle:])}
    <div class=share><a href=#>Share</a><a href=#>Mail</a></div></article>
    <section class=recommended><h2>Most read</h2><ul>{by.links(10)}</ul></section></main>{by.footer()}"""
    return _page(f"<title>{title} | The Daily Example</title>", body), text


def _blog(by: _Author) -> tuple[str, list[str]]:
    title, text = by.heading(), by.paragraphs()
    comments = "".join(f"<li class=comment><b>reader{n}</b><p>{by.paragraph()}</p></li>" for n in range(4))
    body = f"""
    <div id=header><h2>Notes of nobody</h2>{by.menu()}</div><div id=wrap>
    <div id=content><div class=post><h2 class=entry-title>{title}</h2><div class=entry-content>{_p(text)}</div></div>
    <div id=comments><h3>4 comments</h3><ol>{comments}</ol></div></div>
    <div id=sidebar><h4>Archive</h4><ul>{by.links(12)}</ul><h4>Tags</h4><ul>{by.links(12)}</ul></div></div>
    <div id=footer>Powered by Example Press</div>"""
    return _page(f"<title>{title}</title>", body), text


def _documentation(by: _Author) -> tuple[str, list[str]]:
    text: list[str] = []
    sections = ""
    for number in range(4):
        heading, parts = by.heading(), [by.paragraph(), by.paragraph()]
        code = f"result_{number} = compute(input_{number}, depth={number})"
        items = [by.sentence() for _ in range(3)]
        text += [heading, *parts, code, *items]
        listed = "".join(f"<li>{item}</li>" for item in items)
        sections += f"<h2>{heading}</h2>{_p(parts)}<pre><code>{code}</code></pre><ul>{listed}</ul>"
    title = by.heading()
    body = f"""
    <div class=topbar>{by.menu()}</div><div class=layout><nav class=sidebar><ul>{by.links(25)}</ul></nav>
    <main role=main><div class=document><h1>{title}</h1>{sections}</div>
    <div class=pager><a href=/a>Previous</a><a href=/b>Next</a></div></main></div>{by.footer()}"""
    return _page(f"<title>{title} - Example 3.2 documentation</title>", body), [*text]


def _encyclopedia(by: _Author) -> tuple[str, list[str]]:
    title, text = by.heading(), by.paragraphs()
    facts = "".join(f"<tr><th>{by.heading()}</th><td>{number}</td></tr>" for number in range(5))
    contents = f"<div id=toc class=toc><h2>Contents</h2><ul>{by.links(5)}</ul></div>"
    body = f"""
    <div id=mw-navigation>{by.menu()}<ul>{by.links(15)}</ul></div>
    <div id=content class=mw-body><h1 id=firstHeading>{title}</h1><div id=mw-content-text>
    <table class=infobox>{facts}</table><p>{text[0]}</p>{contents}{_p(text[1:])}</div>
    <div id=catlinks><ul>{by.links(5)}</ul></div></div>{by.footer()}"""
    return _page(f"<title>{title} - Examplepedia</title>", body), text


def _tables(by: _Author) -> tuple[str, list[str]]:
    title, text = by.heading(), by.paragraphs()
    menu = "<br>".join(f"<a href=/{label}>{label}</a>" for label in _LABELS)
    body = f"""
    <table width=900 bgcolor=#ffffff><tr><td colspan=2><font size=5>The Old Site</font></td></tr>
    <tr><td width=150 valign=top><font size=2>{menu}</font></td>
    <td valign=top><font size=4><b>{title}</b></font><br><br>{"<br><br>".join(text)}</td></tr>
    <tr><td colspan=2 align=center><font size=1>Best viewed at 800x600. Last updated in November.</font></td></tr>
    </table>"""
    return _page(f"<title>{title}</title>", body), text


def _soup(by: _Author) -> tuple[str, list[str]]:
    title, text = by.heading(), by.paragraphs()
    parts = "".join(f"<div class=css-1x2y3z><div class=css-a><span>{part}</span></div></div>" for part in text)
    banner = "<div class=css-cookie><span>We use cookies. Accept all or choose.</span><button>Accept</button></div>"
    cards = "".join(f"<div class=css-card><a href=/c>{by.heading()}</a></div>" for _ in range(8))
    body = f"""
    <div id=__next><div class=css-top>{by.menu()}</div>{banner}<div class=css-grid><div class=css-main>
    <h1 class=css-h>{title}</h1>{parts}</div><div class=css-rail>{cards}</div></div>{by.footer()}</div>
    <script>window.__STATE__={{"title":"{title}"}}</script>"""
    return _page(f"<title>{title}</title><style>.css-a{{margin:0 auto}}</style>", body), text


LAYOUTS: dict[str, Callable[[_Author], tuple[str, list[str]]]] = {
    "news": _news,
    "blog": _blog,
    "documentation": _documentation,
    "encyclopedia": _encyclopedia,
    "tables": _tables,
    "soup": _soup,
}


def articles(each: int = 5) -> Iterator[Article]:
    """The pages, `each` of every layout."""
    for seed, (name, layout) in enumerate(LAYOUTS.items()):
        for number in range(each):
            html, text = layout(_Author(seed * 100 + number))
            yield Article(name, html, "\n".join(text))
