"""The sentences about the web, in the languages in which they are read.  No I/O.

The model is told them in English; what a search engine said itself is quoted as it stands.
"""

from bot.sentences import Said, in_language, said
from bot.web.pages import GivenAway
from indexers.reading import ReadingError

NO_RESULTS = {
    "en": "The web search found no results.",
    "fr": "La recherche sur le web n'a rien trouvé.",
}
TIMED_OUT = {
    "en": "The web search timed out.",
    "fr": "La recherche sur le web a pris trop de temps.",
}
FAILED = {
    "en": "The web search failed.",
    "fr": "La recherche sur le web a échoué.",
}
FAILED_BY = {
    "en": "The web search failed ({name}).",
    "fr": "La recherche sur le web a échoué ({name}).",
}
NO_QUERY = {
    "en": "The web search needs a query.",
    "fr": "La recherche sur le web a besoin d'une question.",
}
FAILURES = {
    "no_key": {"en": "{engine} has no key", "fr": "{engine} n'a pas de clé"},
    "bad_key": {"en": "{engine} refused the key", "fr": "{engine} a refusé la clé"},
    "no_credits": {"en": "{engine} has no credits left", "fr": "{engine} n'a plus de crédits"},
    "rate_limited": {
        "en": "{engine} takes no more searches for now",
        "fr": "{engine} n'accepte plus de recherches pour le moment",
    },
    "timeout": {"en": "{engine} took too long", "fr": "{engine} a mis trop de temps"},
    "unreachable": {
        "en": "{engine} is out of service or out of reach",
        "fr": "{engine} est hors service ou hors d'atteinte",
    },
    "bad_request": {"en": "{engine} did not take the search", "fr": "{engine} n'a pas accepté la recherche"},
    "bad_response": {
        "en": "{engine} gave no answer that can be read",
        "fr": "{engine} n'a donné aucune réponse lisible",
    },
    "blocked": {"en": "{engine} refused to search", "fr": "{engine} a refusé de chercher"},
    "unforeseen": {"en": "{engine} failed", "fr": "{engine} a échoué"},
    "off": {"en": "The web is turned off here", "fr": "Le web est désactivé ici"},
    "refused": {"en": "The link was not opened", "fr": "Le lien n'a pas été ouvert"},
    "unread": {"en": "The page could not be read", "fr": "La page n'a pas pu être lue"},
}
"""Without their full stop: the engine's words may follow."""
WITH_WORDS = {"en": "{what}: {words}.", "fr": "{what} : {words}."}
WITHOUT_WORDS = {"en": "{what}.", "fr": "{what}."}
WITH_STATUS = {"en": "HTTP {status}, {words}", "fr": "HTTP {status}, {words}"}

# What an engine's answer lacks.

NOT_JSON = {"en": "it is not JSON", "fr": "ce n'est pas du JSON"}
NOT_HTML = {"en": "it is not HTML", "fr": "ce n'est pas du HTML"}
NO_LIST = {"en": "its results are no list", "fr": "ses résultats ne sont pas une liste"}
NO_ADDRESSES = {"en": "its results have no addresses", "fr": "ses résultats n'ont pas d'adresse"}
NO_RESULT_PAGE = {"en": "it is not a page of results", "fr": "ce n'est pas une page de résultats"}
TOO_LONG = {"en": "it is too long", "fr": "elle est trop longue"}
BROKEN = {"en": "it broke off, or is malformed", "fr": "elle s'est interrompue, ou est malformée"}
EMPTY = {"en": "it is empty", "fr": "elle est vide"}
ROBOT_TEST = {"en": "it shows a test against robots", "fr": "il affiche un test contre les robots"}
BACKEND_SILENT = {
    "en": "what it searches with gave no answer",
    "fr": "ce avec quoi il cherche n'a pas répondu",
}
NOT_SET = {"en": "{setting} is not set", "fr": "{setting} n'est pas défini"}
SEARXNG_WITHOUT_JSON = {
    "en": "add json to search.formats in its settings.yml",
    "fr": "ajoutez json à search.formats dans son settings.yml",
}
SEARXNG_LIMITER = {
    "en": "its limiter is on: let this machine pass, or turn the limiter off",
    "fr": "son limiteur est actif : laissez passer cette machine, ou désactivez-le",
}

# What a search did not do as it was asked.

LAST = {
    "day": {"en": "to the last day", "fr": "au dernier jour"},
    "week": {"en": "to the last week", "fr": "à la dernière semaine"},
    "month": {"en": "to the last month", "fr": "au dernier mois"},
    "year": {"en": "to the last year", "fr": "à la dernière année"},
}
NO_SUCH_LIMIT = {
    "en": "There is no such limit in time; day, week, month and year are.",
    "fr": "Cette limite de temps n'existe pas ; day, week, month et year existent.",
}
NO_RECENCY = {
    "en": "{engine} cannot limit a search {last}, so that was not applied.",
    "fr": "{engine} ne peut pas limiter une recherche {last} ; cette limite n'a pas été appliquée.",
}
NO_NEWS = {
    "en": "{engine} cannot search news alone, so that was not applied.",
    "fr": "{engine} ne peut pas chercher dans les seules actualités ; ce souhait n'a pas été appliqué.",
}
LIMIT_UNSURE = {
    "en": "A self-hosted Firecrawl may not have applied {asked}.",
    "fr": "Un Firecrawl auto-hébergé n'a peut-être pas appliqué {asked}.",
}
THE_LIMIT = {"en": "the limit {last}", "fr": "la limite {last}"}
THE_NEWS = {"en": "the wish for news", "fr": "le souhait d'actualités"}
BOTH = {"en": "{one} and {other}", "fr": "{one} et {other}"}
SOME_SILENT = {
    "en": "SearXNG had no answer from some of its engines: {engines}.",
    "fr": "SearXNG n'a pas eu de réponse de certains de ses moteurs : {engines}.",
}
STOOD_IN = {
    "en": "{failure} {engine} was asked in its place.",
    "fr": "{failure} {engine} a été interrogé à sa place.",
}
ASKED_AGAIN = {
    "en": "Asked again without that limit: {failure}",
    "fr": "Nouvelle demande sans cette limite : {failure}",
}
WIDENED = {
    "en": "{engine} found nothing {filters}; these results are from a search without that limit.",
    "fr": "{engine} n'a rien trouvé {filters} ; ces résultats viennent d'une recherche sans cette limite.",
}
IN_THE_NEWS = {"en": "in the news", "fr": "dans les actualités"}
FROM_LAST = {
    "day": {"en": "from the last day", "fr": "datant du dernier jour"},
    "week": {"en": "from the last week", "fr": "datant de la dernière semaine"},
    "month": {"en": "from the last month", "fr": "datant du dernier mois"},
    "year": {"en": "from the last year", "fr": "datant de la dernière année"},
}

# Pages.

NAMED = {"en": "“{title}” ({site})", "fr": "« {title} » ({site})"}
NOT_READ = {
    "en": "{page} was not read, only what the search says of it is known: {reason}",
    "fr": "{page} n'a pas été lu ; on n'en connaît que ce qu'en dit la recherche : {reason}",
}
GIVEN_AWAY = {
    "en": "{reason} {reader} was given its address too, and could not read it either.",
    "fr": "{reason} {reader} a reçu son adresse aussi et n'a pas pu la lire non plus.",
}
READING_FAILED = {"en": "Reading it failed.", "fr": "La lecture a échoué."}
PARTLY_READ = {
    "paywall": {
        "en": "Only the free part could be read of {pages}.",
        "fr": "Seule la partie gratuite a pu être lue : {pages}.",
    },
    "cut": {"en": "Only the beginning was read of {pages}.", "fr": "Seul le début a été lu : {pages}."},
    "pages": {
        "en": "Only the first pages were read of {pages}.",
        "fr": "Seules les premières pages ont été lues : {pages}.",
    },
}
UNREAD_REASONS_IN_FRENCH = {
    "url": "Ce n'est pas l'adresse d'une page web.",
    "scheme": "Seules les adresses http:// et https:// sont lues.",
    "user_info": "Une adresse qui contient un nom d'utilisateur ou un mot de passe n'est pas lue.",
    "host": "Cet hôte n'est pas sur l'internet public.",
    "port": "Seuls les ports habituels du web sont lus.",
    "address": "Cette adresse n'est pas sur l'internet public.",
    "downgrade": "Le site menait d'une page sécurisée à une page non sécurisée d'un autre site.",
    "timeout": "La page a mis trop de temps à répondre.",
    "dns": "Aucun site de ce nom n'a été trouvé, ou l'internet est hors d'atteinte.",
    "unreachable": "Le site ne répond pas.",
    "tls": "Le certificat ou le chiffrement du site n'est pas en ordre.",
    "redirects": "Le site mène sans fin d'une adresse à une autre.",
    "too_large": "La page est trop grande pour être lue.",
    "unsupported": "Ce qui se trouve là n'est pas une page avec du texte.",
    "bad_answer": "Le site a répondu d'une façon incompréhensible.",
    "captcha": "Le site affiche un test contre les robots à la place de la page.",
    "login": "La page ne s'affiche qu'après connexion.",
    "javascript": "La page n'affiche son texte que dans un navigateur qui exécute son programme.",
    "paywall": "La page est réservée aux abonnés.",
    "forbidden": "Le site refuse d'afficher la page.",
    "not_found": "Il n'y a pas de page à cette adresse.",
    "rate_limited": "Le site n'accepte plus de demandes pour le moment.",
    "server_error": "Le site a lui-même une défaillance.",
    "status": "Le site a répondu par autre chose que la page.",
    "empty": "Il n'y a pas de texte lisible.",
    "locked": "Le document est verrouillé par un mot de passe.",
    "scanned": "Le document est numérisé : il contient des images et pas de texte.",
    "damaged": "Le document est endommagé.",
    "too_heavy": "Sa lecture demande plus de temps ou de mémoire qu'il n'en est accordé à une page.",
}
"""By the kind of the error, which says it in English itself."""


def reason(error: ReadingError) -> Said:
    """Why a page was not read, and who else got its address."""
    ours = said({"en": str(error), "fr": UNREAD_REASONS_IN_FRENCH[error.kind]})
    return said(GIVEN_AWAY, reason=ours, reader=error.reader) if isinstance(error, GivenAway) else ours


def with_words(what: Said, words: str) -> Said:
    """A sentence of what happened and, behind a colon, of what was said about it."""
    if not words:
        return said(WITHOUT_WORDS, what=what)
    return said(WITH_WORDS, what=what, words=Said(lambda language: in_language(words, language).rstrip(".")))
