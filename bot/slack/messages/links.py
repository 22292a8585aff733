"""Words and links in Slack's mrkdwn that can neither ping anybody nor show another address than they open.  No I/O."""

import re
import unicodedata
from urllib.parse import quote, unquote, urlsplit

from bot.research.untrusted import readable, visible

LONGEST_ADDRESS = 1_200
"""Bytes; a link must fit into one message whole."""
LONGEST_LABEL = 150

_GAP = "\u200b"
_TICK = "\u02cb"
"""Looks like a backtick and is none."""
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_CALL = re.compile(r"(?<!\w)@(?=(?:here|channel|everyone)\b)", re.IGNORECASE)
_UNSAFE_IN_ADDRESS = re.compile(r"[\s|<>\"`\u200b-\u200f\u2028-\u202e\u2060-\u2069]")
_HOST = re.compile(r"(?:https?://|www\.)?((?:[\w-]+\.)+([a-z]{2,}|xn--[\w-]+))(?![^\W_])", re.IGNORECASE)
_DOTS = str.maketrans("。｡", "..")
"""What browsers take for dots, too."""
_FILE = re.compile(
    "conf|cfg|css|csv|docx?|gif|html?|ini|ipynb|jpe?g|jsx?|json|kt|log|odt|pdf|png|pptx?|rst|sql|svg|tex|toml|tsx?|txt|"
    "xlsx?|xml|ya?ml"
)
_FILE_OR_DOMAIN = re.compile("md|mov|pl|py|rs|sh|zip")


def escape(text: str) -> str:
    """Text as it stands; `& < >` are all that Slack wants escaped."""
    return re.sub("[&<>]", lambda found: _ENTITIES[found[0]], text)


def words(text: str) -> str:
    """Text as mrkdwn: nobody is pinged, and no backtick of it opens code or closes what is code."""
    return escape(_CALL.sub("@" + _GAP, readable(text)).replace("`", _TICK))


def label(text: str) -> str:
    """Text as one short line of mrkdwn."""
    return words(_line(text))


def address(url: str) -> str:
    """The address as a link of Slack's holds it, or "" where it is not one that may be opened: only http and https,
    with a host, without a user name (which reads as a host), and not longer than a message can carry."""
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    except ValueError:
        return ""
    encoded = _UNSAFE_IN_ADDRESS.sub(lambda found: quote(found[0], safe=""), readable(url.strip()))
    if not usable or "\\" in encoded or len(encoded.encode()) > LONGEST_ADDRESS:
        return ""
    return escape(encoded)


def link(url: str, text: str) -> str:
    """A link that shows `text`; the text alone where the address cannot be opened, and both where the text looks like
    another address."""
    target, shown = address(url), label(text)
    if not target:
        return shown
    if not shown.strip(_GAP + " ") or text == url:
        return f"<{target}>"
    if _disguises(text, url):
        return f"{shown.replace('://', f':{_GAP}//')} (<{target}>)"
    return f"<{target}|{shown.replace('|', '¦')}>"


def _line(text: str) -> str:
    line = " ".join(readable(text).split())
    return line if len(line) <= LONGEST_LABEL else line[: LONGEST_LABEL - 1].rstrip() + "…"


def _disguises(text: str, url: str) -> bool:
    parts = urlsplit(url.strip())
    host = (parts.hostname or "").removeprefix("www.")
    seen = unicodedata.normalize("NFKC", visible(_line(text)).translate(_DOTS))
    for found in _HOST.finditer(seen):
        named, ending = found[1].lower().lstrip("_").removeprefix("www."), found[2].lower()
        in_path = named in unquote(parts.path).lower() and _FILE_OR_DOMAIN.fullmatch(ending)
        is_file = "://" not in found[0] and (in_path or _FILE.fullmatch(ending))
        if not is_file and named != host and not host.endswith(f".{named}"):
            return True
    return False
