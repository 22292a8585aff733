"""The command `footnote`."""

from collections.abc import Sequence
from functools import partial

from bot.cli.running import guarded


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line, or these arguments in its place, and exits: 0 done, 1 failed, 2 a wrong command line or
    setting, 130 interrupted."""
    from bot.cli.commands import app

    guarded(partial(app, arguments))
