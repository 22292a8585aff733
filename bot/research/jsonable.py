"""Whatever a model wrote into a call, as JSON can hold it.  No I/O."""

import math
from collections.abc import Mapping
from typing import Any

DEEPEST = 8
LARGEST = 2**53
"""Integers beyond it are not the same to every reader of JSON, and Python writes none of more than 4,300 digits."""


def jsonable(value: object, depth: int = 0) -> Any:
    """The same value where it is JSON already; else the nearest that is."""
    match value:
        case None | bool():
            return value
        case str():
            return valid(value)
        case int():
            return max(-LARGEST, min(LARGEST, value))
        case float():
            return value if math.isfinite(value) else None
        case Mapping() if depth < DEEPEST:
            return {str(jsonable(key, DEEPEST)): jsonable(item, depth + 1) for key, item in value.items()}
        case list() | tuple() | set() | frozenset() if depth < DEEPEST:
            return [jsonable(item, depth + 1) for item in value]
        case _:
            return f"({type(value).__name__})"


def valid(text: str) -> str:
    """Without half characters, which no encoding can write."""
    return text.encode("utf-8", "replace").decode("utf-8")
