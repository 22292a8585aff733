"""What a run is told beside its question, in the model's words.  No I/O."""

from collections.abc import Sequence

from bot.research import SearchHit, Source, gate_links, neutralise
from bot.slack.api.people import Person
from bot.slack.questions.thread import Said

LONGEST_TITLE = 200
LONGEST_NAME = 80


def given(passages: Sequence[SearchHit], said: Said | None) -> str:
    if not passages:
        return ""
    left_out = said.left_out if said is not None else 0
    gap = f" {left_out} messages between the thread's first and its latest are left out." if left_out else ""
    return (
        "What was said in this thread, and what its files and links hold, is in the evidence. A question about them "
        f"is answered from it, and cites it, without a search.{gap}"
    )


def links(sources: Sequence[Source]) -> str:
    if not sources:
        return ""
    lines = [f"- {named(source['title'], LONGEST_TITLE)}: {source['url']}" for source in sources]
    return (
        "The sources of the earlier answers in this thread, oldest first. Where the question speaks of these sites, "
        "links or documents, it means them:\n" + "\n".join(lines)
    )


def who(person: Person | None) -> str:
    return f"The person who asks is {named(person.name, LONGEST_NAME)}." if person else ""


def named(text: str, longest: int) -> str:
    """On one line and without addresses: those of a hint count as the asker's own."""
    return neutralise(gate_links(" ".join(text.split()), ()), longest)
