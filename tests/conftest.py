"""Fixtures that several folders of tests share."""

import os

import pytest

from bot.config import Config


@pytest.fixture(scope="session")
def elasticsearch_url():
    """Where a real Elasticsearch answers; without one the test is skipped, unless the run must have one."""
    url = os.environ.get("ELASTICSEARCH_URL", "")
    if not url:
        reason = "ELASTICSEARCH_URL names no Elasticsearch; tests/elasticsearch/server start brings one"
        (pytest.fail if os.environ.get("FOOTNOTE_REQUIRE_ELASTICSEARCH") else pytest.skip)(reason)
    return url


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
