"""The research loop: a question in, events on the way, an answer with footnotes out.

Read in this order: `agent` (how a run begins), `run` (the loop), `toolbox` (the calls), `finish` (the gates).
"""

from bot.engine import Message, Role, ToolCall
from bot.research.agent import DEFAULT_PLANNER_MODEL, ResearchAgent
from bot.research.citations import gate_citations, renumber_citations
from bot.research.events import (
    AnswerDelta,
    ClarifyCall,
    ClarifyResponse,
    Error,
    Event,
    FinalAnswer,
    SearchCall,
    SearchError,
    SearchResult,
    WebSearch,
)
from bot.research.links import gate_links
from bot.research.shaping import (
    build_sources_for_client,
    build_web_sources_for_client,
    shape_results_for_model,
    shape_web_results_for_model,
)
from bot.research.state import RunState
from bot.research.tools import CLARIFY_TOOL_SPEC, SEARCH_TOOL_SPEC, WEB_SEARCH_TOOL_SPEC
from bot.research.types import (
    Clarification,
    ResearchResult,
    Search,
    SearchFailed,
    SearchHit,
    SearchResults,
    Source,
    ToolInvocation,
    Waiting,
    WebHit,
)
from bot.research.untrusted import neutralise

__all__ = [
    "CLARIFY_TOOL_SPEC",
    "DEFAULT_PLANNER_MODEL",
    "SEARCH_TOOL_SPEC",
    "WEB_SEARCH_TOOL_SPEC",
    "AnswerDelta",
    "Clarification",
    "ClarifyCall",
    "ClarifyResponse",
    "Error",
    "Event",
    "FinalAnswer",
    "Message",
    "ResearchAgent",
    "ResearchResult",
    "Role",
    "RunState",
    "Search",
    "SearchCall",
    "SearchError",
    "SearchFailed",
    "SearchHit",
    "SearchResult",
    "SearchResults",
    "Source",
    "ToolCall",
    "ToolInvocation",
    "Waiting",
    "WebHit",
    "WebSearch",
    "build_sources_for_client",
    "build_web_sources_for_client",
    "gate_citations",
    "gate_links",
    "neutralise",
    "renumber_citations",
    "shape_results_for_model",
    "shape_web_results_for_model",
]
