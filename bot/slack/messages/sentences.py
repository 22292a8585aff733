"""What Slack users read around an answer: how old, from where, how it came to be, and what they think of it."""

FIRST_FOUND = {
    "en": "What I found first; the answer follows.",
    "fr": "Ce que j'ai trouvé d'abord ; la réponse suit.",
}
TODAY = {
    "en": "today",
    "fr": "aujourd'hui",
}
YESTERDAY = {
    "en": "yesterday",
    "fr": "hier",
}
TO_COME = {
    "en": "still to come",
    "fr": "à venir",
}
DAYS_AGO = {
    "en": "{count} days ago",
    "fr": "il y a {count} jours",
}
WEEKS_AGO = {
    "en": "{count} weeks ago",
    "fr": "il y a {count} semaines",
}
MONTHS_AGO = {
    "en": "{count} months ago",
    "fr": "il y a {count} mois",
}
YEARS_AGO = {
    "en": "{count} years ago",
    "fr": "il y a {count} ans",
}
WHY = {
    "en": "Why do you say that?",
    "fr": "Pourquoi dites-vous cela ?",
}
LOOKED_INTO = {
    "en": "Searched {sources}: {count} found",
    "fr": "Recherche dans {sources} : {count} trouvé(s)",
}
THE_DOCUMENTS = {
    "en": "the documents",
    "fr": "les documents",
}
NEWEST = {
    "en": "the newest is of {date}",
    "fr": "le plus récent est du {date}",
}
INDEXED = {
    "en": "{source} indexed {date}",
    "fr": "{source} : indexé le {date}",
}
ASKED_THE_WEB = {
    "en": "Asked the web: {queries}",
    "fr": "Demandé au web : {queries}",
}
QUOTED = {
    "en": "“{query}”",
    "fr": "« {query} »",
}
THE_WAY = {
    "en": "How I got this",
    "fr": "Comment j'y suis arrivé",
}
STEP_SEARCH = {
    "en": "Searched the documents for “{query}”: {found} found, {kept} kept, {dropped} dropped",
    "fr": "Documents cherchés pour « {query} » : {found} trouvé(s), {kept} gardé(s), {dropped} écarté(s)",
}
STEP_WEB = {
    "en": "Searched the web for “{query}”: {found} found, {kept} kept, {dropped} dropped",
    "fr": "Web consulté pour « {query} » : {found} trouvé(s), {kept} gardé(s), {dropped} écarté(s)",
}
STEP_BROWSE = {
    "en": "Went through the documents: {found} found, {kept} kept, {dropped} dropped",
    "fr": "Documents parcourus : {found} trouvé(s), {kept} gardé(s), {dropped} écarté(s)",
}
STEP_FAILED = {
    "en": "Searched for “{query}”, which failed",
    "fr": "Recherche de « {query} », qui a échoué",
}
STEP_PAGE = {
    "en": "Read the page {url}",
    "fr": "Page lue : {url}",
}
STEP_PAGE_FAILED = {
    "en": "Tried to read the page {url}, which failed",
    "fr": "Essai de lire la page {url}, qui a échoué",
}
STEP_ASKED = {
    "en": "Asked back: “{question}”",
    "fr": "Question posée en retour : « {question} »",
}
STEP_MODEL = {
    "en": "The language model read and wrote: {tokens} tokens",
    "fr": "Le modèle de langage a lu et écrit : {tokens} jetons",
}
SECONDS = {
    "en": "{seconds} s",
    "fr": "{seconds} s",
}
IN_ALL = {
    "en": "In all: {seconds} s, {tokens} tokens",
    "fr": "En tout : {seconds} s, {tokens} jetons",
}
WENT_OUT = {
    "en": "This left the building: {queries}",
    "fr": "Ceci est sorti de la maison : {queries}",
}
WENT_OUT_TO = {
    "en": "“{query}” to {engine}",
    "fr": "« {query} » à {engine}",
}
WENT_OUT_FOR = {
    "en": "a request for the page {query}",
    "fr": "une requête pour la page {query}",
}
WENT_OUT_FOR_BY = {
    "en": "a request for the page {query}, made by {engine}",
    "fr": "une requête pour la page {query}, faite par {engine}",
}
NOTHING_WENT_OUT = {
    "en": "Nothing of it went to a search engine or to a page of the web.",
    "fr": "Rien n'en est allé à un moteur de recherche ni à une page du web.",
}
ASKERS_ONLY = {
    "en": "How an answer came to be is shown to whoever asked for it, and to nobody else.",
    "fr": "La manière dont une réponse est née n'est montrée qu'à la personne qui l'a demandée.",
}
NOT_KEPT = {
    "en": "How this answer came to be is not kept any more.",
    "fr": "La manière dont cette réponse est née n'est plus conservée.",
}
NOT_SHOWN = {
    "en": "I cannot show you what this rests on.",
    "fr": "Je ne peux pas vous montrer sur quoi ceci repose.",
}
SAYS = {
    "en": "It says there:",
    "fr": "On y lit :",
}
THANKS = {
    "en": "Thank you, that helps.",
    "fr": "Merci, cela aide.",
}
OPINION_LATE = {
    "en": "Thank you. What I knew of this answer is not kept any more, so I could not note it.",
    "fr": "Merci. Ce que je savais de cette réponse n'est plus conservé ; je n'ai donc rien pu noter.",
}
YOUR_OPINION = {
    "en": "Your opinion",
    "fr": "Votre avis",
}
WHAT_WAS_WRONG = {
    "en": "What was wrong with the answer?",
    "fr": "Qu'est-ce qui n'allait pas dans la réponse ?",
}
SEND = {
    "en": "Send",
    "fr": "Envoyer",
}
CANCEL = {
    "en": "Cancel",
    "fr": "Annuler",
}
MOVED = {
    "en": "I cannot answer in {channel} any more, so here is the answer to your question there.",
    "fr": "Je ne peux plus répondre dans {channel} ; voici donc la réponse à la question que vous y avez posée.",
}
IN_A_FILE = {
    "en": "This goes on: the whole answer is in the file below.",
    "fr": "Ce n'est pas tout : la réponse entière est dans le fichier ci-dessous.",
}
FILE_UNREAD = {
    "en": "I have not read {file}: {why}.",
    "fr": "Je n'ai pas lu {file} : {why}.",
}
WHY_UNREAD = {
    "image": {"en": "I do not read images", "fr": "je ne lis pas les images"},
    "kind": {
        "en": "I read text, Markdown, code, web pages, PDF, Word and canvases, and no other kind of file",
        "fr": "je lis le texte, le Markdown, le code, les pages web, le PDF, Word et les canevas, et aucun autre type "
        "de fichier",
    },
    "external": {"en": "it lies outside Slack", "fr": "il se trouve hors de Slack"},
    "gone": {"en": "it is no longer there", "fr": "il n'existe plus"},
    "refused": {"en": "Slack does not give it to me", "fr": "Slack ne me le donne pas"},
    "large": {"en": "it is too large", "fr": "il est trop volumineux"},
    "late": {"en": "it did not arrive whole", "fr": "il n'est pas arrivé en entier"},
    "many": {
        "en": "I read only the first files of a message",
        "fr": "je ne lis que les premiers fichiers d'un message",
    },
    "empty": {"en": "there is no text in it", "fr": "il ne contient pas de texte"},
    "locked": {"en": "it is locked with a password", "fr": "il est protégé par un mot de passe"},
    "scanned": {
        "en": "it is scanned, it holds pictures and no text",
        "fr": "il est numérisé, il contient des images et pas de texte",
    },
    "damaged": {"en": "it is damaged", "fr": "il est endommagé"},
    "too_heavy": {"en": "reading it takes too long", "fr": "sa lecture prend trop de temps"},
}
FILES_CUT = {
    "en": "Of the files I have read only a part.",
    "fr": "Je n'ai lu qu'une partie des fichiers.",
}
FILES_ALONE = {
    "en": "What does the attached file {files} say? Summarise what is important in it.",
    "fr": "Que dit le fichier joint {files} ? Résume ce qu'il contient d'important.",
}
THREAD_CUT = {
    "en": "This thread is long: of what was said in it I have read the first message and the latest {count}.",
    "fr": "Ce fil est long : de ce qui y a été dit, j'ai lu le premier message et les {count} derniers.",
}
MESSAGES_CUT = {
    "en": "Of the longest messages of this thread I have read the beginning.",
    "fr": "Des messages les plus longs de ce fil, j'ai lu le début.",
}
AT_WORK = {
    "en": "is looking into it…",
    "fr": "fait la recherche…",
}
ASK_WHAT_IT_DOES = {
    "en": "What can you do?",
    "fr": "Que savez-vous faire ?",
}
ASK_WHAT_IS_NEW = {
    "en": "What is new in the documents of the last seven days?",
    "fr": "Quoi de neuf dans les documents des sept derniers jours ?",
}
