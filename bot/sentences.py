"""The fixed sentences that people read, in the language of their question.

French and English are whole; any other language falls back to English.
"""

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
UNSOURCED = {
    "en": "No source backs this answer.",
    "fr": "Aucune source n'appuie cette réponse.",
}


def sentence(sentences: dict[str, str], language: str, **values: object) -> str:
    """The sentence in this language (ISO 639-1), else in English, with its `{values}` filled in."""
    return sentences.get(language, sentences["en"]).format(**values)
