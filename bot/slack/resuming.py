"""Runs that were left are gone on with by whatever began them."""

from collections.abc import Callable

from bot.slack.questions.desk import Desk
from bot.slack.surfaces.command import Commands
from bot.slack.surfaces.private import Private
from bot.slack.surfaces.shares import Shares
from bot.slack.tasks import Start
from bot.store import Run


def resuming(desk: Desk, commands: Commands, answers: Private, shares: Shares, start: Start) -> Callable[[Run], None]:
    """Starts what goes on with a run; messages of it may be there of which nobody knows."""

    def resume(run: Run) -> None:
        if run.shares:
            start(shares.go_on(run))
        elif run.asked.get("origin"):
            start(answers.go_on(run, look=True))
        elif run.asked.get("command"):
            start(commands.go_on(run, look=True))
        else:
            desk.resume(run)

    return resume
