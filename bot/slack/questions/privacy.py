"""Whether a message asks for an answer in private, and the run of one.  No I/O."""

import re
from dataclasses import asdict, replace

from bot.slack.questions.inbound import Inbound
from bot.store import Lost, Run

_GREETED = re.compile(r"\s*(?:<@[A-Z0-9]+(?:\|[^<>\n]*)?>[\s,:]*)*")
_ASKED = (
    r"(?:(?:please|can you|could you|pls)[,\s]+)?"
    r"(?:(?:answer|reply|tell|respond)(?:\s+to)?\s+(?:me|this|that|it)\s+(?:privately|in private|in (?:a )?dms?)"
    r"|(?:répond(?:s|ez)|dis|dites)(?:-moi|\s+moi)\s+en\s+(?:privé|mp|dm))"
    r"(?:,?\s+(?:please|pls|s'il (?:te|vous) pla[iî]t|stp|svp))?"
)
_BEFORE = re.compile(rf"{_ASKED}(?=\s*(?:[:,.!?–—-]|$))[\s:,.!?–—-]*", re.IGNORECASE)
_LONGEST = 200
"""Characters at the end of a message in which the wish is looked for."""
_BEHIND = re.compile(rf"(?<=[.!?:,;\n–—])\s*{_ASKED}\s*[.!]*\s*$", re.IGNORECASE)


def without_wish(text: str) -> str | None:
    """What a message in Slack's markup asks besides an answer in private; None where it does not ask for that."""
    greeted = _GREETED.match(text)
    rest = text[greeted.end() if greeted else 0 :].replace("’", "'")
    if found := _BEFORE.match(rest):
        return rest[found.end() :].strip()
    rest = rest.rstrip()
    found = _BEHIND.search(rest, max(len(rest) - _LONGEST, 0))
    return rest[: found.start()].strip() if found else None


def wants_privacy(message: Inbound) -> bool:
    return not message.direct and without_wish(message.own_text) is not None


def meant(message: Inbound) -> Inbound:
    """The message without its wish for privacy, where it says more than that."""
    rest = without_wish(message.own_text)
    return replace(message, text=message.text.replace(message.own_text, rest, 1), own_text=rest) if rest else message


def in_private(message: Inbound) -> Inbound:
    """The message, to be answered to its writer alone."""
    return replace(message, origin=(message.channel, message.thread_ts, message.ts), unasked=False)


def is_to_be_placed(asked: Inbound) -> bool:
    """Whether it is to be answered in private, and has no place there yet."""
    return bool(asked.origin) and asked == asked.as_written


def private(message: Inbound, key: str) -> Run:
    """The run of a private answer to a message, to its writer."""
    asked = asdict(in_private(message))
    return Run(key=key, channel=message.channel, thread_ts="", user=message.user, asked=asked)


def noted_with(run: Run, key: str) -> Run:
    """The question with what goes with it.  Raises `Lost` where it is deleted, so that nothing does any more."""
    if run.deleted or run.status == "claim":
        raise Lost(run.key)
    return run if key in run.private else run.model_copy(update={"private": (*run.private, key)})
