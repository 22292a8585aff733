"""Whether the process that left a mark still runs, as far as that can be known on this machine."""

import os
from functools import cache
from pathlib import Path

_PROC = Path("/proc")


def mark() -> str:
    """Where and what this process is; "" where the system does not tell."""
    here = _here()
    return f"{here} {os.getpid()} {_began(os.getpid())}" if here else ""


def dead(mark: str) -> bool:
    """Whether the process of the mark ran on this machine and is gone; False where nobody knows."""
    *here, pid, began = mark.split() if mark.count(" ") == 3 else ("", "0", "")
    if not began or " ".join(here) != _here():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError, OverflowError):
        return False
    return _began(int(pid)) not in (began, "")


@cache
def _here() -> str:
    """This start of this machine, and the container on it: what process ids are ids in."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {(_PROC / 'self/ns/pid').stat().st_ino}"
    except OSError:
        return ""


def _began(pid: int) -> str:
    """When a process began, as the system counts; "dead" where only its exit code is left of it, "" where unknown."""
    try:
        state, *rest = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "dead" if state in ("Z", "X") else rest[18]
