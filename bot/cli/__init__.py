"""The command `footnote`."""

from bot.cli.running import guarded


def main() -> None:
    """Runs the command line and exits: 0 done, 1 failed, 2 a wrong command line or setting, 130 interrupted."""
    from bot.cli.commands import app

    guarded(app)
