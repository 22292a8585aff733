"""Tells a request for coming events from other questions.  No I/O."""

import re

from indexers.index.matching import STOP_WORDS

CALENDAR = "gcalendar"

_NEXT = "next upcoming future forthcoming coming soon prochain prochaine prochains prochaines venir bientôt"
_EVENT = (
    "meeting meetings event events calendar appointment appointments agenda schedule call calls invite invites "
    "réunion réunions événement événements évènement évènements calendrier rendez vous rdv"
)
_FILLER = "list show tell give any got montre liste donne"

NEXT_WORDS = frozenset(_NEXT.split())
EVENT_WORDS = frozenset(_EVENT.split())
OTHER_WORDS = STOP_WORDS | frozenset(_FILLER.split())


def asks_for_coming_events(query: str, *, only_calendar: bool) -> bool:
    """Whether a query such as "my next meetings" wants a list by date rather than a search by words.

    With other words in it, it does only where nothing but the calendar is searched.
    """
    words = set(re.findall(r"[^\W_]+", query.lower()))
    if not words & NEXT_WORDS or not words & EVENT_WORDS:
        return False
    return only_calendar or words <= NEXT_WORDS | EVENT_WORDS | OTHER_WORDS
