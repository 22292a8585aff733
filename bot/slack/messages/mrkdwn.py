"""Markdown, as models write it, into mrkdwn, as Slack reads it.  No I/O.

Answers go out as mrkdwn in `text`, cut to a length that `chat.update` takes too (it refuses text over 4,000
characters), and not as `markdown` blocks, though those hold 12,000 and draw tables: a block message is refused whole
within the documented limits (`msg_blocks_too_long`, `invalid_blocks`), its `text` is only a fallback for search,
notifications and history, and it reads Slack's own `<…>` tokens by rules that are not documented.  In `text` three
characters are escaped and everything that is a link is one that we wrote.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from bot.research.untrusted import readable
from bot.slack.messages.links import address, escape, label, link, words

WIDEST_TABLE = 72
"""Characters of a table that is shown as one; phones break longer lines."""

_PARSER = (
    MarkdownIt("commonmark")
    .enable(["table", "strikethrough"])
    # A footnote mark is no link to a definition further down, and markup of pages is text.
    .disable(["reference", "html_block", "html_inline"])
)
_PIECE = re.compile(
    r"<(?P<to>https?://[^\s<>|]+)\|(?P<label>[^<>\n]+)>|(?P<url>https?://[^\s<>|]+)"
    r"|\[(?P<mark>\d{1,3})\]|(?P<break><br ?/?>)"
)
_MARGIN = "    "
MOST_NESTED = 20
"""Marks of emphasis within each other; what lies deeper is shown without."""
FENCE = "```"
"""A line of its own: the only form in which code blocks are opened and closed."""


def convert(markdown: str, footnotes: Mapping[int, str] | None = None) -> str:
    """Mrkdwn in which nothing can ping or disguise a link.

    `footnotes` has the address of each source by its number: the mark `[1]` in the text opens it.
    """
    tokens = _PARSER.parse(readable(markdown))
    for token in tokens:
        token.children = _shallow(token.children or ()) or None
    return _Writer(footnotes or {}).blocks(SyntaxTreeNode(tokens).children)


def _shallow(tokens: Iterable[Token]) -> list[Token]:
    """The pieces of a line without what opens and closes deep within others: the tree is walked by recursion."""
    kept, depth = [], 0
    for token in tokens:
        outside = min(depth, depth + token.nesting)
        depth += token.nesting
        if token.nesting == 0 or outside < MOST_NESTED:
            kept.append(token)
    return kept


class _Writer:
    def __init__(self, footnotes: Mapping[int, str]) -> None:
        self._footnotes = footnotes

    def blocks(self, nodes: Iterable[SyntaxTreeNode], between: str = "\n\n") -> str:
        return between.join(filter(None, map(self._block, nodes)))

    def _block(self, node: SyntaxTreeNode) -> str:
        match node.type:
            case "heading":
                return _wrapped(self._inline(node.children, bold=True), "*")
            case "bullet_list" | "ordered_list":
                return "\n".join(self._item(item, place, node) for place, item in enumerate(node.children))
            case "blockquote":
                return _prefixed(self.blocks(node.children), "> ")
            case "fence" | "code_block":
                return _code_block(node.content)
            case "table":
                return self._table(node)
            case "hr":
                return "———"
            case _:
                return self._inline(node.children)

    def _item(self, item: SyntaxTreeNode, place: int, of: SyntaxTreeNode) -> str:
        number = int(of.attrs.get("start", 1)) + place
        mark = f"{number}." if of.type == "ordered_list" else "•◦▪"[min(_depth(of), 2)]
        inside = self.blocks(item.children, between="\n")
        if inside.startswith(FENCE):
            return f"{mark}\n{inside}"
        first, _, rest = inside.partition("\n")
        return f"{mark} {first}" + (f"\n{_prefixed(rest, _MARGIN)}" if rest else "")

    def _inline(self, nodes: Iterable[SyntaxTreeNode], bold: bool = False) -> str:
        """`bold`: it stands between asterisks already, which do not nest."""
        return "".join(self._span(node, bold) for node in nodes)

    def _span(self, node: SyntaxTreeNode, bold: bool) -> str:
        match node.type:
            case "text":
                return self._text(node.content)
            case "code_inline":
                return _code(node.content)
            case "strong":
                inside = self._inline(node.children, bold=True)
                return inside if bold else _wrapped(inside, "*")
            case "em" | "s":
                return _wrapped(self._inline(node.children, bold), {"em": "_", "s": "~"}[node.type])
            case "link":
                return self._link(node)
            case "softbreak" | "hardbreak":
                return "\n"
            case "image":
                return label(_plain(node))
            case _:
                return self._inline(node.children, bold)

    def _link(self, node: SyntaxTreeNode) -> str:
        # Models that have seen Slack write `<address|label>`, of which Markdown makes an address.
        to, bar, shown = _plain(node).partition("|")
        if node.info == "auto":
            return link(to, shown) if bar else link(to, to)
        return link(str(node.attrs.get("href", "")), _plain(node))

    def _text(self, text: str) -> str:
        pieces, end = [], 0
        for found in _PIECE.finditer(text):
            written, after = self._piece(found)
            pieces += [words(text[end : found.start()]), written]
            end = found.end() - len(after)
        return "".join([*pieces, words(text[end:])])

    def _piece(self, found: re.Match[str]) -> tuple[str, str]:
        """A footnote, link, break or bare address as it is shown, and what of it is text that follows."""
        if found["mark"]:
            source = address(self._footnotes.get(int(found["mark"]), ""))
            return (f"<{source}|{found[0]}>" if source else found[0]), ""
        if found["to"]:
            return link(found["to"], found["label"]), ""
        if found["break"]:
            return "\n", ""
        bare = found[0].rstrip(".,;:!?'\"»”’*_~`")
        if bare.endswith(")") and bare.count("(") < bare.count(")"):
            bare = bare[:-1]
        target = address(bare)
        return (f"<{target}>" if target else words(bare)), found[0][len(bare) :]

    def _table(self, table: SyntaxTreeNode) -> str:
        """A drawing where nothing of it is lost in one, else a line a row: links do not work in code."""
        rows = [row.children for part in table.children for row in part.children]
        texts = [[" ".join(_plain(cell).split()) for cell in row] for row in rows]
        drawn = _drawn(texts)
        linked = any(self._opens(cell) for row in rows for cell in row)
        if not linked and max(map(len, drawn)) <= WIDEST_TABLE:
            return _code_block("\n".join(drawn))
        return "\n".join(self._row(row, [words(text) for text in texts[0]]) for row in rows[1:]) or " · ".join(
            filter(None, (self._inline(cell.children) for cell in rows[0]))
        )

    def _row(self, cells: Sequence[SyntaxTreeNode], heads: Sequence[str]) -> str:
        texts = [" ".join(self._inline(cell.children, bold=not place).split("\n")) for place, cell in enumerate(cells)]
        first, rest = _wrapped(texts[0], "*"), zip(heads[1:], texts[1:], strict=False)
        return "• " + " · ".join([first, *(f"{head}: {text}" if head else text for head, text in rest if text)])

    def _opens(self, cell: SyntaxTreeNode) -> bool:
        marks = (int(found["mark"]) in self._footnotes for found in _PIECE.finditer(_plain(cell)) if found["mark"])
        return any(node.type == "link" for node in cell.walk()) or "://" in _plain(cell) or any(marks)


def _plain(node: SyntaxTreeNode) -> str:
    """The words of a node without their form."""
    if node.type in ("softbreak", "hardbreak"):
        return " "
    own = re.sub("<br ?/?>", " ", node.content) if node.type in ("text", "code_inline") else ""
    return own or "".join(map(_plain, node.children))


def _wrapped(text: str, mark: str) -> str:
    """Marks hold within a line only, and not around blanks."""
    return "\n".join(f"{mark}{line.strip()}{mark}" if line.strip() else line for line in text.split("\n"))


def _code(content: str) -> str:
    return f"`{escape(readable(content).replace('`', 'ˋ'))}`"


def _code_block(content: str) -> str:
    inside = escape(readable(content).replace("```", "`\u200b`\u200b`"))
    return f"{FENCE}\n{inside.rstrip()}\n{FENCE}"


def _prefixed(text: str, prefix: str) -> str:
    """Every line after the prefix, but for code blocks: they stay at the margin, where the cut looks for them."""
    lines, code = [], False
    for line in text.split("\n"):
        code ^= line == FENCE
        lines.append(line if code or line in ("", FENCE) else prefix + line)
    return "\n".join(lines)


def _depth(node: SyntaxTreeNode) -> int:
    """How many lists a list lies in."""
    above, depth = node.parent, 0
    while above is not None:
        depth += above.type in ("bullet_list", "ordered_list")
        above = above.parent
    return depth


def _drawn(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=False)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip() for row in rows]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]
