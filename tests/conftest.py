"""Fixtures that several folders of tests share."""

import os

import pytest

from bot.config import Config


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
