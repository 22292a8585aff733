"""What the README promises a newcomer."""

import re
import tomllib
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = [block.strip() for block in re.findall(r"^```\n(.*?)^```$", README, re.M | re.S)]


def test_ci_runs_the_very_line_that_the_readme_gives():
    line = (ROOT / ".ci" / "run").read_text("utf-8").strip().splitlines()[-1]
    assert line in BLOCKS


def test_ci_must_have_a_real_elasticsearch():
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert "export FOOTNOTE_REQUIRE_ELASTICSEARCH=1\n" in script
    assert "ELASTICSEARCH_URL=$(tests/elasticsearch/server start)\n" in script
    assert script.index("trap ") < script.index("server start)")


def test_the_elasticsearch_that_is_started_is_the_one_that_is_tested_and_only_this_machine_reaches_it():
    compose = (ROOT / "compose.yaml").read_text("utf-8")
    [version] = re.findall(r"image: elasticsearch:(\S+)", compose)
    assert f"FOOTNOTE_ELASTICSEARCH_VERSION:-{version}}}" in (ROOT / "tests/elasticsearch/server").read_text("utf-8")
    assert re.findall(r"- (\S+):9200\n", compose) == ["127.0.0.1:9200"]


def test_both_lines_set_up_everything_and_name_no_registry():
    lines = [block for block in BLOCKS if block.startswith("python3 -m venv")]
    assert len(lines) == 2
    assert all("pip install -q -c constraints.txt" in line and "\n" not in line for line in lines)
    assert not re.search(r"https?://|--index-url|--extra", "".join(lines) + (ROOT / "constraints.txt").read_text())


def test_every_page_that_is_linked_is_there():
    linked = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert [path for path in linked if not (ROOT / path).exists()] == []


def test_every_dependency_has_an_exact_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    pinned = {_name(line) for line in (ROOT / "constraints.txt").read_text().splitlines()}
    assert {_name(line) for line in needed} - pinned == set()


def _name(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement)[0].lower().replace("_", "-")


def test_every_exact_version_is_exact():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert [line for line in lines if not re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line)] == []
