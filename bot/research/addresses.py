"""What in a text is an address, and when two of them are the same.  No I/O.

Only public top-level domains make a bare name an address, and those that are also endings of files or words of code
(`README.md`, `main.rs`, `asyncio.run`) only with a path behind it.
"""

import html
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

import idna

from bot.research.domains import CALLS, CODE, PUBLIC, PUBLIC_WITH_A_PATH

_T = r"[^\s<>\"`|\ue000-\uf8ff\u3001\u3002\uff0c\uff1b\uff1a\uff01\uff1f\uff09\u3008-\u3011“”«»]"
_ADDRESS = re.compile(
    rf"""
    (?P<full>[a-z][a-z0-9+-]{{1,30}}:[/\\]{{2}}{_T}+
      |(?:https?|ftps?|wss?|file|blob|view-source):[/\\]?[^\s/\\<>"`|]{{1,250}}\.{_T}+
      |(?:javascript|vbscript):{_T}+
      |data:[\w.+-]{{0,80}}(?:/[\w.+-]{{1,80}})?[;,]{_T}+
      |(?:tel|sms|facetime|skype|callto):[+\w]{_T}*)
    |mailto:(?P<to>[\w.+%-]{{1,64}}@[\w.-]+\w){_T}*
    |(?P<relative>(?<![/\\.])//(?:[\w-]{{1,63}}\.)+(?P<end>[^\W\d_]{{2,}}){_T}*)
    |(?P<www>(?<![^\W_])(?<![@.])www\d{{0,3}}\.[\w-]{_T}*)
    |[\w.+%-]{{1,64}}@(?:[\w-]{{1,63}}\.)+[^\W\d_]{{2,}}(?P<behind>[/?]{_T}+)?
    |(?P<domain>(?<![^\W_])(?<![^\W_]_)(?<![@/\\])(?<!\w\.)(?P<labels>(?:[\w-]{{1,63}}\.)+)(?P<tld>xn--[a-z0-9-]{{1,59}}|[^\W\d_]{{2,24}})
      (?!_{{0,3}}[^\W_]|[@-]|\.\w)(?P<path>(?::\d{{2,5}}\b)?(?:[/?]{_T}*)?)(?:\#{_T}*)?)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SCHEME_ALONE = re.compile(r"(?:[a-z0-9+-]*:)?[/\\]*", re.IGNORECASE)
_CLOSING = {")": "(", "]": "[", "}": "{"}
_TRACKING = re.compile(r"utm_|fbclid=|gclid=|fbclid$|gclid$", re.IGNORECASE)
_DEAD = frozenset({"javascript", "vbscript", "data", "file", "blob", "about", "view-source"})
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\U000e0000-\U000e0fff]"
)
_STYLED = re.compile(
    "[\u2024\u2100-\u214f\u2460-\u24ff\ufe52\uff0e-\uff1a\uff21-\uff3a\uff41-\uff5a\uff61\U0001d400-\U0001d7ff"
    "\U0001f130-\U0001f189]"
)
_STOP = re.compile("(?<=[a-z0-9])[\u3002\uff61](?=[a-z])", re.IGNORECASE)
DISGUISE = re.compile(f"{_ENTITY.pattern}|{_ESCAPE.pattern}|{HIDDEN.pattern}|{_STYLED.pattern}|{_STOP.pattern}", re.I)


class Found(NamedTuple):
    start: int
    end: int
    text: str
    mail: str
    """The plain e-mail address of a `mailto:`; else ""."""


def find(text: str) -> Iterator[Found]:
    """The addresses of a text, without what only follows them; e-mail addresses are none."""
    position = 0
    while found := _ADDRESS.search(text, position):
        position = found.end()
        if found["to"]:
            yield Found(found.start(), found.end(), found[0], found["to"])
        elif _leads_somewhere(found):
            whole, end = trimmed(found[0]).lstrip("_"), found.start() + len(trimmed(found[0]))
            if not _SCHEME_ALONE.fullmatch(whole):
                yield Found(end - len(whole), end, whole, "")
        else:  # an address may begin inside
            position = _inside(found)


def _inside(found: re.Match[str]) -> int:
    """Where another address may begin in what turned out to be none."""
    if found["domain"] and not found[0].startswith("_"):
        return found.start("tld")
    return found.start() + (2 if found["relative"] else 1 if found["domain"] else max(1, found[0].rfind(".") + 1))


def trimmed(address: str) -> str:
    """Without the punctuation that closes the sentence, the brackets or the emphasis around it."""
    surplus = {closing: address.count(closing) - address.count(opening) for closing, opening in _CLOSING.items()}
    end = len(address)
    while end:
        last = address[end - 1]
        if last in _CLOSING and surplus[last] > 0:
            surplus[last] -= 1
        elif last not in ".,;:!?'\"*_~\\’…":
            break
        end -= 1
    return address[:end]


def canonical(url: str) -> str | None:
    """One spelling for all of the same address, without fragment and tracking; None for what must never be a link."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return None
    host = _host(parts.hostname or "")
    if parts.scheme in _DEAD or not parts.scheme or not host or "@" in parts.netloc or "\\" in url:
        return None
    usual = port is None or port == {"http": 80, "https": 443}.get(parts.scheme)
    place = host if usual else f"{host}:{port}"
    query = "&".join(part for part in parts.query.split("&") if part and not _TRACKING.match(part))
    return f"{parts.scheme}://{place}{_spelled(parts.path) or '/'}{'?' + _spelled(query) if query else ''}"


def spellings(address: str) -> list[str]:
    """The full addresses that an address may mean: itself, or with a scheme where it has none."""
    if re.match(r"[a-z][a-z0-9+.-]*:", address, re.IGNORECASE) and not re.match(r"[^/?#]*:\d", address):
        return [address]
    return [f"{scheme}://{address.lstrip('/')}" for scheme in ("https", "http")]


def undisguised(text: str) -> str:
    """The text with those of its words plainly spelled that hide an address behind entities, escapes, invisible or
    look-alike characters."""
    if not DISGUISE.search(text):
        return text
    return "".join(_plainly(word) for word in re.split(r"(\s+)", text))


def _plainly(word: str) -> str:
    if not DISGUISE.search(word):
        return word
    plain = _ESCAPE.sub(r"\1", HIDDEN.sub("", _ENTITY.sub(lambda found: html.unescape(found[0]), word)))
    plain = _STYLED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), plain)
    plain = HIDDEN.sub("", _STOP.sub(".", plain))
    open_ones = {found.text for found in find(word)}
    return plain if any(found.text not in open_ones for found in find(plain)) else word


def _leads_somewhere(found: re.Match[str]) -> bool:
    if found["full"] or found["www"] or found["behind"]:
        return True
    if found["relative"]:
        runs_on = found.string[found.start() - 1 : found.start()].isalnum() if found.start() else False
        return found["end"].lower() in (PUBLIC if runs_on else PUBLIC | PUBLIC_WITH_A_PATH)
    return bool(found["domain"]) and _is_public(found)


def _is_public(found: re.Match[str]) -> bool:
    """Whether a bare name with dots is a public address rather than a file, a piece of code or a missing space."""
    labels, ending = found["labels"].lower().strip(".").split("."), found["tld"]
    path = found["path"].lstrip(":0123456789")
    known = ending.lower()
    if known.startswith("xn--"):
        return True
    if path:
        return known in PUBLIC or known in PUBLIC_WITH_A_PATH
    if known not in PUBLIC:
        return False
    if known in ("com", "org") or len(labels) > 1:
        return True
    called = known in CALLS and found.string[found.end() : found.end() + 1] == "("
    return ending.islower() and not called and labels[0] not in CODE


def _host(host: str) -> str:
    host = host.rstrip(".")
    if host.isascii() or len(host) > 253:
        return host.lower() if len(host) <= 253 else ""
    try:
        return idna.encode(host, uts46=True).decode()
    except (idna.IDNAError, UnicodeError):
        return ""


def _spelled(part: str) -> str:
    return quote(unquote(part), safe="/:@!$&'()*+,;=~-._?")
