"""Ids, principals, sources, links: what is compared whole, and may come from anywhere.  No I/O."""

from collections.abc import Iterable

LONGEST = 8_000
"""Bytes of one that is stored."""
LONGEST_ASKED = 2 * LONGEST
"""Bytes of one that is asked for: none is as long, with what is put behind it."""


def is_text(value: str) -> bool:
    """Half of a surrogate pair, say from the name of a file, is none."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_name(value: str, longest: int = LONGEST) -> bool:
    # Behind a zero, SQLite does not compare any more.
    return is_text(value) and "\0" not in value and len(value.encode()) <= longest


def askable(values: Iterable[str]) -> list[str]:
    """Those of the values that can stand in an index at all; there is nothing to be found for the others."""
    return [value for value in values if is_name(value, LONGEST_ASKED)]
