"""`python -m tests.benchmarks [NAME…]`: measures what the project promises, and prints one table.

Not part of the tests: how fast a machine is, is no matter of right and wrong.
"""

import sys
from collections.abc import Sequence
from importlib import import_module

from tests.benchmarks.table import Row, calibration, show

NAMES = (
    *("placeholder", "loop_overhead", "index_files", "search_latency", "retrieval"),
    *("guard", "hidden_text", "extraction", "reading", "web_outcome", "finals", "threads"),
    *("elasticsearch", "index_again", "scale"),
    *("killed", "waiting"),
)


def main(names: Sequence[str]) -> int:
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        sys.stderr.write(f"There is no benchmark {unknown[0]}; there are: {', '.join(NAMES)}.\n")
        return 2
    rows: list[Row] = [calibration()]
    for name in names or NAMES:
        sys.stderr.write(f"measuring {name} …\n")
        rows += import_module(f"tests.benchmarks.{name}").run()
    sys.stdout.write(show(rows) + "\n")
    return 0 if all(row.ok for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
