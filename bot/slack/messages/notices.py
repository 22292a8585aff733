"""What Slack users read of what they do about questions and answers: what they may, and what comes of it."""

QUIET = {
    "en": "From now on I answer in this thread only when I am mentioned.",
    "fr": "Désormais je ne réponds dans ce fil que si l'on me mentionne.",
}
TOO_MANY_OF_YOURS = {
    "en": "I am still at several questions of yours. Ask again when one of them is answered.",
    "fr": "Je travaille encore à plusieurs de vos questions. Redemandez quand l'une d'elles aura sa réponse.",
}
TOO_MANY_HERE = {
    "en": "I am still at many questions of this channel. Ask again when some of them are answered.",
    "fr": "Je travaille encore à beaucoup de questions de ce canal. Redemandez quand certaines auront leur réponse.",
}
TOO_FAST = {
    "en": "You have asked me much within a minute. Ask again in a minute.",
    "fr": "Vous m'avez posé beaucoup de questions en une minute. Redemandez dans une minute.",
}
MAY_NOT_STOP = {
    "en": "Only those who ask in this thread, and admins, can stop this.",
    "fr": "Seuls ceux qui posent des questions dans ce fil, et les admins, peuvent arrêter ceci.",
}
MAY_NOT_REPEAT = {
    "en": "Only those who ask in this thread can have this answered again.",
    "fr": "Seuls ceux qui posent des questions dans ce fil peuvent redemander une réponse.",
}
EDITED_LATER = {
    "en": "You have edited the question after I answered it. I answer it again if you want, here or with 🔄 on it.",
    "fr": "Vous avez modifié la question après ma réponse. J'y réponds de nouveau si vous voulez : ici, ou par 🔄 sur "
    "elle.",
}
ANSWER_EDITED = {
    "en": "Answer the edited question",
    "fr": "Répondre à la nouvelle question",
}
GREETING = {
    "en": "Hello! I look for answers in the documents that are connected to me, and show the sources of what I say. "
    "To ask me something here: “{mention} how much leave do we have?” I answer in the thread; there, ask on without "
    "mentioning me. “{mention} help” says more.",
    "fr": "Bonjour ! Je cherche des réponses dans les documents qui me sont connectés, et je montre les sources de ce "
    "que je dis. Pour me demander quelque chose ici : « {mention} combien de congés avons-nous ? » Je réponds dans "
    "le fil ; poursuivez-y sans me mentionner. « {mention} aide » en dit plus.",
}
NOT_HERE = {
    "en": "I am not in this conversation, so I cannot answer in it. Invite me first: /invite @footnote",
    "fr": "Je ne suis pas dans cette conversation et ne peux donc pas y répondre. Invitez-moi d'abord : "
    "/invite @footnote",
}
NO_WORDS = {
    "en": "There are no words in this message that I could look up.",
    "fr": "Il n'y a pas de mots dans ce message que je puisse chercher.",
}
NOT_ASKED_ANY_MORE = {
    "en": "That is no longer asked: somebody has answered it, or the question was stopped or changed.",
    "fr": "Cela n'est plus demandé : quelqu'un a répondu, ou la question a été arrêtée ou modifiée.",
}
