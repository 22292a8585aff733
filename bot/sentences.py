"""The fixed sentences that people read, in the language of their question.

French and English are whole; any other language falls back to English.
"""

from collections.abc import Callable, Iterable
from typing import Any, Self

NOTHING_FOUND = {
    "en": "I found nothing about this in the sources I searched.",
    "fr": "Je n'ai rien trouvé à ce sujet dans les sources consultées.",
}
NO_ANSWER = {
    "en": "The language model gave no answer. Here is what I found:",
    "fr": "Le modèle de langage n'a pas donné de réponse. Voici ce que j'ai trouvé :",
}
ENGINE_FAILED = {
    "en": "The language model did not answer, so I could not research this. Please ask again in a moment.",
    "fr": "Le modèle de langage n'a pas répondu, je n'ai donc pas pu faire la recherche. Redemandez dans un instant.",
}
OUT_OF_TIME = {
    "en": "I ran out of time before I found anything about this.",
    "fr": "Le temps imparti s'est écoulé avant que je trouve quoi que ce soit à ce sujet.",
}
NO_CONTENT = {
    "en": "The language model gave no answer to this. Please ask it in other words.",
    "fr": "Le modèle de langage n'a pas répondu à cette question. Posez-la autrement.",
}
DIGEST = {
    "en": "The language model did not answer, so here are the best passages found:",
    "fr": "Le modèle de langage n'a pas répondu ; voici les meilleurs passages trouvés :",
}
CUT_OFF = {
    "en": "(This answer reached the length limit and stops here.)",
    "fr": "(Cette réponse a atteint la limite de longueur et s'arrête ici.)",
}
HISTORY_DROPPED = {
    "en": "The earliest turns of this conversation did not fit the model's window and were left out.",
    "fr": "Les premiers échanges de cette conversation dépassaient la fenêtre du modèle et ont été laissés de côté.",
}
UNSOURCED = {
    "en": "No source backs this answer.",
    "fr": "Aucune source n'appuie cette réponse.",
}
THINKING = {
    "en": "Looking into it…",
    "fr": "Je regarde…",
}
IN_LINE = {
    "en": "Waiting for the language model: number {place} in line…",
    "fr": "En attente du modèle de langage : numéro {place} dans la file…",
}
BUSY_THREAD = {
    "en": "I take this up as soon as the question before it is answered…",
    "fr": "Je m'en occupe dès que la question précédente a sa réponse…",
}
SEARCHING = {
    "en": "Searching the documents for “{query}”…",
    "fr": "Je cherche « {query} » dans les documents…",
}
SEARCHING_WEB = {
    "en": "Searching the web for “{query}”…",
    "fr": "Je cherche « {query} » sur le web…",
}
BROWSING = {
    "en": "Going through the documents…",
    "fr": "Je parcours les documents…",
}
SEARCHED = {
    "en": "Searched the documents for “{query}”: {count} found",
    "fr": "Documents cherchés pour « {query} » : {count} trouvé(s)",
}
SEARCHED_WEB = {
    "en": "Searched the web for “{query}”: {count} found",
    "fr": "Web consulté pour « {query} » : {count} trouvé(s)",
}
BROWSED = {
    "en": "Went through the documents: {count} found",
    "fr": "Documents parcourus : {count} trouvé(s)",
}
SEARCH_FAILED = {
    "en": "The documents could not be searched",
    "fr": "Les documents n'ont pas pu être consultés",
}
SEARCH_FAILED_WEB = {
    "en": "The web could not be consulted",
    "fr": "Le web n'a pas pu être consulté",
}
ASKED_BACK = {
    "en": "I have a question first, see below…",
    "fr": "J'ai d'abord une question, voir plus bas…",
}
SOURCES = {
    "en": "Sources",
    "fr": "Sources",
}
RESTARTING = {
    "en": "I am being restarted. Please ask again in a minute.",
    "fr": "Je redémarre. Reposez votre question dans une minute.",
}
MORE_READERS = {
    "en": "Not everybody who can read this now may see what I found when you asked, so I have left the answer out. Ask "
    "again to get one for all.",
    "fr": "Tous ceux qui peuvent lire ici à présent n'ont pas accès à ce que j'ai trouvé ; j'ai donc retiré la "
    "réponse. Redemandez-la pour en avoir une qui soit pour tous.",
}
APOLOGY = {
    "en": "Something went wrong on my side. Please ask again.",
    "fr": "Un problème est survenu de mon côté. Reposez votre question.",
}
HELP = {
    "en": "I research questions in the documents that are connected to me, and every claim I make carries a footnote "
    "that opens its source.\n"
    "• Mention me with a question and I answer in the thread; in a direct message no mention is needed.\n"
    "• Ask on in that thread without mentioning me. In other people's threads, mention me and I read along.\n"
    "• Add a file (text, PDF or Word) and I read it. “Summarise this thread” works, too.\n"
    "• Name a person, a time or a source to narrow the search. I search only what everybody here may see.\n"
    "• Write “web:” before a question, or use /research, and I ask the public web.\n"
    "• 🛑 on a question stops me, 🔄 has it answered again. “quiet” in a thread: there I wait for a mention.",
    "fr": "Je cherche les réponses à vos questions dans les documents qui me sont connectés, et chaque affirmation "
    "porte une note qui ouvre sa source.\n"
    "• Mentionnez-moi avec une question et je réponds dans le fil ; en message direct, c'est inutile.\n"
    "• Poursuivez dans ce fil sans me mentionner. Dans les fils des autres, mentionnez-moi et je lis ce qui précède.\n"
    "• Joignez un fichier (texte, PDF ou Word) et je le lis. « Résume ce fil » fonctionne aussi.\n"
    "• Une personne, une période ou une source précisent la recherche. Je ne cherche que dans ce que tous ici peuvent "
    "voir.\n"
    "• Écrivez « web : » devant une question, ou utilisez /research, et je cherche sur le web public.\n"
    "• 🛑 sur une question m'arrête, 🔄 la fait reprendre. « silence » dans un fil : j'y attends qu'on me mentionne.",
}
EXTRACTIVE = {
    "en": "No language model is available, so these are the passages that match your question best, quoted as they "
    "stand:",
    "fr": "Aucun modèle de langage n'est disponible ; voici donc les passages qui répondent le mieux à votre question, "
    "cités tels quels :",
}
THREAD_UNREAD = {
    "en": "I could not read what was said in this thread before.",
    "fr": "Je n'ai pas pu lire ce qui a été dit plus haut dans ce fil.",
}
ENGINES_ASKED = {
    "en": "The question went to {engines}.",
    "fr": "La question a été envoyée à {engines}.",
}
ENGINES_TRIED = {
    "en": "No answer came from {engines}, where the question may have arrived all the same.",
    "fr": "Aucune réponse n'est venue de {engines}, où la question a pu arriver malgré tout.",
}
PAGE_READ = {
    "en": "Only the page that you named was read, by {engine}; nothing was searched.",
    "fr": "Seule la page indiquée a été lue, par {engine} ; aucune recherche n'a été faite.",
}
READING_PAGE = {
    "en": "Reading {url}…",
    "fr": "Je lis {url}…",
}
PAGE_WAS_READ = {
    "en": "Read {url}",
    "fr": "Page lue : {url}",
}
PAGE_UNREAD = {
    "en": "The page could not be read",
    "fr": "La page n'a pas pu être lue",
}
WEB_NOT_SEARCHED = {
    "en": "The web was not searched: {why}",
    "fr": "Le web n'a pas été consulté : {why}",
}
WEB_EMPTY = {
    "en": "The web was searched, and nothing was found.",
    "fr": "Le web a été consulté, et rien n'a été trouvé.",
}
WEB_OFF = {
    "en": "The web is turned off here, so I looked only into the documents.",
    "fr": "Le web est désactivé ici ; je n'ai donc consulté que les documents.",
}
LINK_NOT_OPENED = {
    "en": "I did not open the link: {why}",
    "fr": "Je n'ai pas ouvert le lien : {why}",
}
LINK_UNSEEN = {
    "en": "I could not look at what the link names.",
    "fr": "Je n'ai pas pu consulter ce que désigne le lien.",
}
ASKS_THE_WEB = {
    "en": "{name} asks the web: {question}",
    "fr": "{name} demande au web : {question}",
}
RESEARCH_USAGE = {
    "en": "Write your question behind the command: {command} what is new in Python? I search the web, read the best "
    "pages and answer with their links. A link in the question is read by itself.",
    "fr": "Écrivez votre question après la commande : {command} quoi de neuf dans Python ? Je cherche sur le web, je "
    "lis les meilleures pages et je réponds avec leurs liens. Un lien dans la question est lu seul.",
}
INVITE = {
    "en": "I am not in this conversation, so only you see this. To have answers here for all: /invite @footnote",
    "fr": "Je ne suis pas dans cette conversation, vous seul voyez donc ceci. Pour que tous voient mes réponses : "
    "/invite @footnote",
}
IN_DIRECT_MESSAGES = {
    "en": "I answer you in our direct messages.",
    "fr": "Je vous réponds dans nos messages directs.",
}
STOP = {
    "en": "Stop",
    "fr": "Arrêter",
}
GOOD = {
    "en": "Helpful",
    "fr": "Utile",
}
BAD = {
    "en": "Not helpful",
    "fr": "Pas utile",
}
HOW = {
    "en": "How I got this",
    "fr": "Comment j'y suis arrivé",
}
STOPPED = {
    "en": "{name} stopped this.",
    "fr": "Arrêté par {name}.",
}
EDITED = {
    "en": "The question was edited, so I answered it anew.",
    "fr": "La question a été modifiée, j'y ai donc répondu de nouveau.",
}
ANSWER_OVERDUE = {
    "en": "Nobody answered what I asked back, so I went on without.",
    "fr": "Personne n'a répondu à ma question, j'ai donc continué sans réponse.",
}
CHOSEN = {
    "en": "{name} chose: {choice}",
    "fr": "{name} a choisi : {choice}",
}
GOING_ON = {
    "en": "I am being restarted and go on in a moment…",
    "fr": "Je redémarre et je continue dans un instant…",
}


class Said(str):
    """A sentence where the language of its reader is known only later: it is its English, and `in_language` gives the
    other.  What is cut out of it, joined to it or copied is plain English."""

    _tell: Callable[[str], str]

    def __new__(cls, tell: Callable[[str], str]) -> Self:
        """`tell` gives the sentence in a language."""
        said = super().__new__(cls, tell("en"))
        said._tell = tell
        return said

    def told(self, language: str) -> str:
        return self._tell(language)

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)


def sentence(sentences: dict[str, str], language: str, **values: object) -> str:
    """The sentence in this language (ISO 639-1), else in English, with its `{values}` filled in."""
    told = {name: in_language(value, language) for name, value in values.items()}
    return sentences.get(language, sentences["en"]).format(**told)


def said(sentences: dict[str, str], **values: object) -> Said:
    """The sentence, to be told in a language later."""
    return Said(lambda language: sentence(sentences, language, **values))


def joined(sentences: Iterable[str], between: str = " ") -> Said:
    """Several of them as one."""
    parts = list(sentences)
    return Said(lambda language: between.join(in_language(part, language) for part in parts))


def in_language(text: object, language: str) -> str:
    """A text in this language, if it can be told in it; what others wrote stays as it is."""
    return text.told(language) if isinstance(text, Said) else str(text)
