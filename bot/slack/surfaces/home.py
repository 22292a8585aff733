"""App Home, and the settings of a channel, as Slack's views.  No I/O."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from bot.sentences import sentence
from bot.slack.messages.links import label, link, words
from bot.slack.messages.sources import age
from bot.slack.questions.channels import LANGUAGES, LONGEST_TONE
from bot.slack.surfaces import home_sentences as ours
from bot.store import ChannelSettings, Run

PICK = "footnote_channel"
OPEN = "footnote_open_channel"
SETTINGS = "footnote_settings"
SOURCES, UNMENTIONED, WEB, LANGUAGE, TONE = (
    f"{SETTINGS}_{name}" for name in ("sources", "unmentioned", "web", "language", "tone")
)
MOST_QUESTIONS = 8
MOST_SOURCES = 90
_STATES = {"open": ours.AT_WORK, "stopping": ours.AT_WORK, "waiting": ours.WAITING, "stopped": ours.ENDED}
_WEB = {"default": ours.WEB_DEFAULT, "on": ours.WEB_ON, "on request": ours.WEB_ON_REQUEST, "off": ours.WEB_OFF}
_ANSWERS = {"mentioned": ours.ONLY_MENTIONED, "unmentioned": ours.ALSO_UNMENTIONED}

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """What one person sees of a channel's settings."""

    channel: str
    settings: ChannelSettings
    sources: tuple[str, ...] = ()
    """Those that may be chosen."""
    editable: bool = False
    no_web: bool = False
    """The bot has no web anywhere."""


def home(
    indexed: Mapping[str, datetime] | None,
    questions: Sequence[Run],
    language: str,
    *,
    today: date,
    address: Callable[[Run], str],
    text: Callable[[Run], str],
) -> Json:
    """`indexed`: by source, when it was last brought up to date, in the reader's zone, as is `today`; None where the
    index cannot be read.  `address` and `text` of a question."""
    picker = {"type": "conversations_select", "action_id": PICK, "placeholder": _plain(ours.CHOOSE, language)}
    picker["filter"] = {"include": ["public", "private", "mpim"], "exclude_bot_users": True}
    button = {"type": "button", "action_id": OPEN, "text": _plain(ours.OPEN, language)}
    blocks = [
        _header(ours.SOURCES, language),
        _section(_indexed(indexed, today, language)),
        _header(ours.QUESTIONS, language),
        _section(_asked(questions, language, address, text)),
        _header(ours.CHANNELS, language),
        {"type": "actions", "block_id": PICK, "elements": [picker, button]},
        _note(sentence(ours.CHANNELS_HELP, language)),
        _header(ours.HELP, language),
        _section(words(sentence(ours.HOW_TO_ASK, language))),
    ]
    return {"type": "home", "blocks": blocks}


def waiting(language: str) -> Json:
    """A modal that is there before its contents are known."""
    return _modal(language, [_section(sentence(ours.WAIT, language))])


def refused(language: str) -> Json:
    return _modal(language, [_section(sentence(ours.NOT_YOURS, language))])


def settings_of(seen: Seen, language: str) -> Json:
    """A form for those who may change the settings, else the settings as text."""
    heading = _section(sentence(ours.OF_CHANNEL, language, channel=f"<#{seen.channel}>"))
    if not seen.editable:
        return _modal(
            language, [heading, _section(_told(seen.settings, language)), _note(sentence(ours.READ_ONLY, language))]
        )
    notes = [_note(sentence(ours.NO_WEB, language))] if seen.no_web else []
    form = _modal(language, [heading, *_fields(seen, language), *notes])
    return form | {"callback_id": SETTINGS, "private_metadata": seen.channel, "submit": _plain(ours.SAVE, language)}


def entered(view: Mapping[str, Any]) -> ChannelSettings:
    """What was entered in the form."""
    fields = {name: field for block in view["state"]["values"].values() for name, field in block.items()}

    def chosen(name: str) -> str:
        return str((fields.get(name, {}).get("selected_option") or {}).get("value") or "")

    language = chosen(LANGUAGE)
    return ChannelSettings(
        sources=tuple(option["value"] for option in fields.get(SOURCES, {}).get("selected_options") or ()),
        unmentioned=chosen(UNMENTIONED) == "unmentioned",
        web=_web(chosen(WEB)),
        language=language if language in LANGUAGES else "",
        tone=" ".join(str(fields.get(TONE, {}).get("value") or "").split())[:LONGEST_TONE],
    )


def _web(chosen: str) -> Literal["", "on", "on request", "off"]:
    match chosen:
        case "on" | "on request" | "off":
            return chosen
        case _:
            return ""


def _indexed(indexed: Mapping[str, datetime] | None, today: date, language: str) -> str:
    if indexed is None:
        return sentence(ours.INDEX_UNREADABLE, language)
    if not indexed:
        return sentence(ours.NO_SOURCES, language)
    lines = []
    for source, time in sorted(indexed.items())[:MOST_SOURCES]:
        old = age(time.date().isoformat(), today, language)
        said = {"source": f"*{label(source)}*", "time": f"{time:%Y-%m-%d %H:%M}", "age": old}
        lines.append(f"• {sentence(ours.SOURCE, language, **said)}")
    return "\n".join(lines)


def _asked(questions: Sequence[Run], language: str, address: Callable[[Run], str], text: Callable[[Run], str]) -> str:
    if not questions:
        return sentence(ours.NO_QUESTIONS, language)
    lines = []
    for run in questions[:MOST_QUESTIONS]:
        state = _STATES.get(run.status)
        told = f" ({sentence(state, language)})" if state else ""
        lines.append(f"• {link(address(run), text(run))}{told}")
    return "\n".join(lines)


def _fields(seen: Seen, language: str) -> list[Json]:
    settings = seen.settings
    names = {"default": sentence(ours.LANGUAGE_DEFAULT, language), **LANGUAGES}
    tone = {"type": "plain_text_input", "action_id": TONE, "max_length": LONGEST_TONE}
    tone |= {"initial_value": settings.tone} if settings.tone else {}
    answers = "unmentioned" if settings.unmentioned else "mentioned"
    return [
        *_sources(seen, language),
        _choice(UNMENTIONED, ours.UNMENTIONED, _in(_ANSWERS, language), answers, language),
        _choice(WEB, ours.WEB, _in(_WEB, language), settings.web or "default", language),
        _choice(LANGUAGE, ours.LANGUAGE, names, settings.language or "default", language),
        {"type": "input", "optional": True, "label": _plain(ours.TONE, language), "element": tone},
    ]


def _sources(seen: Seen, language: str) -> list[Json]:
    names = list(dict.fromkeys((*seen.settings.sources, *seen.sources)))[:MOST_SOURCES]
    if not names:
        return []
    select: Json = {
        "type": "multi_static_select",
        "action_id": SOURCES,
        "options": [_option(one, one) for one in names],
    }
    if chosen := [_option(one, one) for one in names if one in seen.settings.sources]:
        select["initial_options"] = chosen
    hint = _plain(ours.SEARCHED_HINT, language)
    label_ = _plain(ours.SEARCHED, language)
    return [{"type": "input", "optional": True, "label": label_, "hint": hint, "element": select}]


def _told(settings: ChannelSettings, language: str) -> str:
    answers = _ANSWERS["unmentioned" if settings.unmentioned else "mentioned"]
    lines = [
        (ours.SEARCHED, ", ".join(map(label, settings.sources)) or sentence(ours.ALL, language)),
        (ours.UNMENTIONED, sentence(answers, language)),
        (ours.WEB, sentence(_WEB[settings.web or "default"], language)),
        (ours.LANGUAGE, LANGUAGES.get(settings.language) or sentence(ours.LANGUAGE_DEFAULT, language)),
        (ours.TONE, label(settings.tone) or "–"),
    ]
    return "\n".join(f"*{sentence(name, language)}*\n{value}" for name, value in lines)


def _choice(action: str, name: dict[str, str], options: Mapping[str, str], chosen: str, language: str) -> Json:
    given = {value: _option(value, text) for value, text in options.items()}
    select: Json = {"type": "static_select", "action_id": action, "options": list(given.values())}
    select["initial_option"] = given.get(chosen) or next(iter(given.values()))
    return {"type": "input", "label": _plain(name, language), "element": select}


def _in(options: Mapping[str, dict[str, str]], language: str) -> dict[str, str]:
    return {value: sentence(text, language) for value, text in options.items()}


def _option(value: str, text: str) -> Json:
    return {"text": {"type": "plain_text", "text": text[:75]}, "value": value[:75]}


def _modal(language: str, blocks: list[Json]) -> Json:
    title, close = _plain(ours.CHANNEL_SETTINGS, language), _plain(ours.CLOSE, language)
    return {"type": "modal", "title": title, "close": close, "blocks": blocks}


def _header(text: dict[str, str], language: str) -> Json:
    return {"type": "header", "text": _plain(text, language)}


def _section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _note(text: str) -> Json:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": True}]}


def _plain(text: dict[str, str], language: str) -> dict[str, str]:
    return {"type": "plain_text", "text": sentence(text, language)}
