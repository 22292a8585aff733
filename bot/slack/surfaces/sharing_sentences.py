"""What Slack users read when they share a private answer."""

TITLE = {"en": "Share the answer", "fr": "Partager la réponse"}
SHARE = {"en": "Share", "fr": "Partager"}
NEXT = {"en": "Next page", "fr": "Page suivante"}
PAGE = {"en": "Page {page} of {pages}", "fr": "Page {page} sur {pages}"}
REVEALS = {
    "en": "*Everybody in {channel} will see this, whether they may read the sources or not:*",
    "fr": "*Tout le monde dans {channel} verra ceci, que les sources leur soient ouvertes ou non :*",
}
NOT_SHARED = {
    "en": "This answer cannot be shared: only its asker may, while they are in the channel and may read all of it, and "
    "as long as it is kept how it came to be.",
    "fr": "Cette réponse ne peut pas être partagée : seule la personne qui l'a demandée le peut, tant qu'elle est dans "
    "le canal et peut tout en lire, et aussi longtemps qu'on garde la trace de cette réponse.",
}
BEING_SHARED = {
    "en": "This answer is being shared in {channel}. I write to you here once it is there.",
    "fr": "Cette réponse est en train d'être partagée dans {channel}. Je vous écris ici dès qu'elle y est.",
}
ALREADY_SHARED = {
    "en": "This answer is shared in {channel} already:",
    "fr": "Cette réponse est déjà partagée dans {channel} :",
}
NOW_SHARED = {
    "en": "This answer is shared in {channel} now:",
    "fr": "Cette réponse est maintenant partagée dans {channel} :",
}
THERE = {"en": "the shared answer", "fr": "la réponse partagée"}
SHARED_BY = {
    "en": "{name} shares an answer that I gave them privately:",
    "fr": "{name} partage une réponse que j'ai donnée en privé :",
}
NOT_THERE = {
    "en": "The answer is not shared: I am not in {channel}. Invite me there (/invite @footnote), then share it again.",
    "fr": "La réponse n'est pas partagée : je ne suis pas dans {channel}. Invitez-moi là-bas (/invite @footnote), "
    "puis partagez-la de nouveau.",
}
ARCHIVED = {
    "en": "The answer is not shared: {channel} is archived. It can be shared again once it is not.",
    "fr": "La réponse n'est pas partagée : {channel} est archivé. Elle pourra l'être quand il ne le sera plus.",
}
RESTRICTED = {
    "en": "The answer is not shared: I may not write in {channel}. Share it again once an admin has allowed it.",
    "fr": "La réponse n'est pas partagée : je n'ai pas le droit d'écrire dans {channel}. Partagez-la de nouveau quand "
    "un admin l'aura permis.",
}
UNREACHED = {
    "en": "The answer is not shared: Slack could not be reached for some minutes. Share it again.",
    "fr": "La réponse n'est pas partagée : Slack est resté injoignable quelques minutes. Partagez-la de nouveau.",
}
REFUSED = {
    "en": "The answer is not shared, or only in part: Slack refused it in {channel} ({code}). You can share it again.",
    "fr": "La réponse n'est pas partagée, ou seulement en partie : Slack l'a refusée dans {channel} ({code}). Vous "
    "pouvez la partager de nouveau.",
}
