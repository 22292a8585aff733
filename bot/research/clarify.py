"""Asking the person: the default handler, which asks in the terminal."""

import sys

NO_ANSWER = "(no answer provided)"
EMPTY_ANSWER = "(user did not provide a clarification)"


def ask_in_terminal(question: str) -> str:
    """Asks on stderr and reads a line from stdin; blocks until there is one."""
    sys.stderr.write(f"{question}\n> ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        return NO_ANSWER
    return line.strip() or EMPTY_ANSWER
