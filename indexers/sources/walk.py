"""Walks folders: which files lie below a PATH, and which of them are documents."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from indexers.sources import Failed, Skipped, SourceError

NAME = "files"

Kind: TypeAlias = Literal["markdown", "text", "html", "pdf", "word"]
KINDS: dict[str, Kind] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".html": "html",
    ".htm": "html",
    ".pdf": "pdf",
    ".docx": "word",
}
HIDDEN = "hidden"
UNKNOWN = "of another type"
BROKEN_LINK = "linked to nothing"
LINK = "linked to what is indexed itself"
TWICE = "given twice"


class File(NamedTuple):
    path: str
    """Absolute; its PATH resolved."""
    name: str
    """Its path as people can read it, below PATH as that was given."""
    relative: str
    """To the PATH; the name for a PATH that is a file."""
    kind: Kind
    size: int
    modified: int
    """Nanoseconds since the epoch."""

    @property
    def id(self) -> str:
        return f"{NAME}:{self.path}"


@dataclass(frozen=True, slots=True)
class Root:
    """A PATH as it was given, and what it is."""

    given: str
    path: str
    is_folder: bool

    @property
    def scope(self) -> str:
        return f"{NAME}:{self.path}".removesuffix("/")


def root(given: Path) -> Root:
    """Raises `SourceError` for a PATH that is missing or cannot be read."""
    try:
        path = given.resolve(strict=True)
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            with os.scandir(path):
                return Root(str(given), str(path), is_folder=True)
        if stat.S_ISREG(mode):
            with path.open("rb"):
                return Root(str(given), str(path), is_folder=False)
    except FileNotFoundError:
        raise SourceError(f"There is no file or folder {str(given)!r}; nothing was indexed or removed.") from None
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it cannot be followed"
        raise SourceError(f"{given} cannot be read ({reason}); nothing was indexed or removed.") from error
    raise SourceError(f"{given} is neither a file nor a folder; nothing was indexed or removed.")


class Walk:
    """All below the roots, folder by folder in order of names, each file and each folder once."""

    def __init__(self, roots: Sequence[Root]) -> None:
        self._roots = roots
        self._folders: set[tuple[int, int]] = set()
        self._files: set[str] = set()
        self._pending: list[tuple[str, str]] = []

    def __iter__(self) -> Iterator[File | Skipped | Failed]:
        for root in self._roots:
            if not root.is_folder:
                yield self._file(root.path, Path(root.path).name, root, Path(root.path).stat())
                continue
            self._pending = [(root.path, "")]
            while self._pending:
                path, relative = self._pending.pop()
                try:
                    yield from self._folder(path, relative, root)
                except OSError as error:
                    yield _failed(path, relative, root, error)

    def _folder(self, path: str, relative: str, root: Root) -> Iterator[File | Skipped | Failed]:
        about = Path(path).stat()
        # Links may lead back up: a folder that was walked is not walked again.
        if (about.st_dev, about.st_ino) in self._folders:
            yield Skipped(LINK)
            return
        with os.scandir(path) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
        self._folders.add((about.st_dev, about.st_ino))
        for entry in ordered:
            try:
                found = self._entry(entry, f"{relative}{entry.name}", root)
            except OSError as error:
                found = _failed(entry.path, f"{relative}{entry.name}", root, error)
            if found is not None:
                yield found

    def _entry(self, entry: "os.DirEntry[str]", relative: str, root: Root) -> File | Skipped | Failed | None:
        if entry.name.startswith("."):
            return Skipped(HIDDEN)
        if entry.is_symlink() and not Path(entry.path).exists():
            return Skipped(BROKEN_LINK)
        if entry.is_symlink() and self._has(os.path.realpath(entry.path)):
            return Skipped(LINK)
        if entry.is_dir():
            self._pending.append((entry.path, f"{relative}/"))
            return None
        return self._file(entry.path, relative, root, entry.stat())

    def _has(self, target: str) -> bool:
        """Whether what a link leads to is walked itself."""
        for root in self._roots:
            below = target.removeprefix(root.path.rstrip("/"))
            if target == root.path or (below != target and below.startswith("/")):
                return not any(part.startswith(".") for part in below.split("/"))
        return False

    def _file(self, path: str, relative: str, root: Root, about: os.stat_result) -> File | Skipped | Failed:
        kind = KINDS.get(path[path.rfind(".") :].lower())
        if kind is None or not stat.S_ISREG(about.st_mode):
            return Skipped(UNKNOWN)
        if not _is_text(path):
            return Failed(shown(relative, root), "its name is not UTF-8", f"{NAME}:{shown(path)}")
        if path in self._files:
            return Skipped(TWICE)
        self._files.add(path)
        return File(path, shown(relative, root), relative, kind, about.st_size, about.st_mtime_ns)


def shown(name: str, root: Root | None = None) -> str:
    """A name as people can read it, below its PATH as it was given."""
    whole = name if root is None else f"{root.given.rstrip('/')}/{name}" if root.is_folder else root.given
    return whole if whole.isascii() else os.fsencode(whole).decode("utf-8", "replace")


def _failed(path: str, relative: str, root: Root, error: OSError) -> Failed:
    return Failed(shown(relative.rstrip("/"), root), error.strerror or "it cannot be read", f"{NAME}:{shown(path)}")


def _is_text(name: str) -> bool:
    """Whether it is Unicode: a name may be any bytes."""
    if name.isascii():
        return True
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
