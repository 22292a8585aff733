"""Tool calls that a model wrote as text instead of making them: found, read, and taken out of the text.  No I/O.

Local models do this often, and in many forms: JSON bare or fenced, in tags, in a bracket, with braces too many or too
few.  So candidates are looked for by how they begin, bounded, and repaired.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import json_repair

Call: TypeAlias = tuple[str, dict[str, Any]]
"""The name and the arguments."""

_MOST = 16
_ROUNDS = 3
_LONGEST = 20_000
_LONGEST_REPAIR = 4_000
_DEEPEST = 40
_NAMES = ("name", "tool", "tool_name", "function", "function_name")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "kwargs", "tool_input", "params")
_HOLDERS = ("function", "function_call", "tool_call")
_KEYS = "|".join((*_NAMES, *_HOLDERS, "tool_calls", "type", "id", *_ARGUMENTS))
_NAME = r"(?:functions\.)?(?P<{}>[\w.-]{{1,64}})"

_TAG = r"(?:tool_calls?|function_calls?|tools?)"

_START = re.compile(
    rf"<function\s{{0,3}}=\s{{0,3}}[\"']?{_NAME.format('xml')}[\"']?\s{{0,3}}>"
    rf"|\[(?:Calling tools?:|TOOL_CALLS\])\s{{0,4}}{_NAME.format('called')}"
    r"(?:\[CALL_ID\]\w{1,40})?(?:\[ARGS\])?\s{0,4}\(?\s{0,4}(?=\{)"
    rf"|(?<!\w)call:{_NAME.format('gemma')}\s{{0,4}}(?=\{{)"
    r"|to=functions\.(?P<harmony>[\w.-]{1,64})[^{]{0,200}(?=\{)"
    rf"|(?P<bare>(?:\[\s{{0,20}})?(?<!\{{)\{{[\s{{]{{0,8}}[\"'“]?(?:{_KEYS})[\"'”]?\s{{0,8}}:)"
)
MAY_BEGIN_CALL = re.compile(
    rf"{re.sub('[?]P<[a-z]+>', '?:', _START.pattern)}|<\|?{_TAG}\|?>|<function\b|\[TOOL_CALLS|\[Calling tools?"
    r"|<\|(?:channel|start|python_tag)\|>"
)
"""What a call written as text may begin with, in the middle of a text too."""
_LEFT = re.compile(
    rf"(?:(?:<\|?{_TAG}\|?>|\[TOOL_CALLS\]|<\|python_tag\|>"
    r"|(?:<\|start\|>assistant)?<\|channel\|>[a-z]{0,20}|[\[{])\s{0,20})+\Z"
)
_RIGHT = re.compile(rf"(?:\s{{0,20}}(?:</?\|?{_TAG}\|?>|\[/TOOL_CALLS\]|<\|call\|>|</function>)|[ \t]{{0,4}}[}}\])])+")
_FENCE_LEFT = re.compile(
    r"(?:^|(?<=[\n>]))[ \t>]{0,12}(`{3,9}|~{3,9})[ \t]{0,4}[\w.-]{0,20}\s{0,20}\Z|(?<!`)(`{1,2})\Z"
)
_TAGGED = re.compile(
    r"(?:tool_calls?\|?>|function_calls?>|tools?>|\[TOOL_CALLS\]|<\|python_tag\|>)\s{0,20}\[?\s{0,20}\Z"
)
_PARAMETER = re.compile(r"<parameter\s{0,3}=\s{0,3}[\"']?([\w.-]{1,64})[\"']?\s{0,3}>")
_PARAMETER_END = re.compile(r"</parameter>|(?=<parameter\b)|(?=</function>)|\Z")
_UNREAD = re.compile(r"<\|?tool_call\|?>.*?(?:</tool_call>|<tool_call\|>|\n\s*\n|\Z)", re.DOTALL)
_STRUCTURE = re.compile(r"[\"{}\[\]]|\\.", re.DOTALL)
_DOUBLED = re.compile(r"\{[\s{]*+\{(?=\s*[\"'])")


class _Candidate(NamedTuple):
    start: int
    end: int
    calls: list[Call]
    unknown: list[Call]
    """Calls of no known tool, which count when there is nothing else in the reply."""


@dataclass(slots=True)
class _Cut:
    start: int
    end: int


def take_calls(text: str, known: Collection[str]) -> tuple[str, list[Call]]:
    """The stripped text without the calls in it, and the calls, in order.

    A call is read where it names a known tool, stands in tags for calls, or is all of the text.
    """
    calls = list[Call]()
    for _ in range(_ROUNDS):
        rest, found = _taken(text, known)
        calls += found
        if rest == text:
            break
        text = rest
    return text, calls


def _taken(text: str, known: Collection[str]) -> tuple[str, list[Call]]:
    calls, cuts, position = list[Call](), list[_Cut](), 0
    for _ in range(_MOST):
        found = _START.search(text, position)
        if not found:
            break
        candidate = _read(text, found, known)
        taken = candidate.calls or (candidate.unknown if not _rest(text, candidate) else [])
        if taken:
            calls += taken
            _cut(cuts, text, candidate)
        position = max(candidate.end if taken else found.start() + 1, found.start() + 1)
    rest = _without(text, cuts)
    return (_without_unread(rest) if "tool_call" in rest else rest), calls


def _without_unread(text: str) -> str:
    """Without tags that hold nothing that can be read as a call."""
    unread = (found for found in _UNREAD.finditer(text) if not _in_code(text, found.start()))
    return _without(text, [_Cut(*found.span()) for found in unread])


def name_of(call: Mapping[Any, Any]) -> str:
    """The tool that a call names, under whichever key; "" where it names none."""
    holder = _inner(call) or call
    named = next((holder[key] for key in _NAMES if isinstance(holder.get(key), str)), "")
    return str(named).strip()


def arguments_of(call: Mapping[Any, Any]) -> dict[str, Any]:
    """The arguments of a call, under whichever key: a mapping, or the JSON of one; else none."""
    given = (holder[key] for holder in (_inner(call), call) for key in _ARGUMENTS if holder.get(key) is not None)
    return _mapping(next(given, None))


def _inner(call: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The mapping that holds name and arguments, where it is not the call itself."""
    return next((call[key] for key in _HOLDERS if isinstance(call.get(key), Mapping)), {})


def _mapping(value: object) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return {str(key): item for key, item in value.items()} if isinstance(value, Mapping) else {}


def _read(text: str, found: re.Match[str], known: Collection[str]) -> _Candidate:
    if found["xml"]:
        return _read_xml(text, found)
    name = found["called"] or found["gemma"] or found["harmony"]
    begin = found.end() if name else found.start()
    end = _end_of_object(text, begin)
    parsed = _parsed(text[begin:end].replace('<|"|>', '"'))
    if name:
        return _Candidate(found.start(), end, [(name, _mapping(parsed))], [])
    objects = [entry for entry in _flattened(parsed) if name_of(entry)]
    tagged = bool(_TAGGED.search(text[max(0, begin - 60) : begin]))
    written = [(name_of(entry), arguments_of(entry) or _flat(entry)) for entry in objects]
    sure = [name_of(entry) in known and (_has_arguments(entry) or tagged) for entry in objects]
    inline = _in_code(text, begin)
    if (any(sure) or (tagged and objects)) and not inline:
        return _Candidate(begin, end, written, [])
    plausible = all(_has_arguments(entry) or name_of(entry) in known for entry in objects)
    return _Candidate(begin, end, [], written if plausible else [])


def _read_xml(text: str, found: re.Match[str]) -> _Candidate:
    closing = text.find("</function>", found.end(), found.end() + _LONGEST)
    end = closing + len("</function>") if closing >= 0 else min(len(text), found.end() + _LONGEST)
    body = text[found.end() : closing if closing >= 0 else end]
    arguments: dict[str, Any] = {}
    for parameter in _PARAMETER.finditer(body):
        stop = _PARAMETER_END.search(body, parameter.end())
        arguments[parameter[1]] = _value(body[parameter.end() : stop.start() if stop else len(body)].strip())
    if not arguments and "{" in body:
        arguments = _mapping(_parsed(body[body.index("{") :]))
    return _Candidate(found.start(), end, [(found["xml"], arguments)], [])


def _value(text: str) -> Any:
    """A parameter that is JSON of a number, list or object is one; anything else is the text that it is."""
    try:
        return json.loads(text) if text[:1] in "[{0123456789-tfn" else text
    except (ValueError, RecursionError):
        return text


def _end_of_object(text: str, begin: int) -> int:
    """Behind the brace that closes what opens at `begin`; where braces do not match, behind the last one there is."""
    stop = text.find("```", begin)
    stop = min(len(text) if stop < 0 else stop, begin + _LONGEST)
    depth, quoted = 0, False
    for found in _STRUCTURE.finditer(text, begin, stop):
        sign = found[0]
        if sign == '"':
            quoted = not quoted
        elif not quoted and sign in "{}[]":
            depth += 1 if sign in "{[" else -1
            if depth == 0:
                return found.end()
    blank = text.find("\n\n", begin, stop)
    stop = stop if blank < 0 else blank
    last = text.rfind("}", begin, stop)
    return last + 1 if last >= 0 else stop


def _parsed(span: str) -> object:
    try:
        return json.loads(span)
    except (ValueError, RecursionError):
        pass
    if len(span) > _LONGEST_REPAIR or max(span.count("{"), span.count("[")) > _DEEPEST:
        return None
    try:
        return json_repair.loads(_DOUBLED.sub("{", span, count=1))
    except (ValueError, RecursionError, IndexError, KeyError, TypeError):
        return None


def _flattened(parsed: object) -> list[Mapping[Any, Any]]:
    if isinstance(parsed, Mapping):
        inner = parsed.get("tool_calls")
        return _flattened(inner) if isinstance(inner, list) else [parsed]
    return [entry for entry in parsed if isinstance(entry, Mapping)] if isinstance(parsed, list) else []


def _has_arguments(call: Mapping[Any, Any]) -> bool:
    holder = _inner(call) or call
    return any(isinstance(holder.get(key), Mapping | str) for key in _ARGUMENTS)


def _flat(call: Mapping[Any, Any]) -> dict[str, Any]:
    """The arguments of a call that has them beside its name."""
    apart = {*_NAMES, *_ARGUMENTS, "type", "id"}
    return {} if _inner(call) else {str(k): v for k, v in call.items() if k not in apart}


def _in_code(text: str, start: int) -> bool:
    """Whether a code span opens right before."""
    return text[max(0, start - 1) : start] == "`" and text[max(0, start - 3) : start] != "```"


def _rest(text: str, candidate: _Candidate) -> str:
    cut = _widened(text, candidate.start, candidate.end)
    return (text[: cut.start] + text[cut.end :]).strip(" \t\r\n`~.")


def _cut(cuts: list[_Cut], text: str, candidate: _Candidate) -> None:
    if cuts and not text[cuts[-1].end : candidate.start].strip(" \t\r\n,;[]"):
        start = cuts.pop().start
        cuts.append(_widened(text, start, candidate.end))
    else:
        cuts.append(_widened(text, candidate.start, candidate.end))


def _widened(text: str, start: int, end: int) -> _Cut:
    """With the tags, brackets and fence that hold nothing else."""
    for _ in range(2):
        if left := _LEFT.search(text, max(0, start - 120), start):
            start = left.start()
        if right := _RIGHT.match(text, end):
            end = right.end()
        fence = _FENCE_LEFT.search(text, max(0, start - 60), start)
        if fence:
            marks = fence[1] or fence[2]
            closing = re.compile(rf"\s{{0,20}}{marks}[ \t]*").match(text, end)
            if closing or marks not in text[end:]:
                start, end = fence.start(), closing.end() if closing else end
    return _Cut(start, end)


def _without(text: str, cuts: list[_Cut]) -> str:
    pieces, position = list[str](), 0
    for cut in sorted(cuts, key=lambda cut: cut.start):
        pieces.append(text[position : max(position, cut.start)].rstrip())
        position = max(position, cut.end)
    kept = [*pieces, text[position:].strip() if cuts else text]
    return "\n\n".join(piece for piece in kept if piece.strip()).strip()
