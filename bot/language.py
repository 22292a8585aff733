"""The language that a text is in.

A statistical model reads whole sentences well and two words badly, so the small words that only one or a few languages
have weigh in.  Names, code and addresses say nothing and are left out.
"""

import re
from functools import cache
from math import log
from typing import Any

UNSURE = "en"

_SURE = 0.6
_FOR_A_WORD = 1.5
_FOR_ENGLISH = 1.5
"""Weights beside the logarithm of the model's probability, measured on short questions in seven languages."""
_LONGEST = 2_000
_KNOWN = (
    "ar bg bn ca cs da de el en es et fa fi fr gu he hi hr hu hy id it ja ka km kn ko lo lt lv mk ml mn "
    "mr ms my ne nl no pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur vi zh"
)
_SMALL_WORDS: dict[str, str] = {
    "en": "the a an is are was were be of on for what who when where why how which did does do we our my your you i "
    "this that these those and or not from with about any it can should could would will please thanks thank "
    "yes no in me",
    "fr": "le la les des du un une est sont et ou où qui que quoi quel quelle quels quelles quand comment pourquoi "
    "combien c'est d'un d'une j'ai je tu il elle nous vous ils elles mon ma mes ton ta tes son sa ses notre "
    "votre leur ce cet cette ces pas dans sur pour avec au aux de en y merci bonjour oui donne donne-moi moi "
    "qu'est-ce est-ce a-t-on qu'a",
    "de": "der die das den dem des ein eine einen einem einer ist sind war waren und oder wer was wann wo warum wie "
    "welche welcher welches ich du er sie es wir ihr mein dein unser nicht kein keine mit von zu zum zur für "
    "auf im in am bei nach über gibt hat haben habe wurde danke bitte ja nein zeig mir hallo",
    "es": "el la los las un una unos unas es son está están y o qué que quién quiénes cuál cuáles cuándo cuánto "
    "cuántos cuántas dónde cómo por para con de del en no se lo su sus mi mis tu me hay fue ha dame gracias "
    "sí hola este esta ayer",
    "it": "il lo la i gli le un uno una è sono e o che chi cosa cos'è quale quali quando quanto quanti quante dove "
    "come perché di del della dei delle da dal in nel nella per con su si ci non mi ho ha dammi grazie sì "
    "ciao questo questa qual",
    "pt": "o a os as um uma é são e ou que quem qual quais quando quanto quantos quantas onde como por porque para "
    "com de do da dos das em no na nos nas não se seu sua me eu há foi tem obrigado obrigada sim olá este "
    "esta isso",
    "nl": "de het een is zijn was waren en of wie wat wanneer waar waarom hoe hoeveel welke ik jij je hij zij we "
    "wij mijn jouw ons niet geen met van te voor op in aan bij naar over er heeft hebben heb werd bedankt "
    "dank ja nee geef mij dit dat",
}
_NOISE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|<[^<>\s][^<>]*>|\w+://\S+|www\.\S+|\S+@\S+|[@#][\w.-]+"
    r"|\b\w*[\d_]\w*(?:-\w+)*|\b\w+(?:-\d+)+\b|\b\w+(?:[./\\]\w+)+",
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LATIN = re.compile("[a-zA-Z]")


def detect(text: str) -> str:
    """The language's ISO 639-1 code; `en` when unsure."""
    prose = " ".join(_NOISE.sub(" ", text[:_LONGEST]).split())
    words = _WORD.findall(prose.lower().replace("’", "'"))
    if not words:
        return UNSURE
    likely: dict[str, float] = dict(_model().rank(prose))
    if not _LATIN.search(prose):
        return max(likely, key=lambda language: likely[language])
    small = {language: _small_words(words, language) for language in _SMALL_WORDS}
    best = max(likely, key=lambda language: _score(language, likely[language], small))
    return best if small.get(best) or likely[best] >= _SURE else UNSURE


def _score(language: str, probability: float, small: dict[str, int]) -> float:
    bonus = _FOR_ENGLISH if language == UNSURE else 0.0
    return log(max(probability, 1e-6)) + bonus + _FOR_A_WORD * small.get(language, 0)


def _small_words(words: list[str], language: str) -> int:
    """How many of the words are the language's own, an elided one (`d'un`, `l'index`) counting by each half."""
    known = _known_words(language)
    return sum(half in known for word in words for half in {word, *word.split("'")})


@cache
def _known_words(language: str) -> frozenset[str]:
    return frozenset(_SMALL_WORDS[language].split())


@cache
def _model() -> Any:
    """Read once, on the first use: it takes most of a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]  # it ships none

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    model.set_languages(_KNOWN.split())
    return model
