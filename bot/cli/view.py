"""The terminal view: a fold over a run's events.

In a terminal the steps and the draft are shown live; elsewhere each step is a line, and the answer comes whole.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markdown import Markdown
from rich.spinner import Spinner
from rich.style import Style
from rich.text import Text

from bot.cli import lines
from bot.research.events import AnswerDelta, ClarifyCall, Event, FinalAnswer, SearchCall, SearchResult
from bot.research.types import SearchHit, Source
from bot.research.untrusted import readable

Link = Callable[[Source], str]
"""The address that opens a source, or an empty string."""


class View:
    """Shows one run.  To be entered before the run begins; called with each of its events."""

    def __init__(self, console: Console, link: Link) -> None:
        self._console = console
        self._link = link
        self._draft = ""
        self._steps: list[str] = []
        self._found: dict[str, SearchHit] = {}
        self._spinner = Spinner("dots", "Thinking…")
        self._live = Live(console=console, transient=True, refresh_per_second=8, get_renderable=self.draft)

    def __enter__(self) -> Self:
        self.resume()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pause()

    def pause(self) -> None:
        """Leaves the terminal to somebody else, until `resume`."""
        self._live.stop()

    def resume(self) -> None:
        if self._console.is_terminal:
            self._live.start()

    def __call__(self, event: Event) -> None:
        match event:
            case AnswerDelta():
                self._draft += event.text
            case SearchCall() | ClarifyCall():
                self._draft = ""
            case SearchResult():
                self._found |= {hit.chunk_id: hit for hit in event.hits if isinstance(hit, SearchHit)}
            case FinalAnswer():
                self.pause()
                self._finish(event)
            case _:
                pass
        if line := lines.step(event):
            self._steps.append(line)
            self.say(line, style="dim")

    def say(self, text: str, *, style: str = "", link: str = "") -> None:
        """One line, never wrapped, so that it can be read by a program too."""
        self._console.print(
            Text(readable(text), style=Style.parse(style) + Style(link=link or None)), soft_wrap=True, highlight=False
        )

    def _finish(self, final: FinalAnswer) -> None:
        text = lines.answer(final, list(self._found.values()))
        if text not in self._steps[-1:]:  # that the model failed has just been said
            self._answer(text)
        if final.sources:
            self.say("\nSources", style="bold")
        for source in final.sources:
            self._footnote(source)
        for note in lines.notes(warning for warning in final.warnings if warning not in self._steps):
            self.say(note, style="dim")

    def _answer(self, text: str) -> None:
        self.say("")
        if self._console.is_terminal:
            self._console.print(_markdown(text))
        else:
            self.say(text)

    def _footnote(self, source: Source) -> None:
        link, text = self._link(source), lines.footnote(source)
        if self._console.is_terminal:
            self.say(text, link=link)
        else:
            self.say(f"{text} {link}".rstrip())

    def draft(self) -> RenderableType:
        """The end of the draft, in as many lines as the screen has: what scrolls away cannot be taken back."""
        room = max(3, self._console.height - 3)
        tail = Text(readable(self._draft)).wrap(self._console, self._console.width)[-room:]
        return Group(*tail, self._spinner) if tail else self._spinner


def _markdown(text: str) -> RenderableType:
    try:
        return Markdown(text)
    except IndexError:  # markdown-it-py 4.3 on some HTML within a list within a quotation
        return Text(text)
