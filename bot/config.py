"""Every setting.  The environment, and the file `.env` in the working directory, are read here and nowhere else."""

import difflib
import os
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, DotEnvSettingsSource, SettingsConfigDict

from bot.values import Address, Channels, Engines, LowerCase, OllamaHost, Port, Prefix, Seconds, Users

Command: TypeAlias = Literal["index", "search", "ask", "web", "demo", "models", "eval", "feedback", "backup", "run"]

ALL: tuple[Command, ...] = ("index", "search", "ask", "web", "demo", "models", "eval", "feedback", "backup", "run")
ANSWERING: tuple[Command, ...] = ("ask", "demo", "eval", "run")
INDEXING: tuple[Command, ...] = ("index", "search", "ask", "eval", "run")
KEEPING: tuple[Command, ...] = ("index", "search", "ask", "eval", "feedback", "backup", "run")
EMBEDDING: tuple[Command, ...] = ("index", "search", "ask", "demo", "eval", "run")
SEARCHING: tuple[Command, ...] = ("search", "ask", "demo", "eval", "run")
LISTING: tuple[Command, ...] = ("search", "ask", "demo", "run")
WEB: tuple[Command, ...] = ("ask", "web", "run")
RUN: tuple[Command, ...] = ("run",)

OF_TESTS = (
    "FOOTNOTE_TEST_",
    "FOOTNOTE_COLLECTIONS",
    "FOOTNOTE_ELASTICSEARCH_VERSION",
    "FOOTNOTE_REQUIRE_ELASTICSEARCH",
)
"""Read by scripts of the tests only; known here so that nobody is warned of them."""


class ConfigError(Exception):
    """A setting is missing or wrong; the text is one line that names it and the mend."""


def _setting(
    default: Any, commands: tuple[Command, ...], description: str, *, required: bool = False, **limits: Any
) -> Any:
    extra: dict[str, Any] = {"commands": list(commands), "required": required}
    return Field(default, description=description, json_schema_extra=extra, **limits)


class Config(BaseSettings):
    """A setting is named as its variable in lower case.  `read` makes one from the environment."""

    model_config = SettingsConfigDict(frozen=True, env_file=".env", env_ignore_empty=True, extra="ignore")

    footnote_home: Path = _setting(
        Path("~/.footnote"), ALL, "The folder that holds the index, the state and fetched models."
    )
    footnote_log_level: Annotated[Literal["debug", "info", "warning", "error"] | None, LowerCase] = _setting(
        None, ALL, "`debug`, `info`, `warning` or `error`; unset: `info` for `run`, `warning` for the others."
    )
    ollama_host: OllamaHost = _setting(
        "http://127.0.0.1:11434", EMBEDDING, "Where Ollama listens: a URL, `host` or `host:port`."
    )
    footnote_model: str = _setting("gemma4:31b", ANSWERING, "The model that researches and writes the answers.")
    footnote_model_parallel: int = _setting(
        1, ANSWERING, "Requests that the model serves at once; others wait in line.", ge=1, le=64
    )
    footnote_num_ctx: int = _setting(16384, ANSWERING, "The model's context window in tokens.", ge=2048, le=2**20)
    footnote_max_tokens: int = _setting(1500, ANSWERING, "The longest reply of the model in tokens.", ge=64)
    footnote_max_iterations: int = _setting(5, ANSWERING, "Searches and questions back in one answer.", ge=1, le=50)
    footnote_temperature: float = _setting(0.3, ANSWERING, "The model's temperature.", ge=0, le=2)
    footnote_run_timeout: Seconds = _setting(600, ANSWERING, "Seconds for a whole answer, waiting not counted.")
    footnote_step_timeout: Seconds = _setting(300, ANSWERING, "Seconds for one reply of the model, or one search.")
    footnote_connect_timeout: Seconds = _setting(5, EMBEDDING, "Seconds to reach Ollama.")
    footnote_first_token_timeout: Seconds = _setting(
        180, ANSWERING, "Seconds until the model's first word; loading the model counts."
    )
    footnote_silence_timeout: Seconds = _setting(60, ANSWERING, "Seconds of silence amid a reply.")
    footnote_embeddings: Annotated[Literal["auto", "ollama", "minilm", "none"], LowerCase] = _setting(
        "auto", EMBEDDING, "What makes vectors: `ollama`, `minilm`, `none`, or `auto`: the first of them that is there."
    )
    footnote_embed_model: str = _setting("embeddinggemma", EMBEDDING, "The model that makes vectors in Ollama.")
    footnote_minilm: Path | None = _setting(
        None, ALL, "A folder with `model.onnx` and `tokenizer.json`, in place of what `models fetch` brings."
    )
    footnote_fusion: Annotated[Literal["scores", "ranks"], LowerCase] = _setting(
        "scores", SEARCHING, "How the two lists of a search become one: by their `scores`, or by their `ranks` alone."
    )
    footnote_candidates: int = _setting(100, SEARCHING, "Candidates taken from each of the two lists.", ge=1, le=1000)
    footnote_lexical_weight: float = _setting(
        0.5, SEARCHING, "The share of the words in the fused score; the rest is the meaning's.", ge=0, le=1
    )
    footnote_completion: Annotated[Literal["on", "off"], LowerCase] = _setting(
        "on", SEARCHING, "Whether a candidate of one list gets its score in the other, too: `on` or `off`."
    )
    footnote_feedback: float = _setting(
        0.3, SEARCHING, "How far the best passages move a second look by meaning; 0 for none.", ge=0, le=1
    )
    footnote_floor: float | None = _setting(
        None,
        SEARCHING,
        "The cosine below which meaning alone is no hit; unset: as measured for the model.",
        ge=-1,
        le=1,
    )
    footnote_freshness_days: float = _setting(
        30,
        LISTING,
        "Days after which age has half its weight, where the latest is asked for; 0 for never.",
        ge=0,
        le=36500,
    )
    footnote_read_more: int = _setting(
        3, LISTING, "Of the best hits, those around which more is read than they show; 0 for none.", ge=0, le=20
    )
    elasticsearch_url: Address | None = _setting(
        None,
        KEEPING,
        "Where an Elasticsearch 9 listens, which holds the index and the state in place of `FOOTNOTE_HOME`.",
    )
    elasticsearch_api_key: SecretStr = _setting(SecretStr(""), KEEPING, "The API key for it.")
    elasticsearch_ca_certs: Path | None = _setting(
        None, KEEPING, "The file of the authority that signed its certificate, where that is one of your own."
    )
    elasticsearch_prefix: Prefix = _setting("footnote", KEEPING, "What the names of its indices begin with.")
    footnote_analyzer: str = _setting(
        "english", INDEXING, "The language of the texts there, by the name of the analyzer that Elasticsearch has."
    )
    footnote_web: Annotated[Literal["off", "on request", "on"], LowerCase] = _setting(
        "on request",
        WEB,
        "The public web: `off`, `on request` (when a message asks for it), or `on` for each question.",
    )
    footnote_web_engines: Engines = _setting(
        "",
        WEB,
        "The search engines in their order, parted by commas; unset: those that have a key or an address, else "
        "`duckduckgo`.",
    )
    firecrawl_api_key: SecretStr = _setting(
        SecretStr(""),
        WEB,
        "The key for Firecrawl, which searches, and reads pages that show nothing without a browser.",
    )
    firecrawl_api_url: Address = _setting("https://api.firecrawl.dev", WEB, "Where Firecrawl listens.")
    tavily_api_key: SecretStr = _setting(SecretStr(""), WEB, "The key for Tavily.")
    tavily_api_url: Address = _setting("https://api.tavily.com", WEB, "Where Tavily listens.")
    you_api_key: SecretStr = _setting(SecretStr(""), WEB, "The key for You.com.")
    you_api_url: Address = _setting("https://ydc-index.io", WEB, "Where You.com listens.")
    serply_api_key: SecretStr = _setting(SecretStr(""), WEB, "The key for Serply.")
    serply_api_url: Address = _setting("https://api.serply.io", WEB, "Where Serply listens.")
    brave_api_key: SecretStr = _setting(SecretStr(""), WEB, "The key for Brave.")
    brave_api_url: Address = _setting("https://api.search.brave.com", WEB, "Where Brave listens.")
    searxng_url: Address | None = _setting(None, WEB, "Where your SearXNG listens.")
    duckduckgo_url: Address = _setting("https://html.duckduckgo.com/html/", WEB, "Where DuckDuckGo is searched.")
    duckduckgo_news_url: Address = _setting("https://duckduckgo.com", WEB, "Where its news are.")
    slack_bot_token: SecretStr = _setting(
        SecretStr(""), RUN, "The bot's token, `xoxb-…`, from the app's page OAuth & Permissions.", required=True
    )
    slack_app_token: SecretStr = _setting(
        SecretStr(""),
        RUN,
        "For Socket Mode: the app-level token, `xapp-…`, from the app's page Basic Information. For HTTP, set "
        "`SLACK_SIGNING_SECRET` in its place.",
    )
    slack_signing_secret: SecretStr = _setting(
        SecretStr(""),
        RUN,
        "For HTTP: the signing secret, from the app's page Basic Information; not used while `SLACK_APP_TOKEN` is set.",
    )
    footnote_http_host: str = _setting("127.0.0.1", RUN, "The address on which Slack's requests are taken over HTTP.")
    footnote_http_port: Port = _setting(3000, RUN, "The port for them.")
    footnote_health_port: Port | None = _setting(
        None, RUN, "The port for `/healthz`, `/readyz` and `/metrics`; unset: none."
    )
    footnote_health_host: str = _setting("127.0.0.1", RUN, "The address on which that port is open.")
    slack_api_url: Address = _setting("https://slack.com/api/", RUN, "Where Slack's Web API listens.")
    footnote_web_channels: Channels = _setting(
        "", RUN, "Ids of Slack channels, parted by commas, where the web is `on`, unless `FOOTNOTE_WEB` is `off`."
    )
    footnote_research_in: Annotated[Literal["channel", "dm"], LowerCase] = _setting(
        "channel", RUN, "Where `/research` is answered: in the `channel`, or in a `dm` to whoever asks."
    )
    footnote_edit_interval: Seconds = _setting(1.2, RUN, "Seconds between two edits of a message.")
    footnote_streaming: Annotated[Literal["auto", "off"], LowerCase] = _setting(
        "auto", RUN, "`auto` streams answers in direct messages, where Slack can do it; `off` edits them as elsewhere."
    )
    footnote_clarify_timeout: Seconds = _setting(24, RUN, "Hours that an answer to what the bot asked is waited for.")
    footnote_traces_kept: Seconds = _setting(30, RUN, "Days for which is kept how answers came to be.")
    footnote_threads_kept: Seconds = _setting(180, RUN, "Days for which is kept what was asked and answered.")
    footnote_admins: Users = _setting(
        "", RUN, "Ids of Slack users, parted by commas, who may do what the workspace's admins may."
    )
    footnote_user_at_once: int = _setting(
        5, RUN, "Questions of one person that are answered at once; 0 for no limit.", ge=0
    )
    footnote_channel_at_once: int = _setting(
        20, RUN, "Questions of one channel that are answered at once; 0 for no limit.", ge=0
    )
    footnote_user_per_minute: int = _setting(
        10, RUN, "Questions that one person may ask in a minute; 0 for no limit.", ge=0
    )
    footnote_drain: Seconds = _setting(10, RUN, "Seconds that answers have to end when the bot is stopped.")

    @field_validator("footnote_home", "footnote_minilm", "elasticsearch_ca_certs")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        try:
            return value and value.expanduser().absolute()
        except RuntimeError:
            raise ValueError("there is no such user") from None

    @field_validator("footnote_max_tokens")
    @classmethod
    def _leaves_room(cls, value: int, info: ValidationInfo) -> int:
        window = info.data.get("footnote_num_ctx")
        if window is not None and value >= window:
            raise ValueError(f"it should be less than FOOTNOTE_NUM_CTX, {window}")
        return value

    @field_validator("slack_bot_token", "slack_app_token")
    @classmethod
    def _of_the_kind(cls, value: SecretStr, info: ValidationInfo) -> SecretStr:
        kind = {"slack_bot_token": "xoxb-", "slack_app_token": "xapp-"}[info.field_name or ""]
        if value and not value.get_secret_value().startswith(kind):
            raise ValueError(f"it should begin with {kind}")
        return value

    @classmethod
    def read(cls, command: Command) -> Self:
        """The settings of one command; those that it does not use keep their defaults, whatever is set.

        Raises `ConfigError` for a value that cannot be used, one that is missing, and a `.env` that cannot be read.
        """
        unused = {name: field.default for name, field in cls.model_fields.items() if command not in commands(name)}
        try:
            config = cls(**unused)
        except ValidationError as error:
            raise ConfigError(" ".join(_wrong(details) for details in error.errors())) from None
        except (OSError, UnicodeError) as error:
            raise ConfigError(f"The file .env cannot be read ({error}); mend it or take it away.") from None
        missing = [name for name in cls.model_fields if required(name, command) and not getattr(config, name)]
        if command == "run" and not (config.slack_app_token or config.slack_signing_secret):
            missing.append("slack_app_token")
        if missing:
            raise ConfigError(" ".join(_missing(name) for name in missing))
        return config


def commands(name: str) -> list[Command]:
    """The commands that use a setting."""
    return list(_extra(name)["commands"])


def required(name: str, command: Command) -> bool:
    """Whether the command cannot do without the setting."""
    return bool(_extra(name)["required"]) and command in commands(name)


def unknown_settings() -> list[str]:
    """A warning for each `FOOTNOTE_…` of the environment or `.env` that is no setting, with the nearest that is."""
    known = [name.upper() for name in Config.model_fields]
    mine = [name for name in known if name.startswith("FOOTNOTE_")]
    written = DotEnvSettingsSource(Config).env_vars
    names = sorted({name.upper() for name in (*os.environ, *written) if name.upper().startswith("FOOTNOTE_")})
    return [
        f"{name} is not a setting; did you mean {difflib.get_close_matches(name, mine, 1, 0)[0]}?"
        for name in names
        if name not in known and not name.startswith(OF_TESTS)
    ]


def _extra(name: str) -> dict[str, Any]:
    extra = Config.model_fields[name].json_schema_extra
    assert isinstance(extra, dict)
    return dict(extra)


def _missing(name: str) -> str:
    description = Config.model_fields[name].description
    return f"{name.upper()} is not set. {description} Set it in the environment or in .env."


_NO_NUMBER = {"int_parsing": "it should be a whole number", "float_parsing": "it should be a number"}


def _wrong(error: ErrorDetails) -> str:
    name = str(error["loc"][0])
    field = Config.model_fields[name]
    value = str(error["input"])
    # A secret is never shown, nor an address, which may hold one.
    shown = "" if field.annotation is SecretStr or "://" in value or "@" in value else f" {value!r}"
    said = error["msg"].removeprefix("Value error, ").replace("Input should", "it should")
    reason = _NO_NUMBER.get(error["type"], said)
    default = f" for the default, {field.default}" if field.default and field.annotation is not SecretStr else ""
    mend = f"Correct it in the environment or in .env, or remove it{default}."
    return f"{name.upper()}{shown} cannot be used: {reason}. {mend}"
