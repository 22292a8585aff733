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


def searched(
    result: ResearchResult,
    connected: Sequence[str],
    today: date,
    language: str,
    indexed: Mapping[str, datetime] = MappingProxyType({}),
) -> str:
    """What was searched, how new the newest of it is, and what was asked of the web; "" where nothing was.  `indexed`:
    when the last change of each source was, in the asker's zone, as far as is known."""
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
    queries = [str(call.arguments.get("query") or "") for call in result.tool_calls if call.tool_name == "web_search"]
    asked = [sentence(ours.QUOTED, language, query=label(query)) for query in dict.fromkeys(filter(None, queries))]
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
    told = [f"{label(source)} {day} ({age(day, today, language)})" for source, day in days.items()]
    return [sentence(ours.INDEXED, language, sources=", ".join(told))] if told else []


def way(run: Run, language: str) -> str:
    """Searches, hits kept and dropped, seconds and tokens a step, and what left the building, as mrkdwn."""
    lines = [f"{number}. {_step(step, language)}" for number, step in enumerate(run.steps[:MOST_STEPS], 1)]
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
    asked = [
        sentence(ours.WENT_OUT_TO, language, query=label(step.text), engine=label(step.engine))
        if step.engine
        else sentence(ours.QUOTED, language, query=label(step.text))
        for step in steps
        if step.what == "web_search"
    ]
    if not asked:
        return sentence(ours.NOTHING_WENT_OUT, language)
    return sentence(ours.WENT_OUT, language, queries=", ".join(dict.fromkeys(asked)))
