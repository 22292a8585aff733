"""What Slack users read in App Home, in a channel's settings, and of answers for them alone."""

SOURCES = {"en": "What I search for you", "fr": "Ce que je cherche pour vous"}
SOURCE = {"en": "{source}: indexed {time} ({age})", "fr": "{source} : indexé le {time} ({age})"}
NO_SOURCES = {
    "en": "Nothing is indexed yet that you may read.",
    "fr": "Rien n'est encore indexé que vous puissiez lire.",
}
INDEX_UNREADABLE = {
    "en": "The index cannot be read now; try again in a moment.",
    "fr": "L'index ne peut pas être lu pour l'instant ; réessayez dans un moment.",
}
QUESTIONS = {"en": "Your last questions", "fr": "Vos dernières questions"}
NO_QUESTIONS = {"en": "You have not asked me anything yet.", "fr": "Vous ne m'avez encore rien demandé."}
AT_WORK = {"en": "being answered", "fr": "en cours"}
WAITING = {"en": "waits for a reply", "fr": "attend une réponse"}
ENDED = {"en": "stopped", "fr": "arrêtée"}
CHANNELS = {"en": "Settings of a channel", "fr": "Paramètres d'un canal"}
CHANNELS_HELP = {
    "en": "Whoever made the channel and admins may change them; others see them.",
    "fr": "La personne qui a créé le canal et les admins peuvent les changer ; les autres les voient.",
}
CHOOSE = {"en": "Choose a channel", "fr": "Choisir un canal"}
OPEN = {"en": "Open", "fr": "Ouvrir"}
HELP = {"en": "How to ask", "fr": "Comment demander"}
HOW_TO_ASK = {
    "en": "Mention me in a channel, or write to me directly. I search the documents that all who can read the answer "
    "may see, and each claim has a footnote. “web:” before a question asks the public web. “Answer me privately” has "
    "the answer sent to you alone, from all that you may read.",
    "fr": "Mentionnez-moi dans un canal, ou écrivez-moi directement. Je cherche dans les documents que toutes les "
    "personnes qui liront la réponse peuvent voir, et chaque affirmation a une note. « web : » devant une question "
    "interroge le web public. « Réponds-moi en privé » envoie la réponse à vous seul, à partir de tout ce que vous "
    "pouvez lire.",
}
CHANNEL_SETTINGS = {"en": "Channel settings", "fr": "Paramètres du canal"}
WAIT = {"en": "One moment…", "fr": "Un instant…"}
SAVE = {"en": "Save", "fr": "Enregistrer"}
CLOSE = {"en": "Close", "fr": "Fermer"}
OF_CHANNEL = {"en": "For {channel}", "fr": "Pour {channel}"}
READ_ONLY = {
    "en": "Only whoever made the channel and admins may change this.",
    "fr": "Seuls la personne qui a créé le canal et les admins peuvent changer ceci.",
}
NOT_YOURS = {
    "en": "I cannot show you the settings of this channel. You have to be in it, and so do I if it is private: there, "
    "`/invite @footnote`.",
    "fr": "Je ne peux pas vous montrer les paramètres de ce canal. Vous devez en être membre, et moi aussi s'il est "
    "privé : là, `/invite @footnote`.",
}
SEARCHED = {
    "en": "Sources that are searched (all if none is chosen)",
    "fr": "Sources cherchées (toutes si aucune n'est choisie)",
}
SEARCHED_HINT = {
    "en": "A thread itself, with its files, is always read: “summarise this thread” needs no source. Earlier answers "
    "in it that rest on other sources are left out.",
    "fr": "Le fil lui-même, avec ses fichiers, est toujours lu : « résume ce fil » ne demande aucune source. Les "
    "réponses précédentes qui s'appuient sur d'autres sources n'y sont pas reprises.",
}
ALL = {"en": "all", "fr": "toutes"}
UNMENTIONED = {"en": "Answers", "fr": "Réponses"}
ONLY_MENTIONED = {"en": "Only where I am mentioned", "fr": "Seulement si je suis mentionné"}
ALSO_UNMENTIONED = {
    "en": "Any question, if a source backs the answer",
    "fr": "Toute question, si une source appuie la réponse",
}
WEB = {"en": "The public web", "fr": "Le web public"}
WEB_DEFAULT = {"en": "As everywhere else", "fr": "Comme partout ailleurs"}
WEB_ON = {"en": "May be searched for any question", "fr": "Peut être cherché pour toute question"}
WEB_ON_REQUEST = {"en": "Is searched on request", "fr": "Est cherché sur demande"}
WEB_OFF = {"en": "Is not searched", "fr": "N'est pas cherché"}
NO_WEB = {
    "en": "The web is off for the whole bot; what is chosen here counts once it is on.",
    "fr": "Le web est désactivé pour tout le bot ; ce choix comptera quand il sera activé.",
}
LANGUAGE = {"en": "Language of the answers", "fr": "Langue des réponses"}
LANGUAGE_DEFAULT = {"en": "That of the question", "fr": "Celle de la question"}
TONE = {"en": "Tone, in one line", "fr": "Ton, en une ligne"}
PRIVATE = {"en": "Answer me privately", "fr": "Me répondre en privé"}
POINTER = {
    "en": "I answer you in our direct messages, from all that you may read:",
    "fr": "Je vous réponds dans nos messages directs, à partir de tout ce que vous pouvez lire :",
}
THERE = {"en": "the answer", "fr": "la réponse"}
THREAD = {"en": "the thread", "fr": "le fil"}
ASKED_IN = {"en": "Asked in {channel}", "fr": "Demandé dans {channel}"}
NOT_DIRECTLY = {
    "en": "I cannot write to you directly, so there is no private answer.",
    "fr": "Je ne peux pas vous écrire directement ; il n'y a donc pas de réponse privée.",
}
SHARE_IN_THREAD = {"en": "Share in the thread", "fr": "Partager dans le fil"}
