"""What was searched for an answer, in one line for all, and step by step for whoever asked.  No I/O."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from types import MappingProxyType

from bot.research import ResearchResult, build_sources_for_client
from bot.sentences import sentence
from bot.slack.messages import sentences as ours
from bot.slack.messages.links import label, words
from bot.slack.messages.sources import age
from bot.store import Run, Step

MOST_QUERIES = 5
MOST_STEPS = 40
_SENT = ("query", "page_request")


def searched(
    result: ResearchResult,
    connected: Sequence[str],
    today: date,
    language: str,
    *,
    indexed: Mapping[str, datetime] = MappingProxyType({}),
    queries: Sequence[str] = (),
) -> str:
    """What was searched, how new the newest of it is, and what was asked of the web; "" where nothing was.  `indexed`:
    when each source was last brought up to date, in the asker's zone, as far as is known.  `queries`: those that went
    to search engines."""
    calls = [call for call in result.tool_calls if call.tool_name == "search" and not call.error]
    named = [source for call in calls for source in call.arguments.get("sources") or connected]
    lines = []
    if calls:
        sources = ", ".join(label(source) for source in dict.fromkeys(named))
        found = {hit.chunk_id: hit for call in calls for hit in call.raw_hits}
        days = [source["date"] for source in build_sources_for_client([*found.values()], total_cap=len(found))]
        told = sources or sentence(ours.THE_DOCUMENTS, language)
        lines.append(sentence(ours.LOOKED_INTO, language, sources=told, count=len(found)))
        lines += [*_newest(days, today, language), *_indexed(named, indexed, today, language)]
    asked = [sentence(ours.QUOTED, language, query=label(query)) for query in queries]
    if asked:
        lines.append(sentence(ours.ASKED_THE_WEB, language, queries=", ".join(asked[:MOST_QUERIES])))
    return " · ".join(lines)


def _newest(days: Sequence[str], today: date, language: str) -> list[str]:
    """Of what is past: what is to come says nothing of how fresh the documents are."""
    past = [day for day in days if age(day, today, language) and day <= today.isoformat()]
    if not past:
        return []
    return [f"{sentence(ours.NEWEST, language, date=max(past))} ({age(max(past), today, language)})"]


def _indexed(sources: Sequence[str], indexed: Mapping[str, datetime], today: date, language: str) -> list[str]:
    days = {source: indexed[source].date().isoformat() for source in dict.fromkeys(sources) if source in indexed}
    told = [
        f"{sentence(ours.INDEXED, language, source=label(source), date=day)} ({age(day, today, language)})"
        for source, day in days.items()
    ]
    return [", ".join(told)] if told else []


def way(run: Run, language: str) -> str:
    """Searches, hits kept and dropped, seconds and tokens a step, and what left the building, as mrkdwn."""
    done = [step for step in run.steps if step.what not in _SENT]
    lines = [f"{number}. {_step(step, language)}" for number, step in enumerate(done[:MOST_STEPS], 1)]
    tokens = sum(step.tokens for step in run.steps)
    whole = sentence(ours.IN_ALL, language, seconds=f"{run.seconds:.1f}", tokens=tokens)
    return "\n".join([f"*{sentence(ours.THE_WAY, language)}*", *lines, whole, _outside(run.steps, language)])


def _step(step: Step, language: str) -> str:
    query, dropped = label(step.text), step.found - step.kept
    counts = {"found": step.found, "kept": step.kept, "dropped": dropped}
    if step.what == "model":
        told = sentence(ours.STEP_MODEL, language, tokens=step.tokens)
    elif step.what == "clarify":
        told = sentence(ours.STEP_ASKED, language, question=words(step.text))
    elif step.what == "page":
        told = sentence(ours.STEP_PAGE_FAILED if step.failed else ours.STEP_PAGE, language, url=query)
    elif step.failed:
        told = sentence(ours.STEP_FAILED, language, query=query)
    elif step.what == "web_search":
        told = sentence(ours.STEP_WEB, language, query=query, **counts)
    elif query:
        told = sentence(ours.STEP_SEARCH, language, query=query, **counts)
    else:
        told = sentence(ours.STEP_BROWSE, language, **counts)
    return f"{told} · {sentence(ours.SECONDS, language, seconds=f'{step.seconds:.1f}')}"


def _outside(steps: Sequence[Step], language: str) -> str:
    sent = dict.fromkeys(_sent(step, language) for step in steps if step.what in _SENT)
    if not sent:
        return sentence(ours.NOTHING_WENT_OUT, language)
    return sentence(ours.WENT_OUT, language, queries=", ".join(sent))


def _sent(step: Step, language: str) -> str:
    page, text, to = step.what == "page_request", label(step.text), label(step.engine)
    if not to:
        return sentence(ours.WENT_OUT_FOR if page else ours.QUOTED, language, query=text)
    return sentence(ours.WENT_OUT_FOR_BY if page else ours.WENT_OUT_TO, language, query=text, engine=to)
