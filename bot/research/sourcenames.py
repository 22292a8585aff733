"""What people call the sources: in any case, in English or French, by an everyday name.  No I/O."""

import re
import unicodedata
from collections.abc import Sequence

_KINDS: tuple[tuple[str, str], ...] = (
    (
        "gmail gmail_imap outlook imap mail email",
        "mail, email, e-mail, inbox, mailbox, email thread, mail thread, "
        "courriel, courrier, courrier electronique, mel, messagerie, boite mail, boite de reception",
    ),
    (
        "granola meetings",
        "meeting, meeting note, note of meeting, meeting minute, minute, call, call note, transcript, "
        "meeting transcript, reunion, note de reunion, compte rendu, compte rendu de reunion, transcription",
    ),
    (
        "slack imessage whatsapp teams",
        "dm, direct message, private message, message, chat, chat message, conversation, discussion, channel, "
        "message direct, message prive, mp, canal, canaux, chaine, salon, fil de discussion, messagerie instantanee",
    ),
    ("gcalendar calendar outlook_calendar", "calendar, agenda, event, appointment, calendrier, evenement, rendez-vous"),
    ("gdrive drive", "drive, google drive, google doc, google sheet, google slide"),
    (
        "files gdrive",
        "file, doc, document, folder, documentation, fichier, dossier, local file, fichier local",
    ),
    ("notion obsidian granola apple_notes", "note, prise de note"),
    ("notion confluence website", "wiki, handbook, knowledge base, base de connaissance, intranet"),
    ("gcontacts apple_contacts", "contact, address book, carnet d'adresse"),
    ("google_tasks tasks", "task, to-do, todo, tache, liste de tache"),
    ("github github_notifications", "issue, pull request, pr, repo, repository, ticket, depot, demande de tirage"),
    ("website web_site", "site, website, web site, web page, page web, site web, site internet"),
)
_BESIDE = "message mail email dm channel thread page doc document file folder note issue inbox event space workspace"
_BEFORE = "the my our your all any a an le la les l mes mon ma nos notre vos votre des du de d"


def connected(name: str, sources: Sequence[str]) -> list[str]:
    """The connected sources that a name means: its own, else those of an everyday name; none where it means none."""
    wanted = _plain(name)
    exact = [source for source in sources if _plain(source) == wanted]
    return (
        exact
        or [source for source in sources if source.casefold() in _MEANT.get(wanted, ())]
        or _named(wanted, sources)
    )


def _named(wanted: str, sources: Sequence[str]) -> list[str]:
    """The source that a name such as "slack channels" holds beside a word for what it is made of."""
    words = wanted.split()
    names = {_plain(source): source for source in sources}
    return [names[word] for word in words if word in names and _GENERIC.issuperset(w for w in words if w != word)]


def _plain(name: str) -> str:
    """In lower case, without accents, articles and the plural."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    bare = "".join(character for character in decomposed if not unicodedata.combining(character))
    words = re.findall(r"[^\W_]+", bare)
    while len(words) > 1 and words[0] in _ARTICLES:
        del words[0]
    return " ".join(word if len(word) < 3 else word.removesuffix("s") for word in words)


_ARTICLES = frozenset(_BEFORE.split())
_GENERIC = frozenset(map(_plain, _BESIDE.split()))
_MEANT: dict[str, frozenset[str]] = {
    _plain(word): frozenset(sources.split()) for sources, words in _KINDS for word in words.split(",")
}
