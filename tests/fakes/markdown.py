"""A reader of Markdown that is not ours, to look at what we show as others do."""

from markdown_it import MarkdownIt


def outside_code(text: str) -> tuple[str, list[str]]:
    """What a reader sees outside code, and the addresses behind it."""
    shown: list[str] = []
    addresses: list[str] = []
    for token in MarkdownIt("commonmark").parse(text):
        shown.append(token.content if token.type == "html_block" else "\n")
        for inner in token.children or []:
            shown.append(inner.content if inner.type in ("text", "html_inline") else " ")
            addresses += [str(inner.attrs[key]) for key in ("href", "src") if key in inner.attrs]
    return "".join(shown), addresses
