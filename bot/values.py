"""What the value of a setting may be; what it may not is said in a few words, which `bot.config` makes a sentence."""

import re
from typing import Annotated, TypeAlias
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from indexers.ollama_host import normalise_host

ENGINES = ("firecrawl", "tavily", "you", "serply", "brave", "searxng", "duckduckgo")
"""As `bot.web.settings` has them, which is not imported for every command: it takes a second."""


def _address(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or not _has_port(parts):
        raise ValueError("it should be an address that begins with http:// or https://")
    return value


def _engines(value: str) -> str:
    """The names are looked at here; `bot.web.settings` knows what they are."""
    unknown = [name for name in map(str.strip, value.lower().split(",")) if name and name not in ENGINES]
    if unknown:
        raise ValueError(f"there is no search engine {unknown[0]!r}; there are {', '.join(ENGINES)}")
    return value


def _has_port(parts: SplitResult) -> bool:
    """Whether the port can be one, or is left out."""
    try:
        return parts.port != 0
    except ValueError:
        return False


def _prefix(value: str) -> str:
    if not re.fullmatch("[a-z][a-z0-9_-]{0,99}", value):
        raise ValueError("it should be a lower-case letter, then at most 99 lower-case letters, digits, - or _")
    return value


def _ids(what: str, first: str) -> AfterValidator:
    def check(value: str) -> str:
        wrong = [id for id in value.replace(",", " ").split() if not re.fullmatch(f"[{first}][A-Z0-9]+", id)]
        if wrong:
            raise ValueError(f"{wrong[0]!r} is no id of a {what}, which looks like {first[0]}0123456")
        return value

    return AfterValidator(check)


Address: TypeAlias = Annotated[str, AfterValidator(_address)]
Seconds: TypeAlias = Annotated[float, Field(gt=0, le=86400, allow_inf_nan=False)]
Port: TypeAlias = Annotated[int, Field(ge=0, le=65535)]
OllamaHost: TypeAlias = Annotated[str, AfterValidator(normalise_host)]
Engines: TypeAlias = Annotated[str, AfterValidator(_engines)]
Users: TypeAlias = Annotated[str, _ids("Slack user", "UW")]
Channels: TypeAlias = Annotated[str, _ids("Slack channel", "CGD")]
Prefix: TypeAlias = Annotated[str, AfterValidator(_prefix)]
LowerCase = BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value)
