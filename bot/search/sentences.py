"""What is said of a search that was not made as it should be, in the language of whoever reads it."""

from bot.sentences import said
from indexers import index

BY_MEANING_ONLY = {
    "en": index.DEGRADED["lexical"],
    "fr": "L'index n'a pas pu être interrogé par les mots ; la recherche s'est faite par le sens seul.",
}
BY_WORDS_ONLY = {
    "en": index.DEGRADED["dense"],
    "fr": "L'index n'a pas pu être interrogé par le sens ; la recherche s'est faite par les mots seuls.",
}
UNCOMPLETED = {
    "en": "The index answered the first look only, so the hits may be less well ordered.",
    "fr": "L'index n'a répondu qu'au premier passage ; les résultats sont peut-être moins bien classés.",
}
NO_VECTORS = {
    "en": "The index holds no vectors, so the search was by words only; index the documents again.",
    "fr": "L'index ne contient aucun vecteur ; la recherche s'est faite par les mots seuls. "
    "Indexez les documents à nouveau.",
}
OTHER_VECTORS = {
    "en": "The index holds vectors of {stored}, not of {model}, so the search was by words only; "
    "set the embedding model that it was made with, or make the index anew with `footnote index rebuild`.",
    "fr": "L'index contient des vecteurs de {stored} et non de {model} ; la recherche s'est faite par les mots seuls. "
    "Réglez le modèle qui a servi à le créer, ou recréez l'index avec `footnote index rebuild`.",
}
NOT_EMBEDDED = {
    "en": "The search was by words only: {reason}",
    "fr": "La recherche s'est faite par les mots seuls : {reason}",
}
NOT_FINITE = {
    "en": "The embedding model gave a vector that is not finite, so the search was by words only.",
    "fr": "Le modèle a donné un vecteur qui n'est pas fini ; la recherche s'est faite par les mots seuls.",
}


def of_the_index(sentence: str) -> str:
    """What an index says of a list that it could not make."""
    return next((said(one) for one in (BY_MEANING_ONLY, BY_WORDS_ONLY) if one["en"] == sentence), sentence)
