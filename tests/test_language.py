"""The language of short questions."""

import subprocess
import sys
from time import perf_counter

import pytest

from bot.language import detect

QUESTIONS = {
    "en": [
        *("What about Falcon?", "Falcon budget", "PROJ-123 status", "ok", "", "no", "me", "a", "???", "2026", "🙂"),
        *("plan", "Who owns the billing service?", "When is the next release?", "leave policy"),
        *("Any news on Orion?", "Is it done?", "links of these sites", "and the second one?"),
        *("Status update Atlas migration", "Renault contract", "Data retention", "who is Jean Dupont?"),
        *("budget Mercedes project", "Tell me about Madrid", "Latest on La Poste", "El Paso office"),
        *("next steps for Zürich", "Schedule for Las Vegas", "is Nina in?", "Error 500 in prod"),
        *("What does `os.path` do?", "set FOOTNOTE_HOME?", "https://exemple.fr/la-page-du-projet"),
        *("<@U123> status of Falcon", "Rollback procedure"),
    ],
    "fr": [
        *("C'est quoi Falcon ?", "C’est quoi Falcon ?", "Où en est le projet ?", "Quel est le budget ?"),
        *("Et les liens ?", "Qui s'occupe de Falcon ?", "donne-moi les liens de ces sites", "Merci"),
        *("La date de sortie ?", "bonjour", "Quels sites proposent des jeux de programmation ?"),
        *("Pourquoi ça marche pas ?", "Résume la réunion d'hier"),
    ],
    "de": [
        *("Wie hoch ist das Budget?", "Was ist Falcon?", "Wann ist das nächste Treffen?", "Und die Links?"),
        *("Danke", "Gibt es Neuigkeiten zu Orion?", "Wer ist zuständig?", "Zeig mir die Quellen", "Ist es fertig?"),
    ],
    "es": [
        *("¿Cuál es el presupuesto?", "¿Qué es Falcon?", "Dame los enlaces", "¿Por qué falló?", "gracias"),
        *("¿Cuándo es la próxima reunión?", "Cómo se instala", "¿Y los enlaces?"),
    ],
    "it": [
        *("Qual è il budget?", "Che cos'è Falcon?", "Chi se ne occupa?", "Dammi i link", "E i link?", "grazie"),
        *("Quando è la prossima riunione?", "Ci sono novità su Orion?"),
    ],
    "pt": [
        *("Qual é o orçamento?", "O que é o Falcon?", "Me dê os links", "E os links?", "obrigado"),
        *("Por que falhou?", "Quando é a próxima reunião?", "Quem é o responsável?"),
    ],
    "nl": [
        *("Wat is het budget?", "Wie is verantwoordelijk?", "Geef me de links", "En de links?", "bedankt"),
        *("Wanneer is de volgende vergadering?", "Hoe gaat het met het project?"),
    ],
    "ru": ["Какой бюджет у проекта?"],
    "uk": ["Який бюджет проєкту?"],
    "ja": ["予算はいくらですか？"],
    "zh": ["预算是多少？"],
    "ko": ["예산이 얼마인가요?"],
    "ar": ["ما هي الميزانية؟"],
    "sv": ["Vad är budgeten för projektet?"],
    "pl": ["Jaki jest budżet projektu?"],
}


@pytest.mark.parametrize(
    ("text", "language"), [(text, language) for language, texts in QUESTIONS.items() for text in texts]
)
def test_a_short_question_is_in_its_language(text, language):
    assert detect(text) == language


def test_code_addresses_and_names_say_nothing_about_the_language():
    noise = "https://en.example/what-is-the-budget `the quick brown fox` <@U0LAN0Z89> @bob #general FALCON_HOME"
    assert detect(f"Où en est le projet ? {noise}") == "fr"
    assert detect(noise) == "en"


def test_a_question_takes_less_than_a_millisecond_once_the_model_is_read():
    detect("warm")
    best = min(_seconds("Quels sont les sites qui proposent des jeux de programmation ?") for _ in range(20))
    assert best < 0.002  # with room for a busy machine; 0.25 ms measured


def test_a_long_text_takes_no_longer_than_its_beginning():
    assert _seconds("`<a.b@" * 20_000) < 1
    assert detect("Où en est le projet ? " * 10_000) == "fr"


def test_importing_reads_no_model():
    loaded = "import sys, bot.language; sys.exit('numpy' in sys.modules or 'py3langid' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0


def _seconds(text):
    start = perf_counter()
    detect(text)
    return perf_counter() - start
