"""Settings: read in one place, checked by the command that uses them, wrong ones named with their mend."""

import re
from pathlib import Path

import pytest

from bot.config import ALL, Config, ConfigError, commands, unknown_settings
from bot.values import ENGINES
from bot.web import settings

ROOT = Path(__file__).parent.parent
TOKENS = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1"}


def test_the_defaults_are_the_documented_ones(env):
    config = Config.read("ask")
    assert (config.footnote_model, config.footnote_num_ctx, config.footnote_max_tokens) == ("gemma4:31b", 16384, 1500)
    assert (config.footnote_max_iterations, config.footnote_temperature) == (5, 0.3)
    assert config.footnote_home == Path.home() / ".footnote"


def test_the_environment_wins_over_the_file_in_the_working_directory(env, tmp_path):
    (tmp_path / ".env").write_text("FOOTNOTE_MODEL=from-file\nFOOTNOTE_EMBED_MODEL=from-file\n")
    env(FOOTNOTE_MODEL="from-environment")
    config = Config.read("ask")
    assert (config.footnote_model, config.footnote_embed_model) == ("from-environment", "from-file")


def test_an_empty_value_counts_as_not_set(env):
    env(FOOTNOTE_NUM_CTX="")
    assert Config.read("ask").footnote_num_ctx == 16384


def test_the_home_folder_may_be_written_with_a_tilde(env):
    env(FOOTNOTE_HOME="~/elsewhere")
    assert Config.read("search").footnote_home == Path.home() / "elsewhere"


def test_the_host_of_ollama_is_written_as_ollama_takes_it(env):
    env(OLLAMA_HOST="10.0.0.7:1234")
    assert Config.read("ask").ollama_host == "http://10.0.0.7:1234"


def test_settings_cannot_be_changed(env):
    with pytest.raises(ValueError, match="frozen"):
        Config.read("ask").footnote_model = "other"


@pytest.mark.parametrize(
    ("command", "name", "value", "said"),
    [
        ("ask", "FOOTNOTE_NUM_CTX", "many", "should be a whole number. Correct"),
        ("ask", "FOOTNOTE_NUM_CTX", "1", "greater than or equal to 2048"),
        ("ask", "FOOTNOTE_MAX_TOKENS", "16384", "less than FOOTNOTE_NUM_CTX"),
        ("ask", "FOOTNOTE_NUM_CTX", "4096.5", "should be a whole number. Correct"),
        ("ask", "FOOTNOTE_RUN_TIMEOUT", "inf", "finite"),
        ("ask", "FOOTNOTE_RUN_TIMEOUT", "long", "should be a number. Correct"),
        ("ask", "FOOTNOTE_RUN_TIMEOUT", "0", "greater than 0"),
        ("search", "FOOTNOTE_EMBEDDINGS", "gpt", "'minilm'"),
        ("index", "FOOTNOTE_LOG_LEVEL", "loud", "'warning'"),
        ("index", "OLLAMA_HOST", "ftp://somewhere", "http://"),
        ("index", "ELASTICSEARCH_URL", "127.0.0.1:9200", "begins with http://"),
        ("index", "ELASTICSEARCH_URL", "http://127.0.0.1:99200", "begins with http://"),
        ("index", "ELASTICSEARCH_PREFIX", "Foot note", "lower-case"),
        ("run", "SLACK_API_URL", "slack.com", "http://"),
        ("run", "SLACK_BOT_TOKEN", "xapp-1", "begin with xoxb-"),
        ("run", "SLACK_APP_TOKEN", "xoxb-1", "begin with xapp-"),
        ("run", "FOOTNOTE_ADMINS", "U012, ada", "'ada' is no id of a Slack user, which looks like U0123456. Correct"),
        ("run", "FOOTNOTE_WEB_CHANNELS", "#general", "'#general' is no id of a Slack channel"),
        ("run", "FOOTNOTE_HTTP_PORT", "65536", "less than or equal to 65535"),
        ("run", "FOOTNOTE_HEALTH_PORT", "health", "should be a whole number. Correct"),
    ],
)
def test_a_wrong_value_is_named_with_its_mend_in_one_line(env, command, name, value, said):
    env(**{**TOKENS, name: value})
    with pytest.raises(ConfigError) as raised:
        Config.read(command)
    text = str(raised.value)
    assert text.startswith(name)
    assert said in text
    assert "in .env" in text
    assert "\n" not in text


@pytest.mark.parametrize("missing", TOKENS)
def test_a_missing_token_is_named_with_where_to_find_it(env, missing):
    env(**{name: value for name, value in TOKENS.items() if name != missing})
    with pytest.raises(ConfigError, match=rf"^{missing} is not set\. .* from the app's page"):
        Config.read("run")


def test_over_http_the_signing_secret_takes_the_place_of_the_app_token(env):
    env(SLACK_BOT_TOKEN="xoxb-1", SLACK_SIGNING_SECRET="s3cret")
    assert Config.read("run").slack_signing_secret.get_secret_value() == "s3cret"


def test_a_command_does_not_check_what_it_does_not_use(env):
    env(FOOTNOTE_NUM_CTX="many", SLACK_BOT_TOKEN="wrong", FOOTNOTE_EDIT_INTERVAL="-1")
    assert Config.read("search").footnote_num_ctx == 16384


def test_the_demo_does_not_look_at_elasticsearch(env):
    env(ELASTICSEARCH_URL="http://127.0.0.1:9200")
    assert Config.read("demo").elasticsearch_url is None


def test_secrets_are_shown_neither_in_errors_nor_in_the_settings_themselves(env):
    env(SLACK_BOT_TOKEN="hush", SLACK_APP_TOKEN="xapp-hush", ELASTICSEARCH_URL="ftp://me:hush@search")
    with pytest.raises(ConfigError) as raised:
        Config.read("run")
    env(SLACK_BOT_TOKEN="xoxb-hush", ELASTICSEARCH_URL="")
    assert "hush" not in str(raised.value) + repr(Config.read("run"))


def test_an_unreadable_file_is_named(env, tmp_path):
    (tmp_path / ".env").write_bytes(b"\xff\xfe=1\n")
    with pytest.raises(ConfigError, match=r"\.env cannot be read"):
        Config.read("search")


def test_an_unknown_name_of_ours_is_warned_of_with_the_nearest_known(env, tmp_path):
    (tmp_path / ".env").write_text("FOOTNOTE_HOEM=x\nOTHER_MODLE=x\n")
    env(FOOTNOTE_MODLE="x")
    assert unknown_settings() == [
        "FOOTNOTE_HOEM is not a setting; did you mean FOOTNOTE_HOME?",
        "FOOTNOTE_MODLE is not a setting; did you mean FOOTNOTE_MODEL?",
    ]


def test_what_the_scripts_of_the_tests_read_is_known(env):
    env(FOOTNOTE_TEST_MODEL="x", FOOTNOTE_ELASTICSEARCH_VERSION="9", FOOTNOTE_REQUIRE_ELASTICSEARCH="1")
    assert unknown_settings() == []


def _default(name: str) -> str:
    value = Config.model_fields[name].default
    return "" if not value or "Secret" in type(value).__name__ else f"`{value}`"


def _used_by(name: str) -> str:
    return "all" if commands(name) == list(ALL) else ", ".join(f"`{command}`" for command in commands(name)) or "–"


def test_the_readme_lists_every_setting_as_it_is():
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.*?) \| (.*?) \| (.*?) \|$", (ROOT / "README.md").read_text("utf-8"), re.M)
    assert rows == [
        (name.upper(), _default(name), str(field.description), _used_by(name))
        for name, field in Config.model_fields.items()
    ]


def test_the_documentation_names_every_setting():
    page = (ROOT / "bot" / "docs" / "settings.md").read_text("utf-8")
    assert [name for name in Config.model_fields if f"`{name.upper()}`" not in page] == []


def test_the_engines_that_can_be_set_are_those_of_the_web(env):
    assert ENGINES == settings.ENGINES
    env(FOOTNOTE_WEB_ENGINES="Brave, tavily")
    assert settings.settings_from(Config.read("ask")).chosen == ("brave", "tavily")


def test_services_of_our_own_are_never_a_page(env):
    env(ELASTICSEARCH_URL="https://index.company.com:9200", OLLAMA_HOST="models.company.com", FOOTNOTE_WEB="on")
    own = settings.settings_from(Config.read("ask")).own_hosts
    assert own == {"index.company.com", "models.company.com"}


def test_a_search_engine_that_there_is_not_is_named(env):
    env(FOOTNOTE_WEB_ENGINES="brave,altavista")
    with pytest.raises(ConfigError, match=r"FOOTNOTE_WEB_ENGINES .*'altavista'; there are firecrawl, "):
        Config.read("run")


def test_the_demo_knows_nothing_of_the_web():
    both = [name for name in Config.model_fields if {"web", "demo"} <= set(commands(name))]
    assert both == ["footnote_home", "footnote_log_level", "footnote_minilm"]


@pytest.mark.parametrize(
    ("name", "value", "command"),
    [
        pytest.param("OLLAMA_HOST", "user:PASSWORD@localhost:9", "ask", id="an address without a scheme"),
        pytest.param("SLACK_BOT_TOKEN", "PASSWORD xoxb-1", "run", id="a token that only holds its kind"),
        pytest.param("FOOTNOTE_HOME", "~nobody-of-that-name/x", "ask", id="the home of nobody"),
    ],
)
def test_a_wrong_value_is_one_line_and_never_shown_with_its_password(env, name, value, command):
    env(**{name: value})
    with pytest.raises(ConfigError, match=f"^{name}") as raised:
        Config.read(command)
    assert "PASSWORD" not in str(raised.value)
