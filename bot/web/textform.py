"""The text form of results that search tools return, read where somebody hands us one.  No I/O.

Inside, results are never text: a title or a snippet with a line break in it could forge a source.
"""

import re

from bot.web.outcome import WebSource

_BETWEEN = re.compile(r"\n[ \t]*\n[ \t]*---[ \t]*\n(?=[ \t]*(?:\n|\Z))")
_BLOCK = re.compile(
    r"(?:###(?!#)[ \t]*(?P<title>[^\n]*)\n\s*)?Source:[ \t]*(?P<url>https?://\S+)[ \t]*\n\s*Summary:(?P<snippet>.*)",
    re.DOTALL | re.IGNORECASE,
)


def parse_results(content: str) -> list[WebSource]:
    """The sources of blocks `### title`, `Source: URL`, `Summary: text`, parted by `---` between blank lines.

    A block that does not fit is skipped; refs run 1, 2, … over those kept; a missing title falls back to the URL.
    """
    blocks = _BETWEEN.split(content.replace("\r\n", "\n"))
    found = [fit for block in blocks if (fit := _BLOCK.fullmatch(block.strip()))]
    return [
        WebSource(ref, (fit["title"] or "").strip() or fit["url"], fit["url"], fit["snippet"].strip())
        for ref, fit in enumerate(found, 1)
    ]
