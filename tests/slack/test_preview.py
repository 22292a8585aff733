"""What sharing a private answer would reveal is seen whole, however long it is."""

import json

import pytest

from bot.slack.surfaces.preview import Seen, page
from bot.store import Part, Run

RUN = Run(key="C1:1.0:private:U1:1", channel="D1", thread_ts="2.0", user="U1", asked={"origin": ["C1", "1.0", "1.0"]})


def section(text):
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def pages(parts):
    """All of them, as they follow each other."""
    views = [page(RUN, parts, 0, "en")]
    while not Seen.of(views[-1]["private_metadata"]).last:
        views.append(page(RUN, parts, len(views), "en"))
    return views


@pytest.mark.parametrize(("blocks", "size"), [(0, 1), (1, 1), (89, 9), (90, 9), (91, 9), (400, 40), (120, 1_400)])
def test_the_pages_hold_every_block_once_and_in_order_within_the_limits_of_slack(blocks, size):
    said = [section(f"{number} " + "é" * size) for number in range(blocks)]
    views = pages([Part(text="", blocks=tuple(said[:50])), Part(text="", blocks=tuple(said[50:]))])
    assert [block for view in views for block in view["blocks"] if block in said] == said
    assert all(len(view["blocks"]) <= 100 and len(json.dumps(view)) < 250_000 for view in views)
    assert [view["submit"]["text"] for view in views] == ["Next page"] * (len(views) - 1) + ["Share"]


def test_buttons_are_left_out_and_what_they_stand_beside_is_not():
    button = {"type": "button", "action_id": "footnote_why", "text": {"type": "plain_text", "text": "Why?"}}
    blocks = (section("A") | {"accessory": button}, {"type": "actions", "elements": [button]}, {"type": "divider"})
    (view,) = pages([Part(text="A", blocks=blocks)])
    assert view["blocks"][1:] == [section("A"), {"type": "divider"}]
