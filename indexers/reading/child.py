"""The child process of `indexers.reading.extractor`: reads one body after the other, within limits that it sets itself.

    python -m indexers.reading.child SECONDS MEGABYTES

In and out go frames: four bytes of length and JSON, after a request's its body.  It ends with its input, when it is
idle for long.
"""

import contextlib
import importlib
import json
import os
import select
import struct
import sys
from dataclasses import asdict
from io import FileIO
from typing import Any

from indexers.reading.failures import Unreadable
from indexers.reading.readers import Wanted, read

IDLE_SECONDS = 120.0
"""More than the parent keeps an idle child for, so that none ends just as it is given work."""
LENGTH = struct.Struct(">I")


def main() -> None:
    seconds, megabytes = float(sys.argv[1]), int(sys.argv[2])
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever a library prints is no reply
    _limit_memory(megabytes)
    # trafilatura would load it, and numpy with it, to know languages, which nobody asks of it here.
    sys.modules["py3langid"] = None  # type: ignore[assignment]  # what Python's own documentation says to do
    importlib.import_module("indexers.reading.html")  # the most likely work, loaded before it comes
    requests = FileIO(0)
    while request := _request(requests):
        header, body = request
        _limit_time(seconds)
        reply = json.dumps(_reply(body, header)).encode()
        replies.write(LENGTH.pack(len(reply)) + reply)
        replies.flush()


def _reply(body: bytes, header: dict[str, Any]) -> dict[str, Any]:
    try:
        return asdict(read(body, Wanted(**header)))
    except Unreadable as unreadable:
        return {"unreadable": unreadable.kind}
    except MemoryError:
        return {"unreadable": "too_heavy"}


def _request(requests: FileIO) -> tuple[dict[str, Any], bytes] | None:
    """None when there are no more."""
    if not select.select([requests], [], [], IDLE_SECONDS)[0]:
        return None
    length = _exactly(requests, LENGTH.size)
    if not length:
        return None
    header = json.loads(_exactly(requests, *LENGTH.unpack(length)))
    return header, _exactly(requests, header.pop("size"))


def _exactly(requests: FileIO, size: int) -> bytes:
    """So many bytes, or none at the end."""
    whole = bytearray()
    while len(whole) < size:
        piece = requests.read(size - len(whole))
        if not piece:
            return b""
        whole += piece
    return bytes(whole)


def _limit_memory(megabytes: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not every system has them
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, megabytes * 2**20))


def _limit_time(seconds: float) -> None:
    """The processor's time that the next body may take; beyond, the system ends this process."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime + seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


if __name__ == "__main__":
    main()
