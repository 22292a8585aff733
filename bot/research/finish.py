"""From what the model wrote to the answer that is shown: the gates, in their order.  No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.research.citations import cites, gate_citations, renumber_citations
from bot.research.evidence import passage_text
from bot.research.links import gate_links, urls_in
from bot.research.shaping import source_of
from bot.research.state import RunState
from bot.research.types import SearchHit, Source, WebHit
from bot.research.untrusted import readable
from bot.sentences import CUT_OFF, NOTHING_FOUND, sentence


@dataclass(frozen=True, slots=True)
class Finished:
    text: str
    sources: list[Source] = field(default_factory=list)
    dropped_citations: int = 0
    passages: list[SearchHit | WebHit] = field(default_factory=list)
    """What each of the sources rests on."""


def finish(text: str, state: RunState, *, cut: bool = False) -> Finished:
    """The text after the abstention rule, the citation gate, renumbering and the link gate, with its sources."""
    refs, text = state.refs(), readable(text)
    if _must_abstain(text, state):
        return Finished(sentence(NOTHING_FOUND, state.language), [], len(cites(text)))
    marked, dropped = gate_citations(text, refs.keys())
    numbered, sources = renumber_citations(marked, {ref: source_of(refs[ref], ref) for ref in set(cites(marked))})
    cited = [refs[ref] for ref in dict.fromkeys(cites(marked))]
    allowed = [*allowed_by_asker(state), *(source["url"] for source in sources if source["url"])]
    gated = gate_links(numbered, allowed, [passage_text(hit) for hit in cited]).strip()
    return Finished(_close(gated, state.language) if cut and gated else gated, sources, dropped, cited)


def allowed_by_asker(state: RunState) -> list[str]:
    """The addresses in the user's own message and in the hints of this run; whoever answers a question back may be
    somebody else."""
    return [url for text in (state.query, *state.hints) for url in urls_in(text)]


def needs_repair(text: str, refs: Mapping[int, SearchHit | WebHit]) -> bool:
    """Whether a synthesis cites, and cites nothing that there is."""
    cited = cites(text)
    return bool(cited) and not any(ref in refs for ref in cited)


def _must_abstain(text: str, state: RunState) -> bool:
    return bool(state.searches) and not state.refs() and bool(cites(text))


def _close(text: str, language: str) -> str:
    """Says at the end that the text was cut; a code fence left open is closed first."""
    fences = sum(line.lstrip().startswith("```") for line in text.split("\n"))
    closed = f"{text}\n```" if fences % 2 else text
    return f"{closed}\n\n{sentence(CUT_OFF, language)}"
