"""What must not leave the house in a query: text of the documents that the asker did not write.  No I/O.

A query is written by a model that has read the documents, and a document may tell it what to search for, and how to
spell it so that nobody recognises it.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence
from urllib.parse import unquote

from bot.research.untrusted import neutralise

RUN = 5
"""So many words in a row are a quotation."""
SQUEEZED = 15
"""Letters of a quotation from which on it is known without the spaces, too."""
TAIL = 8
"""Digits by which a long number is known, with and without the code of its country."""
PARTS = 12
"""Of a code or an address, at most: `ZX-81` has two."""

_WORD = re.compile(r"[^\W_]+")
_ACCENT = re.compile("[\u0300-\u036f]")
_PART = re.compile(r"\d+|[^\W\d_]+")
_ALONE = re.compile(r"(?<![^\W_])[^\W_](?:[\W_]+[^\W_](?![^\W_]))+")
"""Letters or digits one by one."""
_SMALL_EN = frozenset(("with", "from", "that", "this", "will", "have", "been", "were"))
_SMALL_FR = frozenset(("dans", "pour", "avec", "sera", "sont", "cette", "leur", "leurs", "mais"))
_SMALL = _SMALL_EN | _SMALL_FR
_SAID_SIGNS = frozenset(("at", "dot", "arobase", "point"))
_MAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_PHONE = re.compile(r"(?<!\w)\+?\d(?:[ ().\-/\u00a0\u202f]{0,2}\d){6,14}(?!\w)")
_CODE = re.compile(r"(?<![\w-])(?=[\w-]{0,80}\d)(?=[\w-]{0,80}[^\W\d_])[\w-]{3,80}(?![\w-])")
_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:[ .,'\u00a0\u202f]\d{3})+(?!\d)|(?<![\w.,])\d{3,}(?!\d)")
_LONG = re.compile(r"(?<![\w-])[\w-]{24,}(?![\w-])")
_MONEY = re.compile(
    r"[$€£¥]\s?\d{1,20}|(?<!\d)\d{1,20}\s?(?:[$€£¥%]|(?:eur|euros?|usd|dollars?|chf|gbp)\b)", re.IGNORECASE
)
_AMOUNT = re.compile(
    r"(?<![\w.,])(\d{1,6}(?:[.,]\d{1,3})?)\s?(k|m|mio|mille|thousand|millions?|mrd|milliards?|bn|billions?)\b"
)
_FACTORS = {"k": 3, "mille": 3, "thousand": 3, "mrd": 9, "milliard": 9, "milliards": 9, "bn": 9}
_FACTORS |= {"billion": 9, "billions": 9}
_KEY = re.compile(r"\b(?:xox[a-z]|xapp|sk|tvly|fc|ghp|glpat)[-_][\w-]{6,}")
_ADDRESS = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
_ENCODED = re.compile(r"(?<![\w+/=])(?=[A-Za-z+/=]*\d)(?=[\d+/=]*[A-Za-z])[A-Za-z\d+/=]{20,}")
_TWO_SCRIPTS = re.compile(r"(?<!\w)(?=\w*[a-z])(?=\w*[\u0370-\u052f])\w{4,}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DAY = re.compile(
    r"(?<!\d)(?:19|20)\d\d[-/.]\d{1,2}(?:[-/.]\d{1,2})?(?!\d)|(?<!\d)\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)\d\d(?!\d)"
)

Parts = tuple[str, ...]


class Private:
    """The private text that a run holds, and the words that the asker said, which are free to go.

    Each text is taken apart once, when the first query after it is judged: a second or two for a million characters.
    """

    def __init__(self, said: Iterable[str], private: Iterable[str] = ()) -> None:
        self._said = ""
        self._said_words = frozenset[str]()
        self._said_marks = frozenset[Parts]()
        self.heard(" ".join(said))
        self._runs: set[Parts] = set()
        self._together: set[str] = set()
        self._lengths: set[int] = set()
        """Of what is together."""
        self._marks: set[Parts] = set()
        self._squeezed = ""
        self._sent: list[str] = []
        self._addresses: set[str] = set()
        self._waiting = list(private)

    def heard(self, text: str) -> None:
        """More that the asker said."""
        self._said = f"{self._said} {_spelled(text)}"
        self._said_words |= frozenset(_WORD.findall(self._said))
        self._said_marks |= _marks(self._said) | _spans(self._said)

    def add(self, texts: Iterable[str]) -> None:
        """More text that is private from now on."""
        self._waiting += texts

    def _take(self, text: str) -> None:
        spelled = _spelled(text)
        runs = _runs(spelled)
        together = {joined for joined in map("".join, runs) if len(joined) >= SQUEEZED}
        self._runs |= runs
        self._together |= together
        self._lengths.update(map(len, together))
        self._marks |= _marks(spelled)
        self._squeezed += _squeezed(spelled) + "\n"

    def found_on_the_web(self, addresses: Iterable[str]) -> None:
        """Addresses that are public, since the web gave them."""
        self._addresses |= set(map(_spelled, addresses))

    def sent(self, query: str) -> None:
        """A query that went out: the next one may go on where it ends."""
        self._sent += _WORD.findall(_spelled(query))

    def carried(self, query: str) -> str:
        """What of the private text a query carries, in words that do not repeat it; "" for none."""
        while self._waiting:
            self._take(self._waiting.pop())
        plain = unquote(html.unescape(query))
        spelled = _spelled(plain)
        if _KEY.search(query):
            return "a key or token"
        if _flat(_spelled(query)) in _flat(self._said):
            return ""
        if any(address not in self._addresses and address not in self._said for address in _ADDRESS.findall(spelled)):
            return "an address that the user did not write"
        if any(self._marked(reading) for reading in _readings(spelled)):
            return "a number, a code or an address of the documents"
        if self._quoted(spelled):
            return "a passage of the documents"
        if self._squeezed.strip() and self._encoded(plain, spelled):
            return "an encoded text that the user did not write"
        return ""

    def _marked(self, spelled: str) -> bool:
        if ((_marks(spelled) | _spans(spelled)) - self._said_marks) & self._marks:
            return True
        long = [word for word in _WORD.findall(spelled) if len(word) >= TAIL and sum(map(str.isdigit, word)) > 3]
        return any(word in self._squeezed and word not in _squeezed(self._said) for word in long)

    def _quoted(self, spelled: str) -> bool:
        """Word for word, in what an earlier query began too, without its small words, or without its spaces."""
        going_on = " ".join([*self._sent[1 - RUN :], spelled])
        found = (_runs(spelled) | _runs(going_on)) & self._runs
        if together := self._together & _stretches(_squeezed(spelled), self._lengths):
            found |= {run for run in self._runs if "".join(run) in together}
        return any(not self._said_words.issuperset(run) for run in found)

    def _encoded(self, plain: str, spelled: str) -> bool:
        bare = _ADDRESS.sub(" ", plain)
        found = [*_ENCODED.findall(bare), *_TWO_SCRIPTS.findall(spelled)]
        return any(_spelled(one) not in self._said for one in found)


def _spelled(text: str) -> str:
    """In small letters without accents, as whoever searches may write it."""
    apart = unicodedata.normalize("NFKD", neutralise(text)).casefold()
    return apart if apart.isascii() else _ACCENT.sub("", apart).replace("œ", "oe").replace("æ", "ae")


def _readings(spelled: str) -> list[str]:
    """As it stands, without the spaces between single letters, and without signs that are written as words."""
    joined = _ALONE.sub(lambda found: re.sub(r"[\W_]+", "", found[0]), spelled)
    unsigned = " ".join(word for word in _WORD.findall(spelled) if word not in _SAID_SIGNS)
    return [spelled, joined, unsigned]


def _flat(spelled: str) -> str:
    return f" {' '.join(_WORD.findall(spelled))} "


def _squeezed(spelled: str) -> str:
    return "".join(_WORD.findall(spelled))


def _runs(spelled: str) -> set[Parts]:
    """Quotations: words in a row, and words in a row of those that are not small."""
    words = _WORD.findall(spelled)
    return {run for some in (words, [word for word in words if not _is_small(word)]) for run in _rows(some)}


def _stretches(squeezed: str, lengths: Iterable[int]) -> set[str]:
    return {squeezed[start : start + length] for length in lengths for start in range(len(squeezed) - length + 1)}


def _rows(words: Sequence[str]) -> set[Parts]:
    return {tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1)}


def _is_small(word: str) -> bool:
    return (len(word) <= 3 and word.isalpha()) or word in _SMALL


def _marks(text: str) -> set[Parts]:
    """What names somebody or something exactly: addresses of people, telephone numbers, ids, amounts; not dates."""
    text = _DAY.sub(" ", text)
    exact = {tuple(_PART.findall(found)) for kind in (_MAIL, _CODE, _LONG) for found in kind.findall(text)}
    digits = {re.sub(r"\D", "", found) for kind in (_PHONE, _NUMBER, _MONEY) for found in kind.findall(text)}
    digits |= {_amount(*found) for found in _AMOUNT.findall(text)}
    return exact | {(number[-TAIL:],) for number in digits if number and not _YEAR.fullmatch(number)}


def _amount(number: str, factor: str) -> str:
    """`90k` as its digits."""
    return str(round(float(number.replace(",", ".")) * 10 ** _FACTORS.get(factor, 6)))


def _spans(text: str) -> set[Parts]:
    """All rows of at least two parts of words, which may be a code with other signs between its parts."""
    parts = _PART.findall(_DAY.sub(" ", text))
    return {
        tuple(parts[start:end])
        for start in range(len(parts))
        for end in range(start + 2, min(start + PARTS, len(parts)) + 1)
    }
