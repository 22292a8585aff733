"""Whether a message asks for the web, decided here and never by a model, since a search sends words to strangers.

No I/O.
"""

import re
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

from bot.web.links import links_in
from bot.web.settings import WebSetting

Way: TypeAlias = Literal["documents", "both", "web"]
"""The research loop over the documents alone, the loop with `web_search`, or `bot.web.answer`."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a message asks for.

    `question` is the message without its prefix.  `link` is the page that it names and that is read alone.  `refused`:
    it asks for the web, which is off here, and that has to be said.
    """

    way: Way
    question: str
    link: str = ""
    refused: bool = False


def asked(
    message: str,
    *,
    setting: WebSetting = "on request",
    command: bool = False,
    thread_asked: bool = False,
    known_link: bool = False,
) -> Asked:
    """What a message asks for, in Slack's markup or plain.

    `setting` is that of the place, `command` is true for a command that asks for the web by its name, `thread_asked`
    for a thread that began with the web.  `known_link`: the documents hold what the message's first link names, or it
    is a message of the own workspace; then it is their question.
    """
    prefix = _PREFIX.match(message)
    question = message[prefix.end() :] if prefix and prefix["web"] else message
    named = command or bool(prefix and prefix["web"])
    link = next(iter(links_in(question)), "")
    open_link = "" if known_link else link
    wants = named or thread_asked or bool(open_link) or asks_for_the_web(question)
    if setting == "off":
        return Asked("documents", question, refused=wants)
    if open_link:
        return Asked("web", question, open_link)
    if known_link and link:
        return Asked("both" if wants or setting == "on" else "documents", question)
    if named:
        return Asked("web", question)
    return Asked("both" if wants or setting == "on" else "documents", question)


def asks_for_the_web(question: str) -> bool:
    """Whether a phrase asks for a search of the web; what stands in code or is quoted asks for nothing."""
    text = _TOKENS.sub(" ", _NOT_SAID.sub(" ", question)).replace("’", "'").casefold()
    text = _BLANKS.sub(lambda found: "\n" if "\n" in found[0] else " ", text)
    wishes = ((phrase, _LEAD) for phrase in _PHRASES), ((phrase, _ANYTHING) for phrase in _MEANS)
    return any(_is_wish(text, found, lead) for phrase, lead in chain(*wishes) for found in phrase.finditer(text))


def _is_wish(text: str, found: re.Match[str], lead: re.Pattern[str]) -> bool:
    """Not in a clause that denies it, that tells of somebody else, or that asks whether or how it is done."""
    clause = _CLAUSE_END.split(text[max(0, found.start() - _CLAUSE) : found.start()])[-1]
    if _DENIED.search(clause) or _DENIED.search(found[0]) or _OTHERS.search(clause) or _OURS.search(found[0]):
        return False
    first, both, then = clause.rpartition(" and " if " and " in clause else " et ")
    return bool(lead.fullmatch(then) and (not both or not _SUBJECT.match(first)))


_PREFIX = re.compile(
    r"\s*(?:<@[A-Z0-9]+(?:\|[^<>\n]*)?>[\s,:]*)*(?P<web>web[\s\u00a0\u202f]*:(?!//)\s*)?", re.IGNORECASE
)
_NOT_SAID = re.compile(
    r"^[ \t]*(?:>>>|(?:&gt;){3}).*\Z"
    r"|```.*?(?:```|\Z)|`[^`\n]*`|^[ \t]*(?:>|&gt;)[^\n]*|\"[^\"\n]*\"|“[^”\n]*”?|«[^»\n]*»?",
    re.DOTALL | re.MULTILINE,
)
_TOKENS = re.compile(r"<[^<>\n]+>|https?://\S+")
_BLANKS = re.compile(r"\s+")
_CLAUSE_END = re.compile(r"[.!?;:,\n]|\b(?:but|and then|mais|puis)\b")
_DENIED = re.compile(
    r"\b(?:do not|dont|cannot|\w+n't|never|not|no need|without|instead of|rather than|stop|avoid|except)\b"
    r"|\bsans\b|\bpas\b|\bn'|\bne\b|\binutile de\b|\bplutôt que\b|\bau lieu de\b|\bsauf\b|\bévite\w*\b|\bjamais\b"
)
_CLAUSE = 300
"""Characters before a phrase that are looked at."""
_LEAD = re.compile(
    r"\s*+(?:(?:@\S+|please|pls|kindly|just|also|then|or|so|now|next|first|again|instead|maybe|perhaps|okay|ok|hey|hi"
    r"|hello|yes|well|if (?:possible|needed|necessary)|go ahead and|go|feel free to|try to|be sure to|make sure to"
    r"|remember to|let's|let us|(?:can|could|would|will) you|you (?:can|could|may|should|must|might)"
    r"|(?:i|we)(?:'d| would) (?:like|love|prefer|need) you to|(?:i|we) (?:want|need|ask) you to"
    r"|s'il (?:te|vous) pla[iî]t|svp|stp|merci de|veuillez|(?:peux|pourrais)-tu|(?:pouvez|pourriez)-vous"
    r"|tu (?:peux|pourrais)|vous (?:pouvez|pourriez)"
    r"|(?:j'aimerais|je (?:veux|voudrais|souhaite)|il faudrait) que (?:tu|vous)"
    r"|ou|ensuite|aussi|alors|d'abord|maintenant|bonjour|salut|donc|si possible"
    r"|essaie de|essayez de|va|vas|allez)(?!\w)[\s-]*+)*+"
)
"""What may stand before a verb that asks, in its clause: whoever tells of a search does not ask for one."""
_ANYTHING = re.compile(r".*", re.DOTALL)
_SUBJECT = re.compile(
    r"\s*(?:i|we|you|he|she|it|they|the|our|my|your|their|this|that|these|an?|is|are|was|do|does|did|can|may|must|should"
    r"|je|tu|il|elle|on|nous|vous|ils|elles|le|la|les|l'|notre|nos|mon|ma|mes|est|sont)\b"
)
_OURS = re.compile(r"\b(?:we|how|they|which)\b")
_OTHERS = re.compile(
    r"\b(?:how|why|when|where|who|which|whether|did|does|he|she|they|users?|customers?)\b"
    r"|\b(?:comment|pourquoi|quand|qui|(?<!s')ils?|elles?|clients?|utilisateurs?)\b"
)

_WEB = (
    r"(?:web|internet|net|world wide web|google)\b(?![\w'-])"
    r"(?!\s+(?:drive|docs?|sheets?|slides?|calendar|workspace|cloud|maps|analytics|meet|ads|forms?|chrome|play|archive|translate|"
    r"account|authenticator|apps?|sites?|pages?|teams?|servers?|services?|logs?|clients?|shops?|sockets?|hooks?|front|ends?|backends?|interfaces?|ui|portal|version|store|design|developers?|"
    r"development|traffic|access|connection|usage|policy|search (?:feature|page|tool|box|index|service))\b)"
)
_WEB_FR = (
    r"(?:web|internet|net|toile|google)\b(?![\w'-])"
    r"(?!\s+(?:interne|de l'entreprise|d'entreprise|mobile|client|marchand|vitrine)\b)"
)
_SEARCH = r"(?:search|look|check|find|browse|query|scour|surf|research|consult|try|ask|use|see|get|read|dig)"
_SEARCH_FR = (
    r"(?:(?:re)?cherche[rsz]?|(?:re)?cherchons|regarde[rsz]?|trouve[rsz]?|vérifie[rsz]?|verifie[rsz]?|fouille[rsz]?|"
    r"va|vas|allez|aller|voi[rs]|voyez|demande[rsz]?|renseigne[rsz]?|renseigne-toi|renseignez-vous)"
)
_NO_NOUN = (
    r"(?=\s*(?:$|[.!?,;:)\n])|\s+(?:whether|if|for|what|who|how|when|where|which|and|or|to|please|about|in|on|at"
    r"|si|pour|ce|qui|quel\w*|combien|où|quand|s'il|et|ou|à)\b)"
)
_FEW_WORDS = r"(?:\s+[^\s.!?;]+){0,8}?"

_A_WEB_SEARCH = (
    r"\s+(?:an?|another|one)?\s*(?:quick\s+)?(?:web|internet|online|google)\s+search\b"
    r"(?!\s+(?:feature|page|tool|box|index|service|engine))"
)
_MEANS = [re.compile(r"\b(?:with|using|by)" + _A_WEB_SEARCH)]

_PHRASES = [
    re.compile(phrase)
    for phrase in (
        rf"\b(?:search|browse|check|consult|query|scour|surf|research|ask|use|try|google)\s+(?:through\s+)?(?:on\s+|in\s+)?"
        rf"(?:the\s+)?(?:public\s+|whole\s+|open\s+|live\s+)?{_WEB}",
        rf"\b{_SEARCH}\b{_FEW_WORDS}\s+(?:on|over|across|from|in|around|via|through)\s+the\s+{_WEB}",
        rf"\b{_SEARCH}\b{_FEW_WORDS}\s+on\s+(?:google|internet)\b",
        r"\b(?:search|look|find|check|research)\b(?:\s+(?!is\b|was\b|are\b|goes\b)[^\s.!?;]+){0,8}?\s+online\b"
        + _NO_NOUN,
        r"\b(?:do|run|make|start|perform)" + _A_WEB_SEARCH,
        r"(?:^|[.!?:,\n]\s*|\bplease\s+)web\s*-?search\s*(?:for\b|:)",
        r"\bgoogle\s+(?:it|this|that|for)\b",
        rf"\b{_SEARCH_FR}\b(?:[-\s]+[^\s.!?;]+){{0,8}}?\s+(?:sur|dans)\s+(?:le\s+|la\s+|l')?{_WEB_FR}",
        rf"\b{_SEARCH_FR}\b(?:[-\s]+[^\s.!?;]+){{0,8}}?\s+en\s+ligne\b" + _NO_NOUN,
        rf"\b(?:fais|faites|faire|fait|lance[rz]?|effectue[rz]?)(?:-moi)?\s+(?:une|la)\s+(?:petite\s+)?recherche\s+"
        rf"(?:(?:sur|dans)\s+)?(?:le\s+|l')?(?:{_WEB_FR}|en\s+ligne\b)",
        rf"\b(?:consulte|interroge|utilise|parcour|explore|fouille)\w*\s+(?:le\s+|la\s+|l')?{_WEB_FR}",
        r"\bgoogle[rsz]?(?:-le|-la|-moi|\s+(?:ça|cela))\b",
    )
]
"""Over a casefolded text: a verb that asks, a few words of what, and a name of the web that is no part of another."""
