"""Text that others wrote, made harmless before a model or a client is given it.  No I/O."""

import re

# Scripts whose spelling needs joiners: Arabic, Syriac, N'Ko, the Indic ones, Tibetan, Burmese, Khmer, Mongolian.
_JOINING = (
    "\u0600-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17ff\u1800-\u180a\u1810-\u18af\u1a20-\u1aaf\u1b00-\u1c4f"
    "\ua880-\ua8ff\uaa60-\uaadf\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc"
)
_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufff9-\ufffb"
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"

_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile(f"[{_CONTROL}{_BIDI}]")
_INVISIBLE = re.compile(
    f"[{_CONTROL}{_BIDI}\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0d"
    "\ufeff\uffa0\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_OUT_OF_PLACE = re.compile(
    f"(?<![{_JOINING}])[\u200c\u200d]"
    "|(?<![\u1820-\u18aa])[\u180b-\u180d\u180f]"
    # The selectors of text and emoji style stay behind a sign that has both.
    "|(?<![#*0-9\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff])[\ufe0e\ufe0f]"
)
_NAMES = (
    "think|thinking|thought|reasoning|tool_calls?|tool_response|tool_result|tool_outputs?|tools|function_calls?|"
    "function_results?|start_of_turn|end_of_turn|start_of_image|end_of_image|start_function_call|end_function_call|"
    "start_function_response|end_function_response|start_function_declaration|end_function_declaration|bos|eos|pad|unk|"
    r"mask|s|unused\d{1,6}|reserved_\w{1,30}|extra_id_\d{1,6}|begin_of_text|end_of_text|im_start|im_end|endoftext|"
    r"start_header_id|end_header_id|eot_id|invoke|function|parameter"
)
_TOKEN = re.compile(
    r"<[|｜][^<>\s]{0,80}>"  # <|im_start|>, <|turn>, the full-width ones
    r"|<[^<>|｜\s]{1,80}[|｜]>"  # <turn|>
    rf"|</?(?:{_NAMES})\s{{0,3}}/?>"
    r"|</?(?:function|parameter|invoke|tool_call)(?=[\s=:])"
    r"|<</?\s{0,3}sys\s{0,3}>>"
    r"|\[/?(?:inst|tool_calls?|available_tools|tool_results?|system_prompt|gmask|(?-i:ARGS|CALL_ID|TOOL_CONTENT|THINK|IMG))\]"
    r"|\[calling tools?(?=:)",
    re.IGNORECASE,
)
_HARMLESS = str.maketrans("<>[]", "‹›()")
_FENCE = re.compile(r"(?<!=)={3,}+(?=\s*+(?:BEGIN|END)\b)", re.IGNORECASE)


def neutralise(text: str, limit: int | None = None) -> str:
    """The text without invisible characters, with what models take for markup spelled so that they do not, and cut
    to `limit` characters, the last of them then being `…`."""
    seen = visible(_BREAKS.sub("\n", text))
    return _cut(_TOKEN.sub(lambda found: found[0].translate(_HARMLESS), seen), limit)


def visible(text: str) -> str:
    """The text without what nobody sees, where more could be hidden than is said."""
    return _OUT_OF_PLACE.sub("", _INVISIBLE.sub("", text))


def is_blank(text: str) -> bool:
    """Whether nothing in the text can be seen."""
    return not visible(text).strip()


def readable(text: str) -> str:
    """The text as every reader takes it: line breaks of any kind are `\\n`, and what is not seen, steers a terminal or
    turns the direction of writing is gone.  Done before anything decides on a text, and by whoever shows it: what is
    taken away later could make prose of what was code, or a fence of what was none."""
    return _CONTROLS.sub("", _BREAKS.sub("\n", text).replace("\ufeff", ""))


def clean(text: str, limit: int | None = None) -> str:
    """The text without control and bidirectional characters, for eyes and not for a model."""
    return _cut(_CONTROLS.sub("", text), limit)


def fence(text: str, nonce: str, label: str) -> str:
    """The text between two lines that name `label` and `nonce`; neither can be forged in it."""
    inside = _FENCE.sub(lambda found: "-" * len(found[0]), neutralise(text)).replace(nonce, "-" * len(nonce))
    return f"=== BEGIN {label} {nonce} ===\n{inside}\n=== END {label} {nonce} ==="


def _cut(text: str, limit: int | None) -> str:
    if limit is None or len(text) <= limit:
        return text
    return text[: limit - 1].rstrip() + "…" if limit > 0 else ""
