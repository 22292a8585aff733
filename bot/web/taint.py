"""What must not leave the house in a query: text of the documents that the asker did not write.  No I/O.

A query is written by a model that has read the documents, and a document may tell it what to search for.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from bot.research.untrusted import neutralise

RUN = 5
"""So many words in a row are a quotation."""

_WORD = re.compile(r"\w+")
_MAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_PHONE = re.compile(r"(?<!\w)\+?\d(?:[ ().\-/\u00a0\u202f]{0,2}\d){6,14}(?!\w)")
_CODE = re.compile(r"(?<![\w-])(?=[\w-]{0,80}\d)(?=[\w-]{0,80}[^\W\d_])[\w-]{3,80}(?![\w-])")
_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:[ .,'\u00a0\u202f]\d{3})+(?!\d)|(?<![\w.,])\d{3,}(?!\d)")
_LONG = re.compile(r"(?<![\w-])[\w-]{24,}(?![\w-])")
_MONEY = re.compile(r"[$€£¥]\s?\d+|\d+\s?(?:[$€£¥%]|(?:eur|euros?|usd|dollars?|chf|gbp)\b)", re.IGNORECASE)
_KEY = re.compile(r"\b(?:xox[a-z]|xapp|sk|tvly|fc|ghp|glpat)[-_][\w-]{6,}")
_ADDRESS = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_DAY = re.compile(
    r"(?<!\d)(?:19|20)\d\d[-/.]\d{1,2}(?:[-/.]\d{1,2})?(?!\d)|(?<!\d)\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)\d\d(?!\d)"
)


class Private:
    """The private text that a run holds, and the words that the asker said, which are free to go."""

    def __init__(self, said: Iterable[str], private: Iterable[str] = ()) -> None:
        self._said = _spelled(" ".join(said))
        self._said_words = frozenset(_WORD.findall(self._said))
        self._said_marks = _marks(self._said)
        self._runs: set[tuple[str, ...]] = set()
        self._marks: set[str] = set()
        self._addresses: set[str] = set()
        self.add(private)

    def add(self, texts: Iterable[str]) -> None:
        """More text that is private from now on."""
        for text in texts:
            spelled = _spelled(text)
            self._runs |= _runs(_WORD.findall(spelled))
            self._marks |= _marks(spelled)

    def found_on_the_web(self, addresses: Iterable[str]) -> None:
        """Addresses that are public, since the web gave them."""
        self._addresses |= set(map(_spelled, addresses))

    def carried(self, query: str) -> str:
        """What of the private text a query carries, in words that do not repeat it; "" for none."""
        spelled = _spelled(query)
        if _KEY.search(query):
            return "a key or token"
        if any(address not in self._addresses and address not in self._said for address in _ADDRESS.findall(spelled)):
            return "an address that the user did not write"
        if (_marks(spelled) - self._said_marks) & self._marks:
            return "a number, a code or an address of the documents"
        if any(not self._said_words.issuperset(run) for run in _runs(_WORD.findall(spelled)) & self._runs):
            return "a passage of the documents"
        return ""


def _spelled(text: str) -> str:
    return unicodedata.normalize("NFKC", neutralise(text)).casefold()


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1)}


def _marks(text: str) -> set[str]:
    """What names somebody or something exactly: addresses of people, telephone numbers, ids, amounts; not dates."""
    text = _DAY.sub(" ", text)
    exact = {found for kind in (_MAIL, _CODE, _LONG) for found in kind.findall(text)}
    digits = {re.sub(r"\D", "", found) for kind in (_PHONE, _NUMBER, _MONEY) for found in kind.findall(text)}
    return exact | {number for number in digits if number and not _YEAR.fullmatch(number)}
