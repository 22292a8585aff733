"""The public web, when it is asked for: engines, pages, and the truth about what was searched.

Read in this order: `context` (one message), `web` (the engines in their order), `engines`, `rendering`, `answer`.
"""

from bot.research.types import WebHit
from bot.web.answer import answer
from bot.web.asked import Asked, asked, asks_for_the_web
from bot.web.context import search_web
from bot.web.limits import (
    FETCH_TIMEOUT_S,
    FETCH_TOP,
    MAX_RESULTS,
    PAGE_CHARS,
    QUERY_CHARS,
    SEARCH_TIMEOUT_S,
    Limits,
)
from bot.web.links import links_in
from bot.web.outcome import NO_RESULTS, TIMED_OUT, Failure, FailureKind, Outcome, WebSearchResult, WebSource
from bot.web.rendering import render_context
from bot.web.sent import OnSent, Sent, by_one_search
from bot.web.settings import WebSetting, WebSettings, open_web, settings_from
from bot.web.textform import parse_results
from bot.web.tool import WebSearchTool, private_text
from bot.web.web import Web

__all__ = [
    "FETCH_TIMEOUT_S",
    "FETCH_TOP",
    "MAX_RESULTS",
    "NO_RESULTS",
    "PAGE_CHARS",
    "QUERY_CHARS",
    "SEARCH_TIMEOUT_S",
    "TIMED_OUT",
    "Asked",
    "Failure",
    "FailureKind",
    "Limits",
    "OnSent",
    "Outcome",
    "Sent",
    "Web",
    "WebHit",
    "WebSearchResult",
    "WebSearchTool",
    "WebSetting",
    "WebSettings",
    "WebSource",
    "answer",
    "asked",
    "asks_for_the_web",
    "by_one_search",
    "links_in",
    "open_web",
    "parse_results",
    "private_text",
    "render_context",
    "search_web",
    "settings_from",
]
