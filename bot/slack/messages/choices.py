"""What a question back gives to choose from: buttons, beside which free text is taken all the same."""

import re
from collections.abc import Sequence
from typing import Any

from bot.slack.messages.blocks import said
from bot.slack.messages.links import escape
from bot.slack.questions.inbound import Inbound
from bot.store import Part, Run

CHOICE = "footnote_choice"
MOST = 5
LONGEST = 70
"""Characters; Slack takes 75 on a button."""

LONGEST_SENTENCE = 600
"""Characters; in a longer one nobody offers a choice of a few short ones."""

_ITEM = re.compile(r"^[ \t]*(?:[-*•]|\(?\d{1,2}[.)]|\(?[a-h][.)])[ \t]+(\S.*)$", re.MULTILINE)
_MARKS = re.compile(r"[*_`~]")
# What comes before the first of several in a sentence: "Do you mean", « Parlez-vous de ».
_LEAD = re.compile(
    r"^.*?(?:[:—–]|\b(?:do you|did you|are you|should i|shall i|is it|would you)\b.*?"
    r"\b(?:mean|want|asking about|looking for|interested in|prefer|about)\b|"
    r"\b(?:parlez-vous|voulez-vous|cherchez-vous|s'agit-il|souhaitez-vous|pensez-vous)\b(?:\s+(?:de|dire|à))?)\s+",
    re.IGNORECASE | re.DOTALL,
)
_BETWEEN = re.compile(r",?\s+(?:or|ou)\s+(?:bien\s+)?|,\s+", re.IGNORECASE)
_OR = re.compile(r"\s(?:or|ou)\s", re.IGNORECASE)


def choices(question: str) -> tuple[str, ...]:
    """The answers that a question names, as plain text: the items of its list, or what stands around "or" after a
    phrase such as "do you mean".  None where there are not two to five short ones."""
    items = [_MARKS.sub("", item).rstrip("?.;, ") for item in _ITEM.findall(question)]
    if not items:
        items = _alternatives(_MARKS.sub("", question))
    fit = all(0 < len(item) <= LONGEST for item in items) and len(set(items)) == len(items)
    return tuple(items) if fit and 2 <= len(items) <= MOST else ()


def _alternatives(question: str) -> list[str]:
    last = re.split(r"(?<=[.!])\s+", question.strip())[-1]
    lead = _LEAD.match(last) if len(last) <= LONGEST_SENTENCE else None
    if not (last.endswith("?") and lead and _OR.search(last, lead.end())):
        return []
    return [part.strip() for part in _BETWEEN.split(last[lead.end() :].rstrip("? ")) if part.strip()]


def asking(text: str, offered: Sequence[str], run: Run) -> Part:
    """The message of a question back, `text` in mrkdwn."""
    part = said([text])[0]
    if not offered:
        return part
    buttons = [
        {
            "type": "button",
            "action_id": f"{CHOICE}_{place}",
            "text": {"type": "plain_text", "text": choice},
            "value": f"{run.key} {run.asks} {choice}",
        }
        for place, choice in enumerate(offered)
    ]
    return Part(text=part.text, blocks=(*part.blocks, {"type": "actions", "elements": buttons}))


def chosen(body: dict[str, Any]) -> tuple[str, str, Inbound] | None:
    """The run that a click answers, which of its questions, and the answer as if it had been written; None where it is
    none of ours."""
    action, message = body["actions"][0], body.get("message") or {}
    run, asks, choice = (*str(action.get("value") or "").split(" ", 2), "", "", "")[:3]
    channel = str((body.get("channel") or {}).get("id") or "")
    if not (run and choice and channel):
        return None
    text = escape(choice)
    answer = Inbound(
        channel=channel,
        ts=str(action["action_ts"]),
        thread_ts=str(message.get("thread_ts") or message.get("ts") or ""),
        user=str(body["user"]["id"]),
        text=text,
        own_text=text,
        mentioned=False,
        to_others=False,
        direct=channel.startswith("D"),
    )
    return run, asks, answer
