"""Fixtures that several folders of tests share."""

import os

import pytest

from bot.config import Config

URL = os.environ.get("ELASTICSEARCH_URL", "")
REQUIRED = bool(os.environ.get("FOOTNOTE_REQUIRE_ELASTICSEARCH"))
"""Read before `env` takes them away."""


@pytest.fixture(scope="session")
def elasticsearch_url():
    """Where a real Elasticsearch answers; without one the test is skipped, unless the run must have one."""
    if not URL:
        reason = "ELASTICSEARCH_URL names no Elasticsearch; tests/elasticsearch/server start brings one"
        (pytest.fail if REQUIRED else pytest.skip)(reason)
    return URL


@pytest.fixture
def env(monkeypatch, tmp_path):
    """Sets variables, in an environment that has none of ours and a working directory of its own."""
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.lower() in Config.model_fields or name.startswith("FOOTNOTE_"):
            monkeypatch.delenv(name)

    def set_variables(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return set_variables
