"""Who may import whom, and how large things may grow."""

import ast
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted(path for package in ("bot", "indexers") for path in (ROOT / package).rglob("*.py"))

# Ours: the row with the longest name that a module begins with holds for it; `x.*` is everything inside x.
# A package may always use what lies inside itself.
MAY_USE = {
    "bot.cli": ("bot.*", "indexers.*"),
    "bot.wiring": ("bot.*", "indexers.*"),
    "bot.ways": (
        "bot.research",
        "bot.research.calling",
        "bot.engine",
        "bot.engine.recorded",
        "bot.web",
        "bot.sentences",
    ),
    "bot.__main__": ("bot.cli",),
    "bot.slack": (
        "bot.research",
        "bot.research.*",
        "bot.store",
        "bot.language",
        "bot.metrics",
        "bot.sentences",
        "bot.web",
        "bot.web.asked",
        "indexers.chunks",
        "indexers.document",
        "indexers.reading",
        "indexers.reading.kinds",
        "indexers.slack_text",
    ),
    "bot.store": ("bot.research", "bot.research.*", "indexers.document"),
    "bot.store.elasticsearch": (
        "bot.store",
        "bot.store.documents",
        "bot.store.migration",
        "bot.store.sources",
        "indexers.index",
        "indexers.index.elasticsearch.client",
    ),
    "bot.search": ("bot.research.types", "bot.sentences", "indexers.*"),
    "bot.eval": (
        "bot.search",
        "bot.search.*",
        "bot.research",
        "bot.research.*",
        "bot.engine",
        "bot.engine.scripted",
        "bot.store",
        "indexers.*",
    ),
    "bot.web": ("bot.research", "bot.research.*", "bot.engine", "bot.language", "bot.sentences", "indexers.reading"),
    "bot.web.settings": ("bot.config", "bot.sentences", "bot.web.*", "indexers.reading"),
    "bot.research": ("bot.engine", "bot.language", "bot.sentences"),
    "bot.engine": ("bot.language", "bot.sentences", "indexers.ollama_client"),
    "bot.language": (),
    "bot.metrics": (),
    "bot.health": (),
    "bot.sentences": (),
    "bot.config": ("bot.values",),
    "bot.values": ("indexers.ollama_host",),
    "bot": (),
    "indexers": (),
}

# Others': what reaches a service, a file format or the terminal is seen only here.
ONLY_IN = {
    "slack_bolt": ("bot.slack.*",),
    "slack_sdk": ("bot.slack.*",),
    "ollama": ("bot.engine.ollama", "indexers.embedding.ollama", "indexers.ollama_client"),
    # Pages are fetched in one place: whatever else speaks HTTP asks a service that the operator named.
    "aiohttp": ("bot.slack.*", "bot.web.engines.*", "bot.web.settings", "bot.health", "indexers.reading.fetching"),
    "requests": (),
    "urllib.request": ("bot.slack.api.connection",),
    "http.client": (),
    "ddgs": ("bot.web.engines.duckduckgo",),
    "primp": ("bot.web.engines.duckduckgo",),
    "firecrawl": ("bot.web.engines.firecrawl",),
    "httpx": ("bot.engine.ollama", "bot.web.engines.firecrawl", "indexers.embedding.*", "indexers.ollama_client"),
    "onnxruntime": ("indexers.embedding.*",),
    "tokenizers": ("indexers.embedding.*",),
    "prometheus_client": ("bot.metrics", "bot.health"),
    "sqlite3": ("indexers.index.*", "bot.store.*"),
    "pypdf": ("indexers.reading.*", "indexers.sources.*"),
    "docx": ("indexers.reading.*", "indexers.sources.*"),
    "trafilatura": ("indexers.reading.*", "indexers.sources.*"),
    "typer": ("bot.cli", "bot.cli.*"),
    "rich": ("bot.cli", "bot.cli.*"),
    "pydantic_settings": ("bot.config",),
    "bot.config": ("bot.cli", "bot.cli.*", "bot.wiring", "bot.web.settings"),
}

LONGEST_FUNCTION = 40
LONGEST_FILE = 300


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module(path): path for path in FILES}


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text("utf-8"))


@cache
def imports(name: str) -> frozenset[str]:
    found = set()
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively"
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {one if one in MODULES else str(node.module) for one in whole}
    return frozenset(found)


def row(name: str) -> str:
    return max((one for one in MAY_USE if f"{name}.".startswith(f"{one}.")), key=len)


def fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_uses_only_what_its_row_allows(name):
    inside = row(name)
    ours = {one for one in imports(name) if one.split(".")[0] in ("bot", "indexers")}
    wrong = {one for one in ours if not fits(one, (inside, f"{inside}.*", *MAY_USE[inside]))}
    assert wrong == set()


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_is_seen_only_where_it_is_adapted(library):
    users = {name for name in MODULES if any(f"{one}.".startswith(f"{library}.") for one in imports(name))}
    assert {name for name in users if not fits(name, ONLY_IN[library])} == set()


def test_the_environment_is_read_in_one_place():
    readers = {
        name
        for name in MODULES
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "environb")
    }
    assert readers == {"bot.config"}


def test_nothing_prints():
    printers = {
        name
        for name in MODULES
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    }
    assert printers == set()


def test_functions_are_short():
    long = {
        f"{name}:{node.name}"
        for name in MODULES
        for node in ast.walk(tree(name))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > LONGEST_FUNCTION
    }
    assert long == set()


def test_files_are_short():
    long = {name for name, path in MODULES.items() if len(path.read_text("utf-8").splitlines()) > LONGEST_FILE}
    assert long == set()
