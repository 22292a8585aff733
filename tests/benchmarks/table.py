"""What a benchmark gives back: rows that `python -m tests.benchmarks` prints as one table."""

import hashlib
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    value: str
    """Measured, with its unit."""
    bar: str
    """What it should reach; "" where it is only told."""
    ok: bool


def calibration() -> Row:
    """How fast this machine is: a fixed loop of Python and hashing, so that figures of two machines compare."""

    def loop() -> float:
        began = time.perf_counter()
        digest = b""
        for number in range(200_000):
            digest = hashlib.sha256(digest + number.to_bytes(4, "big")).digest()
        return time.perf_counter() - began

    return Row("calibration: 200,000 hashes in a loop", f"{min(loop() for _ in range(3)):.3f} s", "", True)


def show(rows: list[Row]) -> str:
    """The rows as lines of text, aligned."""
    widths = [max(len(getattr(row, name)) for row in rows) for name in ("what", "value", "bar")]
    return "\n".join(
        f"{row.what:{widths[0]}}  {row.value:>{widths[1]}}  {row.bar:{widths[2]}}  {'ok' if row.ok else 'MISSED'}"
        for row in rows
    )
