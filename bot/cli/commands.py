"""The command line: one function a command, with its options and its help.

What a command does lies in the file of its name, which is imported only when the command runs: the engine, the index
and Slack's libraries take a second, and `--help` should not.  The settings are read before: the `ollama` package breaks
at its import where `OLLAMA_HOST` is wrong.
"""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from bot.cli import running

app = typer.Typer(
    name="footnote",
    help="Answers questions from your own documents, with footnotes that open the sources.",
    epilog="Settings are read from the environment and from .env; the README lists them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
index = typer.Typer(help="Bring documents into the index, and move it.", no_args_is_help=True)
models = typer.Typer(help="The models that run without a server.", no_args_is_help=True)
evaluation = typer.Typer(help="Measure how good search and answers are.", no_args_is_help=True)
feedback = typer.Typer(help="What people think of the answers.", no_args_is_help=True)
app.add_typer(index, name="index")
app.add_typer(models, name="models")
app.add_typer(evaluation, name="eval")
app.add_typer(feedback, name="feedback")

Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
As: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--as", metavar="PRINCIPAL", help="See only what this principal may read. May be repeated."),
]


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"footnote {version('footnote-bot')}")
        raise typer.Exit


@app.callback()
def footnote(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def demo(
    docs: Annotated[
        Path | None, typer.Option(metavar="PATH", help="A folder of documents in place of Footnote's own.")
    ] = None,
) -> None:
    """A conversation over a folder of documents, by default Footnote's own documentation.

    Needs neither Slack nor Elasticsearch nor Ollama. Where input is no terminal, takes one question a line.
    """
    config = running.settings("demo")
    from bot.cli.demo import converse

    running.run(converse(config, docs=docs))


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="With `web:` before it, the public web is asked.")],
    json: Json = False,
    history: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Earlier turns: a JSON array of `role` and `content`.")
    ] = None,
    as_: As = None,
) -> None:
    """Research a question and answer it with footnotes."""
    config = running.settings("ask")
    from bot.cli.ask import answer

    running.run(answer(config, question=question, json=json, history=history, principals=as_ or []))


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="The words; may be empty where a filter is given.")] = "",
    json: Json = False,
    limit: Annotated[int, typer.Option(min=1, max=20, metavar="N", help="At most so many hits, 1 to 20.")] = 20,
    person: Annotated[str | None, typer.Option(metavar="NAME", help="Part of the name of somebody involved.")] = None,
    source: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this source; may be repeated.")] = None,
    since: Annotated[str | None, typer.Option(metavar="DATE", help="ISO 8601, such as 2026-11-01.")] = None,
    until: Annotated[str | None, typer.Option(metavar="DATE", help="A date alone means the end of that day.")] = None,
    as_: As = None,
) -> None:
    """List the passages that a question finds, with their scores."""
    config = running.settings("search")
    from bot.cli.search import Wanted, list_hits

    wanted = Wanted(query, person, source, since, until, limit)
    running.run(list_hits(config, wanted=wanted, json=json, principals=as_ or []))


@app.command()
def web(
    query: Annotated[str, typer.Argument(help="What to search for, or an address to read.")],
    json: Json = False,
    news: Annotated[bool, typer.Option("--news", help="News outlets first.")] = False,
    recency: Annotated[
        Literal["day", "week", "month", "year"] | None, typer.Option(help="Only results this recent.")
    ] = None,
) -> None:
    """Search the public web, or read the page that is named; no model is asked."""
    config = running.settings("web")
    from bot.cli import web as command

    running.run(command.search(config, query=query, json=json, news=news, recency=recency))


@index.callback()
def of_a_source() -> None:
    pass


@index.command()
def files(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files and folders.", show_default=False)],
    access: Annotated[
        list[str] | None,
        typer.Option(metavar="PRINCIPAL", help="Who may read them; `workspace` unless said. May be repeated."),
    ] = None,
    url: Annotated[str, typer.Option(metavar="BASE", help="A document's link is BASE and its path below PATH.")] = "",
) -> None:
    """Index Markdown, text, HTML, PDF and Word files; what has vanished below PATH is removed."""
    config = running.settings("index")
    from bot.cli.index import index_files

    running.run(index_files(config, paths=paths, access=access or [], base=url))


@index.command()
def rebuild() -> None:
    """Make the index in Elasticsearch anew: its stored text is embedded again, while the old index is searched.

    What embeds is what FOOTNOTE_EMBEDDINGS says; with `none` the vectors are taken over as they are.
    """
    config = running.settings("index")
    from bot.cli.moving import rebuild_index

    running.run(rebuild_index(config))


@index.command()
def migrate() -> None:
    """Move the index in FOOTNOTE_HOME to Elasticsearch, with its vectors: nothing is embedded again."""
    config = running.settings("index")
    from bot.cli.moving import migrate_index

    running.run(migrate_index(config))


@models.callback()
def of_footnote() -> None:
    pass


@models.command()
def fetch() -> None:
    """Bring the embedding model all-MiniLM-L6-v2 into FOOTNOTE_HOME, for search by meaning without a server."""
    config = running.settings("models")
    from bot.cli.models import fetch_model

    running.run(fetch_model(config))


@evaluation.callback()
def of_footnote_itself() -> None:
    pass


@evaluation.command()
def retrieval(
    collection: Annotated[
        Path, typer.Option(metavar="DIR", help="A folder with corpus.jsonl, queries.jsonl and qrels.tsv.")
    ],
    json: Json = False,
    sweep: Annotated[bool, typer.Option("--sweep", help="Also try every weight of the words, from 0 to 1.")] = False,
) -> None:
    """Measure nDCG@10, recall@100 and MRR by words, by meaning and by both, in an index of its own.

    Vectors that lie beside the corpus are used; otherwise it is embedded.
    """
    config = running.settings("eval")
    from bot.cli.eval import retrieval as command

    running.run(command(config, folder=collection, json=json, sweeping=sweep))


@evaluation.command()
def replay(
    paths: Annotated[
        list[Path], typer.Argument(metavar="DIR|FILE…", help="What `feedback export` wrote.", show_default=False)
    ],
    recorded: Annotated[
        bool, typer.Option("--recorded", help="With the replies of then in place of the model; 1 if answers differ.")
    ] = False,
    json: Json = False,
) -> None:
    """Answer questions again whose answers were found bad, from what was found for them then."""
    config = running.settings("eval")
    from bot.cli.replay import run_again

    running.run(run_again(config, paths, recorded=recorded, json=json))


@feedback.callback()
def of_people() -> None:
    pass


@feedback.command()
def export(
    output: Annotated[Path, typer.Option(metavar="DIR", help="Where to write them.")] = Path("feedback"),
) -> None:
    """Write each answer that somebody found bad as a replay case, with all that it was made of."""
    config = running.settings("feedback")
    from bot.cli.feedback import export as command

    running.run(command(config, output))


@app.command()
def manifest(
    http: Annotated[
        str, typer.Option(metavar="URL", help="For HTTP in place of Socket Mode: where Slack reaches the bot.")
    ] = "",
    agent: Annotated[
        bool, typer.Option("--agent", help="Declare the app an agent, with a tab of its own: cannot be taken back.")
    ] = False,
) -> None:
    """Print the manifest from which the app is made at https://api.slack.com/apps."""
    from bot.cli.manifest import print_manifest

    print_manifest(http=http, agent=agent)


@app.command()
def backup(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.", show_default=False)],
    restore: Annotated[bool, typer.Option("--restore", help="Bring the state in DIR back into Elasticsearch.")] = False,
) -> None:
    """Copy what the bot keeps, and the index in FOOTNOTE_HOME, into DIR; the bot may run meanwhile."""
    config = running.settings("backup")
    from bot.cli import backup as command

    running.run(command.restore(config, folder) if restore else command.back_up(config, folder))


@app.command()
def run() -> None:
    """Answer in Slack, until stopped."""
    config = running.settings("run")
    from bot.cli.run import serve

    running.run(serve(config))
